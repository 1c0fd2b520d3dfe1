import { Schema } from "effect"
import { Role } from "./Access.ts"
import { InvitedPassword } from "./Password.ts"
import { Id, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Email } from "./User.ts"

/** An e-mail address that may join a project (bodies: InvitationPublic). `invited_by` null: the program itself. */
export const Invitation = Schema.Struct({
  id: Id,
  project_id: Id,
  email: Schema.String,
  role: Role,
  invited_by: Schema.NullOr(Id),
  expires_at: Timestamp,
  accepted_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
}).annotations({ identifier: "Invitation" })
export type Invitation = typeof Invitation.Type

export const CreateInvitation = Schema.Struct({
  email: Email,
  role: Schema.optionalWith(Role, { default: () => "viewer" }),
  ttl_days: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 30)), { default: () => 7 })
}).annotations({ identifier: "CreateInvitation" })
export type CreateInvitation = typeof CreateInvitation.Type

/**
 * The only time that `token` is shown (bodies: InvitationMintPublic). `accept_url_path` follows the public URL;
 * `email_sent`: a mail with the link is on its way.
 */
export const CreatedInvitation = Schema.Struct({
  invitation: Invitation,
  token: Schema.String,
  accept_url_path: Schema.String,
  email_sent: Schema.Boolean
}).annotations({ identifier: "CreatedInvitation" })
export type CreatedInvitation = typeof CreatedInvitation.Type

const token = Schema.Redacted(text(256, 10))

export const PreviewInvitation = Schema.Struct({ token }).annotations({ identifier: "PreviewInvitation" })

/** What the holder of the token is invited to (bodies: InvitationPreviewPublic). */
export const InvitationPreview = Schema.Struct({
  email: Schema.String,
  role: Role,
  project_slug: Schema.String,
  project_name: Schema.String,
  expires_at: Timestamp
}).annotations({ identifier: "InvitationPreview" })
export type InvitationPreview = typeof InvitationPreview.Type

/** Name and password make the account where the address has none; who has one is signed in, and needs neither. */
export const AcceptInvitation = Schema.Struct({
  token,
  display_name: Schema.optional(text(200, 1)),
  password: Schema.optional(InvitedPassword)
}).annotations({ identifier: "AcceptInvitation" })
export type AcceptInvitation = typeof AcceptInvitation.Type

export const InvitationAccepted = Schema.Struct({ user_id: Id, project_slug: Schema.String, role: Role })
  .annotations({ identifier: "InvitationAccepted" })
export type InvitationAccepted = typeof InvitationAccepted.Type
