import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { BulkRetryStatus, ControlState } from "../../../domain/commands/BulkRetry.ts"
import type { ItemStatus } from "../../../domain/commands/BulkRetry/Item.ts"
import { AgentId, BulkRetryId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { BooleanColumn, JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forUpdate } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"

/** 0 in the database: without `max`. The column takes no NULL, and releases before expect a number. */
const MaxColumn = Schema.transform(Schema.Int, Schema.NullOr(Schema.Int), {
  strict: true,
  decode: (stored) => (stored === 0 ? null : stored),
  encode: (max) => max ?? 0
})

/** A row of `bulk_retry_requests`. */
export const BulkRetry = Schema.Struct({
  id: BulkRetryId,
  project_id: ProjectId,
  idempotency_key: Schema.String,
  canonical_digest: Schema.String,
  plan_digest: Schema.String,
  filter: JsonColumn(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  max: MaxColumn,
  capped: BooleanColumn,
  /** The engines of the frozen tasks. */
  engines: JsonColumn(Schema.Array(Schema.String)),
  target_agent_id: Schema.NullOr(AgentId),
  rate_per_second: Schema.NullOr(Schema.Number),
  status: BulkRetryStatus,
  control_state: ControlState,
  total: Schema.Int,
  claimed: Schema.Int,
  unobserved: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  unknown: Schema.Int,
  created_by: Schema.NullOr(UserId),
  created_at: Timestamp,
  /** Null: its tasks are being frozen, and it is shown nowhere. */
  sealed_at: Schema.NullOr(Timestamp),
  deadline_at: Timestamp,
  last_progress_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp)
})
export type BulkRetry = typeof BulkRetry.Type

/** By how much each number of tasks changes. */
export type CountChanges = Readonly<Partial<Record<Exclude<ItemStatus, "pending">, number>>>

const encode = Schema.encodeSync(BulkRetry)
const allRows = rowsOf(BulkRetry)
const firstRow = firstRowOf(BulkRetry)
const allKeys = rowsOf(BulkRetry.pick("id", "project_id"))

export class BulkRetriesRepo extends Effect.Service<BulkRetriesRepo>()("svc/BulkRetriesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const isSealed = sql.literal("sealed_at IS NOT NULL")
    const isOpen = sql.literal("finished_at IS NULL AND sealed_at IS NOT NULL")

    return {
      insert: (request: BulkRetry) => sql`INSERT INTO bulk_retry_requests ${sql.insert(encode(request))}`,
      find: (projectId: ProjectId, id: BulkRetryId) =>
        firstRow(
          read`SELECT * FROM bulk_retry_requests WHERE project_id = ${projectId} AND id = ${id} AND ${isSealed}`
        ),
      findByKey: (projectId: ProjectId, key: string) =>
        firstRow(sql`SELECT * FROM bulk_retry_requests
          WHERE project_id = ${projectId} AND idempotency_key = ${key} AND ${isSealed}`),
      /** The request as it is now, locked until the transaction ends. */
      lock: (projectId: ProjectId, id: BulkRetryId) =>
        firstRow(sql`SELECT * FROM bulk_retry_requests
          WHERE project_id = ${projectId} AND id = ${id} AND ${isSealed} ${forUpdate(sql)}`),
      /** Newest first, those older than `start` if it is given. */
      list: (projectId: ProjectId, start: string | null, limit: number) =>
        allRows(read`SELECT * FROM bulk_retry_requests
          WHERE project_id = ${projectId} AND ${isSealed} ${start === null ? read`` : read`AND id < ${start}`}
          ORDER BY id DESC LIMIT ${limit}`),
      countOpen: (projectId: ProjectId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM bulk_retry_requests
          WHERE ${isOpen} AND project_id = ${projectId}`),
      /** Requests that something can be done for, oldest first. */
      listActive: (now: Timestamp, limit: number) =>
        allRows(sql`SELECT * FROM bulk_retry_requests
          WHERE ${isOpen} AND (control_state <> 'paused' OR claimed > 0 OR deadline_at <= ${now})
          ORDER BY id LIMIT ${limit}`),

      /** The whole set is stored: from now on the request is shown, and its tasks are retried. False if it was deleted. */
      seal: ({ capped, engines, finished_at, id, plan_digest, sealed_at, status, total }: BulkRetry) =>
        hasRows(sql`UPDATE bulk_retry_requests SET capped = ${capped ? 1 : 0}, engines = ${JSON.stringify(engines)},
            finished_at = ${finished_at}, plan_digest = ${plan_digest}, sealed_at = ${sealed_at}, status = ${status},
            total = ${total}
          WHERE id = ${id} RETURNING 1`),
      setControl: ({ control_state, id, rate_per_second }: BulkRetry) =>
        sql`UPDATE bulk_retry_requests SET control_state = ${control_state}, rate_per_second = ${rate_per_second}
          WHERE id = ${id}`,
      /** Changes the numbers, and ends the request where a status is given. */
      advance: (id: BulkRetryId, changes: CountChanges, now: Timestamp, ended: BulkRetryStatus | null) => {
        const moved = Object.entries(changes).filter(([, by]) => by !== 0)
        // the names are the columns of `CountChanges`, never a caller's
        const sets: ReadonlyArray<Statement.Fragment> = [
          ...moved.map(([name, by]) => sql`${sql(name)} = ${sql(name)} + ${by}`),
          ...(moved.length === 0 ? [] : [sql`last_progress_at = ${now}`]),
          ...(ended === null ? [] : [sql`status = ${ended}`, sql`finished_at = ${now}`])
        ]
        return sets.length === 0
          ? Effect.void
          : Effect.asVoid(sql`UPDATE bulk_retry_requests SET ${sql.csv(sets)} WHERE id = ${id}`)
      },

      /** Requests that ended before `ended`, and those whose freezing began before `begun` and never ended. */
      listDisposable: (ended: Timestamp, begun: Timestamp, limit: number) =>
        allKeys(sql`SELECT id, project_id FROM (
            SELECT id, project_id FROM bulk_retry_requests
            WHERE finished_at IS NOT NULL AND finished_at < ${ended}
            UNION ALL
            SELECT id, project_id FROM bulk_retry_requests
            WHERE finished_at IS NULL AND sealed_at IS NULL AND created_at < ${begun}
          ) AS disposable LIMIT ${limit}`),
      delete: (id: BulkRetryId) => sql`DELETE FROM bulk_retry_requests WHERE id = ${id}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
