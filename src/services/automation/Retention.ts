import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { ExecutionsRepo } from "./ExecutionsRepo.ts"

/** Deletes old entries of the log of rules, and conditions that rules reported before the retention. */
export class ExecutionsRetention extends Effect.Service<ExecutionsRetention>()("svc/ExecutionsRetention", {
  effect: Effect.gen(function*() {
    const repo = yield* ExecutionsRepo
    const { automationExecutionsRetentionDays: days } = yield* Settings

    const sweep = Effect.fn("ExecutionsRetention.sweep")(function*() {
      const now = yield* Timestamp.now
      yield* repo.prune(Timestamp.addSeconds(now, -days * Timestamp.secondsPerDay))
      yield* repo.pruneMessages(Timestamp.addSeconds(now, -Timestamp.secondsPerDay))
    }, orDieOnSql)

    return { sweep } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(ExecutionsRepo.layer))

  /** Once an hour. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const retention = yield* ExecutionsRetention
    yield* loops.upkeep("automation retention", "1 hour", retention.sweep())
  })).pipe(Layer.provide(this.layer))
}
