import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { MfaReset } from "../../services/Mfa/Reset.ts"
import { Users } from "../../services/Users.ts"
import { administration } from "../Administration.ts"
import { confirmed } from "../Confirm.ts"

export const run = ({ confirm, email }: { readonly confirm: boolean; readonly email: string }) =>
  Effect.gen(function*() {
    const users = yield* Users
    const user = yield* users.byEmail(email)
    const question = `Takes the second factor, the recovery codes and the trusted browsers of ${user.email} away: from then on the password alone lets in.`
    yield* confirmed(confirm, question, "--confirm")
    const had = yield* Effect.flatMap(MfaReset, (mfa) => mfa.reset(user))
    yield* Console.log(
      had
        ? `took the second factor of ${user.email} away; their sessions have ended, and their next login needs the password alone`
        : `${user.email} has no second factor; nothing was done`
    )
  }).pipe(Effect.provide(administration), Effect.provideService(CurrentActor, system("svc reset-mfa")))
