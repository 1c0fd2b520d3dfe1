import { Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import * as Ids from "../../kernel/Ids.ts"
import { InboxRepo } from "../../kernel/Inbox/Repo.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { DeliveryLogRepo } from "../Deliveries/LogRepo.ts"

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
