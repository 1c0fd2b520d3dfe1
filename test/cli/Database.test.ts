import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { existsSync, readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { headRevision } from "../../migrations/MigrationList.ts"
import { type Engine, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { asNextProgram } from "../migrations.ts"
import { freshPostgres } from "../postgres.ts"
import { serving, type Settings, svc as svcProcess } from "./svc.ts"
import { svcHere as svc } from "./svcHere.ts"

/** A fresh home and an empty database of this engine, which is not migrated yet. Port 0: other programs use the default. */
const fresh = (engine: Engine) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const settings: Settings = {
      SVC_HOME: home,
      SVC_PORT: "0",
      ...(engine === "PostgreSQL" && { SVC_DATABASE_URL: (yield* freshPostgres).url })
    }
    return { home, settings }
  })

/** Statements by hand, as another program would send them. */
const execute = async (home: string, settings: Settings, statements: ReadonlyArray<string>) => {
  if (settings.SVC_DATABASE_URL === undefined) {
    const db = new BetterSqlite3(join(home, "svc.db"))
    for (const statement of statements) db.exec(statement)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: settings.SVC_DATABASE_URL })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

describe.each(laneEngines)("the database commands on %s", (engine) => {
  it.scoped("inspect a database without creating or migrating it", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      for (const command of [["check"], ["status"], ["doctor"], ["migrate", "current"], ["migrate", "history"]]) {
        const { code, stderr } = yield* svc(command, settings)
        assert.strictEqual(code, 0, `${command.join(" ")}: ${stderr}`)
      }
      assert.deepStrictEqual(readdirSync(home), [])
      const checked = JSON.parse((yield* svc(["check", "--json"], settings)).stdout)
      assert.strictEqual(checked.revision, null)
      assert.strictEqual(checked.database_exists, engine === "PostgreSQL")
      const behind = yield* svc(["migrate", "current", "--check-heads"], settings)
      assert.strictEqual(behind.code, 1)
      assert.match(behind.stderr, /^svc: the database is at revision none, this program's head is \d+\n$/)
    }))

  it.scoped("move the schema up, and one step back", () =>
    Effect.gen(function*() {
      const { settings } = yield* fresh(engine)
      const up = yield* svc(["migrate", "upgrade", "head"], settings)
      assert.match(up.stdout, /^applied 1 baseline\n[\s\S]*revision: \d+\n$/)
      assert.include((yield* svc(["migrate", "upgrade"], settings)).stdout, "nothing to do")
      assert.strictEqual((yield* svc(["migrate", "current", "--check-heads"], settings)).code, 0)
      const current = JSON.parse((yield* svc(["migrate", "current", "--json"], settings)).stdout)
      assert.strictEqual(current.revision, current.head)
      const history = JSON.parse((yield* svc(["migrate", "history", "--json"], settings)).stdout)
      assert.strictEqual(history[0].name, "baseline")
      assert.match(history[0].applied_at, /Z$/)

      const { head } = current
      const far = yield* svc(["migrate", "downgrade", "99"], settings)
      assert.strictEqual(far.code, 1)
      const up2 = yield* svc(["migrate", "upgrade"], settings, { as: asNextProgram })
      assert.strictEqual(
        up2.stdout,
        `applied ${head + 1} notes\napplied ${head + 2} pinned_views\nrevision: ${head + 2}\n`
      )
      assert.strictEqual((yield* svc(["check"], settings)).code, 0, "this program works with the next one's schema")
      const down = yield* svc(["migrate", "downgrade", String(head + 1)], settings, { as: asNextProgram })
      assert.strictEqual(down.stdout, `reverted ${head + 2} pinned_views\nrevision: ${head + 1}\n`)
      assert.strictEqual((yield* svc(["check"], settings, { as: asNextProgram })).code, 0)
    }))

  it.scoped("refuse the tables of a build before the first release, and change nothing", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      yield* svc(["migrate", "upgrade"], settings)
      yield* Effect.promise(() => execute(home, settings, ["UPDATE schema_migrations SET name = 'main' WHERE id = 1"]))
      const commands = [["serve"], ["migrate", "upgrade"], ["migrate", "downgrade", "0", "--force"], ["check"]]
      for (const command of commands) {
        const { code, stderr, stdout } = yield* svc(command, settings)
        assert.strictEqual(code, 1, command.join(" "))
        assert.match(stderr + stdout, /build of svc before its first release[^\n]*SVC_DATABASE_URL/)
      }
      assert.strictEqual((yield* svc(["migrate", "current"], settings)).stdout, `${yield* headRevision} (head)\n`)
    }))

  it.scoped("go back to any earlier revision, step by step, after they said what is lost", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const next = (...args: ReadonlyArray<string>) => svc(args, settings, { as: asNextProgram })
      yield* svc(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
        input: "a long password\n"
      })
      yield* next("migrate", "upgrade")
      const change = (...statements: ReadonlyArray<string>) => Effect.promise(() => execute(home, settings, statements))
      yield* change(
        `INSERT INTO saved_views (id, project_id, owner_id, name, filters, is_shared, created_at, updated_at, pinned_at)
          SELECT '00000000-0000-4000-8000-000000000001', p.id, u.id, 'failed', '{}', 1, u.created_at, u.created_at,
            u.created_at FROM projects p CROSS JOIN users u`,
        "INSERT INTO project_notes (id, text) VALUES (1, 'a'), (2, 'b')",
        "UPDATE projects SET colour = 'red'"
      )
      const head = yield* headRevision
      const back = ["migrate", "downgrade", String(head)]
      const refusal = yield* next(...back)
      assert.strictEqual(refusal.code, 2)
      assert.match(refusal.stdout, /\n {2}project_notes +2\n/)
      assert.match(refusal.stdout, /\n {2}projects\.colour +1\n/)
      assert.match(refusal.stdout, /\n {2}saved_views where pinned_at IS NOT NULL +1\n/)
      assert.match(refusal.stderr, /^svc: nothing was changed\. .*svc migrate downgrade \d+ --force\n$/)
      assert.strictEqual((yield* next("migrate", "current", "--check-heads")).code, 0)
      const listed = JSON.parse((yield* next(...back, "--json")).stdout)
      assert.deepInclude(listed.lost, { what: "project_notes", rows: 2 })

      const kept = yield* next(...back, "--force")
      assert.strictEqual(kept.code, 1)
      assert.include(kept.stderr, "A shared view is pinned. Unpin it first.")
      assert.strictEqual((yield* next("migrate", "current", "--check-heads")).code, 0)
      yield* change("UPDATE saved_views SET is_shared = 0")
      const down = yield* next(...back, "--force")
      assert.strictEqual(down.code, 0, down.stderr)
      assert.strictEqual(
        down.stdout,
        `reverted ${head + 2} pinned_views\nreverted ${head + 1} notes\nrevision: ${head}\n`
      )
      assert.include((yield* next(...back)).stderr, "goes to an earlier one")
      assert.strictEqual((yield* svc(["check"], settings)).code, 0)
      const empty = yield* svc(["migrate", "downgrade", "0", "--force"], settings)
      assert.strictEqual(empty.stdout.split("\n").at(-2), "revision: 0")
      assert.strictEqual((yield* svc(["migrate", "upgrade"], settings)).code, 0)
      assert.strictEqual((yield* svc(["migrate", "current", "--check-heads"], settings)).code, 0)
    }))

  it.scoped("do not go back under the brain that works on the database", () =>
    Effect.gen(function*() {
      const { settings } = yield* fresh(engine)
      const brain = yield* serving(settings)
      const { revision } = JSON.parse((yield* svc(["migrate", "current", "--json"], settings)).stdout)
      const downgrade = ["migrate", "downgrade", String(revision - 1), "--force"]
      const refusal = yield* svcProcess(downgrade, settings)
      assert.strictEqual(refusal.code, 1)
      assert.match(refusal.stderr, /^svc: (A brain runs|Brains run \([^)]+:\d+\)) on [^\n]+Stop every brain[^\n]+\n$/)
      assert.strictEqual((yield* svc(["migrate", "current", "--check-heads"], settings)).code, 0)
      yield* brain.stop("SIGTERM")
      assert.strictEqual((yield* svcProcess(downgrade, settings)).code, 0)
    }))

  it.scopedLive("a brain whose schema another program took back is unready until it is there again", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const brain = yield* serving(settings)
      const ready = Effect.promise(async () => {
        const response = await fetch(`${brain.url}/health/ready`)
        return { status: response.status, body: await response.json() }
      })
      assert.strictEqual((yield* ready).status, 200)
      const change = (statement: string) => Effect.promise(() => execute(home, settings, [statement]))
      const unready = { status: 503, body: { status: "unready", reason: "schema" } }
      yield* change("UPDATE schema_migrations SET id = -id WHERE id = (SELECT max(id) FROM schema_migrations)")
      assert.deepStrictEqual(yield* ready, unready)
      yield* change("UPDATE schema_migrations SET id = -id WHERE id < 0")
      assert.strictEqual((yield* ready).status, 200)
      // a newer program that still works with this one's schema, and one that does not
      yield* change("INSERT INTO schema_migrations VALUES (900, 'later', 1, '2026-01-01T00:00:00.000000Z', '7.8.9')")
      assert.strictEqual((yield* ready).status, 200)
      yield* change("UPDATE schema_migrations SET compatible_from = 900 WHERE id = 900")
      assert.deepStrictEqual(yield* ready, unready)
    }))

  it.scoped("show the rows of each table", () =>
    Effect.gen(function*() {
      const { settings } = yield* fresh(engine)
      yield* svc(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
        input: "a long password\n"
      })
      const status = JSON.parse((yield* svc(["status", "--json"], settings)).stdout)
      assert.strictEqual(status.rows.users, 1)
      assert.strictEqual(status.rows.projects, 1)
      assert.strictEqual(status.revision, status.head)
      assert.strictEqual(status.environment, "production")
      const lines =
        /^version: .*\nbrain: [^\n]+\nmigration: \d+ \(head \d+\)\nenvironment: production\ndatabase: [^\n]+, [\d.]+ [KM]iB\nagents: none\ntasks: none\nopen commands: none\nlast backup: none recorded\n/
      const { stdout: short } = yield* svc(["status"], settings)
      assert.match(short, lines)
      assert.strictEqual(short.split("\n").length, 10)
      const { stdout } = yield* svc(["status", "--rows"], settings)
      assert.match(stdout, lines)
      assert.match(stdout, /\n {2}users +1\n/)
    }))

  it.scoped("estimate the rows of large tables, without counting them", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      yield* svc(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
        input: "a long password\n"
      })
      yield* Effect.promise(() =>
        execute(home, settings, [
          "INSERT INTO task_counts SELECT id, 'success', 0, 3000000 FROM projects",
          "INSERT INTO task_counts SELECT id, 'success', 1, -5 FROM projects",
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100500)
            INSERT INTO key_fingerprints (name, fingerprint, created_at) SELECT 'key ' || i, '', '' FROM n`,
          "ANALYZE"
        ])
      )
      const status = JSON.parse((yield* svc(["status", "--json"], settings)).stdout)
      assert.strictEqual(status.rows.tasks, 2_999_995)
      assert.deepStrictEqual(status.approximate, ["key_fingerprints"])
      assert.isAtLeast(status.rows.key_fingerprints, 100_000)
      assert.strictEqual(status.rows.users, 1)
      assert.strictEqual(status.tasks_total, 2_999_995)
      const { stdout } = yield* svc(["status", "--rows"], settings)
      assert.include(stdout, "\ntasks: 2999995 (2999995 success)\n")
      assert.match(stdout, /\n {2}tasks +2999995\n/)
      assert.match(
        stdout,
        engine === "PostgreSQL" ? /\n {2}key_fingerprints +about \d{6}\n/ : /\n {2}key_fingerprints +more than 100000\n/
      )
    }))

  it.scoped("name the program that can undo a step this one does not know", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      yield* svc(["migrate", "upgrade"], settings)
      yield* Effect.promise(() =>
        execute(home, settings, [
          "INSERT INTO schema_migrations (id, name, compatible_from, applied_at, program) VALUES (900, 'later', 900, '', '7.8.9')"
        ])
      )
      const back = yield* svc(["migrate", "downgrade", "899"], settings)
      assert.strictEqual(back.code, 1)
      assert.match(back.stderr, /^svc: [^\n]*revision 900[^\n]* svc 7\.8\.9[^\n]*svc migrate downgrade 899[^\n]*\n$/)
      const up = yield* svc(["migrate", "upgrade"], settings)
      assert.strictEqual(up.code, 1)
      assert.include(up.stderr, "svc 7.8.9")
    }))

  it.scoped("create and drop the indexes of searches, or say what they need", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const run = (...options: ReadonlyArray<string>) => svc(["migrate", "search-indexes", ...options], settings)
      assert.match((yield* run()).stderr, engine === "PostgreSQL" ? /run svc migrate upgrade first/ : /no database at/)
      yield* svc(["migrate", "upgrade"], settings)
      const refusal = yield* run()
      assert.strictEqual(refusal.code, 1)
      if (engine === "SQLite") return assert.match(refusal.stderr, /^svc: SQLite has no trigram indexes\./)
      assert.match(refusal.stderr, /CREATE EXTENSION pg_trgm/)
      yield* Effect.promise(() => execute(home, settings, ["CREATE EXTENSION pg_trgm"]))
      assert.match((yield* svc(["doctor"], settings)).stdout, /svc migrate search-indexes/)
      const names = ["tasks_task_id_trigrams", "tasks_exception_trigrams"]
      assert.strictEqual((yield* run()).stdout, names.map((name) => `created ${name}\n`).join(""))
      assert.notInclude((yield* svc(["doctor"], settings)).stdout, "search-indexes")
      assert.strictEqual((yield* svc(["reset", "--force"], settings)).code, 0)
      assert.match((yield* svc(["doctor"], settings)).stdout, /svc migrate search-indexes/)
      yield* run()
      assert.strictEqual((yield* run("--drop")).stdout, names.map((name) => `dropped ${name}\n`).join(""))
    }))

  it.scoped("make the first admin once, and change a password", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const make = (command: string, email: string, input: string) =>
        svc([command, "--email", email, "--display-name", "Ann", "--password-stdin"], settings, { input })

      assert.match(
        (yield* make("bootstrap-admin", "nobody", "a long password\n")).stderr,
        /^svc: email must be an e-mail address\n$/
      )
      const short = yield* make("bootstrap-admin", "ann@example.com", "short\n")
      assert.match(short.stderr, /^svc: password must have at least 12 characters\n$/)
      assert.strictEqual((yield* make("bootstrap-admin", "ann@example.com", "")).code, 1)

      const common = yield* make("bootstrap-admin", "ann@example.com", "password1234\n")
      assert.match(common.stderr, /^svc: password: is a commonly used password; [^\n]+\n$/)

      assert.strictEqual(
        (yield* svc(["reset-setup", "--force"], settings)).stdout,
        "revoked 0 setup links; start the brain again for a new one\n"
      )
      const bootstrap = yield* make("bootstrap-admin", "ann@example.com", "a long password\n")
      assert.strictEqual(bootstrap.stdout, "created the admin ann@example.com and the project default\n")
      const again = yield* make("createsuperuser", "bob@example.com", "a long password\n")
      assert.strictEqual(again.code, 1)
      assert.match(again.stderr, /^svc: The brain is set up already/)
      assert.match((yield* svc(["reset-setup", "--force"], settings)).stderr, /^svc: The brain is set up already/)

      const right = yield* svc(["check"], settings)
      assert.deepStrictEqual([right.code, right.stdout.split("\n").at(-2)], [0, "keys: ok"])
      const refusal = [1, "svc: svc serve will refuse to start; see the line keys\n"]
      const wrongKey = yield* svc(["check"], { ...settings, SVC_SECRET_KEY: Buffer.alloc(32, 1).toString("base64url") })
      assert.include(wrongKey.stdout, "keys: SVC_SECRET_KEY is not the key this database was written with.")
      assert.deepStrictEqual([wrongKey.code, wrongKey.stderr], refusal)
      renameSync(join(home, "audit-chain.key"), join(home, "away.key"))
      const missing = yield* svc(["doctor"], settings)
      assert.include(
        missing.stdout,
        "keys: SVC_AUDIT_CHAIN_KEY or SVC_AUDIT_SIGNING_KEY is not the key this database was written with."
      )
      assert.deepStrictEqual([missing.code, missing.stderr, existsSync(join(home, "audit-chain.key"))], [
        ...refusal,
        false
      ])
      renameSync(join(home, "away.key"), join(home, "audit-chain.key"))

      yield* Effect.promise(() =>
        execute(home, settings, [
          `INSERT INTO sessions (id, user_id, token_hash, remember_me, issued_at, last_seen_at, expires_at, ip_at_issue)
            SELECT id, id, 'hash', 1, created_at, created_at, '2999-01-01T00:00:00.000000Z', '' FROM users`
        ])
      )
      const change = (email: string) =>
        svc(["changepassword", email, "--password-stdin"], settings, { input: "another password" })
      assert.strictEqual((yield* change("ANN@example.com")).code, 0)
      const stranger = yield* change("eve@example.com")
      assert.deepStrictEqual(stranger, { code: 1, stdout: "", stderr: "svc: No such user.\n" })
      // nothing is left for it to end
      yield* Effect.promise(() =>
        execute(home, settings, [
          "CREATE TABLE proof (n INTEGER CHECK (n = 0))",
          "INSERT INTO proof SELECT count(*) FROM sessions WHERE revoked_at IS NULL"
        ])
      )
      const link = yield* svc(["auth", "reset-link", "ANN@example.com"], {
        ...settings,
        SVC_PUBLIC_URL: "https://svc.example"
      })
      assert.match(link.stdout, /^https:\/\/svc\.example\/reset-password\?token=[\w-]{43}\n$/)
      assert.match(
        link.stderr,
        /^svc: ann@example\.com can set a new password with it once, before \S+Z; earlier links are revoked\n$/
      )
    }))
})

describe("a SQLite database that is not there", () => {
  it.scoped("is not made by going back a step", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh("SQLite")
      const { code, stderr } = yield* svcProcess(["migrate", "downgrade", "0"], settings)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^svc: There is no database at [^\n]+\n$/)
      assert.isFalse(existsSync(join(home, "svc.db")))
    }))
})
