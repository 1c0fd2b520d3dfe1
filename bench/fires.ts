import { SqlClient } from "@effect/sql"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import * as Timestamp from "../src/domain/kernel/Timestamp.ts"
import { connected } from "../test/agent.ts"
import { builtProgram, freshPostgres, runningBrain } from "./brain.ts"
import { cpuSecondsOf } from "./cpu.ts"
import { percentile } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"
import { databaseOf } from "./services.ts"

/**
 * Schedules: `together` is the time from the tick of `schedules` schedules until each has its fire and command in the
 * database, and the driver's own time for as many rows of both kinds, 500 a transaction; `lateness` that of one schedule
 * that ticks each second among them, in milliseconds from tick to fire; `list` a page of 50. Then `idle` schedules that are
 * not due: the brain's share of a core, and the page again.
 * Prints one line of JSON. `npm run bench bench/fires.ts sqlite|postgresql [schedules=10000] [idle=100000]`
 */
const daySeconds = Timestamp.secondsPerDay
const leadSeconds = 20
const perStatement = 500
const lonelySeconds = 30
/** Until each connection has planned its statements, which takes long with a partition for each day. */
const warmUpRequests = 200

const scheduleRow = (projectId: string, name: string, next: Timestamp.Timestamp, now: Timestamp.Timestamp) => ({
  id: randomUUID(),
  project_id: projectId,
  engine: "celery",
  scheduler: "svc-scheduler",
  name,
  task_name: "shop.report",
  kind: "interval",
  expression: String(daySeconds),
  timezone: "UTC",
  args: "[42]",
  kwargs: "{}",
  is_enabled: 1,
  next_run_at: next,
  due_at: next,
  cursor_at: now,
  total_runs: 0,
  catch_up: "fire_one_missed",
  jitter_seconds: 0,
  source: "dashboard",
  control_token: randomUUID(),
  schedule_revision: 1,
  anchor_at: Timestamp.addSeconds(next, -daySeconds),
  enabled_at: now,
  created_at: now,
  updated_at: now
})

const insertSchedules = (projectId: string, prefix: string, count: number, next: Timestamp.Timestamp) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    for (let from = 0; from < count; from += perStatement) {
      const rows = Array.from(
        { length: Math.min(perStatement, count - from) },
        (_, index) => scheduleRow(projectId, `${prefix} ${from + index}`, next, now)
      )
      yield* sql`INSERT INTO schedules ${sql.insert(rows)}`
    }
  })

const bareTables = [
  "CREATE TABLE bare_fires (id TEXT PRIMARY KEY, schedule_id TEXT NOT NULL, status TEXT NOT NULL, tick TEXT NOT NULL)",
  "CREATE TABLE bare_commands (id TEXT PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL)"
]
const bareInserts = {
  sqlite: [
    "INSERT INTO bare_fires SELECT value, value, 'accepted', '2026-01-01T00:00:00Z' FROM json_each(?)",
    "INSERT INTO bare_commands SELECT value, 'pending', '{\"args\":[42]}' FROM json_each(?)"
  ],
  postgresql: [
    "INSERT INTO bare_fires SELECT v, v, 'accepted', '2026-01-01T00:00:00Z' FROM json_array_elements_text($1::json) AS j(v)",
    "INSERT INTO bare_commands SELECT v, 'pending', '{\"args\":[42]}' FROM json_array_elements_text($1::json) AS j(v)"
  ]
}

/** Seconds of the driver's own inserts of `count` rows of both kinds. */
const bareSeconds = (database: Database, count: number) =>
  Effect.gen(function*() {
    const batches = Array.from(
      { length: Math.ceil(count / perStatement) },
      () => JSON.stringify(Array.from({ length: perStatement }, () => randomUUID()))
    )
    if (database === "postgresql") {
      const { url } = yield* freshPostgres
      return yield* Effect.promise(async () => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        for (const table of bareTables) await client.query(table)
        const began = performance.now()
        for (const batch of batches) {
          await client.query("BEGIN")
          for (const text of bareInserts.postgresql) {
            await client.query({ name: text.slice(0, 40), text, values: [batch] })
          }
          await client.query("COMMIT")
        }
        const seconds = (performance.now() - began) / 1000
        await client.end()
        return seconds
      })
    }
    return yield* Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-bench-"))),
      (folder) =>
        Effect.sync(() => {
          const db = new BetterSqlite3(join(folder, "bare.db"))
          db.pragma("journal_mode = WAL")
          db.pragma("synchronous = FULL")
          for (const table of bareTables) db.exec(table)
          const inserts = bareInserts.sqlite.map((text) => db.prepare(text))
          const began = performance.now()
          for (const batch of batches) db.transaction(() => inserts.forEach((insert) => insert.run(batch)))()
          const seconds = (performance.now() - began) / 1000
          db.close()
          return seconds
        }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  })

const countFires = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM schedule_fires`, ([row]) => Number(row?.n))
)

const measure = (database: Database, schedules: number, idle: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const bare = yield* bareSeconds(database, schedules)
    const { brain, call, credentials, site } = yield* runningBrain(program, database, 1)
    const [credential] = credentials
    const agent = yield* connected({
      base: brain.url,
      token: credential?.token ?? "",
      hmac_secret: credential?.hmacSecret ?? "",
      hello: { engines: ["celery"], capabilities: { celery: ["submit_task"] }, worker_role: "task" }
    })
    agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { task_id: "t" } })
    const project = (yield* call("GET", "/projects/bench")).json
    const path = "/projects/bench/schedules"

    const listPages = Effect.gen(function*() {
      const times: Array<number> = []
      for (let index = 0; index < warmUpRequests + 500; index++) {
        const began = performance.now()
        yield* call("GET", `${path}?limit=50`)
        if (index >= warmUpRequests) times.push(performance.now() - began)
      }
      return { p50: percentile(times, 50), p99: percentile(times, 99) }
    })

    const inDatabase = Effect.provide(databaseOf(site.env))
    const now = yield* Timestamp.now
    const tick = Timestamp.addSeconds(`${now.slice(0, 19)}.000000Z` as Timestamp.Timestamp, leadSeconds) // of the normal form
    yield* inDatabase(insertSchedules(project.id, "together", schedules, tick))
    const seededAt = Date.now()
    const together = yield* inDatabase(Effect.gen(function*() {
      yield* Effect.repeat(Effect.delay(countFires, "20 millis"), { until: (n) => n >= schedules })
      return (Date.now() - Timestamp.toEpochMillis(tick)) / 1000
    }))

    yield* call("POST", path, {
      name: "each second",
      engine: "celery",
      kind: "interval",
      expression: "1",
      task_name: "shop.tick"
    })
    yield* Effect.sleep(`${lonelySeconds} seconds`)
    const { json: { items } } = yield* call("GET", path)
    const lonely = items.find(({ name }: { readonly name: string }) => name === "each second")
    const { json: fires } = yield* call("GET", `${path}/${lonely.id}/fires?limit=${lonelySeconds - 2}`)
    const lateness: ReadonlyArray<number> = fires.map(
      (fire: { readonly fired_at: string; readonly scheduled_for: string }) =>
        Date.parse(fire.fired_at) - Date.parse(fire.scheduled_for)
    )
    yield* call("POST", `${path}/${lonely.id}/disable`)
    const list = yield* listPages

    yield* inDatabase(insertSchedules(project.id, "idle", idle, Timestamp.addSeconds(tick, daySeconds / 2)))
    yield* Effect.sleep("5 seconds")
    const cpuBefore = cpuSecondsOf(brain.pid())
    yield* Effect.sleep("20 seconds")
    const idleShare = (cpuSecondsOf(brain.pid()) - cpuBefore) / 20
    return {
      bench: "fires",
      database,
      schedules,
      seededBeforeTickSeconds: (Timestamp.toEpochMillis(tick) - seededAt) / 1000,
      together: {
        seconds: Number(together.toFixed(2)),
        bareSeconds: Number(bare.toFixed(2)),
        share: Number((bare / together).toFixed(2))
      },
      lateness: { fires: lateness.length, p50: percentile(lateness, 50), p99: percentile(lateness, 99) },
      list,
      idle: { schedules: idle, coreShare: Number(idleShare.toFixed(4)), list: yield* listPages }
    }
  })

const { database, idle, schedules } = databaseAndNumbersOf("fires", { schedules: 10_000, idle: 100_000 })
report(measure(database, schedules, idle))
