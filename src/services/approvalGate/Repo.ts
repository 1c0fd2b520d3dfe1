import { SqlClient } from "@effect/sql"
import { Effect, Schema, Struct } from "effect"
import { Approval, type ApprovalKind, type ApprovalStatus } from "../../domain/approvalGate/Approval.ts"
import type { Role } from "../../domain/kernel/Access.ts"
import type { ApprovalId, ProjectId, UserId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { countOf, firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"
import { Subject } from "./Subject.ts"

export const ApprovalRow = Schema.Struct({
  ...Struct.omit(Approval.fields, "requested_by_name", "decided_by_name", "before", "after", "revision"),
  request: JsonColumn(Schema.Unknown),
  subject: JsonColumn(Subject),
  result: Schema.NullOr(JsonColumn(Schema.Unknown))
})
export type ApprovalRow = typeof ApprovalRow.Type

const allRows = rowsOf(ApprovalRow)
const firstRow = firstRowOf(ApprovalRow)
const encode = Schema.encodeSync(ApprovalRow)

/** How an approval ended. */
export interface Decision {
  readonly status: Exclude<ApprovalStatus, "pending">
  readonly decided_by: UserId | null
  readonly reason: string | null
  readonly now: Timestamp
}

export class ApprovalsRepo extends Effect.Service<ApprovalsRepo>()("svc/ApprovalsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(ApprovalRow.fields).join(", "))

    return {
      insert: (row: ApprovalRow) => sql`INSERT INTO approvals ${sql.insert(encode(row))}`,
      find: (projectId: ProjectId, id: ApprovalId) =>
        firstRow(
          sql`SELECT ${columns} FROM approvals WHERE id = ${id} AND project_id = ${projectId}`
        ),
      /** The person's pending approvals of the same request. */
      listSame: (projectId: ProjectId, userId: UserId, kind: ApprovalKind, request: string, now: Timestamp) =>
        allRows(sql`SELECT ${columns} FROM approvals
          WHERE project_id = ${projectId} AND requested_by = ${userId} AND kind = ${kind} AND request = ${request}
            AND status = 'pending' AND expires_at > ${now}`),
      /** What the person asks for, in all projects. */
      listPendingOf: (userId: UserId) =>
        allRows(sql`SELECT ${columns} FROM approvals WHERE requested_by = ${userId} AND status = 'pending'`),
      countPending: (projectId: ProjectId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM approvals
          WHERE project_id = ${projectId} AND status = 'pending'`),
      list: (projectId: ProjectId, status: ApprovalStatus | null, after: string | null, limit: number) =>
        allRows(read`SELECT ${columns} FROM approvals WHERE ${
          read.and([
            read`project_id = ${projectId}`,
            ...(status === null ? [] : [read`status = ${status}`]),
            ...(after === null ? [] : [read`id < ${after}`])
          ])
        } ORDER BY id DESC LIMIT ${limit}`),
      /** False when it is no longer pending. */
      decide: (id: ApprovalId, { decided_by, now, reason, status }: Decision) =>
        hasRows(sql`UPDATE approvals SET status = ${status}, decided_by = ${decided_by}, reason = ${reason},
            decided_at = ${now}
          WHERE id = ${id} AND status = 'pending' RETURNING id`),
      setResult: (id: ApprovalId, status: "approved" | "failed", result: unknown) =>
        sql`UPDATE approvals SET status = ${status}, result = ${JSON.stringify(result)} WHERE id = ${id}`,
      listExpired: (now: Timestamp, limit: number) =>
        allRows(sql`SELECT ${columns} FROM approvals
          WHERE status = 'pending' AND expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}`),
      /** Whether the user is active, and has one of the roles in the project or is a global admin. */
      hasRole: (projectId: ProjectId, userId: UserId, roles: ReadonlyArray<Role>) =>
        hasRows(sql`SELECT 1 FROM users u WHERE u.id = ${userId} AND u.is_active = 1 AND (u.is_admin = 1 OR EXISTS (
            SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.project_id = ${projectId}
              AND ${sql.in("m.role", roles)}))`),
      /** Tasks of the person's bulk actions since then that needed no approval. */
      countBulkTasks: (projectId: ProjectId, userId: UserId, since: Timestamp) =>
        countOf(sql`SELECT CAST(COALESCE(sum(tasks), 0) AS INTEGER) AS n FROM bulk_actions
          WHERE project_id = ${projectId} AND user_id = ${userId} AND created_at > ${since}`),
      insertBulkAction: (row: {
        readonly id: string
        readonly project_id: ProjectId
        readonly user_id: UserId
        readonly tasks: number
        readonly created_at: Timestamp
      }) => sql`INSERT INTO bulk_actions ${sql.insert(row)}`,
      /**
       * The name that the person has chosen, with their e-mail address, since a name can be that of another person: for
       * the project's admins, who may see it.
       */
      findName: (userId: UserId) =>
        Effect.map(
          sql<
            { name: string }
          >`SELECT COALESCE(display_name || ' (' || email || ')', email) AS name FROM users WHERE id = ${userId}`,
          ([user]) => user?.name ?? "A former user"
        ),
      isGlobalAdmin: (userId: UserId) =>
        hasRows(sql`SELECT 1 FROM users WHERE id = ${userId} AND is_active = 1 AND is_admin = 1`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
