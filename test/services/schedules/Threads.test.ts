/**
 * Failures of other schedulers, as their public threads report them. Those about daylight saving time are in
 * test/domain/schedules/Schedule/Dst.test.ts, those about processes that are killed in test/e2e/schedules-faults.test.ts.
 */
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import pg from "pg"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { SettingsShape } from "../../../src/services/kernel/Settings.ts"
import { Health } from "../../../src/services/operations/Health.ts"
import { serverOn } from "../../brain.ts"
import { engines, temporaryHome } from "../../databases.ts"
import { freshPostgres } from "../../postgres.ts"
import { until } from "../../until.ts"
import { type Fire, world } from "./world.ts"

/** A transaction of another program, which holds its locks until `release`. */
const holdLocks = (url: string, statement: string) =>
  Effect.gen(function*() {
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        return client
      }),
      (client) => Effect.promise(() => client.end())
    )
    yield* Effect.promise(() => client.query("BEGIN"))
    yield* Effect.promise(() => client.query(statement))
    return { release: Effect.promise(() => client.query("ROLLBACK")) }
  })

const onPostgres = <A, E, R>(body: (url: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    freshPostgres,
    ({ url }) => Effect.provide(body(url), serverOn("PostgreSQL", { databaseUrl: Redacted.make(url) }))
  )

/** As `/health/deep` shows it. */
const fireLoopState = Effect.gen(function*() {
  const { checks } = yield* (yield* Health).deepHealth()
  return { detail: checks["loop.schedule fires"]?.detail ?? null }
})

const ticksOf = (fires: ReadonlyArray<Fire>) => fires.map(({ scheduled_for }) => scheduled_for)

describe("a database that hangs", () => {
  it.scopedLive(
    "River 1251, one statement that hangs stops all: a schedule that is locked stops only itself",
    () =>
      onPostgres((url) =>
        Effect.gen(function*() {
          const { create, fires } = yield* world
          const locked = yield* create({ name: "locked", expression: "1" })
          const free = yield* create({ name: "free", expression: "1" })
          const { release } = yield* holdLocks(url, `SELECT 1 FROM schedules WHERE id = '${locked.id}' FOR UPDATE`)
          const before = yield* fires(locked.id)
          yield* until(fires(free.id), (rows) => rows.length >= 4)
          assert.deepStrictEqual(ticksOf(yield* fires(locked.id)), ticksOf(before))
          yield* release
          yield* until(fires(locked.id), (rows) => rows.length >= before.length + 4)
        })
      )
  )

  it.scopedLive(
    "River 1251 again: more locked schedules than a batch has, computed ahead of a clock that was set back, stop no other",
    () =>
      onPostgres((url) =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const { call, create, fires } = yield* world
          const definition = { engine: "celery", kind: "interval", expression: "86400", task_name: "shop.report" }
          const locked = Array.from({ length: 250 }, (_, index) => ({ ...definition, name: `locked ${index}` }))
          assert.strictEqual((yield* call("POST", ":import", { schedules: locked })).status, 200)
          const free = yield* create({ name: "free", expression: "1" })
          const { release: letFire } = yield* holdLocks(url, "SELECT 1 FROM schedule_changes FOR UPDATE")
          yield* sql`UPDATE schedules SET due_at = '2026-01-01T00:00:00.000000Z',
            cursor_at = '2999-01-01T00:00:00.000000Z' WHERE name LIKE 'locked%'`
          const { release } = yield* holdLocks(url, "SELECT 1 FROM schedules WHERE name LIKE 'locked%' FOR UPDATE")
          const before = yield* fires(free.id)
          yield* letFire
          yield* until(fires(free.id), (rows) => rows.length >= before.length + 4)
          yield* release
          yield* until(
            sql`SELECT 1 FROM schedules WHERE cursor_at > '2990-01-01' OR due_at < '2026-02-01'`,
            (rows) => rows.length === 0
          )
        })
      )
  )

  it.scopedLive(
    "River 1251, a loop that hangs without a word: the hanging insert is abandoned and reported, and the tick fires later",
    () =>
      onPostgres((url) =>
        Effect.gen(function*() {
          const { create, fires, rewind } = yield* world
          const { id } = yield* create({ catch_up: "fire_one_missed" })
          const { release } = yield* holdLocks(url, "LOCK TABLE schedule_fires IN EXCLUSIVE MODE")
          const tick = yield* rewind(id, 86_400)
          const state = yield* until(fireLoopState, ({ detail }) => detail !== null)
          assert.include(state.detail, "firing schedules took longer than 10s")
          yield* release
          yield* until(fires(id), (rows) => ticksOf(rows).includes(tick))
          yield* until(fireLoopState, ({ detail }) => detail === null)
        })
      )
  )
})

describe.each(engines)("other schedulers' failures on %s", (engine) => {
  it.scopedLive(
    "redbeat 208 and 238, two schedulers after a failed lock: without a lease nothing fires",
    () =>
      Effect.provide(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const { create, fires, rewind } = yield* world
          const { id } = yield* create({})
          yield* sql`ALTER TABLE leases RENAME TO leases_away`
          yield* until(fireLoopState, ({ detail }) => detail !== null)
          const tick = yield* rewind(id, 86_400)
          yield* Effect.sleep("3 seconds")
          assert.deepStrictEqual(yield* fires(id), [])
          yield* sql`ALTER TABLE leases_away RENAME TO leases`
          yield* until(fires(id), (rows) => ticksOf(rows).includes(tick))
          yield* until(fireLoopState, ({ detail }) => detail === null)
        }),
        serverOn(engine)
      )
  )

  it.scopedLive("django-celery-beat 537 and 459, fires out of the blue: none by enabling or editing after days", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { call, create, fires, rewind } = yield* world
        const disabled = yield* create({ name: "disabled", kind: "cron", expression: "0 3 * * *" })
        yield* call("POST", `/${disabled.id}/disable`)
        yield* rewind(disabled.id, 3 * 86_400)
        const enabledAt = yield* Timestamp.now
        yield* call("POST", `/${disabled.id}/enable`)
        const edited = yield* create({ name: "edited", kind: "cron", expression: "0 3 * * *" })
        yield* call("PATCH", `/${edited.id}`, { expression: "30 13 * * *" })
        const other = yield* create({ name: "other", expression: "1" })
        yield* until(fires(other.id), (rows) => rows.length >= 3) // the loop has passed both
        for (const { id } of [disabled, edited]) {
          assert.deepStrictEqual(yield* fires(id), [])
          assert.isTrue((yield* call("GET", `/${id}`)).json.next_run_at > enabledAt)
        }
        yield* call("DELETE", `/${other.id}`)
      }),
      serverOn(engine)
    ))

  it.scopedLive(
    "celery 7002 and django-celery-beat 634 and 537: deploys lose no run, let long intervals end, and fire nothing else",
    () =>
      Effect.gen(function*() {
        const overrides: Partial<SettingsShape> = {
          home: yield* temporaryHome,
          ...(engine === "PostgreSQL" && { databaseUrl: Redacted.make((yield* freshPostgres).url) })
        }
        const deploy = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.provide(body, serverOn(engine, overrides))
        const listFires = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{ name: string; scheduled_for: Timestamp.Timestamp }>`SELECT s.name, f.scheduled_for
              FROM schedule_fires f JOIN schedules s ON s.id = f.schedule_id ORDER BY f.scheduled_for`
        )
        const start = yield* deploy(Effect.gen(function*() {
          const { create } = yield* world
          const { next_run_at } = yield* create({ name: "each second", expression: "1", catch_up: "fire_all_missed" })
          yield* create({ name: "longer than a deploy lasts", expression: "6" })
          yield* create({ name: "daily", kind: "cron", expression: "0 0 1 1 *" })
          return next_run_at
        }))
        for (let deploys = 0; deploys < 3; deploys++) {
          yield* Effect.sleep("1500 millis")
          yield* deploy(Effect.sleep("500 millis"))
        }
        const fires = yield* deploy(until(listFires, (rows) => rows.some(({ name }) => name.startsWith("longer"))))
        assert.isTrue(fires.every(({ name }) => name !== "daily"))
        const seconds = fires.filter(({ name }) => name === "each second").map((fire) => fire.scheduled_for)
        assert.isAtLeast(seconds.length, 5)
        assert.deepStrictEqual(seconds, seconds.map((_, index) => Timestamp.addSeconds(start, index)))
      })
  )
})
