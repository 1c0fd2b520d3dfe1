import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { MfaReset } from "../../services/Mfa/Reset.ts"
import { Users } from "../../services/Users.ts"
import { layerAdministration } from "../Administration.ts"
import { confirm } from "../Confirm.ts"

export const run = ({ email, yes }: { readonly yes: boolean; readonly email: string }) =>
  Effect.gen(function*() {
    const users = yield* Users
    const user = yield* users.getByEmail(email)
    yield* confirm(
      yes,
      `Removes the second factor, the recovery codes and the trusted browsers of ${user.email}: from then on the password alone signs in.`
    )
    const had = yield* Effect.flatMap(MfaReset, (mfa) => mfa.reset(user))
    yield* Console.log(
      had
        ? `removed the second factor of ${user.email} and ended their sessions; their next login needs the password alone`
        : `${user.email} has no second factor; nothing was done`
    )
  }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc reset-mfa")))
