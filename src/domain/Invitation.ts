import { Redacted, Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Role } from "./Access.ts"
import { InvitedPassword } from "./Password.ts"
import { Id, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Email } from "./User.ts"

/** An e-mail address that may join a project (bodies: InvitationPublic). `invited_by` null: the program itself. */
export const Invitation = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  project_id: describe(Id, "The project's id.", exampleId),
  email: describe(Schema.String, "The invited address.", "grace@example.com"),
  role: describe(Role, "The role in the project.", "operator"),
  invited_by: describe(Schema.NullOr(Id), "Who invited; null: the program.", exampleId),
  expires_at: describe(Timestamp, "When it expires.", exampleTime),
  accepted_at: describe(Schema.NullOr(Timestamp), "When it was accepted; null: not yet.", null),
  revoked_at: describe(Schema.NullOr(Timestamp), "When it was revoked; null: it was not.", null),
  created_at: describe(Timestamp, "When it was created.", exampleTime)
}).annotations(named("Invitation", "An e-mail address that may join a project."))
export type Invitation = typeof Invitation.Type

export const CreateInvitation = Schema.Struct({
  email: describe(Email, "The address to invite.", "grace@example.com"),
  role: describe(Schema.optionalWith(Role, { default: () => "viewer" }), "The role that it is to have.", "operator"),
  ttl_days: describe(Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 30)), { default: () => 7 }), "Days until it expires.", 7)
}).annotations(named("CreateInvitation", "An address to invite."))
export type CreateInvitation = typeof CreateInvitation.Type

/**
 * The only time that `token` is shown (bodies: InvitationMintPublic). `accept_url_path` follows the public URL;
 * `email_sent`: a mail with the link is on its way.
 */
export const CreatedInvitation = Schema.Struct({
  invitation: describe(Invitation, "The invitation."),
  token: describe(Schema.String, "The token of the link, in this answer only.", "Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"),
  accept_url_path: describe(Schema.String, "The link, behind the public URL.", "/invitation?token=Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"),
  email_sent: describe(Schema.Boolean, "Whether a mail with the link is on its way.", true)
}).annotations(named("CreatedInvitation", "An invitation with its token."))
export type CreatedInvitation = typeof CreatedInvitation.Type

const token = Schema.Redacted(text(256, 10))

export const PreviewInvitation = Schema.Struct({
  token: describe(token, "The token of the link.", Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"))
}).annotations(named("PreviewInvitation", "The token of an invitation."))

/** What the holder of the token is invited to (bodies: InvitationPreviewPublic). */
export const InvitationPreview = Schema.Struct({
  email: describe(Schema.String, "The invited address.", "grace@example.com"),
  role: describe(Role, "The role in the project.", "operator"),
  project_slug: describe(Schema.String, "The project's slug.", "shop"),
  project_name: describe(Schema.String, "The project's name.", "Shop"),
  expires_at: describe(Timestamp, "When it expires.", exampleTime)
}).annotations(named("InvitationPreview", "What the holder of the token is invited to."))
export type InvitationPreview = typeof InvitationPreview.Type

/** Name and password make the account where the address has none; who has one is signed in, and needs neither. */
export const AcceptInvitation = Schema.Struct({
  token: describe(token, "The token of the link.", Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ")),
  display_name: describe(Schema.optional(text(200, 1)), "The new account's name.", "Grace Hopper"),
  password: describe(Schema.optional(InvitedPassword), "The new account's password, 12 to 200 characters.", Redacted.make("correct horse battery staple"))
}).annotations(named("AcceptInvitation", "The acceptance; name and password where the address has no account."))
export type AcceptInvitation = typeof AcceptInvitation.Type

export const InvitationAccepted = Schema.Struct({
  user_id: describe(Id, "The user's id.", exampleId),
  project_slug: describe(Schema.String, "The project's slug.", "shop"),
  role: describe(Role, "The role in the project.", "operator")
})
  .annotations(named("InvitationAccepted", "Who joined which project."))
export type InvitationAccepted = typeof InvitationAccepted.Type
