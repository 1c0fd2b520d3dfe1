import { Schema } from "effect"
import { Role } from "./Access.ts"
import { GivenPassword, NewPassword } from "./Password.ts"
import { change } from "./Patch.ts"
import { TimeZone } from "./Project.ts"
import { Id, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A person (bodies: UserPublic). */
export const User = Schema.Struct({
  id: Id,
  email: Schema.String,
  first_name: Schema.NullOr(Schema.String),
  last_name: Schema.NullOr(Schema.String),
  display_name: Schema.NullOr(Schema.String),
  is_admin: Schema.Boolean,
  timezone: Schema.String,
  created_at: Timestamp
}).annotations({ identifier: "User" })
export type User = typeof User.Type

/** A person as global admins see them (bodies: UserAdminPublic). */
export const UserDetail = Schema.Struct({
  ...User.fields,
  is_active: Schema.Boolean,
  last_login_at: Schema.NullOr(Timestamp),
  updated_at: Timestamp
}).annotations({ identifier: "UserDetail" })
export type UserDetail = typeof UserDetail.Type

/** A person as they see themselves (bodies: UserMePublic). */
export const Me = Schema.Struct({
  ...User.fields,
  memberships: Schema.Array(Schema.Struct({ project_id: Id, project_slug: Schema.String, role: Role }))
}).annotations({ identifier: "Me" })
export type Me = typeof Me.Type

/** One `@` between what needs no quotes in a mail's header; whether mail arrives is not ours to know. */
export const Email = text(320, 3).pipe(
  Schema.pattern(/^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u, { message: () => "must be an e-mail address" })
)

/** What two addresses are compared by: they are the same person's whatever the case. */
export const emailKey = (email: string): string => email.normalize("NFKC").trim().toLowerCase()

/** What everybody who knows a person would try as their password. */
export const textsOf = (user: Partial<Pick<User, "email" | "first_name" | "last_name" | "display_name">>): ReadonlyArray<string> =>
  [user.email, user.first_name, user.last_name, user.display_name].filter((text) => typeof text === "string")

const names = { first_name: maybe(text(100)), last_name: maybe(text(100)), display_name: maybe(text(200)) }

export const CreateUser = Schema.Struct({
  email: Email,
  ...names,
  password: NewPassword,
  is_admin: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  timezone: Schema.optionalWith(TimeZone, { default: () => "UTC" })
}).annotations({ identifier: "CreateUser" })
export type CreateUser = typeof CreateUser.Type

/** A change of oneself (bodies: UpdateProfileRequest; `Patch.ts` says what null does). An empty name clears it as null does. */
export const UpdateProfile = Schema.Struct({
  first_name: change(text(100)),
  last_name: change(text(100)),
  display_name: change(text(200)),
  timezone: change(TimeZone)
})
  .annotations({ identifier: "UpdateProfile" })
export type UpdateProfile = typeof UpdateProfile.Type

/** A change by a global admin, by the same rule. */
export const UpdateUser = Schema.Struct({
  ...UpdateProfile.fields,
  is_admin: change(Schema.Boolean),
  is_active: change(Schema.Boolean)
}).annotations({ identifier: "UpdateUser" })
export type UpdateUser = typeof UpdateUser.Type

/** A password that a global admin sets for somebody (bodies: PasswordResetRequest). */
export const SetPassword = Schema.Struct({ new_password: NewPassword }).annotations({ identifier: "SetPassword" })

export const ChangePassword = Schema.Struct({ current_password: GivenPassword, new_password: NewPassword })
  .annotations({ identifier: "ChangePassword" })
export type ChangePassword = typeof ChangePassword.Type
