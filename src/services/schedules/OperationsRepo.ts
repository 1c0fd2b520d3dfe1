import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CommandStatus } from "../../domain/commands/Command.ts"
import {
  AgentId,
  CommandId,
  Id,
  ProjectId,
  ScheduleId,
  ScheduleOperationId,
  ScheduleStreamId
} from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import {
  type ControlOperationPublic,
  type NativeOperationPublic,
  OperationName,
  OperationStatus
} from "../../domain/schedules/Schedule/Operation.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices } from "../kernel/sql/Dialect.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

/** A row of `schedule_operations`. */
export const ScheduleOperation = Schema.Struct({
  id: ScheduleOperationId,
  project_id: ProjectId,
  /** Null: a schedule that is being created. */
  schedule_id: Schema.NullOr(ScheduleId),
  scheduler: Schema.String,
  operation: OperationName,
  /** Null: an act without a request id. */
  request_id: Schema.NullOr(Id),
  /** The definition as canonical JSON text, which may contain secrets, encrypted; null: none. */
  sealed_request: Schema.NullOr(Schema.String),
  agent_id: AgentId,
  stream_id: ScheduleStreamId,
  /** The epoch and newest publication of the stream when the operation was asked for. */
  epoch_uuid: Id,
  epoch_number: Schema.Int,
  expected_sequence: Schema.Int,
  source_key: Schema.NullOr(Schema.String),
  command_id: CommandId,
  status: OperationStatus,
  reserved_sequence: Schema.NullOr(Schema.Int),
  desired_is_enabled: Schema.NullOr(BooleanColumn),
  /** The newest publication when a snapshot was asked for, which decides about an unknown outcome. */
  probe_epoch_number: Schema.NullOr(Schema.Int),
  probe_sequence: Schema.NullOr(Schema.Int),
  result_projection_id: Schema.NullOr(Id),
  error: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** When nothing could change it any more; null: something can. */
  ended_at: Schema.NullOr(Timestamp)
})
export type ScheduleOperation = typeof ScheduleOperation.Type
const encode = Schema.encodeSync(ScheduleOperation)

/** The operation as its caller sees it. */
export const nativeOperationOf = (operation: ScheduleOperation): NativeOperationPublic => {
  const { command_id, created_at, error, id, schedule_id, status, updated_at } = operation
  return { id, schedule_id, command_id, operation: operation.operation, status, error, created_at, updated_at }
}

/** The operation with the publications that it is compared with; null for a creation, which has no schedule yet. */
export const controlOperationOf = (operation: ScheduleOperation): ControlOperationPublic | null => {
  const { desired_is_enabled, schedule_id, source_key } = operation
  if (schedule_id === null || source_key === null || desired_is_enabled === null) return null
  return {
    ...nativeOperationOf(operation),
    schedule_id,
    source_key,
    desired_is_enabled,
    stream_id: operation.stream_id,
    epoch_uuid: operation.epoch_uuid,
    epoch_number: operation.epoch_number,
    expected_accepted_sequence: operation.expected_sequence,
    reserved_sequence: operation.reserved_sequence,
    result_projection_id: operation.result_projection_id
  }
}

/** An operation with what decides how far it is. */
const Watched = Schema.Struct({
  ...ScheduleOperation.fields,
  command_status: Schema.NullOr(CommandStatus),
  command_dispatched_at: Schema.NullOr(Timestamp),
  command_completed_at: Schema.NullOr(Timestamp),
  command_result: Schema.NullOr(Schema.String),
  command_error: Schema.NullOr(Schema.String),
  published_epoch_number: Schema.NullOr(Schema.Int),
  published_sequence: Schema.NullOr(Schema.Int)
})
export type WatchedOperation = typeof Watched.Type

const Claimed = Schema.Struct({ schedule_id: ScheduleId, projection: Schema.String })

export class OperationsRepo extends Effect.Service<OperationsRepo>()("svc/OperationsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const firstRow = firstRowOf(ScheduleOperation)
    const firstClaim = firstRowOf(Claimed)

    return {
      insert: (operation: ScheduleOperation) => sql`INSERT INTO schedule_operations ${sql.insert(encode(operation))}`,
      find: (projectId: ProjectId, id: ScheduleOperationId) =>
        firstRow(read`SELECT * FROM schedule_operations WHERE project_id = ${projectId} AND id = ${id}`),
      findByRequest: (projectId: ProjectId, requestId: string) =>
        firstRow(
          sql`SELECT * FROM schedule_operations WHERE project_id = ${projectId} AND request_id = ${requestId}`
        ),
      /** Whether an operation of the schedule has not been answered. */
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
      /** What the stream has published last of the schedule, by its key or else its name. */
      findClaim: (streamId: ScheduleStreamId, sourceKey: string | null, name: string) =>
        firstClaim(
          sql`SELECT schedule_id, projection FROM schedule_claims WHERE stream_id = ${streamId} AND ${
            sourceKey === null ? sql`name = ${name}` : sql`source_key = ${sourceKey}`
          } ORDER BY source_key LIMIT 1`
        ),
      /** Notes how far the operation is; false where another replica has changed it since. */
      update: (operation: ScheduleOperation, before: Pick<ScheduleOperation, "updated_at">) =>
        hasRows(
          sql`UPDATE schedule_operations SET ${sql.update(encode(operation), ["id"])}
            WHERE id = ${operation.id} AND updated_at = ${before.updated_at} AND ended_at IS NULL RETURNING 1`
        ),
      /** Deletes operations that were asked for before this time, but none that something can change. */
      prune: (before: Timestamp) =>
        deleteInSlices(sql, {
          table: "schedule_operations",
          key: "id",
          where: sql`created_at < ${before} AND ended_at IS NOT NULL`,
          orderBy: "created_at"
        })
    } as const
  })
}) {
  static readonly layer = this.Default
}
