import { Cause, Effect, Either, Schema } from "effect"
import { Notification } from "../../../../domain/alerting/Notification.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { Vault } from "../../../kernel/keys/Keys.ts"
import { type ChannelConfig, SendFailed } from "../../Channels/ChannelType.ts"
import { type AnyChannelType, ChannelTypes } from "../../Channels/ChannelTypes.ts"
import type { ClaimedDelivery } from "../../Deliveries/Repo.ts"

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

/** So that each claim ends in an attempt, whatever a stored config or a provider's answer makes the program do. */
const refuseDefect = (defect: unknown) =>
  Effect.zipRight(
    Effect.logError("sending a message failed", Cause.die(defect)),
    refuse("moment", "the program failed while sending; its log says more")
  )

/** The two steps of an attempt: `prepare` opens the channel's config, `send` waits for the receiver's answer. */
export const makeSender = Effect.gen(function*() {
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

  return { prepare, send } as const
})
