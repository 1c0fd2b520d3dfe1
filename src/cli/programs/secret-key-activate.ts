import { Console, Effect } from "effect"
import { activateSecretKey } from "../../services/Keys/Rotation.ts"
import { layerSecretKeys } from "../SecretKeys.ts"

export const run = () =>
  Effect.gen(function*() {
    const rotation = yield* activateSecretKey
    yield* Console.log(
      rotation === null
        ? "there is nothing to activate: SVC_SECRET_KEY has no key here that was never used"
        : `the key ${rotation.to} seals from now on, instead of ${rotation.from}. Now run svc secret-key reseal`
    )
  }).pipe(Effect.provide(layerSecretKeys))
