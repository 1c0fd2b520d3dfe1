import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { PasswordResets } from "../../services/PasswordResets.ts"
import { administration } from "../Administration.ts"

/** The link alone on standard output, so that a script can pass it on. */
export const run = ({ email }: { readonly email: string }) =>
  Effect.gen(function*() {
    const resets = yield* PasswordResets
    const made = yield* resets.link(email)
    yield* Console.log(made.link)
    yield* Console.error(`${made.email} can set a new password with it, once and before ${made.expires_at}; earlier links are void`)
  }).pipe(Effect.provide(administration), Effect.provideService(CurrentActor, system("svc auth reset-link")))
