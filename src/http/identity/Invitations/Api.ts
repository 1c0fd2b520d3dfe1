import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import {
  AcceptInvitation,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  InvitationAccepted,
  InvitationPreview,
  PreviewInvitation
} from "../../../domain/identity/Invitation.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, InvitationId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, plainGroup, projectGroup } from "../../Groups.ts"
import { html, LinkToken } from "../../Html/Api.ts"
import { slug } from "../../ProjectPath.ts"

const invitationId = pathParameter("invitation_id", caseInsensitiveId(InvitationId), "The invitation's id.", exampleId)

/** A project's invitations, for its admins (bodies: invitations). */
export class InvitationsApi extends projectGroup("invitations", "Members")
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/invitations`
      .setPayload(CreateInvitation)
      .addSuccess(CreatedInvitation, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: "memberships:write",
        mutates: true,
        stepUp: true,
        creates: "secret",
        failureCodes: ["already_member", "conflict", ...approvalCodes]
      })
      .annotateContext(operation(
        "Invite an address to a project",
        "`token` and `accept_url_path` are in this response only. A later invitation of the same address " +
          "voids the earlier one. An invitation ends when its inviter is no longer an admin of the project."
      ))
  )
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/invitations`
      .addSuccess(Schema.Array(Invitation))
      .annotate(Access, { caller: "admin", scope: "memberships:read" })
      .annotateContext(operation("List a project's invitations", "Newest first."))
  )
  .add(
    HttpApiEndpoint.del("revoke")`/projects/${slug}/invitations/${invitationId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, {
        caller: "admin",
        scope: "memberships:write",
        mutates: true,
        failureCodes: ["invitation_accepted"]
      })
      .annotateContext(operation("Revoke an invitation", "Its link stops working."))
  )
{}

/** For the holder of an invitation's token. An existing account must be signed in to accept it. */
export class InvitationApi extends actorGroup("invitation", "Members")
  .add(
    HttpApiEndpoint.post("preview", "/invitations/preview")
      .setPayload(PreviewInvitation)
      .addSuccess(InvitationPreview)
      .annotate(Access, {
        caller: "public",
        requiresHttps: true,
        bucket: "invitation",
        failureCodes: ["invitation_invalid"]
      })
      .annotateContext(operation("Show what an invitation is to", "For the holder of its token."))
  )
  .add(
    HttpApiEndpoint.post("accept", "/invitations/accept")
      .setPayload(AcceptInvitation)
      .addSuccess(InvitationAccepted, { status: 201 })
      .annotate(Access, {
        caller: "public",
        requiresHttps: true,
        allowsSession: true,
        mutates: true,
        creates: true,
        bucket: "invitation",
        failureCodes: ["invitation_invalid", "wrong_account", "sign_in_first", "already_member", "conflict"]
      })
      .annotateContext(operation(
        "Accept an invitation",
        "Works once. If the address has no account yet, `display_name` and `password` create it, and the response " +
          "signs the browser in, as a login does. An existing account accepts with its session cookie and " +
          "`X-CSRF-Token`, and both fields are ignored."
      ))
  )
{}

/** Where the link of an invitation leads, at the root. The page's own script reads `?token=`. */
export class InvitationPageApi extends plainGroup("invitation_page", "Pages")
  .add(
    HttpApiEndpoint.get("page", "/invitation")
      .setUrlParams(LinkToken)
      .addSuccess(html)
      .annotate(Access, { caller: "public", requiresHttps: true })
      .annotateContext(operation("Show the invitation page", "Where the link of an invitation leads."))
  )
{}
