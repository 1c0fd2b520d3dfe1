import { Effect, Layer, Schema } from "effect"
import { Notification } from "../../domain/alerting/Notification.ts"
import { DeliveryId, type ProjectId, type UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import * as Ids from "../kernel/Ids.ts"
import { Hints, orDieOnSql } from "../kernel/sql/Database.ts"
import { maxOfBatch } from "./Deliveries/QueueRepo.ts"
import { DeliveriesRepo } from "./Deliveries/Repo.ts"

/** A message to one channel. */
export interface NewDelivery {
  /** The project that the message is about; null for none. */
  readonly project_id: ProjectId | null
  /** The owner of a personal channel; null for a project's channel. */
  readonly user_id: UserId | null
  readonly subscription_id: string | null
  readonly channel: { readonly id: string; readonly name: string; readonly type: string }
  readonly notification: Notification
  /** A person sends a delivery again. */
  readonly resend?: { readonly of: DeliveryId; readonly user_id: UserId | null; readonly email: string | null }
}

const encodeNotification = Schema.encodeSync(Schema.parseJson(Notification))

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
        ({ channel, notification, project_id, resend, subscription_id, user_id }, at) =>
          Effect.map(Ids.nextOf(DeliveryId), (id) => ({
            id,
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
            resend_of: resend?.of ?? null,
            batch_id,
            triggered_by_user_id: resend?.user_id ?? null,
            triggered_by_email: resend?.email ?? null,
            created_at: Timestamp.addSeconds(now, at / 1_000_000) // the order of an alert's messages
          }))
      )
      yield* repo.insert(rows, now)
      yield* hints.publish("deliveries", "enqueued")
      return rows.map(({ id }) => id)
    }, orDieOnSql)

    return { enqueue } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(DeliveriesRepo.layer))
}
