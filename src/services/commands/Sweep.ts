import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { observeCommandEnd } from "./EndMetrics.ts"
import { CommandStatusRepo } from "./StatusRepo.ts"

/** Rows per statement. */
const slice = 500

/**
 * Ends the commands whose time ran out as timeout, once a second. Every replica sweeps; each row is taken by one of
 * them.
 */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const statuses = yield* CommandStatusRepo
  const metrics = yield* Metrics
  const loops = yield* Loops

  const expire = Effect.gen(function*() {
    const now = yield* Timestamp.now
    for (let more = true; more;) {
      const expiredCommands = yield* statuses.expire(now, slice)
      for (const command of expiredCommands) observeCommandEnd(metrics, command, now)
      more = expiredCommands.length === slice
    }
  })

  yield* loops.every("commands timeout", "1 second", expire)
})).pipe(Layer.provide(CommandStatusRepo.layer))
