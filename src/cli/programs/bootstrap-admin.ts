import { Console, Effect, Option, Redacted, Schema } from "effect"
import { NewPassword } from "../../domain/Password.ts"
import { nullish, text } from "../../domain/Text.ts"
import { Email } from "../../domain/User.ts"
import { Setup } from "../../services/Setup.ts"
import { decodeInput } from "../DecodeInput.ts"
import { layerAdministration } from "../Administration.ts"
import { readPassword } from "../Passwords.ts"

const FirstAdmin = Schema.Struct({ email: Email, display_name: nullish(text(200)), password: NewPassword })

export const run = (options: {
  readonly email: string
  readonly displayName: Option.Option<string>
  readonly passwordStdin: boolean
}) =>
  Effect.gen(function*() {
    const given = yield* readPassword(options.passwordStdin)
    const { display_name, email, password } = yield* decodeInput(FirstAdmin, {
      email: options.email,
      display_name: Option.getOrNull(options.displayName),
      password: Redacted.value(given)
    })
    const { user } = yield* Effect.provide(
      Effect.flatMap(Setup, (setup) => setup.bootstrapAdmin({ email, displayName: display_name, password })),
      layerAdministration
    )
    yield* Console.log(`made the admin ${user.email} and the project default`)
  })
