import { Schema } from "effect"
import { NewPassword } from "./Password.ts"
import { text } from "./Text.ts"
import { Email } from "./User.ts"

/** Asks for a link by mail (bodies: PasswordResetRequestBody). */
export const RequestPasswordReset = Schema.Struct({ email: Email }).annotations({ identifier: "RequestPasswordReset" })
export type RequestPasswordReset = typeof RequestPasswordReset.Type

/** Always true: it tells nothing about the address (bodies: PasswordResetRequestResponse). */
export const PasswordResetRequested = Schema.Struct({ accepted: Schema.Boolean })
  .annotations({ identifier: "PasswordResetRequested" })

/** A new password by the link's token (bodies: PasswordResetConfirmBody). */
export const ConfirmPasswordReset = Schema.Struct({ token: Schema.Redacted(text(256, 10)), new_password: NewPassword })
  .annotations({ identifier: "ConfirmPasswordReset" })
export type ConfirmPasswordReset = typeof ConfirmPasswordReset.Type

/** The password is set (bodies: PasswordResetConfirmResponse). The account's API keys go on working, so many of them. */
export const PasswordResetConfirmed = Schema.Struct({ success: Schema.Boolean, working_api_keys: Schema.Int })
  .annotations({ identifier: "PasswordResetConfirmed" })
export type PasswordResetConfirmed = typeof PasswordResetConfirmed.Type
