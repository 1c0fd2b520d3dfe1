import { Console, Effect } from "effect"
import { activate } from "../../services/Keys/Rotation.ts"
import { changing } from "../SecretKeys.ts"

export const run = () =>
  Effect.gen(function*() {
    const changed = yield* activate
    yield* Console.log(
      changed === null
        ? "there is nothing to activate: SVC_SECRET_KEY has no key here that was never used"
        : `the key ${changed.to} seals from now on, instead of ${changed.from}. Now run svc secret-key reseal`
    )
  }).pipe(Effect.provide(changing))
