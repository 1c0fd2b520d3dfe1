import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { inject } from "vitest"
import { temporaryHome } from "../databases.ts"
import { freePort } from "../ports.ts"
import { type Ran, type Settings, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const isRoot = process.getuid?.() === 0
/** Root may write anywhere, so as root the program runs as the user nobody. */
const unprivileged = isRoot ? { uid: 65_534 } : {}

const assertRefused = ({ code, stderr, stdout }: Ran, part: string | RegExp) => {
  assert.strictEqual(code, 1, stderr)
  assert.strictEqual(stdout, "")
  assert.match(stderr, /^svc: [^\n]+\n$/)
  assert.notInclude(stderr, "\u001b")
  if (typeof part === "string") assert.include(stderr, part)
  else assert.match(stderr, part)
}

/** Of its own process, as people start it. */
const serve = (settings: Settings, args: ReadonlyArray<string> = [], options = {}) =>
  svc(["serve", "--port", "0", ...args], settings, options)

/** A home with a migrated database in it. */
const migrated = Effect.gen(function*() {
  const home = yield* temporaryHome
  assert.strictEqual((yield* svcHere(["migrate", "upgrade"], { SVC_HOME: home })).code, 0)
  return home
})

describe("svc serve that cannot start", () => {
  it.scoped("says so when the folder of the SQLite file cannot be", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "file"), "")
      assertRefused(yield* serve({ SVC_HOME: home, SVC_DATABASE_URL: `sqlite:///${home}/file/svc.db` }), `${home}/file`)
      assertRefused(
        yield* serve({ SVC_HOME: home, SVC_DATABASE_URL: `sqlite:///${home}/mistyped/svc.db` }),
        "which does not exist"
      )
      assert.isFalse(existsSync(join(home, "mistyped")))
    }))

  it.scoped("says so when folder or file may not be written", () =>
    Effect.gen(function*() {
      const home = yield* migrated
      chmodSync(home, 0o755)
      const settings = { SVC_HOME: home }
      chmodSync(join(home, "svc.db"), 0o444)
      if (!isRoot) chmodSync(home, 0o555)
      assertRefused(yield* serve(settings, [], unprivileged), "read-only for this user")
      if (!isRoot) chmodSync(home, 0o755)
    }))

  it.scoped("says so when the disk takes no more", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const command = `ulimit -f 100; exec "${process.execPath}" "${inject("program")}" serve --port 0` // blocks of 512 bytes
      const { status, stderr, stdout } = spawnSync("sh", ["-c", command], { env: { SVC_HOME: home }, encoding: "utf8" })
      assertRefused({ code: status, stdout, stderr }, /disk/)
    }))

  it.scoped("says so when the file is no database", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      writeFileSync(join(home, "svc.db"), "no database at all\n".repeat(100))
      assertRefused(yield* serve({ SVC_HOME: home }), "not a SQLite database")
    }))

  it.scoped("says so when a newer program has migrated the database", () =>
    Effect.gen(function*() {
      const home = yield* migrated
      const db = new BetterSqlite3(join(home, "svc.db"))
      db.prepare("INSERT INTO schema_migrations (id, name, compatible_from, applied_at) VALUES (900, 'later', 900, '')")
        .run()
      db.close()
      assertRefused(
        yield* serve({ SVC_HOME: home }),
        /revision 900, which a newer svc created; .* knows revisions up to \d+\. Start /
      )
      assert.include((yield* svcHere(["check"], { SVC_HOME: home })).stdout, "revision: 900")
    }))

  it.scoped("says so when the key is not the one the database was written with", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const input = "a long password\n"
      yield* svcHere(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], { SVC_HOME: home }, {
        input
      })
      const other = join(home, "other")
      mkdirSync(other)
      cpSync(join(home, "svc.db"), join(other, "svc.db"))
      assertRefused(yield* serve({ SVC_HOME: other }), "SVC_SECRET_KEY is not the key this database was written with")
      assertRefused(
        yield* serve({ SVC_HOME: home, SVC_AUDIT_CHAIN_KEY: "A".repeat(43) }),
        "SVC_AUDIT_CHAIN_KEY is not the key"
      )
    }))

  it.scoped("says so when the port is taken", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const port = yield* freePort
      const other = createServer()
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void other.listen(port, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => other.close())
      )
      assertRefused(
        yield* svc(["serve", "--port", String(port)], { SVC_HOME: home }),
        "another program listens on that port"
      )
    }))

  it.scoped("says so when PostgreSQL does not respond, and does not print the password", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const port = yield* freePort
      const settings = { SVC_HOME: home, SVC_DATABASE_URL: `postgresql://ann:hidden@127.0.0.1:${port}/svc` }
      for (const command of [["check"], ["status"], ["migrate", "upgrade"]]) {
        const result = yield* svcHere(command, settings)
        assertRefused(result, "PostgreSQL does not answer: nothing listens there")
        assert.notInclude(result.stderr, "hidden")
      }
    }))

  it.scoped("names every setting that is out of range, and the range", () =>
    Effect.gen(function*() {
      const settings = {
        SVC_HOME: yield* temporaryHome,
        SVC_PORT: "many",
        SVC_LOG_LEVEL: "loud",
        SVC_SECRET_KEY_FILE: "/nowhere"
      }
      const result = yield* svc(["serve"], settings)
      assertRefused(result, "SVC_PORT must be a whole number from 0 to 65535")
      assertRefused(result, "SVC_LOG_LEVEL must be one of debug, info, warning, error")
      assertRefused(result, "SVC_SECRET_KEY_FILE: cannot read /nowhere")
    }))

  it.scoped.each(
    [
      [
        { SVC_DATABASE_URL: "mysql://root@127.0.0.1/svc" },
        "SVC_DATABASE_URL must begin with sqlite:/// or postgresql://"
      ],
      [{ SVC_DATABASE_URL: "sqlite:////tmp/100%/svc.db" }, "SVC_DATABASE_URL: a % of the path is written %25"],
      [{ SVC_HOST: "203.0.113.9" }, "this machine does not have that address"],
      [{ SVC_HOME: "/dev/null/svc" }, "/dev/null/svc"]
    ] as const
  )("refuses %j", ([setting, part]) =>
    Effect.gen(function*() {
      assertRefused(yield* serve({ SVC_HOME: yield* temporaryHome, ...setting }), part)
    }))

  it.scoped.each(
    [
      [{ SVC_SECRET_KEY: "-".repeat(50) }, "SVC_SECRET_KEY must be keys of 32 bytes as base64url (43 characters)"],
      [{ SVC_PUBLIC_URL: "svc.example" }, "SVC_PUBLIC_URL must be an http or https URL, but is \"svc.example\""],
      [
        { SVC_OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
        "SVC_OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL"
      ],
      [
        { SVC_TRUSTED_PROXIES: "10.0.0.0/8, proxy" },
        "SVC_TRUSTED_PROXIES must be IP addresses or ranges such as 10.0.0.0/8, but has \"proxy\""
      ],
      [{ SVC_SENTRY_DSN: "sentry" }, "SVC_SENTRY_DSN must look like"]
    ] as const
  )("refuses %j, and svc check says so before", ([setting, part]) =>
    Effect.gen(function*() {
      const settings = { SVC_HOME: yield* temporaryHome, ...setting }
      assertRefused(yield* svcHere(["serve", "--port", "0"], settings), part)
      assertRefused(yield* svcHere(["check"], settings), part)
    }))
})
