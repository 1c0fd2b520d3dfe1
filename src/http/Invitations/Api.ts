import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import {
  AcceptInvitation,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  InvitationAccepted,
  InvitationPreview,
  PreviewInvitation
} from "../../domain/Invitation.ts"
import { GivenId } from "../../domain/Text.ts"
import { Authenticated, InProject } from "../Access.ts"
import { html } from "../Html/Api.ts"
import { slug } from "../Projects/Api.ts"

const invitationId = HttpApiSchema.param("invitation_id", GivenId)

/** Asking people into a project, for its admins (bodies: invitations). */
export class InvitationsApi extends HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/invitations`
      .setPayload(CreateInvitation)
      .addSuccess(CreatedInvitation, { status: 201 })
      .annotate(Access, { caller: "admin", scope: "memberships:write", mutates: true, stepUp: true, creates: "secret" })
  )
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/invitations`
      .addSuccess(Schema.Array(Invitation))
      .annotate(Access, { caller: "admin", scope: "memberships:read" })
  )
  .add(
    HttpApiEndpoint.del("revoke")`/projects/${slug}/invitations/${invitationId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: "memberships:write", mutates: true })
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}

/** For whoever holds an invitation's token. An account that there is accepts it signed in. */
export class InvitationApi extends HttpApiGroup.make("invitation")
  .add(
    HttpApiEndpoint.post("preview", "/invitations/preview")
      .setPayload(PreviewInvitation)
      .addSuccess(InvitationPreview)
      .annotate(Access, { caller: "public", takesSecrets: true, bucket: "invitation" })
  )
  .add(
    HttpApiEndpoint.post("accept", "/invitations/accept")
      .setPayload(AcceptInvitation)
      .addSuccess(InvitationAccepted, { status: 201 })
      .annotate(Access, {
        caller: "public",
        takesSecrets: true,
        mayBeSignedIn: true,
        mutates: true,
        creates: true,
        bucket: "invitation"
      })
  )
  .middleware(Authenticated)
{}

/** Where the link of an invitation leads, at the root. The page's own script reads `?token=`. */
export class InvitationPageApi extends HttpApiGroup.make("invitation_page")
  .add(
    HttpApiEndpoint.get("page", "/invitation")
      .addSuccess(html)
      .annotate(Access, { caller: "public", takesSecrets: true })
  )
{}
