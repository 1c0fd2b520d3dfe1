import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CommandStatus } from "../../domain/commands/Command.ts"
import type { CommandId, ProjectId, ScheduleId, ScheduleOperationId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { ScheduleOperation } from "../../domain/schedules/Schedule/OperationState.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

const Row = Schema.Struct({ ...ScheduleOperation.fields, desired_is_enabled: Schema.NullOr(BooleanColumn) })
const encode = Schema.encodeSync(Row)

/** An operation with what decides how far it is. */
const Watched = Schema.Struct({
  ...Row.fields,
  command_status: Schema.NullOr(CommandStatus),
  command_dispatched_at: Schema.NullOr(Timestamp),
  command_completed_at: Schema.NullOr(Timestamp),
  command_result: Schema.NullOr(Schema.String),
  command_error: Schema.NullOr(Schema.String),
  published_epoch_number: Schema.NullOr(Schema.Int),
  published_sequence: Schema.NullOr(Schema.Int)
})
export type WatchedOperation = typeof Watched.Type

/** Operations on schedules, and how far they are. `operations/Retention.ts` deletes them. */
export class OperationsRepo extends Effect.Service<OperationsRepo>()("svc/OperationsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const firstRow = firstRowOf(Row)

    return {
      insert: (operation: ScheduleOperation) => sql`INSERT INTO schedule_operations ${sql.insert(encode(operation))}`,
      find: (projectId: ProjectId, id: ScheduleOperationId) =>
        firstRow(read`SELECT * FROM schedule_operations WHERE project_id = ${projectId} AND id = ${id}`),
      findByRequest: (projectId: ProjectId, requestId: string) =>
        firstRow(
          sql`SELECT * FROM schedule_operations WHERE project_id = ${projectId} AND request_id = ${requestId}`
        ),
      /** Whether an operation of the schedule has no result yet. */
      isBusy: (id: ScheduleId) =>
        hasRows(sql`SELECT 1 FROM schedule_operations WHERE schedule_id = ${id}
          AND schedule_id IS NOT NULL AND status IN ('pending', 'sent', 'accepted')`),
      /** Operations that something can change, oldest first. */
      listOpen: (limit: number) =>
        rowsOf(Watched)(
          sql`SELECT o.*, c.status AS command_status, c.dispatched_at AS command_dispatched_at,
              c.completed_at AS command_completed_at, c.result AS command_result, c.error AS command_error,
              s.epoch_number AS published_epoch_number, s.accepted_sequence AS published_sequence
            FROM schedule_operations o LEFT JOIN commands c ON c.id = o.command_id
              LEFT JOIN schedule_streams s ON s.stream_id = o.stream_id
            WHERE o.ended_at IS NULL ORDER BY o.id LIMIT ${limit}`
        ),
      /** Commands of operations that wait for a process that has ended: their epoch is over, so no other one may take them. */
      listAbandoned: (limit: number) =>
        sql<{ readonly id: CommandId }>`SELECT c.id FROM schedule_operations o JOIN commands c ON c.id = o.command_id
          JOIN schedule_streams s ON s.stream_id = o.stream_id
          WHERE o.ended_at IS NULL AND c.status = 'pending'
            AND (s.epoch_number <> o.epoch_number OR s.status NOT IN ('activating', 'live')) LIMIT ${limit}`,
      /** Notes how far the operation is; false where another replica has changed it since. */
      update: (operation: ScheduleOperation, before: ScheduleOperation) =>
        hasRows(
          sql`UPDATE schedule_operations SET ${sql.update(encode(operation), ["id"])}
            WHERE id = ${operation.id} AND updated_at = ${before.updated_at} AND ended_at IS NULL RETURNING 1`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
