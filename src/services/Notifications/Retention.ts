import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import { orDieOnSql } from "../Database.ts"
import * as Ids from "../Ids.ts"
import { Loops } from "../Loops.ts"
import { Settings } from "../Settings.ts"
import { DeliveryLogRepo } from "./DeliveryLogRepo.ts"
import { InboxRepo } from "./InboxRepo.ts"

/** Deletes old deliveries with their attempts, and old rows of inboxes, in slices. Every replica may do it. */
export class NotificationRetention extends Effect.Service<NotificationRetention>()("svc/NotificationRetention", {
  effect: Effect.gen(function*() {
    const log = yield* DeliveryLogRepo
    const inbox = yield* InboxRepo
    const { deliveriesRetentionDays, userNotificationsRetentionDays } = yield* Settings

    /** What is still pending remains: its retries end within four days. */
    const sweep = Effect.fn("NotificationRetention.sweep")(function*() {
      const now = yield* Timestamp.now
      const ago = (days: number) => Timestamp.addSeconds(now, -days * Timestamp.secondsPerDay)
      yield* log.prune(Ids.minIdAt(Timestamp.toEpochMillis(ago(deliveriesRetentionDays))))
      yield* inbox.prune(ago(userNotificationsRetentionDays))
    }, orDieOnSql)

    return { sweep } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([DeliveryLogRepo.layer, InboxRepo.layer]))

  /** Once an hour. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const { sweep } = yield* NotificationRetention
    yield* loops.upkeep("notification retention", "1 hour", sweep())
  })).pipe(Layer.provide(this.layer))
}
