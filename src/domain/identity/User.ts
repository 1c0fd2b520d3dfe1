import { Redacted, Schema } from "effect"
import { Role } from "../kernel/Access.ts"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { ProjectId, UserId } from "../kernel/Id.ts"
import { patchField } from "../kernel/Patch.ts"
import { TimeZone } from "../kernel/Project.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { NewPassword, PasswordInput } from "./Password.ts"

/** A person (bodies: UserPublic). */
export const User = Schema.Struct({
  id: describeField(UserId, "Its id.", exampleId),
  email: describeField(Schema.String, "The e-mail address.", "ada@example.com"),
  first_name: describeField(Schema.NullOr(Schema.String), "The first name.", "Ada"),
  last_name: describeField(Schema.NullOr(Schema.String), "The last name.", "Lovelace"),
  display_name: describeField(Schema.NullOr(Schema.String), "The name that others see.", "Ada Lovelace"),
  is_admin: describeField(Schema.Boolean, "Whether the user is a global admin.", false),
  timezone: describeField(Schema.String, "A time zone of the IANA database.", "Europe/Berlin"),
  created_at: describeField(Timestamp, "When it was created.", exampleTime)
}).annotations(describeBody("User", "A person."))
export type User = typeof User.Type

/** A person as global admins see them (bodies: UserAdminPublic). */
export const UserDetail = Schema.Struct({
  ...User.fields,
  is_active: describeField(Schema.Boolean, "Whether the account can sign in.", true),
  last_login_at: describeField(Schema.NullOr(Timestamp), "When they last signed in; null: never.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
}).annotations(describeBody("UserDetail", "A person as global admins see them."))
export type UserDetail = typeof UserDetail.Type

/** An active account that has not signed in yet. */
export const makeUser = (
  known: Pick<UserDetail, "id" | "email"> & Partial<Omit<User, "created_at">>,
  now: Timestamp
): UserDetail => ({
  first_name: null,
  last_name: null,
  display_name: null,
  is_admin: false,
  timezone: "UTC",
  ...known,
  is_active: true,
  last_login_at: null,
  created_at: now,
  updated_at: now
})

/** A person as they see themselves (bodies: UserMePublic). */
export const Me = Schema.Struct({
  ...User.fields,
  memberships: describeField(
    Schema.Array(Schema.Struct({
      project_id: describeField(ProjectId, "The project's id.", exampleId),
      project_slug: describeField(Schema.String, "The project's slug.", "shop"),
      role: describeField(Role, "The role in it.", "operator")
    })),
    "The projects that it is a member of.",
    [{ project_id: exampleId, project_slug: "shop", role: "operator" }]
  )
}).annotations(describeBody("Me", "The own account."))
export type Me = typeof Me.Type

/** One `@` between parts that need no quotes in a mail header. Whether the address receives mail is not checked. */
export const Email = text(320, 3).pipe(
  Schema.pattern(/^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u, { message: () => "must be an e-mail address" })
)

/** The form in which addresses are compared: without regard to case. */
export const normalizeEmail = (email: string): string => email.normalize("NFKC").trim().toLowerCase()

/** Texts about a person that an attacker would try first as the password: names and e-mail address. */
export const personalTextsOf = (
  user: Partial<Pick<User, "email" | "first_name" | "last_name" | "display_name">>
): ReadonlyArray<string> =>
  [user.email, user.first_name, user.last_name, user.display_name].filter((text) => typeof text === "string")

const nameFields = {
  first_name: describeField(nullish(text(100)), "The first name.", "Ada"),
  last_name: describeField(nullish(text(100)), "The last name.", "Lovelace"),
  display_name: describeField(nullish(text(200)), "The name that others see.", "Ada Lovelace")
}

export const CreateUser = Schema.Struct({
  email: describeField(Email, "The e-mail address.", "ada@example.com"),
  ...nameFields,
  password: describeField(NewPassword, "A password.", Redacted.make("correct horse battery staple")),
  is_admin: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => false }),
    "Whether the user is a global admin.",
    false
  ),
  timezone: describeField(
    Schema.optionalWith(TimeZone, { default: () => "UTC" }),
    "A time zone of the IANA database.",
    "Europe/Berlin"
  )
}).annotations(describeBody("CreateUser", "A new user."))
export type CreateUser = typeof CreateUser.Type

/** A change of oneself: `Patch.ts` says what null does; an empty name clears it too (bodies: UpdateProfileRequest). */
export const UpdateProfile = Schema.Struct({
  first_name: describeField(patchField(text(100)), "The first name.", "Ada"),
  last_name: describeField(patchField(text(100)), "The last name.", "Lovelace"),
  display_name: describeField(patchField(text(200)), "The name that others see.", "Ada Lovelace"),
  timezone: describeField(patchField(TimeZone), "A time zone of the IANA database.", "Europe/Berlin")
})
  .annotations(describeBody("UpdateProfile", "Changes of the own account; absent fields keep their values."))
export type UpdateProfile = typeof UpdateProfile.Type

/** A change by a global admin, by the same rule. */
export const UpdateUser = Schema.Struct({
  ...UpdateProfile.fields,
  is_admin: describeField(patchField(Schema.Boolean), "Whether the user is a global admin.", false),
  is_active: describeField(patchField(Schema.Boolean), "Whether the account can sign in.", true)
}).annotations(describeBody("UpdateUser", "Changes of a user; absent fields keep their values."))
export type UpdateUser = typeof UpdateUser.Type

/** A password that a global admin sets for a user (bodies: PasswordResetRequest). */
export const SetPassword = Schema.Struct({
  new_password: describeField(
    NewPassword,
    "The new password, at least 12 characters.",
    Redacted.make("correct horse battery staple")
  )
}).annotations(describeBody("SetPassword", "A password that a global admin sets."))

export const ChangePassword = Schema.Struct({
  current_password: describeField(
    PasswordInput,
    "The password as it is now.",
    Redacted.make("correct horse battery staple")
  ),
  new_password: describeField(
    NewPassword,
    "The new password, at least 12 characters.",
    Redacted.make("correct horse battery staple")
  )
})
  .annotations(describeBody("ChangePassword", "The own password, old and new."))
export type ChangePassword = typeof ChangePassword.Type
