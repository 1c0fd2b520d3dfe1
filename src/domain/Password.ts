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

export const policy: PasswordPolicy = { min_length: 8, required_character_classes: 0, character_class_names: [] }

/** Redacted from the first line; the messages never repeat what was sent. */
const password = (least: number) =>
  Schema.Redacted(
    Schema.String.annotations({ message: () => "must be a text" }).pipe(
      Schema.minLength(least, { message: () => `must have at least ${least} characters` }),
      Schema.maxLength(longest, { message: () => `must have at most ${longest} characters` })
    )
  )

/** A password that is being set. */
export const NewPassword = password(policy.min_length)

/** A password that is compared with the stored one; older rules may have made it. */
export const GivenPassword = password(1)
