import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Invitation, InvitationPreview } from "../../../domain/identity/Invitation.ts"
import { InvitationId, ProjectId } from "../../../domain/kernel/Id.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { firstRowOf, hasRows, rowsOf } from "../../kernel/sql/Rows.ts"

const allRows = rowsOf(Invitation)
const firstRow = firstRowOf(Invitation)

/** An invitation that can be accepted, with its project's name and slug. */
export const OpenInvitation = Schema.Struct({
  ...InvitationPreview.fields,
  id: InvitationId,
  project_id: ProjectId,
  email_key: Schema.String
})
export type OpenInvitation = typeof OpenInvitation.Type

const firstOpen = firstRowOf(OpenInvitation)
const firstCounts = firstRowOf(Schema.Struct({ of_address: Schema.Int, of_project: Schema.Int }))

export class InvitationsRepo extends Effect.Service<InvitationsRepo>()("svc/InvitationsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(Invitation.fields).join(", "))

    /** Open, and its inviter could still grant it: an invitation is void when its inviter loses the permission. */
    const isOpen = (now: string) =>
      sql`i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ${now} AND (i.invited_by IS NULL OR EXISTS (
        SELECT 1 FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.project_id = i.project_id
        WHERE u.id = i.invited_by AND u.is_active = 1 AND (u.is_admin = 1 OR m.role = 'admin')))`

    return {
      /** Newest first. */
      list: (projectId: ProjectId) =>
        allRows(read`SELECT ${columns} FROM invitations WHERE project_id = ${projectId} ORDER BY id DESC`),
      findById: (projectId: ProjectId, id: InvitationId) =>
        firstRow(sql`SELECT ${columns} FROM invitations WHERE project_id = ${projectId} AND id = ${id}`),
      isMember: (projectId: ProjectId, emailKey: string) =>
        hasRows(sql`SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE u.email_key = ${emailKey} AND m.project_id = ${projectId}`),
      /** Invitations since then, including closed ones: of an address to any project, and of the project. */
      countSince: (projectId: ProjectId, emailKey: string, since: string) =>
        Effect.map(
          firstCounts(sql`SELECT
            (SELECT count(*) FROM invitations WHERE email_key = ${emailKey} AND created_at > ${since}) AS of_address,
            (SELECT count(*) FROM invitations WHERE project_id = ${projectId} AND created_at > ${since}) AS of_project`),
          Option.getOrElse(() => ({ of_address: 0, of_project: 0 }))
        ),
      insert: (invitation: Invitation, email_key: string, token_hash: string) =>
        sql`INSERT INTO invitations ${sql.insert({ ...invitation, email_key, token_hash })}`,
      /** Revokes the address's open invitation to the project; its id, if there was one. */
      revokePending: (projectId: ProjectId, emailKey: string, now: string) =>
        Effect.map(
          firstRowOf(Schema.Struct({ id: InvitationId }))(
            sql`UPDATE invitations SET revoked_at = ${now}
              WHERE project_id = ${projectId} AND email_key = ${emailKey} AND accepted_at IS NULL AND revoked_at IS NULL
              RETURNING id`
          ),
          Option.match({ onNone: () => null, onSome: ({ id }) => id })
        ),
      /** True when this call revoked it. */
      revoke: (id: InvitationId, now: string) =>
        hasRows(sql`UPDATE invitations SET revoked_at = ${now}
            WHERE id = ${id} AND accepted_at IS NULL AND revoked_at IS NULL RETURNING id`),
      findOpen: (tokenHash: string, now: string) =>
        firstOpen(
          read`SELECT i.id, i.project_id, i.email, i.email_key, i.role, i.expires_at,
              p.slug AS project_slug, p.name AS project_name
            FROM invitations i JOIN projects p ON p.id = i.project_id
            WHERE i.token_hash = ${tokenHash} AND ${isOpen(now)}`
        ),
      /** Marks it accepted; of two concurrent calls one succeeds. */
      markAccepted: (id: InvitationId, now: string) =>
        hasRows(
          sql`UPDATE invitations AS i SET accepted_at = ${now} WHERE i.id = ${id} AND ${isOpen(now)} RETURNING id`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
