import { Effect, Layer } from "effect"
import { LateResults } from "../commands/LateResults.ts"
import { fireAction } from "./FireCommand.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"

/** A fire whose command gets its result after its timeout is open again: the result decides its end. */
export const layer = Layer.effect(
  LateResults,
  Effect.map(OpenFiresRepo, (fires) => ({
    apply: (commands) => {
      const fired = commands.flatMap(({ action, id }) => (action === fireAction ? [id] : []))
      return fired.length === 0 ? Effect.void : fires.reopen(fired)
    }
  }))
).pipe(Layer.provide(OpenFiresRepo.layer))
