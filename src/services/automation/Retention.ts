import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Settings } from "../kernel/Settings.ts"
import { ExecutionsRepo } from "./ExecutionsRepo.ts"
import { RuleMessagesRepo } from "./MessagesRepo.ts"

/** Deletes old entries of the log of rules, and conditions that no rule reported for a day, once an hour. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const executions = yield* ExecutionsRepo
  const messages = yield* RuleMessagesRepo
  const loops = yield* Loops
  const { automationExecutionsRetentionDays: days } = yield* Settings

  const sweep = Effect.gen(function*() {
    const now = yield* Timestamp.now
    yield* executions.prune(Timestamp.addSeconds(now, -days * Timestamp.secondsPerDay))
    yield* messages.prune(Timestamp.addSeconds(now, -Timestamp.secondsPerDay))
  })

  yield* loops.upkeep("automation retention", "1 hour", sweep)
})).pipe(Layer.provide([ExecutionsRepo.layer, RuleMessagesRepo.layer]))
