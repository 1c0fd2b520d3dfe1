import { Schema } from "effect"

/**
 * Length is what counts; classes of characters are not asked for (NIST SP 800-63B, section 5.1.1.2).
 * The public form of the policy (bodies: PasswordPolicyPublic).
 */
export const PasswordPolicy = Schema.Struct({
  min_length: Schema.Int,
  required_character_classes: Schema.Int,
  character_class_names: Schema.Array(Schema.String)
}).annotations({ identifier: "PasswordPolicy" })
export type PasswordPolicy = typeof PasswordPolicy.Type

const longest = 256

export const policy: PasswordPolicy = { min_length: 12, required_character_classes: 0, character_class_names: [] }

/** Characters as whoever types them counts: code points, an accent that was typed by itself with its letter (NFC). */
const lengthOf = (text: string): number => [...text.normalize("NFC")].length

/** Redacted from the first line; the messages never repeat what was sent. */
const password = (least: number) =>
  Schema.Redacted(
    Schema.String.annotations({ message: () => "must be a text" }).pipe(
      Schema.filter((text) => lengthOf(text) >= least || `must have at least ${least} characters`, {
        jsonSchema: { minLength: least }
      }),
      Schema.filter((text) => lengthOf(text) <= longest || `must have at most ${longest} characters`, {
        jsonSchema: { maxLength: longest }
      })
    )
  )

/** A password that is being set. Whether it is easy to guess is asked when it is hashed (services/Users/Passwords.ts). */
export const NewPassword = password(policy.min_length)

/** A password that is compared with the stored one; older rules may have made it. */
export const GivenPassword = password(1)
