import { Console, Effect } from "effect"
import { Keys } from "../../services/Keys.ts"
import { activate, stage } from "../../services/Keys/Rotation.ts"
import { changing, placeOf, sealAnew } from "../SecretKeys.ts"

export const run = (options: { readonly activate: boolean }) =>
  Effect.gen(function*() {
    const { secret } = yield* Keys
    const key_id = yield* stage
    if (!options.activate) {
      return yield* Console.log(
        `the key ${key_id} is in ${placeOf(secret.file)}, and seals nothing yet. ` +
          "Give every replica the same keys, then run svc secret-key activate"
      )
    }
    yield* activate
    yield* Console.log(`the key ${key_id} seals from now on`)
    yield* sealAnew
  }).pipe(Effect.provide(changing))
