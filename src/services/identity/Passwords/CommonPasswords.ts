import { Effect } from "effect"
import { foldText } from "../../../domain/identity/PasswordStrength.ts"

/**
 * The 49 000 commonest passwords of @zxcvbn-ts/language-common, folded. They take 5 MB, so they are loaded when the
 * first password is set, and stay.
 */
export const commonPasswords: Effect.Effect<Effect.Effect<ReadonlySet<string>>> = Effect.cached(
  Effect.promise(async () => {
    const module = await import("@zxcvbn-ts/language-common")
    // a CommonJS module: bundled it has nothing but its default, and through vite-node no default
    const { dictionary } = module.default ?? module
    return new Set(dictionary["passwords-common"].map(foldText))
  })
)
