import { NodeContext } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { cli } from "../../src/cli/Command.ts"
import { StandardInput } from "../../src/cli/io/StandardInput.ts"
import { Environment } from "../../src/cli/program/Environment.ts"
import { explain } from "../../src/cli/program/Explain.ts"
import { temporaryHome } from "../databases.ts"
import { svc } from "./svc.ts"

/** A command of `svc`, within this process: what it printed, and the line that it failed with. */
const run = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    let printed = ""
    const quiet = yield* Effect.map(
      Effect.console,
      (console) => ({
        ...console,
        log: (...parts: ReadonlyArray<unknown>) => Effect.sync(() => void (printed += `${parts.join(" ")}\n`))
      })
    )
    const exit = yield* Effect.exit(Effect.withConsole(cli.run(["node", "svc", ...args]), quiet)).pipe(
      Effect.provideService(Environment, environment),
      Effect.provideService(StandardInput, Stream.empty),
      Effect.provide(NodeContext.layer)
    )
    return { printed, failed: Exit.isFailure(exit) ? explain(exit.cause) ?? "usage" : null }
  })

describe("svc allowed-hosts", () => {
  it.scopedLive("keeps a list in SVC_HOME, beside what the settings say", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const environment = {
        SVC_HOME: home,
        SVC_PUBLIC_URL: "https://svc.example.com",
        SVC_ALLOWED_HOSTS: "Inside.example.com"
      }
      const svc = (...args: ReadonlyArray<string>) => run(["allowed-hosts", ...args], environment)
      const file = join(home, "allowed-hosts")
      assert.strictEqual((yield* svc("path")).printed, `${file}\n`)
      assert.isFalse(existsSync(file))
      assert.match(
        (yield* svc("add", "Brain.Example.com.")).printed,
        /^added brain\.example\.com; .*within 2 seconds\n$/
      )
      assert.match((yield* svc("add", "brain.example.com")).printed, /is in the list already/)
      assert.strictEqual((yield* svc("add", "2001:DB8::1")).failed, null)
      assert.strictEqual(readFileSync(file, "utf8"), "brain.example.com\n2001:db8::1\n")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const listed = (yield* svc("list")).printed.trim().split("\n")
      assert.sameMembers(listed, [
        "127.0.0.1  # always",
        "2001:db8::1  # added",
        "::1  # always",
        "brain.example.com  # added",
        "inside.example.com  # settings",
        "localhost  # always",
        "svc.example.com  # settings"
      ])
      assert.deepInclude(JSON.parse((yield* svc("list", "--json")).printed), {
        host: "brain.example.com",
        source: "added"
      })

      writeFileSync(file, `# by hand\n${readFileSync(file, "utf8")}`)
      assert.match((yield* svc("remove", "BRAIN.example.com")).printed, /^removed brain\.example\.com; /)
      assert.strictEqual(readFileSync(file, "utf8"), "# by hand\n2001:db8::1\n")
      assert.match((yield* svc("remove", "svc.example.com")).failed ?? "", /is not an added host name/)
      for (const invalidHost of ["https://svc.example.com", "svc.example.com:443", "*", "a b"]) {
        assert.match((yield* svc("add", invalidHost)).failed ?? "", /is not a host name/, invalidHost)
      }
    }))

  it.scopedLive("has settings that are checked", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const invalidSettings: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
        [{ SVC_ALLOWED_HOSTS: "svc.example.com:80" }, /SVC_ALLOWED_HOSTS must be host names/],
        [{ SVC_CORS_ORIGINS: "*" }, /SVC_CORS_ORIGINS must be origins/],
        [{ SVC_CORS_ORIGINS: "https://app.example.com/" }, /SVC_CORS_ORIGINS must be origins/],
        [{ SVC_CORS_ORIGINS: "null" }, /SVC_CORS_ORIGINS must be origins/],
        [{ SVC_AUDIT_WEBHOOK_URL: "https://user:hush@hooks.example/" }, /^(?!.*hush).*SVC_AUDIT_WEBHOOK_URL must be/],
        [{ SVC_AUDIT_WEBHOOK_URL: "https://hooks.example/hush" }, /^(?!.*hush).*SVC_AUDIT_WEBHOOK_HMAC_SECRET/],
        [
          { SVC_AUDIT_WEBHOOK_HMAC_SECRET: "x".repeat(31) },
          /SVC_AUDIT_WEBHOOK_HMAC_SECRET must have at least 32 bytes/
        ],
        [
          { SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS: "0.9" },
          /SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS must be a number from 1 to 120/
        ],
        [{ SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "maybe" }, /must be true or false/],
        [{ SVC_OUTBOUND_ALLOW_CIDRS: "10.0.0.0/33" }, /SVC_OUTBOUND_ALLOW_CIDRS must be IP addresses/],
        [{ SVC_OUTBOUND_ALLOW_CIDRS: "10.0.0.0/8:0" }, /SVC_OUTBOUND_ALLOW_CIDRS must be IP addresses/],
        [{ SVC_OUTBOUND_ALLOW_CIDRS: "10.0.0.0/8:90-80" }, /SVC_OUTBOUND_ALLOW_CIDRS must be IP addresses/]
      ]
      for (const [environment, line] of invalidSettings) {
        const { failed } = yield* run(["allowed-hosts", "path"], { SVC_HOME: home, ...environment })
        assert.match(failed ?? "", line)
      }
      const right = {
        SVC_HOME: home,
        SVC_CORS_ORIGINS: "https://app.example.com, http://localhost:5173",
        SVC_AUDIT_WEBHOOK_URL: "https://hooks.example/",
        SVC_AUDIT_WEBHOOK_HMAC_SECRET: "é".repeat(16),
        SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS: "2.5"
      }
      assert.isNull((yield* run(["allowed-hosts", "path"], right)).failed)
    }))
})

describe("svc metrics-token", () => {
  it.scopedLive("prints the token that the brain takes, makes it when there is none, and rotates it", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const svc = (...args: ReadonlyArray<string>) => run(["metrics-token", ...args], { SVC_HOME: home })
      const first = (yield* svc()).printed
      assert.match(first, /^[\w-]{43}\n$/)
      assert.strictEqual((yield* svc()).printed, first)
      assert.strictEqual(`${readFileSync(join(home, "metrics.token"), "utf8")}\n`, first)
      const rotated = (yield* svc("rotate")).printed
      assert.match(rotated, /Restart every brain that uses this SVC_HOME/)
      const second = (yield* svc()).printed
      assert.match(second, /^[\w-]{43}\n$/)
      assert.notStrictEqual(second, first)
      assert.notInclude(rotated, second.trim())
      assert.strictEqual(statSync(join(home, "metrics.token")).mode & 0o777, 0o600)
    }))

  it.scopedLive("accepts no token that can be guessed, such as that of a truncated file", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "metrics.token"), "")
      assert.match(
        (yield* run(["metrics-token"], { SVC_HOME: home })).failed ?? "",
        /fewer than 16 characters.*svc metrics-token rotate/
      )
      yield* run(["metrics-token", "rotate"], { SVC_HOME: home })
      assert.match((yield* run(["metrics-token"], { SVC_HOME: home })).printed, /^[\w-]{43}\n$/)
      assert.deepStrictEqual(readdirSync(home), ["metrics.token"])
    }))

  it.scopedLive("leaves alone what the environment gives", () =>
    Effect.gen(function*() {
      const environment = { SVC_HOME: yield* temporaryHome, SVC_METRICS_AUTH_TOKEN: "a token of my own" }
      assert.strictEqual((yield* run(["metrics-token"], environment)).printed, "a token of my own\n")
      const { failed } = yield* run(["metrics-token", "rotate"], environment)
      assert.match(failed ?? "", /SVC_METRICS_AUTH_TOKEN sets the token/)
      assert.notInclude(failed ?? "", "my own")
      assert.isFalse(existsSync(join(environment.SVC_HOME, "metrics.token")))
    }))
})

describe("a command whose row the audit webhook does not take", () => {
  it.scopedLive("says so in a line", () =>
    Effect.gen(function*() {
      const silent = createServer(() => {}) // it never responds
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void silent.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => silent.close().closeAllConnections())
      )
      const settings = {
        SVC_HOME: yield* temporaryHome,
        SVC_AUDIT_WEBHOOK_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, // it listens on TCP
        SVC_AUDIT_WEBHOOK_HMAC_SECRET: "x".repeat(32),
        SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true",
        SVC_AUDIT_WEBHOOK_ALLOW_CIDRS: "127.0.0.1:*"
      }
      const bootstrap = yield* svc(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
        input: "a long password"
      })
      assert.strictEqual(bootstrap.code, 0)
      assert.match(bootstrap.stderr, /^svc: the program ends before \d+ audit rows? reached SVC_AUDIT_WEBHOOK_URL\n$/)
    }))
})
