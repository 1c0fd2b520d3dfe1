import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { DeliveryAttempt, DeliveryStatus, type ListDeliveries } from "../../../domain/alerting/Delivery.ts"
import {
  DeliveryId,
  type ProjectId,
  ProjectId as ProjectIdSchema,
  type UserId,
  UserId as UserIdSchema
} from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { ProjectView } from "../../kernel/CurrentActor.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices, isInView } from "../../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

const LogRow = Schema.Struct({
  id: DeliveryId,
  project_id: Schema.NullOr(ProjectIdSchema),
  user_id: Schema.NullOr(UserIdSchema),
  subscription_id: Schema.NullOr(Schema.String),
  channel_id: Schema.NullOr(Schema.String),
  channel_name: Schema.String,
  channel_type: Schema.String,
  alert_id: Schema.NullOr(Schema.String),
  trigger_key: Schema.String,
  task_id: Schema.NullOr(Schema.String),
  task_name: Schema.NullOr(Schema.String),
  status: DeliveryStatus,
  attempts: Schema.Int,
  due_at: Schema.NullOr(Timestamp),
  response_code: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  sent_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  resend_of: Schema.NullOr(DeliveryId),
  triggered_by_user_id: Schema.NullOr(UserIdSchema),
  triggered_by_email: Schema.NullOr(Schema.String)
})
export type LogRow = typeof LogRow.Type

const DetailRow = Schema.Struct({ ...LogRow.fields, notification: Schema.String })
export type DetailRow = typeof DetailRow.Type

/** Whose log: of a project's channels, or of a user's personal ones, about the projects that the user sees. */
export type LogOwner = { readonly project_id: ProjectId } | {
  readonly user_id: UserId
  readonly projects: ProjectView
}

const logRows = rowsOf(LogRow)
const firstDetail = firstRowOf(DetailRow)
const attemptRows = rowsOf(DeliveryAttempt)

/** What was sent, for people. */
export class DeliveryLogRepo extends Effect.Service<DeliveryLogRepo>()("svc/DeliveryLogRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = read.literal(Object.keys(LogRow.fields).join(", "))
    const ownedBy = (owner: LogOwner) =>
      "project_id" in owner
        ? sql`project_id = ${owner.project_id} AND user_id IS NULL`
        // a test of a personal channel is about no project
        : sql`user_id = ${owner.user_id} AND (project_id IS NULL OR ${isInView(sql, owner.projects)})`

    return {
      /** Newest first. */
      list: (
        owner: LogOwner,
        { alert_id, channel_id, project_id, status, trigger }: ListDeliveries & { readonly project_id?: ProjectId },
        before: string | null,
        limit: number
      ) =>
        logRows(read`SELECT ${columns} FROM deliveries WHERE ${
          sql.and([
            ownedBy(owner),
            ...(before === null ? [] : [sql`id < ${before}`]),
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(channel_id === undefined ? [] : [sql`channel_id = ${channel_id}`]),
            ...(trigger === undefined ? [] : [sql`trigger_key = ${trigger}`]),
            ...(alert_id === undefined ? [] : [sql`alert_id = ${alert_id}`]),
            ...(project_id === undefined ? [] : [sql`project_id = ${project_id}`])
          ])
        } ORDER BY id DESC LIMIT ${limit}`),
      find: (owner: LogOwner, id: DeliveryId) =>
        firstDetail(read`SELECT ${columns}, notification FROM deliveries WHERE id = ${id} AND ${ownedBy(owner)}`),
      listAttempts: (id: DeliveryId) =>
        attemptRows(
          read`SELECT number, started_at, duration_ms, response_code, error, response_body FROM delivery_attempts
          WHERE delivery_id = ${id} ORDER BY number`
        ),
      /** Deletes those that have ended, with their attempts; all of them or those before an id. Returns how many. */
      clear: (projectId: ProjectId, beforeId: string, limit: number) =>
        Effect.map(
          sql`DELETE FROM deliveries WHERE id IN (
            SELECT id FROM deliveries WHERE project_id = ${projectId} AND user_id IS NULL AND id < ${beforeId}
              AND due_at IS NULL ORDER BY id LIMIT ${limit}
          ) RETURNING 1`,
          (rows) => rows.length
        ),
      prune: (beforeId: string) =>
        deleteInSlices(sql, { table: "deliveries", key: "id", where: sql`id < ${beforeId} AND due_at IS NULL` })
    } as const
  })
}) {
  static readonly layer = this.Default
}
