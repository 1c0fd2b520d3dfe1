import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, symlinkSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { version } from "../../src/domain/kernel/Version.ts"
import { type Engine, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { serving, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const settingsOf = (engine: Engine) =>
  Effect.gen(function*() {
    const url = engine === "PostgreSQL" ? { SVC_DATABASE_URL: (yield* freshPostgres).url } : {}
    return { SVC_HOME: yield* temporaryHome, ...url }
  })

const get = (url: string) => Effect.promise(() => fetch(url))

/** An open connection that has sent half a request, as a slow or dead peer does; `closed` resolves when the brain closes it. */
const halfRequest = (port: number) =>
  Effect.async<{ readonly closed: Promise<void> }>((resume) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.write("POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
      resume(Effect.succeed({ closed }))
    })
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()))
    socket.on("error", () => {}) // the brain closes it with a reset
  })

const children = (pid: number) =>
  Effect.promise(async () => {
    const { readFile } = await import("node:fs/promises")
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
    return text.trim().split(" ").filter((child) => child !== "").map(Number)
  })

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.each(laneEngines)("svc serve on %s", (engine) => {
  it.scopedLive("starts on nothing, prints address and setup link for people and JSON lines for machines", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf(engine)
      const brain = yield* serving({ ...settings, SVC_LOG_LEVEL: "debug" })
      yield* until(Effect.sync(brain.stderr), (text) => text.includes("/setup?token="))
      assert.strictEqual(`${brain.stdout()}${brain.stderr()}`.split("is ready at").length, 2)
      assert.include(brain.stderr(), `is ready at ${brain.url}\n`)
      const link = /http:\S+\/setup\?token=\S+/.exec(brain.stderr())?.[0] ?? ""
      assert.isTrue(link.startsWith(`${brain.url}/setup?token=`))
      assert.strictEqual((yield* get(link)).status, 200)
      assert.deepStrictEqual(yield* Effect.promise(async () => (await fetch(`${brain.url}/health`)).json()), {
        status: "ok"
      })
      assert.strictEqual((yield* get(`${brain.url}/health/ready`)).status, 200)
      for (const line of brain.stdout().trim().split("\n")) {
        const { level, logger, msg, ts } = JSON.parse(line)
        assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
        assert.include(["debug", "info", "warning", "error"], level)
        assert.isString(logger)
        assert.isString(msg)
      }
      assert.notInclude(brain.stdout(), "token=")

      assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
      const again = yield* serving(settings)
      assert.strictEqual(yield* again.stop("SIGINT"), 0)
    }))

  it.scopedLive("ends in order when Ctrl-C arrives twice, as through npm", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf(engine)
      const brain = yield* serving(settings)
      process.kill(brain.pid, "SIGINT")
      yield* Effect.sleep("20 millis") // time for npm to pass it on
      assert.strictEqual(yield* brain.stop("SIGINT"), 0)
      assert.deepStrictEqual(readdirSync(settings.SVC_HOME).filter((name) => /-(wal|shm|journal)$/.test(name)), [])
    }))

  it.scopedLive("with an admin prints where the API is described, and no link; logs who asked, and for which request; on all addresses says where people can sign in", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf(engine)
      const body = JSON.stringify({ email: "ann@example.com", password: "a long password" })
      yield* svcHere(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
        input: "a long password"
      })
      const brain = yield* serving({ ...settings, SVC_LOG_LEVEL: "debug", SVC_HOST: "0.0.0.0" })
      const login = yield* Effect.promise(() =>
        fetch(`${brain.url}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body
        })
      )
      const cookie = login.headers.getSetCookie().map((one) => one.split(";", 1)[0]).join("; ")
      yield* Effect.promise(() =>
        fetch(`${brain.url}/api/v1/projects/default?hidden=1`, {
          headers: {
            cookie,
            "x-request-id": "r-1",
            traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
          }
        })
      )
      const line = yield* until(
        Effect.sync(() => brain.stdout().split("\n").find((line) => line.includes("r-1")) ?? ""),
        (line) => line !== ""
      )
      const { duration_ms, msg, project_id, request_id, status, trace_id, user_id } = JSON.parse(line)
      assert.deepStrictEqual([status, trace_id], [200, "4bf92f3577b34da6a3ce929d0e0e4736"])
      assert.isAbove(duration_ms, 0)
      assert.deepStrictEqual({ msg, request_id }, { msg: "GET /api/v1/projects/default 200", request_id: "r-1" })
      assert.match(user_id, /^[0-9a-f-]{36}$/)
      assert.match(project_id, /^[0-9a-f-]{36}$/)
      assert.notInclude(brain.stdout(), "a long password")
      assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
      assert.notInclude(brain.stderr(), "setup")
      assert.include(brain.stderr(), `API reference: http://localhost:${brain.port}/api/v1/docs\n`)
      assert.include(brain.stderr(), `Warning: sign-in works only on this machine, at http://localhost:${brain.port}`)
    }))

  it.scopedLive("ends with 0 although a client keeps a request open", () =>
    Effect.gen(function*() {
      const brain = yield* serving(yield* settingsOf(engine))
      const { closed } = yield* halfRequest(brain.port)
      assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
      yield* Effect.promise(() => closed)
    }))
})

describe("svc serve --workers 2 on PostgreSQL", () => {
  it.scopedLive("shares one port, replaces a worker that dies, and ends with all of them", () =>
    Effect.gen(function*() {
      const brain = yield* serving(yield* settingsOf("PostgreSQL"), ["--workers", "2"])
      const workers = yield* until(children(brain.pid), (pids) => pids.length === 2)
      assert.strictEqual((yield* get(`${brain.url}/health/ready`)).status, 200)
      const [first] = workers
      process.kill(first ?? 0, "SIGKILL")
      const replaced = yield* until(children(brain.pid), (pids) => pids.length === 2 && !pids.includes(first ?? 0))
      assert.match(brain.stderr(), /\nsvc: worker 1 \(process \d+\) died: SIGKILL; starting another\n/)
      yield* until(
        Effect.sync(() => brain.stdout().split("\n").filter((line) => line.includes("is ready")).length),
        (ready) => ready === 2 // the first worker said so on standard error
      )
      assert.strictEqual((yield* get(`${brain.url}/health/ready`)).status, 200)
      assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
      assert.deepStrictEqual(replaced.filter(isAlive), [])
      assert.strictEqual(brain.stderr().split("/setup?token=").length, 2, "one link")
    }))

  it.scopedLive("says once what keeps it from starting", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf("PostgreSQL")
      const brain = yield* serving(settings)
      const second = yield* svc(["serve", "--port", String(brain.port), "--workers", "2"], settings)
      assert.strictEqual(second.code, 1)
      assert.match(
        second.stderr,
        /^svc: the server cannot listen: another program [^\n]+\nsvc: a worker exited before it was ready; [^\n]+\n$/
      )
    }))
})

describe("a second svc serve on one SQLite file", () => {
  it.scopedLive("does not start while the first lives, and starts once that was killed", () =>
    Effect.gen(function*() {
      const settings = yield* settingsOf("SQLite")
      const first = yield* serving(settings)
      const elsewhere = { SVC_HOME: yield* temporaryHome, SVC_DATABASE_URL: `sqlite:///${settings.SVC_HOME}/other.db` }
      symlinkSync(join(settings.SVC_HOME, "svc.db"), join(settings.SVC_HOME, "other.db"))
      for (const same of [settings, elsewhere]) {
        const refusal = yield* svc(["serve", "--port", "0"], same)
        assert.strictEqual(refusal.code, 1)
        assert.match(
          refusal.stderr,
          /^svc: Another svc [^\n]+ already serves [^\n]+\.db, [^\n]+Stop that one, [^\n]+\n$/
        )
      }
      assert.strictEqual((yield* get(`${first.url}/health/ready`)).status, 200)
      const bootstrapArgs = ["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"]
      assert.strictEqual((yield* svcHere(bootstrapArgs, settings, { input: "a long password" })).code, 0)
      const here = { ...settings, SVC_PORT: new URL(first.url).port }
      assert.include(
        (yield* svcHere(["status"], here)).stdout,
        `\nbrain: ready at ${first.url}, svc ${version}, since `
      )

      yield* first.stop("SIGKILL")
      assert.include((yield* svcHere(["status"], here)).stdout, `\nbrain: not running at ${first.url}\n`)
      const second = yield* serving(settings)
      assert.strictEqual((yield* get(`${second.url}/health/ready`)).status, 200)
      assert.strictEqual(yield* second.stop("SIGTERM"), 0)
    }))
})
