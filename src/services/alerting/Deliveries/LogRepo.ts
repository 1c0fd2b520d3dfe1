import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { DeliveryAttempt, type ListDeliveries } from "../../../domain/alerting/Delivery.ts"
import type { DeliveryId, ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import type { ProjectView } from "../../kernel/CurrentActor.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { isInView } from "../../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"
import { DeliveryRow } from "./Repo.ts"

const DetailRow = DeliveryRow.omit("claimed_until", "batch_id")

const LogRow = DetailRow.omit("notification")
export type LogRow = typeof LogRow.Type

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
    const namesOf = (columns: object) => sql.literal(Object.keys(columns).join(", "))
    const logNames = namesOf(LogRow.fields)
    const detailNames = namesOf(DetailRow.fields)
    const attemptNames = namesOf(DeliveryAttempt.fields)
    const isOf = (owner: LogOwner) =>
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
        logRows(read`SELECT ${logNames} FROM deliveries WHERE ${
          sql.and([
            isOf(owner),
            ...(before === null ? [] : [sql`id < ${before}`]),
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(channel_id === undefined ? [] : [sql`channel_id = ${channel_id}`]),
            ...(trigger === undefined ? [] : [sql`trigger_key = ${trigger}`]),
            ...(alert_id === undefined ? [] : [sql`alert_id = ${alert_id}`]),
            ...(project_id === undefined ? [] : [sql`project_id = ${project_id}`])
          ])
        } ORDER BY id DESC LIMIT ${limit}`),
      find: (owner: LogOwner, id: DeliveryId) =>
        firstDetail(read`SELECT ${detailNames} FROM deliveries WHERE id = ${id} AND ${isOf(owner)}`),
      listAttempts: (id: DeliveryId) =>
        attemptRows(read`SELECT ${attemptNames} FROM delivery_attempts WHERE delivery_id = ${id} ORDER BY number`),
      /** Deletes those that have ended, with their attempts; all of them or those before an id. Returns how many. */
      clear: (projectId: ProjectId, beforeId: string, limit: number) =>
        Effect.map(
          sql`DELETE FROM deliveries WHERE id IN (
            SELECT id FROM deliveries WHERE project_id = ${projectId} AND user_id IS NULL AND id < ${beforeId}
              AND due_at IS NULL ORDER BY id LIMIT ${limit}
          ) RETURNING 1`,
          (rows) => rows.length
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
