import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { GrantMembership, Membership, UpdateMembership } from "../../domain/Membership.ts"
import { GivenId } from "../../domain/Text.ts"
import { Authenticated, InProject } from "../Access.ts"
import { slug } from "../Projects/Api.ts"

const membershipId = HttpApiSchema.param("membership_id", GivenId)

/** Who may do what in a project, for its admins (bodies: memberships). */
export class MembershipsApi extends HttpApiGroup.make("memberships")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/memberships`
      .addSuccess(Schema.Array(Membership))
      .annotate(Access, { caller: "admin", scope: "memberships:read" })
  )
  .add(
    HttpApiEndpoint.post("grant")`/projects/${slug}/memberships`
      .setPayload(GrantMembership)
      .addSuccess(Membership, { status: 201 })
      .annotate(Access, { caller: "admin", scope: "memberships:write", mutates: true, stepUp: true, creates: true })
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/memberships/${membershipId}`
      .setPayload(UpdateMembership)
      .addSuccess(Membership)
      .annotate(Access, { caller: "admin", scope: "memberships:write", mutates: true, stepUp: true })
  )
  .add(
    HttpApiEndpoint.del("delete")`/projects/${slug}/memberships/${membershipId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: "memberships:write", mutates: true, destructive: true })
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}
