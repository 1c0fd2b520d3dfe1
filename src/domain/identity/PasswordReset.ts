import { Redacted, Schema } from "effect"
import { describeBody, describeField } from "../kernel/Describe.ts"
import { text } from "../kernel/Text.ts"
import { NewPassword } from "./Password.ts"
import { Email } from "./User.ts"

/** Asks for a link by mail (bodies: PasswordResetRequestBody). */
export const RequestPasswordReset = Schema.Struct({
  email: describeField(Email, "The e-mail address.", "ada@example.com")
}).annotations(describeBody("RequestPasswordReset", "Request a reset link."))

/** Always true: it does not reveal whether the address has an account (bodies: PasswordResetRequestResponse). */
export const PasswordResetRequested = Schema.Struct({
  accepted: describeField(Schema.Boolean, "Always true.", true)
})
  .annotations(describeBody("PasswordResetRequested", "The same for every address."))

/** A new password by the link's token (bodies: PasswordResetConfirmBody). */
export const ConfirmPasswordReset = Schema.Struct({
  token: describeField(
    Schema.Redacted(text(256, 10)),
    "The token of the link.",
    Redacted.make("Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ")
  ),
  new_password: describeField(
    NewPassword,
    "The new password, at least 12 characters.",
    Redacted.make("correct horse battery staple")
  )
})
  .annotations(describeBody("ConfirmPasswordReset", "The new password."))
export type ConfirmPasswordReset = typeof ConfirmPasswordReset.Type

/**
 * The response to a completed reset (bodies: PasswordResetConfirmResponse). API keys remain valid; `working_api_keys`
 * counts them.
 */
export const PasswordResetConfirmed = Schema.Struct({
  success: describeField(Schema.Boolean, "Always true.", true),
  working_api_keys: describeField(Schema.Int, "The number of the account's API keys, which remain valid.", 0)
})
  .annotations(describeBody("PasswordResetConfirmed", "The password is set."))
export type PasswordResetConfirmed = typeof PasswordResetConfirmed.Type
