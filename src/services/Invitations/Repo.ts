import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { InvitationId, ProjectId } from "../../domain/Id.ts"
import { Invitation, InvitationPreview } from "../../domain/Invitation.ts"
import { Reader } from "../Database.ts"

const decodeRow = Schema.decodeUnknownSync(Invitation)
const decode = (row: object) => decodeRow(row)

/** An invitation that can be accepted, with its project's name and slug. */
export const OpenInvitation = Schema.Struct({
  ...InvitationPreview.fields,
  id: InvitationId,
  project_id: ProjectId,
  email_key: Schema.String
})
export type OpenInvitation = typeof OpenInvitation.Type

const decodeOpen = Schema.decodeUnknownSync(OpenInvitation)

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
        Effect.map(
          read`SELECT ${columns} FROM invitations WHERE project_id = ${projectId} ORDER BY id DESC`,
          (rows) => rows.map(decode)
        ),
      findById: (projectId: ProjectId, id: InvitationId) =>
        Effect.map(
          sql`SELECT ${columns} FROM invitations WHERE project_id = ${projectId} AND id = ${id}`,
          (rows) => Option.map(Option.fromNullable(rows[0]), decode)
        ),
      isMember: (projectId: ProjectId, emailKey: string) =>
        Effect.map(
          sql`SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE u.email_key = ${emailKey} AND m.project_id = ${projectId}`,
          (rows) => rows.length > 0
        ),
      /** Invitations since then, including closed ones: of an address to any project, and of the project. */
      countSince: (projectId: ProjectId, emailKey: string, since: string) =>
        Effect.map(
          sql<{ of_address: number; of_project: number }>`SELECT
            (SELECT count(*) FROM invitations WHERE email_key = ${emailKey} AND created_at > ${since}) AS of_address,
            (SELECT count(*) FROM invitations WHERE project_id = ${projectId} AND created_at > ${since}) AS of_project`,
          (rows) => rows[0] ?? { of_address: 0, of_project: 0 }
        ),
      insert: (invitation: Invitation, email_key: string, token_hash: string) =>
        sql`INSERT INTO invitations ${sql.insert({ ...invitation, email_key, token_hash })}`,
      /** Revokes the address's open invitation to the project; its id, if there was one. */
      revokePending: (projectId: ProjectId, emailKey: string, now: string) =>
        Effect.map(
          sql<{ id: InvitationId }>`UPDATE invitations SET revoked_at = ${now}
            WHERE project_id = ${projectId} AND email_key = ${emailKey} AND accepted_at IS NULL AND revoked_at IS NULL
            RETURNING id`,
          (rows) => rows[0]?.id ?? null
        ),
      /** True when this call revoked it. */
      revoke: (id: InvitationId, now: string) =>
        Effect.map(
          sql`UPDATE invitations SET revoked_at = ${now}
            WHERE id = ${id} AND accepted_at IS NULL AND revoked_at IS NULL RETURNING id`,
          (rows) => rows.length > 0
        ),
      findOpen: (tokenHash: string, now: string) =>
        Effect.map(
          read`SELECT i.id, i.project_id, i.email, i.email_key, i.role, i.expires_at,
              p.slug AS project_slug, p.name AS project_name
            FROM invitations i JOIN projects p ON p.id = i.project_id
            WHERE i.token_hash = ${tokenHash} AND ${isOpen(now)}`,
          (rows) => Option.map(Option.fromNullable(rows[0]), (row) => decodeOpen(row))
        ),
      /** Marks it accepted; of two concurrent calls one succeeds. */
      markAccepted: (id: InvitationId, now: string) =>
        Effect.map(
          sql`UPDATE invitations AS i SET accepted_at = ${now} WHERE i.id = ${id} AND ${isOpen(now)} RETURNING id`,
          (rows) => rows.length > 0
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
