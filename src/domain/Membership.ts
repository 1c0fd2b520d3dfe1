import { Schema } from "effect"
import { Role } from "./Access.ts"
import { GivenId, Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A user's role in a project (bodies: MembershipPublic). */
export const Membership = Schema.Struct({
  id: Id,
  user_id: Id,
  project_id: Id,
  user_email: Schema.String,
  user_display_name: Schema.NullOr(Schema.String),
  role: Role,
  created_at: Timestamp
}).annotations({ identifier: "Membership" })
export type Membership = typeof Membership.Type

export const GrantMembership = Schema.Struct({ user_id: GivenId, role: Role })
  .annotations({ identifier: "GrantMembership" })
export type GrantMembership = typeof GrantMembership.Type

export const UpdateMembership = Schema.Struct({ role: Role }).annotations({ identifier: "UpdateMembership" })
export type UpdateMembership = typeof UpdateMembership.Type
