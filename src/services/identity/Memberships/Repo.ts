import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Membership } from "../../../domain/identity/Membership.ts"
import { Role } from "../../../domain/kernel/Access.ts"
import { MembershipId, ProjectId, type UserId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"

const allRows = rowsOf(Membership)
const firstRow = firstRowOf(Membership)
const activeMembers = rowsOf(Membership.pick("project_id", "user_id", "role"))

export interface NewMembership {
  readonly id: MembershipId
  readonly user_id: UserId
  readonly project_id: ProjectId
  readonly role: Role
  readonly created_at: string
}

const MembershipOfUser = Schema.Struct({
  id: MembershipId,
  project_id: ProjectId,
  role: Role,
  given_by_groups: BooleanColumn
})

export class MembershipsRepo extends Effect.Service<MembershipsRepo>()("svc/MembershipsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(
      "m.id, m.user_id, m.project_id, u.email AS user_email, u.display_name AS user_display_name, m.role, m.created_at"
    )

    return {
      /** Newest first. */
      list: (projectId: ProjectId) =>
        allRows(read`SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = ${projectId} ORDER BY m.id DESC`),
      /** Runs in the caller's transaction, if there is one. */
      findById: (projectId: ProjectId, id: MembershipId) =>
        firstRow(sql`SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = ${projectId} AND m.id = ${id}`),
      /** The members of these projects who may sign in. */
      listActive: (projectIds: ReadonlyArray<ProjectId>) =>
        projectIds.length === 0 ? Effect.succeed([]) : activeMembers(sql`
          SELECT m.project_id, m.user_id, m.role FROM memberships m JOIN users u ON u.id = m.user_id
          WHERE ${sql.in("m.project_id", projectIds)} AND u.is_active = 1 ORDER BY m.user_id`),
      insert: (membership: NewMembership) => sql`INSERT INTO memberships ${sql.insert({ ...membership })}`,
      /** A user's, and whether groups of the sign-in provider gave them. */
      listOfUser: (userId: UserId) =>
        rowsOf(MembershipOfUser)(
          sql`SELECT id, project_id, role, given_by_groups FROM memberships WHERE user_id = ${userId} ORDER BY id`
        ),
      markGivenByGroups: (id: MembershipId) => sql`UPDATE memberships SET given_by_groups = 1 WHERE id = ${id}`,
      /** False when there was none. `role_since` says since when the member has the role. */
      setRole: (id: MembershipId, role: Role, now: Timestamp) =>
        hasRows(sql`UPDATE memberships SET role = ${role},
            role_since = CASE WHEN role = ${role} THEN role_since ELSE ${now} END
          WHERE id = ${id} RETURNING id`),
      /** False when there was none. */
      delete: (id: MembershipId) => hasRows(sql`DELETE FROM memberships WHERE id = ${id} RETURNING id`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
