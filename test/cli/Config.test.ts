import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { temporaryHome } from "../databases.ts"
import { until } from "../until.ts"
import { running, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const token = "a-token-of-the-metrics"

describe("svc init and svc config", () => {
  it.scoped("write a starter file that says nothing yet, and never over another", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const file = join(home, "deep", "svc.conf")
      const settings = { SVC_HOME: join(home, "deep") }
      assert.strictEqual((yield* svcHere(["init"], settings)).stdout, `wrote ${file}\n`)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include(readFileSync(file, "utf8"), "#SVC_REST_MAX_PAGE_SIZE=500")
      assert.notInclude(readFileSync(file, "utf8"), "SVC_SECRET_KEY")
      assert.match((yield* svcHere(["config", "validate"], settings)).stdout, /: ok, 0 settings\n$/)
      writeFileSync(file, readFileSync(file, "utf8").replace(/^#SVC_/gm, "SVC_")) // its defaults, written out
      assert.match((yield* svcHere(["config", "validate"], settings)).stdout, /: ok, \d+ settings\n$/)

      writeFileSync(file, "SVC_LOG_LEVEL=debug\n")
      const second = yield* svcHere(["init"], settings)
      assert.strictEqual(second.code, 1)
      assert.match(second.stderr, /^svc: [^\n]+ exists already; --force overwrites it\n$/)
      assert.strictEqual(readFileSync(file, "utf8"), "SVC_LOG_LEVEL=debug\n")
      assert.strictEqual((yield* svcHere(["init", "--force"], settings)).code, 0)
      assert.include(readFileSync(file, "utf8"), "#SVC_LOG_LEVEL=info")
    }))

  it.scoped("show each setting with its source: environment before file before tunables before default", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "svc.conf"), "SVC_LOG_LEVEL=debug\nSVC_REST_MAX_PAGE_SIZE=50\n")
      writeFileSync(join(home, "token"), `${token}\n`)
      const settings = { SVC_HOME: home, SVC_LOG_LEVEL: "error", SVC_METRICS_AUTH_TOKEN_FILE: join(home, "token") }
      const { stdout } = yield* svcHere(["config", "show"], settings)
      assert.include(stdout, "SVC_LOG_LEVEL=error  # environment\n")
      assert.include(stdout, "SVC_REST_MAX_PAGE_SIZE=50  # tunables\n")
      assert.include(stdout, "SVC_PORT=7700  # default\n")
      assert.include(stdout, "SVC_METRICS_AUTH_TOKEN=********  # file\n")
      assert.notInclude(stdout, token)

      const revealed = JSON.parse((yield* svcHere(["config", "show", "--json", "--reveal-secrets"], settings)).stdout)
      assert.deepInclude(revealed, { name: "SVC_METRICS_AUTH_TOKEN", value: token, source: "file" })
    }))

  it.scoped("name each mistake of the tunables file, in one line", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "svc.conf"), "SVC_COLOUR=blue\nSVC_REST_MAX_PAGE_SIZE=0\nSVC_SECRET_KEY=x\nnonsense\n")
      const { code, stderr } = yield* svcHere(["config", "validate"], { SVC_HOME: home })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^svc: [^\n]+\n$/)
      for (
        const part of [
          "line 1: SVC_COLOUR",
          "line 2: SVC_REST_MAX_PAGE_SIZE",
          "1 to 5000",
          "line 3: SVC_SECRET_KEY",
          "line 4"
        ]
      ) {
        assert.include(stderr, part)
      }
      assert.strictEqual((yield* svcHere(["check"], { SVC_HOME: home })).code, 1)
    }))

  it.scoped("have the defaults and the ranges of the contract", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const defaults = {
        SVC_AUDIT_WEBHOOK_BUFFER_SIZE: 1000,
        SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS: 10,
        SVC_FIRST_BOOT_ATTEMPTS_PER_IP: 30,
        SVC_LOGIN_LOCKOUT_DURATION_SECONDS: 900,
        SVC_LOGIN_LOCKOUT_THRESHOLD: 10,
        SVC_LOGIN_MIN_DURATION_MS: 300,
        SVC_MAX_PAYLOAD_SIZE_BYTES: 8192,
        SVC_MFA_ENROLLMENT_GRACE_DAYS: 7,
        SVC_MFA_VERIFICATION_RATE_PER_MIN: 10,
        SVC_REST_MAX_PAGE_SIZE: 500,
        SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD: 5,
        SVC_SCHEDULE_FIRES_RETENTION_DAYS: 30
      }
      const shown = (yield* svcHere(["config", "show"], { SVC_HOME: home })).stdout
      for (const [name, value] of Object.entries(defaults)) assert.include(shown, `\n${name}=${value}  # default\n`)

      const ranges = [
        ["SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS", 1, 120],
        ["SVC_MFA_ENROLLMENT_GRACE_DAYS", 0, 90],
        ["SVC_SCHEDULE_FIRES_RETENTION_DAYS", 1, 3650]
      ] as const
      const validate = (valueOf: (min: number, max: number) => number) => {
        const lines = ranges.map(([name, min, max]) => `${name}=${valueOf(min, max)}\n`)
        writeFileSync(join(home, "svc.conf"), lines.join(""))
        return svcHere(["config", "validate"], { SVC_HOME: home })
      }
      for (const inside of [Math.min, Math.max]) assert.strictEqual((yield* validate(inside)).code, 0)
      for (const outside of [(min: number) => min - 1, (_: number, max: number) => max + 1]) {
        const { code, stderr } = yield* validate(outside)
        assert.strictEqual(code, 1)
        for (const [name, min, max] of ranges) assert.match(stderr, new RegExp(`${name}[^;]* ${min}[^;]* ${max}`))
      }
    }))

  it.scoped("have svc doctor name what looks like a setting and is none", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "token"), token)
      const settings = {
        SVC_HOME: home,
        SVC_METRICS_AUTH_TOKEN_FILE: join(home, "token"),
        SVC_PORT_FILE: "x",
        SVC_COLOUR: "blue"
      }
      const operators = {
        SVC_URL: "https://svc.example.com",
        SVC_API_KEY_FILE: join(home, "token"),
        SVC_PROJECT: "shop"
      }
      const { stdout } = yield* svcHere(["doctor"], { ...settings, ...operators })
      assert.include(
        stdout,
        "warning: these environment variables are not settings and have no effect: SVC_COLOUR, SVC_PORT_FILE"
      )
    }))

  it.scopedLive("warn of deprecated settings and refuse none of them; svc serve warns of names that nothing reads, never of values", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "svc.conf"), "SVC_LOGIN_BACKOFF_BASE_SECONDS=0.5\nSVC_LOGIN_BACKOFF_MAX_SECONDS=5.0\n")
      const validated = yield* svc(["config", "validate"], { SVC_HOME: home }) // warnings go to the process's own output
      assert.strictEqual(validated.code, 0, validated.stderr)
      assert.include(validated.stderr, "line 1: SVC_LOGIN_BACKOFF_BASE_SECONDS is no longer used")
      const server = yield* running(["serve", "--port", "0"], {
        SVC_HOME: home,
        SVC_LOGLEVEL: "hunter2",
        SVC_COLOUR: "hunter2",
        SVC_URL: "https://svc.example.com",
        SVC_API_KEY: "svk_x",
        SVC_TEST_POSTGRES_URL: "x",
        SVC_LOGIN_BACKOFF_MAX_SECONDS: "5.0"
      })
      yield* until(Effect.sync(server.stderr), (text) => text.includes("is ready at"))
      const log = server.stderr()
      assert.include(
        log,
        "these environment variables are not settings and have no effect: SVC_COLOUR, SVC_LOGLEVEL (did you mean SVC_LOG_LEVEL?)\n"
      )
      assert.include(log, "these environment variables no longer have an effect: SVC_LOGIN_BACKOFF_MAX_SECONDS\n")
      assert.include(log, "line 2: SVC_LOGIN_BACKOFF_MAX_SECONDS is no longer used")
      assert.notInclude(log, "hunter2")
    }))

  it.scoped("refuse credentials in URLs that people are shown, and print none of them", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      for (const name of ["SVC_PUBLIC_URL", "SVC_OTEL_EXPORTER_OTLP_ENDPOINT"]) {
        for (const url of ["https://user:hunter2@svc.example.com", "https://hunter2@svc.example.com/x"]) {
          const refusal = yield* svcHere(["check"], { SVC_HOME: home, [name]: url })
          assert.include(refusal.stderr, `${name} must be a URL without a user name or password`)
          assert.notInclude(refusal.stderr, "hunter2")
        }
      }
      const shown = yield* svcHere(["config", "show"], {
        SVC_HOME: home,
        SVC_AGENT_BRAIN_URL: "https://user:hunter2@svc.example.com"
      })
      assert.include(shown.stdout, "SVC_AGENT_BRAIN_URL=https://***@svc.example.com")
    }))

  it.scopedLive("keep SQLite's files and all of SVC_HOME from others, whatever the umask, also files from before", () =>
    Effect.gen(function*() {
      const home = join(yield* temporaryHome, "home")
      const underUmask = (args: string) =>
        Effect.sync(() =>
          spawnSync("sh", ["-c", `umask 000; exec "${process.execPath}" "${inject("program")}" ${args}`], {
            env: { PATH: process.env.PATH ?? "", SVC_HOME: home },
            encoding: "utf8"
          })
        )
      assert.strictEqual((yield* underUmask("migrate upgrade")).status, 0)
      chmodSync(join(home, "svc.db"), 0o666)
      const server = spawn(
        "sh",
        ["-c", `umask 000; exec "${process.execPath}" "${inject("program")}" serve --port 0`],
        {
          env: { PATH: process.env.PATH ?? "", SVC_HOME: home },
          stdio: ["ignore", "ignore", "pipe"]
        }
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => server.kill("SIGKILL")))
      let log = ""
      server.stderr.on("data", (chunk) => (log += String(chunk)))
      yield* until(Effect.sync(() => log), (text) => text.includes("is ready at"))
      const files = readdirSync(home)
      assert.includeMembers(files, ["svc.db", "svc.db-wal", "svc.db-shm", "svc.db.lock"])
      for (const file of files) assert.strictEqual(statSync(join(home, file)).mode & 0o077, 0, file)
      assert.strictEqual(statSync(home).mode & 0o077, 0)
    }))

  it.scoped("have nothing to say about a file that is not there", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* svcHere(["config", "validate"], { SVC_HOME: yield* temporaryHome })
      assert.strictEqual(code, 0)
      assert.include(stdout, "nothing to check")
    }))
})
