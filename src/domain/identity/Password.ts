import { Schema } from "effect"
import { describeBody, describeField } from "../kernel/Describe.ts"

/**
 * Only length is required, not character classes (NIST SP 800-63B, section 5.1.1.2).
 * The public form of the policy (bodies: PasswordPolicyPublic).
 */
export const PasswordPolicy = Schema.Struct({
  min_length: describeField(Schema.Int, "Its least length.", 12),
  required_character_classes: describeField(Schema.Int, "Classes of characters that it must have.", 0),
  character_class_names: describeField(Schema.Array(Schema.String), "Their names.", [])
}).annotations(describeBody("PasswordPolicy", "What a new password must have."))
export type PasswordPolicy = typeof PasswordPolicy.Type

/** Code points of the longest password. */
export const maxPasswordLength = 256

/** The longest password of an account that an invitation creates (bodies: InvitationAcceptRequest). */
export const maxInvitedPasswordLength = 200

export const passwordPolicy: PasswordPolicy = {
  min_length: 12,
  required_character_classes: 0,
  character_class_names: []
}

/** Characters as a person counts them: code points after NFC, so that a letter and its combining accent are one. */
const lengthOf = (text: string): number => [...text.normalize("NFC")].length

/** Redacted from the first line; the messages never repeat what was sent. */
const passwordSchema = (min: number, max: number) =>
  Schema.Redacted(
    Schema.String.annotations({ message: () => "must be a string" }).pipe(
      Schema.filter((text) => lengthOf(text) >= min || `must have at least ${min} characters`, {
        jsonSchema: { minLength: min }
      }),
      Schema.filter((text) => lengthOf(text) <= max || `must have at most ${max} characters`, {
        jsonSchema: { maxLength: max }
      })
    )
  )

/** A password that is being set. Its strength is checked when it is hashed (services/identity/Passwords.ts). */
export const NewPassword = passwordSchema(passwordPolicy.min_length, maxPasswordLength)

/** The password of an account that an invitation creates. */
export const InvitedPassword = passwordSchema(passwordPolicy.min_length, maxInvitedPasswordLength)

/** A password to compare with the stored hash. It may predate the current policy. */
export const PasswordInput = passwordSchema(1, maxPasswordLength)
