import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { Setup } from "../../services/Setup.ts"
import { layerAdministration } from "../Administration.ts"
import { confirm } from "../Confirm.ts"

export const run = ({ yes }: { readonly yes: boolean }) =>
  Effect.gen(function*() {
    yield* confirm(yes, "Revokes every setup link that was printed.")
    const tokens = yield* Effect.flatMap(Setup, (setup) => setup.resetTokens()).pipe(
      Effect.provide(layerAdministration),
      Effect.provideService(CurrentActor, system("svc reset-setup"))
    )
    yield* Console.log(`revoked ${tokens} setup ${tokens === 1 ? "link" : "links"}; start the brain again for a new one`)
  })
