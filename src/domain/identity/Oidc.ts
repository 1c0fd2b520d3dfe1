import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { OidcIdentityId } from "../kernel/Id.ts"
import { QueryBoolean } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** A path of this site: another site's address would make the sign-in a redirect for phishing. */
export const LocalPath = text(500, 1).pipe(
  Schema.filter((path) =>
    (/^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes("\\")) || "must be a path of this site, such as /tasks"
  )
)

const returnTo = describeField(
  Schema.optionalWith(LocalPath, { default: () => "/" }),
  "The path of this site that the browser is sent to afterwards.",
  "/"
)

/** The query of the start of a sign-in. `fresh`: the provider asks for the password again, which counts as a step-up. */
export const StartOidc = Schema.Struct({
  return_to: returnTo,
  fresh: describeField(
    Schema.optional(QueryBoolean),
    "Whether the provider asks for the password again, so that the sign-in counts as a step-up.",
    true
  )
})

export const OidcStatus = Schema.Struct({
  enabled: describeField(Schema.Boolean, "Whether people can sign in through a provider.", true),
  provider: describeField(Schema.NullOr(Schema.String), "The provider's host.", "id.example.com"),
  password_login: describeField(
    Schema.Literal("all", "global_admins"),
    "Who may sign in with a password.",
    "all"
  )
}).annotations(describeBody("OidcStatus", "How people sign in."))
export type OidcStatus = typeof OidcStatus.Type

export const LinkOidc = Schema.Struct({ return_to: returnTo })
  .annotations(describeBody("LinkOidc", "A link of the own account to the provider's."))

export const OidcAuthorization = Schema.Struct({
  authorization_url: describeField(
    Schema.String,
    "Where to send the browser, within ten minutes.",
    "https://id.example.com/authorize?client_id=svc"
  )
}).annotations(describeBody("OidcAuthorization", "Where the provider asks for the person's consent."))

export const OidcLogout = Schema.Struct({
  logout_url: describeField(
    Schema.NullOr(Schema.String),
    "Where to send the browser to sign out of the provider too; null: the provider has no such page.",
    "https://id.example.com/logout?client_id=svc"
  )
}).annotations(describeBody("OidcLogout", "The end of a sign-in."))

/** The form in which a provider says that a sign-in has ended (OpenID Connect Back-Channel Logout 1.0, section 2.5). */
export const BackchannelLogout = Schema.Struct({
  logout_token: describeField(
    text(8192, 1),
    "The provider's signed statement, a JSON Web Token.",
    "eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.e30.c2lnbmF0dXJl"
  )
}).annotations(describeBody("BackchannelLogout", "A provider's statement that a sign-in has ended."))

/** The sign-in at the provider that a session comes from. */
export interface ProviderSignIn {
  readonly issuer: string
  readonly subject: string
  /** The provider's id of its own session; null: the ID token has no `sid`, or one of more than 600 characters. */
  readonly sid: string | null
}

/** An account of the provider that signs in as the user. `subject` is the provider's id of it. */
export const OidcIdentity = Schema.Struct({
  id: describeField(OidcIdentityId, "Its id.", exampleId),
  issuer: describeField(Schema.String, "The provider.", "https://id.example.com"),
  subject: describeField(Schema.String, "The provider's id of the account.", "248289761001"),
  email: describeField(Schema.NullOr(Schema.String), "The address that the provider has.", "ada@example.com"),
  created_at: describeField(Timestamp, "When it was linked.", exampleTime),
  last_used_at: describeField(Schema.NullOr(Timestamp), "When it last signed in.", exampleTime)
}).annotations(describeBody("OidcIdentity", "An account of the provider that signs in as the user."))
