import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { type ElementRecord, QueueRecords, type QueueRef } from "./Records.ts"

/** The largest value of a PostgreSQL serial. */
const LAST_SEQUENCE = 2_147_483_647

/** Written in the store's column for failures: a completed element that did not run to its end. */
const CANCELLED = "cancelled"
/** The queue whose elements, which no worker takes, are the pauses of others. They are not completed: such rows may be deleted. */
const PAUSES = "svc:paused"
/** An id has at most 36 characters, and a queue's name 100. */
const pauseIdOf = ({ name }: QueueRef): string => hash("sha256", `${PAUSES} ${name}`, "hex").slice(0, 36)
/** Elements that are purged in one statement. */
const purgeBatchSize = 1000

interface Row {
  readonly sequence: number
  readonly id: string
  readonly element: string
  readonly completed: number | boolean
  readonly attempts: number
  readonly last_failure: string | null
  readonly acquired: number | boolean
  readonly updated_millis: number | string
}

const recordOf = (row: Row, { maxAttempts }: QueueRef): ElementRecord => {
  const completed = Boolean(row.completed)
  const dead = !completed && row.attempts >= maxAttempts
  const element: unknown = JSON.parse(row.element)
  return {
    id: row.id,
    element,
    state: completed
      ? (row.last_failure === CANCELLED ? "cancelled" : "success")
      : dead
      ? "failure"
      : row.acquired
      ? "started"
      : "pending",
    attempts: row.attempts,
    finishedAt: completed || dead ? Number(row.updated_millis) : null,
    failure: dead ? row.last_failure : null
  }
}

/** Reads and changes the table of @effect/sql's SqlPersistedQueue, which keeps every element. */
export const layer = (tableName: string): Layer.Layer<QueueRecords, never, SqlClient.SqlClient> =>
  Layer.effect(
    QueueRecords,
    Effect.map(SqlClient.SqlClient, (client) => {
      const sql = client.withoutTransforms()
      const table = sql(tableName)
      const now = sql.onDialectOrElse({
        pg: () => sql.literal("NOW()"),
        orElse: () => sql.literal("CURRENT_TIMESTAMP")
      })
      const updatedMillis = sql.onDialectOrElse({
        pg: () => sql.literal("EXTRACT(EPOCH FROM updated_at::timestamptz) * 1000"),
        orElse: () => sql.literal("strftime('%s', updated_at) * 1000")
      })
      const columns = sql`
      sequence, id, element, completed, attempts, last_failure, acquired_at IS NOT NULL AS acquired,
      ${updatedMillis} AS updated_millis`
      const isWaiting = ({ maxAttempts, name }: QueueRef) =>
        sql`queue_name = ${name} AND completed = FALSE AND attempts < ${maxAttempts} AND acquired_at IS NULL`
      const isDead = ({ maxAttempts, name }: QueueRef) =>
        sql`queue_name = ${name} AND completed = FALSE AND attempts >= ${maxAttempts}`
      const count = (rows: ReadonlyArray<{ readonly n: number | string }>) => Number(rows[0]?.n ?? 0)

      const purgeBatch = (queue: QueueRef) =>
        sql<{ readonly id: string }>`
        UPDATE ${table} SET completed = TRUE, last_failure = ${CANCELLED}, updated_at = ${now}
        WHERE sequence IN (SELECT sequence FROM ${table} WHERE ${
          isWaiting(queue)
        } ORDER BY sequence LIMIT ${purgeBatchSize})
          AND acquired_at IS NULL RETURNING id`

      const insertPause = (queue: QueueRef) =>
        Effect.asVoid(
          sql`INSERT INTO ${table} (id, queue_name, element, completed, attempts, created_at, updated_at)
            VALUES (${pauseIdOf(queue)}, ${PAUSES}, ${JSON.stringify(queue.name)}, FALSE, 0, ${now}, ${now})
            ON CONFLICT (id) DO NOTHING`
        )
      const deletePause = (queue: QueueRef) => Effect.asVoid(sql`DELETE FROM ${table} WHERE id = ${pauseIdOf(queue)}`)

      return {
        brokerType: sql.onDialectOrElse({ pg: () => "postgresql", sqlite: () => "sqlite", orElse: () => "sql" }),
        requeuesInPlace: true,
        recordOffer: () => Effect.void,
        recordTake: () => Effect.succeed(true),
        recordEnd: (_, id, how) =>
          how.as === "cancelled"
            ? Effect.asVoid(sql`UPDATE ${table} SET last_failure = ${CANCELLED} WHERE id = ${id} AND completed = TRUE`)
            : Effect.void,
        depth: (queue) =>
          Effect.map(sql<{ n: number | string }>`SELECT count(*) AS n FROM ${table} WHERE ${isWaiting(queue)}`, count),
        find: (queue, id) =>
          Effect.map(
            sql<Row>`SELECT ${columns} FROM ${table} WHERE id = ${id} AND queue_name = ${queue.name}`,
            ([row]) => row === undefined ? undefined : recordOf(row, queue)
          ),
        cancel: (queue, id) =>
          Effect.map(
            sql`UPDATE ${table} SET completed = TRUE, last_failure = ${CANCELLED}, updated_at = ${now}
              WHERE id = ${id} AND ${isWaiting(queue)} RETURNING id`,
            (rows) => rows.length > 0
          ),
        purge: (queue) =>
          Effect.gen(function*() {
            const purged: Array<string> = []
            for (;;) {
              const rows = yield* purgeBatch(queue)
              for (const { id } of rows) purged.push(id)
              if (rows.length < purgeBatchSize) return purged
            }
          }),
        setPaused: (queue, isPaused) => isPaused ? insertPause(queue) : deletePause(queue),
        isPaused: (queue) =>
          Effect.map(sql`SELECT 1 FROM ${table} WHERE id = ${pauseIdOf(queue)}`, (rows) => rows.length > 0),
        listDead: (queue, limit, after) =>
          Effect.gen(function*() {
            const total = count(
              yield* sql<{ n: number | string }>`SELECT count(*) AS n FROM ${table} WHERE ${isDead(queue)}`
            )
            const older = after !== null && /^\d{1,10}$/.test(after)
              ? sql`sequence < ${Math.min(Number(after), LAST_SEQUENCE)}`
              : sql`1 = 1`
            const rows = yield* sql<Row>`
            SELECT ${columns} FROM ${table} WHERE ${isDead(queue)} AND ${older}
            ORDER BY sequence DESC LIMIT ${limit + 1}`
            const page = rows.slice(0, limit)
            return {
              elements: page.map((row) => recordOf(row, queue)),
              next: rows.length > limit ? String(page[limit - 1]?.sequence) : null,
              total
            }
          }),
        requeue: (queue, id) =>
          Effect.map(
            sql`UPDATE ${table} SET attempts = 0, acquired_at = NULL, acquired_by = NULL, updated_at = ${now}
              WHERE id = ${id} AND ${isDead(queue)} RETURNING id`,
            (rows) => rows.length > 0
          )
      }
    })
  )
