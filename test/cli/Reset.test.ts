import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { type Engine, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { serving, type Settings, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const fresh = (engine: Engine) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const settings: Settings = {
      SVC_HOME: home,
      ...(engine === "PostgreSQL" && { SVC_DATABASE_URL: (yield* freshPostgres).url })
    }
    return { home, settings }
  })

/** Runs the statements one after the other; the rows of the last one. */
const query = (home: string, settings: Settings, ...statements: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<ReadonlyArray<Record<string, unknown>>> => {
    let rows: ReadonlyArray<Record<string, unknown>> = []
    if (settings.SVC_DATABASE_URL === undefined) {
      const db = new BetterSqlite3(join(home, "svc.db"))
      for (const statement of statements) {
        const query = db.prepare<ReadonlyArray<unknown>, Record<string, unknown>>(statement)
        if (query.reader) rows = query.all([])
        else query.run([])
      }
      db.close()
      return rows
    }
    const client = new pg.Client({ connectionString: settings.SVC_DATABASE_URL })
    await client.connect()
    try {
      for (const statement of statements) rows = (await client.query(statement)).rows
      return rows
    } finally {
      await client.end()
    }
  })

/** The whole schema as the database itself describes it. */
const schemaOf = (home: string, settings: Settings) =>
  query(
    home,
    settings,
    settings.SVC_DATABASE_URL === undefined
      ? "SELECT type, name, sql FROM sqlite_master WHERE name NOT IN ('proof', 'sqlite_stat1', 'sqlite_stat4') ORDER BY type, name"
      : `SELECT 'column' AS type, table_name || '.' || column_name AS name, data_type || column_default AS sql
          FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'proof'
        UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
        UNION ALL SELECT 'constraint', conname, pg_get_constraintdef(oid) FROM pg_constraint
          WHERE connamespace = current_schema()::regnamespace
        ORDER BY 1, 2`
  )

const bootstrap = (settings: Settings) =>
  svcHere(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
    input: "a long password\n"
  })

const rowsOf = (settings: Settings) =>
  Effect.map(
    svcHere(["status", "--json"], settings),
    ({ stdout }): Readonly<Record<string, number>> =>
      Object.fromEntries(
        Object.entries(JSON.parse(stdout).rows).flatMap(([name, n]) => (Number(n) === 0 ? [] : [[name, Number(n)]]))
      )
  )

describe.each(laneEngines)("svc reset on %s", (engine) => {
  it.scopedLive("only counts the rows without --force, and exits with 2", () =>
    Effect.gen(function*() {
      const { settings } = yield* fresh(engine)
      yield* bootstrap(settings)
      const before = yield* rowsOf(settings)
      const refusal = yield* svcHere(["reset"], settings)
      assert.strictEqual(refusal.code, 2)
      assert.match(refusal.stdout, /^database: [^\n]+\nrows:\n[\s\S]*\n {2}users +1\n$/)
      assert.match(refusal.stderr, /^svc: nothing was wiped\. svc reset --force [^\n]+\n$/)
      const preview = yield* svcHere(["reset", "--json"], settings)
      assert.strictEqual(preview.code, 2)
      assert.deepInclude(JSON.parse(preview.stdout), { wiped: false, rows: before })
      assert.deepStrictEqual(yield* rowsOf(settings), before)
    }))

  it.scopedLive("leaves the database as the migrations make it, and other tables alone", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      yield* svcHere(["migrate", "upgrade"], settings)
      const schema = yield* schemaOf(home, settings)
      const empty = yield* rowsOf(settings)
      yield* bootstrap(settings)
      yield* query(home, settings, "CREATE TABLE proof (n INTEGER)", "INSERT INTO proof VALUES (7)")
      if (engine === "PostgreSQL") { // a partition of its own, as a running brain creates it each day
        yield* query(
          home,
          settings,
          "CREATE TABLE schedule_fires_proof PARTITION OF schedule_fires FOR VALUES FROM ('2001-01-01') TO ('2001-01-02')"
        )
      }
      const wiped = yield* svcHere(["reset", "--force", "--json"], settings)
      assert.strictEqual(wiped.code, 0, wiped.stderr)
      assert.deepInclude(JSON.parse(wiped.stdout), { wiped: true, checkpoints: null })
      assert.deepStrictEqual(yield* rowsOf(settings), { ...empty, proof: 1 })
      assert.deepStrictEqual(yield* schemaOf(home, settings), schema)
      assert.strictEqual((yield* svcHere(["migrate", "current", "--check-heads"], settings)).code, 0)
      assert.strictEqual((yield* svcHere(["reset", "--force"], settings)).code, 0, "again, on an empty database")
    }))

  it.scopedLive("is refused under a running brain, and the next start is a first boot", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const first = yield* serving(settings)
      yield* bootstrap(settings)
      const before = yield* rowsOf(settings)
      const refusal = yield* svcHere(["reset", "--force"], settings)
      assert.strictEqual(refusal.code, 1)
      assert.match(refusal.stderr, /^svc: (A brain runs|Brains run \([^)]+:\d+\)) on [^\n]+Stop every brain[^\n]+\n$/)
      assert.strictEqual((yield* rowsOf(settings)).users, before.users)
      yield* first.stop("SIGTERM")
      const size = engine === "SQLite" ? statSync(join(home, "svc.db")).size : 0

      const wiped = yield* svcHere(["reset", "--force"], settings)
      assert.strictEqual(wiped.code, 0, wiped.stderr)
      assert.include(wiped.stdout, "the checkpoints of the wiped audit log are in ")
      assert.isAtMost(engine === "SQLite" ? statSync(join(home, "svc.db")).size : 0, size)
      assert.strictEqual(readdirSync(home).filter((name) => name.startsWith("audit-checkpoints.jsonl.2")).length, 1)

      const second = yield* serving(settings)
      yield* until(Effect.sync(second.stderr), (text) => text.includes("There are no users yet"))
      yield* bootstrap(settings)
      const verified = yield* svcHere(["audit", "verify"], settings)
      assert.strictEqual(verified.code, 0, verified.stdout + verified.stderr)
      const log = second.stdout()
      assert.notInclude(log, "LogContradicted")
      assert.notInclude(log, "contradict")
    }))
})

describe("a brain on PostgreSQL that was killed", () => {
  it.scopedLive("counts as running until its lease ends", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh("PostgreSQL")
      const brain = yield* serving(settings)
      const other = yield* serving(settings)
      yield* brain.stop("SIGKILL")
      yield* other.stop("SIGTERM")
      const refusal = yield* svcHere(["reset", "--force"], settings)
      assert.strictEqual(refusal.code, 1)
      assert.include(refusal.stderr, "counts for 20 seconds more")
      assert.match(refusal.stderr, /Brains run \([^,)]+\)/)
      yield* query(home, settings, "UPDATE leases SET expires_at = expires_at - 20000 WHERE name LIKE 'brain %'")
      assert.strictEqual((yield* svcHere(["reset", "--force"], settings)).code, 0)
    }))

  it.scopedLive("shows itself again after its row was lost", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh("PostgreSQL")
      const brain = yield* serving(settings)
      yield* query(home, settings, "DELETE FROM leases WHERE name LIKE 'brain %'")
      yield* until(
        query(home, settings, "SELECT 1 FROM leases WHERE name LIKE 'brain %'"),
        (rows) => rows.length === 1
      )
      yield* brain.stop("SIGTERM")
      assert.deepStrictEqual(yield* query(home, settings, "SELECT 1 FROM leases WHERE name LIKE 'brain %'"), [])
    }))
})

describe("svc reset without a database", () => {
  it.scopedLive("creates none", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh("SQLite")
      const { code, stderr } = yield* svc(["reset", "--force"], settings)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^svc: There is no database at [^\n]+\n$/)
      assert.deepStrictEqual(readdirSync(home), [])
    }))
})
