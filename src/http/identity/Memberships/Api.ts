import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { GrantMembership, Membership, UpdateMembership } from "../../../domain/identity/Membership.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, MembershipId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const membershipId = pathParameter("membership_id", caseInsensitiveId(MembershipId), "The membership's id.", exampleId)

/** A project's members and their roles, for its admins (bodies: memberships). */
export class MembershipsApi extends projectGroup("memberships", "Members")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/memberships`
      .addSuccess(Schema.Array(Membership))
      .annotate(Access, { caller: "admin", scope: "memberships:read" })
      .annotateContext(operation("List a project's members", "With their roles."))
  )
  .add(
    HttpApiEndpoint.post("grant")`/projects/${slug}/memberships`
      .setPayload(GrantMembership)
      .addSuccess(Membership, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: "memberships:write",
        mutates: true,
        stepUp: true,
        creates: true,
        failureCodes: ["already_member", ...approvalCodes]
      })
      .annotateContext(operation("Add a member", "Only an existing account. People without one are invited."))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/memberships/${membershipId}`
      .setPayload(UpdateMembership)
      .addSuccess(Membership)
      .annotate(Access, {
        caller: "admin",
        scope: "memberships:write",
        mutates: true,
        stepUp: true,
        failureCodes: [...approvalCodes]
      })
      .annotateContext(operation("Change a member's role", "The new role applies from the next request on."))
  )
  .add(
    HttpApiEndpoint.del("delete")`/projects/${slug}/memberships/${membershipId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: "memberships:write", mutates: true, destructive: true })
      .annotateContext(operation("Remove a member", "Their live streams of this project end at once."))
  )
{}
