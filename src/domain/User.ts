import { Redacted, Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Role } from "./Access.ts"
import { GivenPassword, NewPassword } from "./Password.ts"
import { change } from "./Patch.ts"
import { TimeZone } from "./Project.ts"
import { Id, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A person (bodies: UserPublic). */
export const User = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  email: describe(Schema.String, "The e-mail address.", "ada@example.com"),
  first_name: describe(Schema.NullOr(Schema.String), "The first name.", "Ada"),
  last_name: describe(Schema.NullOr(Schema.String), "The last name.", "Lovelace"),
  display_name: describe(Schema.NullOr(Schema.String), "The name that others see.", "Ada Lovelace"),
  is_admin: describe(Schema.Boolean, "Whether the user is a global admin.", false),
  timezone: describe(Schema.String, "A time zone of the IANA database.", "Europe/Berlin"),
  created_at: describe(Timestamp, "When it was created.", exampleTime)
}).annotations(named("User", "A person."))
export type User = typeof User.Type

/** A person as global admins see them (bodies: UserAdminPublic). */
export const UserDetail = Schema.Struct({
  ...User.fields,
  is_active: describe(Schema.Boolean, "Whether the account can sign in.", true),
  last_login_at: describe(Schema.NullOr(Timestamp), "When they last signed in; null: never.", exampleTime),
  updated_at: describe(Timestamp, "When it last changed.", exampleTime)
}).annotations(named("UserDetail", "A person as global admins see them."))
export type UserDetail = typeof UserDetail.Type

/** A person as they see themselves (bodies: UserMePublic). */
export const Me = Schema.Struct({
  ...User.fields,
  memberships: describe(Schema.Array(Schema.Struct({
    project_id: describe(Id, "The project's id.", exampleId),
    project_slug: describe(Schema.String, "The project's slug.", "shop"),
    role: describe(Role, "The role in it.", "operator")
  })), "The projects that it is a member of.", [{ project_id: exampleId, project_slug: "shop", role: "operator" }])
}).annotations(named("Me", "The own account."))
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

const names = {
  first_name: describe(maybe(text(100)), "The first name.", "Ada"),
  last_name: describe(maybe(text(100)), "The last name.", "Lovelace"),
  display_name: describe(maybe(text(200)), "The name that others see.", "Ada Lovelace")
}

export const CreateUser = Schema.Struct({
  email: describe(Email, "The e-mail address.", "ada@example.com"),
  ...names,
  password: describe(NewPassword, "A password.", Redacted.make("correct horse battery staple")),
  is_admin: describe(Schema.optionalWith(Schema.Boolean, { default: () => false }), "Whether the user is a global admin.", false),
  timezone: describe(Schema.optionalWith(TimeZone, { default: () => "UTC" }), "A time zone of the IANA database.", "Europe/Berlin")
}).annotations(named("CreateUser", "A new user."))
export type CreateUser = typeof CreateUser.Type

/** A change of oneself: `Patch.ts` says what null does; an empty name clears it too (bodies: UpdateProfileRequest). */
export const UpdateProfile = Schema.Struct({
  first_name: describe(change(text(100)), "The first name.", "Ada"),
  last_name: describe(change(text(100)), "The last name.", "Lovelace"),
  display_name: describe(change(text(200)), "The name that others see.", "Ada Lovelace"),
  timezone: describe(change(TimeZone), "A time zone of the IANA database.", "Europe/Berlin")
})
  .annotations(named("UpdateProfile", "Changes of the own account; absent fields stay."))
export type UpdateProfile = typeof UpdateProfile.Type

/** A change by a global admin, by the same rule. */
export const UpdateUser = Schema.Struct({
  ...UpdateProfile.fields,
  is_admin: describe(change(Schema.Boolean), "Whether the user is a global admin.", false),
  is_active: describe(change(Schema.Boolean), "Whether the account can sign in.", true)
}).annotations(named("UpdateUser", "Changes of a user; absent fields stay."))
export type UpdateUser = typeof UpdateUser.Type

/** A password that a global admin sets for somebody (bodies: PasswordResetRequest). */
export const SetPassword = Schema.Struct({
  new_password: describe(NewPassword, "The new password, at least 12 characters.", Redacted.make("correct horse battery staple"))
}).annotations(named("SetPassword", "A password that a global admin sets."))

export const ChangePassword = Schema.Struct({
  current_password: describe(GivenPassword, "The password as it is now.", Redacted.make("correct horse battery staple")),
  new_password: describe(NewPassword, "The new password, at least 12 characters.", Redacted.make("correct horse battery staple"))
})
  .annotations(named("ChangePassword", "The own password, old and new."))
export type ChangePassword = typeof ChangePassword.Type
