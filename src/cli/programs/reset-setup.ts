import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { Setup } from "../../services/Setup.ts"
import { administration } from "../Administration.ts"
import { Refused } from "../Explain.ts"

export const run = ({ force }: { readonly force: boolean }) =>
  Effect.gen(function*() {
    if (!force) return yield* new Refused({ usage: true, message: "this voids every setup link that was printed: say --force" })
    const tokens = yield* Effect.flatMap(Setup, (setup) => setup.resetTokens()).pipe(
      Effect.provide(administration),
      Effect.provideService(CurrentActor, system("svc reset-setup"))
    )
    yield* Console.log(`voided ${tokens} setup ${tokens === 1 ? "link" : "links"}; start the brain again for a new one`)
  })
