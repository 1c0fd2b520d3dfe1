import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { type ExportJobId, ProjectId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { Leader, Lease } from "../../../../src/services/kernel/concurrency/Leader.ts"

/** A project in a database without a brain. */
export const bareProject = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const id = ProjectId.make(randomUUID())
  const at = yield* Timestamp.now
  yield* sql`INSERT INTO projects ${
    sql.insert({
      id,
      slug: id,
      name: "shop",
      environment: "test",
      timezone: "UTC",
      is_active: 1,
      default_scheduler_owner: "svc-scheduler",
      created_at: at,
      updated_at: at
    })
  }`
  return id
})

/** Processes that write exports, and to which something happens. `run` is what each of them does. */
export const processOf = <E, R>(run: Effect.Effect<unknown, E, R>) => {
  /** `run` in a process that does something else around each of its transactions. */
  const runAround = (around: <A, E1, R1>(transaction: Effect.Effect<A, E1, R1>) => Effect.Effect<A, E1, R1>) =>
    Effect.gen(function*() {
      const leader = yield* Leader
      const only: typeof leader.only = (name, effect, options) =>
        leader.only(
          name,
          Effect.updateService(effect, Lease, (lease): Lease["Type"] => ({
            ...lease,
            withTransaction: (body) => around(lease.withTransaction(body))
          })),
          options
        )
      return yield* Effect.provideService(run, Leader, Leader.make({ ...leader, only }))
    })

  /** `run` in a process that does something else before each of its transactions. */
  const runWith = <E1>(beforeTransaction: Effect.Effect<unknown, E1, R>) =>
    Effect.gen(function*() {
      const context = yield* Effect.context<R>()
      const before = Effect.orDie(Effect.provide(beforeTransaction, context))
      return yield* runAround((transaction) => Effect.zipRight(before, transaction))
    })

  /** `run` in a process that is stopped in order, right after this many of its transactions. */
  const runUntil = (last: number) =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      let transaction = 0
      const wait = Effect.suspend(() =>
        ++transaction === last ? Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never) : Effect.void
      )
      const process = yield* Effect.fork(runAround((transaction) => Effect.zipLeft(transaction, wait)))
      yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(process))
      yield* Fiber.interrupt(process)
    })

  return { runWith, runUntil }
}

/** What the database has of an export. */
export const jobOf = (id: ExportJobId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{
      status: string
      attempts: number
      row_count: number | null
      size_bytes: number | null
      error: string | null
    }>`SELECT status, attempts, row_count, CAST(size_bytes AS INTEGER) AS size_bytes, error
      FROM export_jobs WHERE id = ${id}`).pipe(Effect.map(([row]) => row))

/** The file of an export, as far as the database has it. */
export const fileOf = (id: ExportJobId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ content: string }>`SELECT content FROM export_job_chunks WHERE job_id = ${id} ORDER BY position`
  ).pipe(Effect.map((rows) => rows.map(({ content }) => Buffer.from(content, "base64").toString()).join("")))
