import { Redacted, Schema } from "effect"
import { Role } from "../kernel/Access.ts"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { InvitationId, ProjectId, UserId } from "../kernel/Id.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { InvitedPassword } from "./Password.ts"
import { Email } from "./User.ts"

/** An e-mail address that may join a project (bodies: InvitationPublic). `invited_by` null: the program itself. */
export const Invitation = Schema.Struct({
  id: describeField(InvitationId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  email: describeField(Schema.String, "The invited address.", "grace@example.com"),
  role: describeField(Role, "The role in the project.", "operator"),
  invited_by: describeField(Schema.NullOr(UserId), "Who invited; null: the program.", exampleId),
  expires_at: describeField(Timestamp, "When it expires.", exampleTime),
  accepted_at: describeField(Schema.NullOr(Timestamp), "When it was accepted; null: not yet.", null),
  revoked_at: describeField(Schema.NullOr(Timestamp), "When it was revoked; null: it was not.", null),
  created_at: describeField(Timestamp, "When it was created.", exampleTime)
}).annotations(describeBody("Invitation", "An e-mail address that may join a project."))
export type Invitation = typeof Invitation.Type

export const CreateInvitation = Schema.Struct({
  email: describeField(Email, "The address to invite.", "grace@example.com"),
  role: describeField(
    Schema.optionalWith(Role, { default: () => "viewer" }),
    "The role that it is to have.",
    "operator"
  ),
  ttl_days: describeField(
    Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 30)), { default: () => 7 }),
    "Days until it expires.",
    7
  )
}).annotations(describeBody("CreateInvitation", "An address to invite."))
export type CreateInvitation = typeof CreateInvitation.Type

/**
 * The only time that `token` is shown (bodies: InvitationMintPublic). `accept_url_path` follows the public URL;
 * `email_sent`: a mail with the link was queued.
 */
export const CreatedInvitation = Schema.Struct({
  invitation: describeField(Invitation, "The invitation."),
  token: describeField(
    Schema.String,
    "The token of the link, in this response only.",
    "Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"
  ),
  accept_url_path: describeField(
    Schema.String,
    "The link, behind the public URL.",
    "/invitation?token=Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"
  ),
  email_sent: describeField(Schema.Boolean, "Whether a mail with the link was queued.", true)
}).annotations(describeBody("CreatedInvitation", "An invitation with its token."))
export type CreatedInvitation = typeof CreatedInvitation.Type

const token = Schema.Redacted(text(256, 10))

export const PreviewInvitation = Schema.Struct({
  token: describeField(token, "The token of the link.", Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ"))
}).annotations(describeBody("PreviewInvitation", "The token of an invitation."))

/** The invitation as the holder of its token sees it (bodies: InvitationPreviewPublic). */
export const InvitationPreview = Schema.Struct({
  email: describeField(Schema.String, "The invited address.", "grace@example.com"),
  role: describeField(Role, "The role in the project.", "operator"),
  project_slug: describeField(Schema.String, "The project's slug.", "shop"),
  project_name: describeField(Schema.String, "The project's name.", "Shop"),
  expires_at: describeField(Timestamp, "When it expires.", exampleTime)
}).annotations(describeBody("InvitationPreview", "What the holder of the token is invited to."))
export type InvitationPreview = typeof InvitationPreview.Type

/** Name and password create the account if the address has none. An existing account is signed in and needs neither. */
export const AcceptInvitation = Schema.Struct({
  token: describeField(token, "The token of the link.", Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ")),
  display_name: describeField(Schema.optional(text(200, 1)), "The new account's name.", "Grace Hopper"),
  password: describeField(
    Schema.optional(InvitedPassword),
    "The new account's password, 12 to 200 characters.",
    Redacted.make("correct horse battery staple")
  )
}).annotations(describeBody("AcceptInvitation", "The acceptance; name and password where the address has no account."))
export type AcceptInvitation = typeof AcceptInvitation.Type

export const InvitationAccepted = Schema.Struct({
  user_id: describeField(UserId, "The user's id.", exampleId),
  project_slug: describeField(Schema.String, "The project's slug.", "shop"),
  role: describeField(Role, "The role in the project.", "operator")
})
  .annotations(describeBody("InvitationAccepted", "Who joined which project."))
export type InvitationAccepted = typeof InvitationAccepted.Type
