import { Console, Effect, Redacted, Schema } from "effect"
import { system } from "../../domain/Actor.ts"
import { NewPassword } from "../../domain/Password.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { Users } from "../../services/Users.ts"
import { decodeInput } from "../DecodeInput.ts"
import { layerAdministration } from "../Administration.ts"
import { readPassword } from "../Passwords.ts"

export const run = ({ email, passwordStdin }: { readonly email: string; readonly passwordStdin: boolean }) =>
  Effect.gen(function*() {
    const given = yield* readPassword(passwordStdin)
    const { password } = yield* decodeInput(Schema.Struct({ password: NewPassword }), { password: Redacted.value(given) })
    yield* Effect.gen(function*() {
      const users = yield* Users
      const user = yield* users.getByEmail(email)
      const keys = yield* users.setPassword(user.id, password)
      yield* Console.log(`changed the password of ${user.email}; their sessions have ended; API keys that go on working: ${keys}`)
    }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc changepassword")))
  })
