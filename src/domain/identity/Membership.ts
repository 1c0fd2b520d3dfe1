import { Schema } from "effect"
import { Role } from "../kernel/Access.ts"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { caseInsensitiveId, MembershipId, ProjectId, UserId } from "../kernel/Id.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** A user's role in a project (bodies: MembershipPublic). */
export const Membership = Schema.Struct({
  id: describeField(MembershipId, "Its id.", exampleId),
  user_id: describeField(UserId, "The user's id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  user_email: describeField(Schema.String, "The user's e-mail address.", "ada@example.com"),
  user_display_name: describeField(Schema.NullOr(Schema.String), "The user's name.", "Ada Lovelace"),
  role: describeField(Role, "The role in the project.", "operator"),
  created_at: describeField(Timestamp, "When it was created.", exampleTime)
}).annotations(describeBody("Membership", "A user's role in a project."))
export type Membership = typeof Membership.Type

export const GrantMembership = Schema.Struct({
  user_id: describeField(caseInsensitiveId(UserId), "The user's id.", exampleId),
  role: describeField(Role, "The role in the project.", "operator")
})
  .annotations(describeBody("GrantMembership", "A user to add."))
export type GrantMembership = typeof GrantMembership.Type

export const UpdateMembership = Schema.Struct({
  role: describeField(Role, "The role in the project.", "operator")
}).annotations(describeBody("UpdateMembership", "The new role."))
