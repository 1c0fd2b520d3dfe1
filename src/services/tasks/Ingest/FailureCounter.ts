import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { minuteOf } from "../../../domain/tasks/FailureRate.ts"
import type { SqliteConnection, SqliteStatement } from "../../../sqlite/Connection.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import type { Interests } from "../../triggers/TriggerEvents/Interests.ts"
import type { FoldedGroup } from "./Fold.ts"

const insertMinutes = "INSERT INTO failure_rate_minutes (subscription_id, minute, slot, ended, failed)"
const addMinutes = `ON CONFLICT (subscription_id, minute, slot) DO UPDATE SET
  ended = failure_rate_minutes.ended + excluded.ended, failed = failure_rate_minutes.failed + excluded.failed`

/**
 * Counts the ends that each subscription to `task.failure_rate` takes, by minute of their commit, in the transaction of
 * the ingest. `services/tasks/FailureRates.ts` compares the counts with the filters.
 */
export const makeFailureCounter = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const statements = new WeakMap<SqliteConnection, SqliteStatement>()

  const count = (
    folded: ReadonlyArray<FoldedGroup>,
    interests: ReadonlyMap<ProjectId, Interests>,
    slot: number,
    at: Timestamp.Timestamp
  ): Effect.Effect<void, SqlError.SqlError> => {
    const rows = countEnds(folded, interests)
    return rows.length === 0 ? Effect.void : Effect.asVoid(sql`${sql.literal(insertMinutes)}
      SELECT r.subscription_id, ${minuteOf(at)}, ${slot}, r.ended, r.failed FROM ${
      recordset(sql, "r", { subscription_id: "uuid", ended: "integer", failed: "integer" }, rows)
    } WHERE true ${sql.literal(addMinutes)}`)
  }

  /** `count` in a synchronous transaction on SQLite. */
  const countOnSqlite = (
    db: SqliteConnection,
    folded: ReadonlyArray<FoldedGroup>,
    interests: ReadonlyMap<ProjectId, Interests>,
    slot: number,
    at: Timestamp.Timestamp
  ): void => {
    const rows = countEnds(folded, interests)
    if (rows.length === 0) return
    let statement = statements.get(db)
    if (statement === undefined) {
      statement = db.prepare(
        `${insertMinutes} VALUES (@subscription_id, @minute, @slot, @ended, @failed) ${addMinutes}`
      )
      statements.set(db, statement)
    }
    for (const row of rows) statement.run({ ...row, minute: minuteOf(at), slot })
  }

  return { count, countOnSqlite } as const
})

/** In the order of the subscriptions' ids, so that all writers lock the rows in one order. */
const countEnds = (folded: ReadonlyArray<FoldedGroup>, interests: ReadonlyMap<ProjectId, Interests>) => {
  const counts = new Map<string, { ended: number; failed: number }>()
  for (const { newEnds, row } of folded) {
    const ofProject = newEnds === null ? undefined : interests.get(row.project_id)
    if (newEnds === null || ofProject === undefined) continue
    const ended = newEnds.succeeded + newEnds.failed
    if (ended === 0) continue
    const { engine, name, priority, queue } = row
    for (const id of ofProject.rateSubscriptionsOf({ engine, task_name: name, priority, queue })) {
      const sums = counts.get(id) ?? { ended: 0, failed: 0 }
      counts.set(id, sums)
      sums.ended += ended
      sums.failed += newEnds.failed
    }
  }
  return [...counts].map(([subscription_id, sums]) => ({ subscription_id, ...sums })).sort((left, right) =>
    left.subscription_id < right.subscription_id ? -1 : 1
  )
}
