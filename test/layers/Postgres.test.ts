import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import * as Postgres from "../../src/layers/Postgres.ts"
import { proxyTo } from "../e2e/faults/Proxy.ts"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"

/** A pool of two connections to a fresh database, by way of a proxy. */
const makePool = Effect.gen(function*() {
  const { url } = yield* freshPostgres
  const { hostname, port } = new URL(url)
  const way = yield* proxyTo({ host: hostname, port: port === "" ? 5432 : Number(port) })
  const through = new URL(url)
  through.host = `127.0.0.1:${way.port}`
  return { ...(yield* Postgres.makePostgres(Redacted.make(through.toString()), 2)), proxy: way.proxy, url }
})

describe("the pool of PostgreSQL connections", () => {
  it.scopedLive("gives out no connection on which an interrupted query still runs", () =>
    Effect.gen(function*() {
      const { proxy, sql } = yield* makePool
      const caught = proxy.catch(/never answered/)
      const fiber = yield* Effect.fork(sql`SELECT 'never answered'`)
      yield* Effect.promise(() => caught)
      yield* Fiber.interrupt(fiber)
      const found = yield* Effect.all([1, 2, 3, 4].map((n) => sql<{ n: number }>`SELECT ${n}::int AS n`), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(found.map(([row]) => row?.n), [1, 2, 3, 4])
    }))

  // prepared reads are named statements while no spans are made, else ordinary ones
  describe.each([["with spans", true], ["without spans", false]] as const)("%s", (_, hasSpans) => {
    it.scopedLive("does not wait for the connection of an interrupted prepared read that gets no response, and keeps that of a failed one", () =>
      Effect.gen(function*() {
        const { proxy, reads, sql } = yield* makePool
        const caught = proxy.catch(/never answered/)
        const fiber = yield* Effect.fork(reads.rows("SELECT 'never answered'")())
        yield* Effect.promise(() => caught)
        yield* Fiber.interrupt(fiber)
        const pid = Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row?.pid)
        const before = yield* pid
        yield* Effect.flip(reads.rows("SELECT 1 / ?::int")(0))
        assert.strictEqual(yield* pid, before)
        const select = reads.rows<{ n: number }>("SELECT ?::int AS n")
        const found = yield* Effect.all([1, 2, 3, 4].map((n) => select(n)), { concurrency: "unbounded" })
        assert.deepStrictEqual(found, [1, 2, 3, 4].map((n) => [{ n }]))
      }).pipe(Effect.withTracerEnabled(hasSpans)))

    it.scopedLive("keeps its connections while prepared reads are interrupted, and opens no more than its size", () =>
      Effect.gen(function*() {
        const { reads, sql } = yield* makePool
        const read = reads.rows("SELECT pg_sleep(0.02)")
        const backends = sql<{ pid: number; query: string; state: string }>`SELECT pid, query, state
        FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' ORDER BY pid`
        const pids = Effect.map(backends, (rows) => rows.map(({ pid }) => pid))
        yield* Effect.all([read(), read()], { concurrency: 2 })
        const before = yield* pids
        assert.lengthOf(before, 2)
        for (let round = 0; round < 20; round++) {
          const fibers = yield* Effect.all([Effect.fork(read()), Effect.fork(read())])
          yield* Effect.sleep(round % 2 === 0 ? "5 millis" : 0) // the reads run, or have no connection yet
          yield* Fiber.interruptAll(fibers)
        }
        assert.deepStrictEqual(yield* pids, before)
        yield* Effect.all([read(), read()], { concurrency: 2 })
        assert.deepStrictEqual(yield* pids, before)
      }).pipe(Effect.withTracerEnabled(hasSpans)))

    it.scopedLive("says that no connection was free in time, for a prepared read too", () =>
      Effect.gen(function*() {
        const { reads, sql } = yield* makePool
        const all = sql.withTransaction(Effect.never)
        const holders = yield* Effect.all([Effect.fork(all), Effect.fork(all)])
        const errors = yield* Effect.all([Effect.flip(reads.rows("SELECT 1")()), Effect.flip(sql`SELECT 1`)], {
          concurrency: 2
        })
        assert.deepStrictEqual(errors.map(({ message }) => message), Array(2).fill("Failed to acquire connection"))
        yield* Fiber.interruptAll(holders)
      }).pipe(Effect.withTracerEnabled(hasSpans)))
  })

  it.scopedLive("cancels the long query of an interrupted fiber, and no other one", () =>
    Effect.gen(function*() {
      const { sql, url } = yield* makePool
      const { sql: other } = yield* Postgres.makePostgres(Redacted.make(url), 1)
      const count = (text: string) =>
        Effect.map(
          other<{ n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'active' AND query LIKE ${text}`,
          ([row]) => row?.n
        )
      const long = yield* Effect.fork(Effect.all([sql`SELECT pg_sleep(60)`, sql`SELECT pg_sleep(60)`], {
        concurrency: 2
      }))
      yield* until(count("%pg_sleep(60)"), (n) => n === 2)
      const next = yield* Effect.fork(
        Effect.all([sql`SELECT pg_sleep(1)`, sql`SELECT pg_sleep(1)`], { concurrency: 2 })
      )
      yield* Fiber.interrupt(long)
      yield* until(count("%pg_sleep(60)"), (n) => n === 0)
      yield* Fiber.join(next)
    }))

  it.scopedLive("leaves a query alone that takes long on a server that responds", () =>
    Effect.gen(function*() {
      const { sql } = yield* makePool
      const [row] = yield* sql.withTransaction(sql<{ n: number }>`SELECT 7 AS n FROM pg_sleep(6)`)
      assert.strictEqual(row?.n, 7)
    }))

  it.scopedLive("keeps the connection of a statement that failed", () =>
    Effect.gen(function*() {
      const { sql } = yield* makePool
      const pid = Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row?.pid)
      const before = yield* pid
      yield* Effect.flip(sql`SELECT 1 / 0`)
      assert.strictEqual(yield* pid, before)
    }))
})
