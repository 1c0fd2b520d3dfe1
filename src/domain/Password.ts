import { Schema } from "effect"
import { describe, named } from "./Describe.ts"

/**
 * Length is what counts; classes of characters are not asked for (NIST SP 800-63B, section 5.1.1.2).
 * The public form of the policy (bodies: PasswordPolicyPublic).
 */
export const PasswordPolicy = Schema.Struct({
  min_length: describe(Schema.Int, "Its least length.", 12),
  required_character_classes: describe(Schema.Int, "Classes of characters that it must have.", 0),
  character_class_names: describe(Schema.Array(Schema.String), "Their names.", [])
}).annotations(named("PasswordPolicy", "What a new password must have."))
export type PasswordPolicy = typeof PasswordPolicy.Type

/** Code points of the longest password. */
export const longestPassword = 256

/** The longest password of an account that an invitation makes (bodies: InvitationAcceptRequest). */
export const longestInvitedPassword = 200

export const policy: PasswordPolicy = { min_length: 12, required_character_classes: 0, character_class_names: [] }

/** Characters as whoever types them counts: code points, an accent that was typed by itself with its letter (NFC). */
const lengthOf = (text: string): number => [...text.normalize("NFC")].length

/** Redacted from the first line; the messages never repeat what was sent. */
const password = (least: number, most: number) =>
  Schema.Redacted(
    Schema.String.annotations({ message: () => "must be a text" }).pipe(
      Schema.filter((text) => lengthOf(text) >= least || `must have at least ${least} characters`, {
        jsonSchema: { minLength: least }
      }),
      Schema.filter((text) => lengthOf(text) <= most || `must have at most ${most} characters`, {
        jsonSchema: { maxLength: most }
      })
    )
  )

/** A password that is being set. Whether it is easy to guess is asked when it is hashed (services/Users/Passwords.ts). */
export const NewPassword = password(policy.min_length, longestPassword)

/** The same of who accepts an invitation. */
export const InvitedPassword = password(policy.min_length, longestInvitedPassword)

/** A password that is compared with the stored one; older rules may have made it. */
export const GivenPassword = password(1, longestPassword)
