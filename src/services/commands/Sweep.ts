import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { observeCommandEnd } from "./EndMetrics.ts"
import { CommandQueueRepo } from "./QueueRepo.ts"
import { TaskRetries } from "./Retries.ts"
import { CommandStatusRepo } from "./StatusRepo.ts"

/** Rows per statement. */
const slice = 500

/**
 * Ends overdue commands, and deletes commands after their retention. Every replica sweeps; each row is taken by one of
 * them.
 */
export const makeCommandSweep = Effect.gen(function*() {
  const queue = yield* CommandQueueRepo
  const statuses = yield* CommandStatusRepo
  const retries = yield* TaskRetries
  const metrics = yield* Metrics
  const { commandsRetentionDays } = yield* Settings

  /** Ends the commands whose time ran out as timeout. */
  const expire = Effect.gen(function*() {
    const now = yield* Timestamp.now
    for (let more = true; more;) {
      const expiredCommands = yield* statuses.expire(now, slice)
      for (const command of expiredCommands) observeCommandEnd(metrics, command, now)
      more = expiredCommands.length === slice
    }
  })

  /** Deletes commands after their retention, with the links between tasks that their retries created. */
  const prune = Effect.gen(function*() {
    const before = Timestamp.addSeconds(yield* Timestamp.now, -commandsRetentionDays * Timestamp.secondsPerDay)
    yield* queue.prune(before)
    yield* retries.prune(before)
  })

  return { expire, prune } as const
})

/** The two loops. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  const { expire, prune } = yield* makeCommandSweep
  yield* loops.every("commands timeout", "1 second", expire)
  yield* loops.upkeep("commands retention", "10 minutes", prune)
})).pipe(Layer.provide([CommandQueueRepo.layer, CommandStatusRepo.layer, TaskRetries.layer]))
