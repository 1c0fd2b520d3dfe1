import { Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Role } from "./Access.ts"
import { GivenId, Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A user's role in a project (bodies: MembershipPublic). */
export const Membership = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  user_id: describe(Id, "The user's id.", exampleId),
  project_id: describe(Id, "The project's id.", exampleId),
  user_email: describe(Schema.String, "The user's e-mail address.", "ada@example.com"),
  user_display_name: describe(Schema.NullOr(Schema.String), "The user's name.", "Ada Lovelace"),
  role: describe(Role, "The role in the project.", "operator"),
  created_at: describe(Timestamp, "When it was created.", exampleTime)
}).annotations(named("Membership", "A user's role in a project."))
export type Membership = typeof Membership.Type

export const GrantMembership = Schema.Struct({
  user_id: describe(GivenId, "The user's id.", exampleId),
  role: describe(Role, "The role in the project.", "operator")
})
  .annotations(named("GrantMembership", "A user to add."))
export type GrantMembership = typeof GrantMembership.Type

export const UpdateMembership = Schema.Struct({
  role: describe(Role, "The role in the project.", "operator")
}).annotations(named("UpdateMembership", "The new role."))
export type UpdateMembership = typeof UpdateMembership.Type
