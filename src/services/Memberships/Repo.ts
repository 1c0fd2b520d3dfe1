import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { Role } from "../../domain/Access.ts"
import type { MembershipId, ProjectId, UserId } from "../../domain/Id.ts"
import { Membership } from "../../domain/Membership.ts"
import { Reader } from "../Database.ts"

const decodeRow = Schema.decodeUnknownSync(Membership)
const decode = (row: object) => decodeRow(row)

export interface NewMembership {
  readonly id: MembershipId
  readonly user_id: UserId
  readonly project_id: ProjectId
  readonly role: Role
  readonly created_at: string
}

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
        Effect.map(
          read`SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = ${projectId} ORDER BY m.id DESC`,
          (rows) => rows.map(decode)
        ),
      /** Runs in the caller's transaction, if there is one. */
      findById: (projectId: ProjectId, id: MembershipId) =>
        Effect.map(
          sql`SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = ${projectId} AND m.id = ${id}`,
          (rows) => Option.map(Option.fromNullable(rows[0]), decode)
        ),
      insert: (membership: NewMembership) => sql`INSERT INTO memberships ${sql.insert({ ...membership })}`,
      /** False when there was none. */
      setRole: (id: MembershipId, role: Role) =>
        Effect.map(
          sql`UPDATE memberships SET role = ${role} WHERE id = ${id} RETURNING id`,
          ({ length }) => length > 0
        ),
      /** False when there was none. */
      delete: (id: MembershipId) =>
        Effect.map(sql`DELETE FROM memberships WHERE id = ${id} RETURNING id`, ({ length }) => length > 0)
    } as const
  })
}) {
  static readonly layer = this.Default
}
