import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import * as Postgres from "../../src/layers/Postgres.ts"
import { freshPostgres } from "../databases.ts"
import { proxyTo } from "../e2e/faults/Proxy.ts"

/** A pool of two connections to a fresh database, by way of a proxy. */
const pooled = Effect.gen(function*() {
  const { url } = yield* freshPostgres
  const { hostname, port } = new URL(url)
  const way = yield* proxyTo({ host: hostname, port: port === "" ? 5432 : Number(port) })
  const through = new URL(url)
  through.host = `127.0.0.1:${way.port}`
  return { ...(yield* Postgres.makePostgres(Redacted.make(through.toString()), 2)), proxy: way.proxy }
})

describe("the pool of PostgreSQL connections", () => {
  it.scopedLive("gives nobody a connection on which an interrupted query still runs", () =>
    Effect.gen(function*() {
      const { proxy, sql } = yield* pooled
      const caught = proxy.catch(/never answered/)
      const fiber = yield* Effect.fork(sql`SELECT 'never answered'`)
      yield* Effect.promise(() => caught)
      yield* Fiber.interrupt(fiber)
      const found = yield* Effect.all([1, 2, 3, 4].map((n) => sql<{ n: number }>`SELECT ${n}::int AS n`), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(found.map(([row]) => row?.n), [1, 2, 3, 4])
    }))

  it.scopedLive("ends the connection of an interrupted prepared read, and keeps that of a failed one", () =>
    Effect.gen(function*() {
      const { proxy, reads, sql } = yield* pooled
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
    }))

  it.scopedLive("leaves a query alone that takes long on a server that answers", () =>
    Effect.gen(function*() {
      const { sql } = yield* pooled
      const [row] = yield* sql.withTransaction(sql<{ n: number }>`SELECT 7 AS n FROM pg_sleep(6)`)
      assert.strictEqual(row?.n, 7)
    }))

  it.scopedLive("keeps the connection of a statement that failed", () =>
    Effect.gen(function*() {
      const { sql } = yield* pooled
      const pid = Effect.map(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`, ([row]) => row?.pid)
      const before = yield* pid
      yield* Effect.flip(sql`SELECT 1 / 0`)
      assert.strictEqual(yield* pid, before)
    }))
})
