import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { PasswordResets } from "../../services/PasswordResets.ts"
import { layerAdministration } from "../Administration.ts"

/** The link alone on standard output, so that a script can pass it on. */
export const run = ({ email }: { readonly email: string }) =>
  Effect.gen(function*() {
    const resets = yield* PasswordResets
    const reset = yield* resets.link(email)
    yield* Console.log(reset.link)
    yield* Console.error(`${reset.email} can set a new password with it, once and before ${reset.expires_at}; earlier links are void`)
  }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc auth reset-link")))
