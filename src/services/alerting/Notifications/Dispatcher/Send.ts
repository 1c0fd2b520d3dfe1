import { Cause, Clock, Effect, Either, Schema } from "effect"
import { Notification } from "../../../../domain/alerting/Notification.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { Vault } from "../../../kernel/keys/Keys.ts"
import { type ChannelConfig, SendFailed, type SendReceipt } from "../../Channels/ChannelType.ts"
import { type AnyChannelType, ChannelTypes } from "../../Channels/ChannelTypes.ts"
import type { ClaimedDelivery } from "../../Deliveries/Repo.ts"
import type { TargetRates } from "./TargetRates.ts"

const sendTimeout = "30 seconds"

const decodeNotification = Schema.decodeEither(Schema.parseJson(Notification))
const decodeConfig = Schema.decodeSync(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** A claimed delivery with what its channel's config says. */
export interface Prepared {
  readonly delivery: ClaimedDelivery
  readonly notification: Notification
  readonly type: AnyChannelType
  readonly config: ChannelConfig
  readonly sealedConfig: string
  readonly target: string
}

const refuse = (fault: SendFailed["fault"], reason: string) =>
  new SendFailed({ fault, reason, response_code: null, response_body: null, retry_after: null })

/** So that each claim ends in an attempt, whatever a stored config or a provider's response makes the program do. */
const refuseDefect = (defect: unknown) =>
  Effect.zipRight(
    Effect.logError("sending a message failed", Cause.die(defect)),
    refuse("moment", "the program failed while sending; its log says more")
  )

/** What the column of an attempt's duration holds: the clock may be set while a message is sent. */
const maxDurationMillis = 2 ** 31 - 1

/** A claim's lease is longer than a send and this wait for the target's rate. */
const longestWaitMillis = 10_000

/** An attempt that has ended. */
export interface SentAttempt {
  readonly delivery: ClaimedDelivery
  readonly prepared: Prepared | null
  readonly started_at: Timestamp.Timestamp
  readonly duration_ms: number
  readonly outcome: Either.Either<SendReceipt, SendFailed>
}

/** Makes attempts: opens the channel's config, waits for its target's rate, sends, and waits for the receiver's response. */
export const makeSender = Effect.fnUntraced(function*(rates: TargetRates) {
  const types = yield* ChannelTypes
  const vault = yield* Vault

  const prepare = Effect.fnUntraced(
    function*(delivery: ClaimedDelivery, sealedConfig: string | undefined) {
      if (sealedConfig === undefined) return yield* refuse("message", "the channel was deleted")
      const type = types.find(delivery.channel_type)
      if (type === undefined) return yield* refuse("message", "the program does not know this type of channel")
      const config = yield* Effect.map(
        vault.open("channels.sealed_config", delivery.channel_id, sealedConfig),
        decodeConfig
      ).pipe(
        Effect.mapError(() => refuse("moment", "the config of the channel cannot be decrypted with SVC_SECRET_KEY"))
      )
      const notification = yield* Either.mapLeft(
        decodeNotification(delivery.notification),
        () => refuse("message", "the stored message cannot be read")
      )
      return { delivery, notification, type, config, sealedConfig, target: type.target(config) } satisfies Prepared
    },
    Effect.catchAllDefect(refuseDefect)
  )

  const send = Effect.fnUntraced(
    function*({ config, delivery, notification, type }: Prepared) {
      return yield* type.send(config, {
        delivery_id: delivery.id,
        ...(delivery.resend_of !== null && { resend_of: delivery.resend_of }),
        attempt: delivery.attempts + 1,
        sent_at: yield* Timestamp.now,
        notification
      })
    },
    Effect.timeoutFail({
      duration: sendTimeout,
      onTimeout: () => refuse("moment", "there was no answer in time")
    }),
    Effect.catchAllDefect(refuseDefect)
  )

  /** Waits until the target takes the message; returns the milliseconds where that is too long for a claim. */
  const waitForRate = Effect.fnUntraced(
    function*({ delivery, target, type: { rate } }: Prepared, leaveFresh: () => void) {
      rates.setTarget(delivery.channel_id, target)
      const now = yield* Clock.currentTimeMillis
      const wait = rates.take(target, rate, now)
      if (wait > longestWaitMillis) {
        rates.giveBack(target, rate, now)
        return wait
      }
      if (wait <= 0) return null
      leaveFresh()
      yield* Effect.sleep(wait)
      return null
    }
  )

  /** One attempt, or the milliseconds after which it may be made. */
  return Effect.fnUntraced(
    function*(delivery: ClaimedDelivery, sealedConfig: string | undefined, leaveFresh: () => void) {
      const prepared = yield* Effect.either(prepare(delivery, sealedConfig))
      const wait = Either.isRight(prepared) ? yield* waitForRate(prepared.right, leaveFresh) : null
      if (wait !== null) return wait
      const started_at = yield* Timestamp.now
      const startMillis = yield* Clock.currentTimeMillis
      const outcome = Either.isLeft(prepared)
        ? Either.left(prepared.left)
        : yield* Effect.either(send(prepared.right))
      const endMillis = yield* Clock.currentTimeMillis
      if (Either.isRight(prepared)) {
        const { target, type: { rate } } = prepared.right
        const pause = Either.match(outcome, {
          onLeft: (failed) => (failed.response_code === 429 ? failed.retry_after : null),
          onRight: (receipt) => receipt.pause
        })
        if (pause !== null) rates.pause(target, rate, endMillis, pause)
      }
      const duration_ms = Math.min(Math.max(0, endMillis - startMillis), maxDurationMillis)
      return { delivery, prepared: Either.getOrNull(prepared), started_at, duration_ms, outcome } satisfies SentAttempt
    }
  )
})
