import { Effect, Layer, Schema } from "effect"
import type { DeliveryAttempt } from "../../domain/alerting/Delivery.ts"
import { Notification } from "../../domain/alerting/Notification.ts"
import { DeliveryId, type ProjectId, type UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import * as Ids from "../kernel/Ids.ts"
import { Hints, orDieOnSql } from "../kernel/sql/Database.ts"
import { DeliveriesRepo, type InsertedDelivery, maxOfBatch } from "./Deliveries/Repo.ts"

/** A message to one channel. */
export interface NewDelivery {
  /** The project that the message is about; null for none. */
  readonly project_id: ProjectId | null
  /** The owner of a personal channel; null for a project's channel. */
  readonly user_id: UserId | null
  readonly subscription_id: string | null
  readonly channel: { readonly id: string; readonly name: string; readonly type: string }
  readonly notification: Notification
  /** The delivery that a person sends again. */
  readonly resend_of?: DeliveryId
  /** Who tests the channel or sends again. */
  readonly sender?: { readonly user_id: UserId; readonly email: string } | null
}

/** The one attempt of a test, which has ended. */
export interface TestAttempt extends DeliveryAttempt {
  readonly delivery_id: DeliveryId
  readonly status: "sent" | "failed"
}

const encodeNotification = Schema.encodeSync(Schema.parseJson(Notification))

const rowOf = (
  { channel, notification, project_id, resend_of, sender, subscription_id, user_id }: NewDelivery,
  own: Pick<InsertedDelivery, "id" | "batch_id" | "claimed_until" | "created_at">
): InsertedDelivery => ({
  ...own,
  project_id,
  user_id,
  subscription_id,
  channel_id: channel.id,
  channel_name: channel.name,
  channel_type: channel.type,
  alert_id: notification.alert_id,
  trigger_key: notification.trigger,
  task_id: notification.task_id,
  task_name: notification.task_name,
  notification: encodeNotification(notification),
  resend_of: resend_of ?? null,
  triggered_by_user_id: sender?.user_id ?? null,
  triggered_by_email: sender?.email ?? null
})

/** How messages reach their channels (docs/notifications.md, Deliveries). */
export class Deliveries extends Effect.Service<Deliveries>()("svc/Deliveries", {
  effect: Effect.gen(function*() {
    const repo = yield* DeliveriesRepo
    const hints = yield* Hints

    /**
     * Inserts messages in the caller's transaction, in their order; they are sent after its commit. Several messages of
     * one alert to one channel are sent in the order of the calls. The messages of one call are one batch of events, of
     * which at most 16 are sent at once. Returns their ids.
     */
    const enqueue = Effect.fn("Deliveries.enqueue")(function*(deliveries: ReadonlyArray<NewDelivery>) {
      if (deliveries.length === 0) return []
      const now = yield* Timestamp.now
      const batch_id = deliveries.length > maxOfBatch ? yield* Ids.nextOf(DeliveryId) : null
      const rows = yield* Effect.forEach(
        deliveries,
        (delivery, index) =>
          Effect.map(Ids.nextOf(DeliveryId), (id) =>
            rowOf(delivery, {
              id,
              batch_id,
              claimed_until: null,
              created_at: Timestamp.addSeconds(now, index / 1_000_000) // the order of an alert's messages
            }))
      )
      yield* repo.insert(rows, now)
      yield* hints.publish("deliveries", "enqueued")
      return rows.map(({ id }) => id)
    }, orDieOnSql)

    /** Inserts a message that was sent already, in the caller's transaction. */
    const recordTest = Effect.fn("Deliveries.recordTest")(function*(delivery: NewDelivery, attempt: TestAttempt) {
      const { delivery_id: id, started_at: created_at } = attempt
      const claimed_until = created_at // `record` ends a claim
      yield* repo.insert([rowOf(delivery, { id, batch_id: null, claimed_until, created_at })], created_at)
      yield* repo.record([{ ...attempt, due_at: null, claimed_until }])
    }, orDieOnSql)

    return { enqueue, recordTest } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(DeliveriesRepo.layer))
}
