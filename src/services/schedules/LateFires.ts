import { Effect, Layer } from "effect"
import { LateAnswers } from "../commands/LateAnswers.ts"
import { fireAction } from "./FireCommand.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"

/** A fire whose command was answered after its timeout is open again: its end is the answer's. */
export const layer = Layer.effect(
  LateAnswers,
  Effect.map(OpenFiresRepo, (fires) => ({
    apply: (commands) => {
      const fired = commands.flatMap(({ action, id }) => (action === fireAction ? [id] : []))
      return fired.length === 0 ? Effect.void : fires.reopen(fired)
    }
  }))
).pipe(Layer.provide(OpenFiresRepo.layer))
