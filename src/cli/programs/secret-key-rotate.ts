import { Console, Effect } from "effect"
import { Keys } from "../../services/Keys.ts"
import { activateSecretKey, stageSecretKey } from "../../services/Keys/Rotation.ts"
import { layerSecretKeys, keyLocationOf, resealSecrets } from "../SecretKeys.ts"

export const run = (options: { readonly activate: boolean }) =>
  Effect.gen(function*() {
    const { secret } = yield* Keys
    const key_id = yield* stageSecretKey
    if (!options.activate) {
      return yield* Console.log(
        `the key ${key_id} is in ${keyLocationOf(secret.file)}, and seals nothing yet. ` +
          "Give every replica the same keys, then run svc secret-key activate"
      )
    }
    yield* activateSecretKey
    yield* Console.log(`the key ${key_id} seals from now on`)
    yield* resealSecrets
  }).pipe(Effect.provide(layerSecretKeys))
