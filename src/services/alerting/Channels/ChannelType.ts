import { Data, type Effect, type Schema } from "effect"
import type { Notification } from "../../../domain/alerting/Notification.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"

/** A provider's response to an accepted message. */
export interface SendReceipt {
  readonly response_code: number | null
  /** Truncated and free of secrets. */
  readonly response_body: string | null
  /** Seconds in which the target takes no further message, where the provider says so (Discord's rate headers). */
  readonly pause: number | null
  /** The config to store instead, when the provider asked for a change (Telegram's `migrate_to_chat_id`). */
  readonly changed_config?: ChannelConfig
}

/**
 * Why a message was not accepted. `channel`: no message will ever be accepted again (a revoked token, an unknown chat).
 * `message`: this message is refused for good. `moment`: a later attempt may succeed.
 */
export class SendFailed extends Data.TaggedError("SendFailed")<{
  readonly fault: "channel" | "message" | "moment"
  /** One line without secrets and without a part of the URL. */
  readonly reason: string
  readonly response_code: number | null
  readonly response_body: string | null
  /** Seconds that the provider asked to wait. */
  readonly retry_after: number | null
}> {
  override get message() {
    return this.reason
  }
}

/** What is wrong with a field of a config that has the right form, such as an address that is not called. */
export class ConfigRefused extends Data.TaggedError("ConfigRefused")<{
  readonly field: string
  readonly why: string
}> {
  override get message() {
    return `${this.field}: ${this.why}`
  }
}

/** One attempt of a delivery. */
export interface Dispatch {
  /** Constant over all attempts. */
  readonly delivery_id: string
  /** The delivery that a person sent again with this one. */
  readonly resend_of?: string
  readonly attempt: number
  readonly sent_at: Timestamp
  readonly notification: Notification
}

/** How often one target may be called: a token bucket. */
export interface TargetRate {
  readonly per_second: number
  readonly burst: number
}

/** A config of any type: what is sealed in `channels.sealed_config`, as JSON. */
export type ChannelConfig = Readonly<Record<string, unknown>>

/** One kind of channel: its config, and how a message reaches it. `ChannelTypes.ts` lists all. */
export interface ChannelType<Config extends object, Encoded, R> {
  readonly type: string
  /** Checks the form only. What it makes of a config has the form of a config again, because that is what is stored. */
  readonly schema: Schema.Schema<Config, Encoded>
  /** Fields whose values are masked in responses, as text or as an object of texts; an empty one keeps the stored value. */
  readonly secrets: ReadonlyArray<keyof Config & string>
  /** Fields that only the program writes. */
  readonly internal: ReadonlyArray<keyof Config & string>
  /** Where a secret goes. When it changes, the stored secret must be given again. */
  readonly destination: (config: Config, secret: string) => string
  /** What is wrong with the config beyond its form; at save, test and import. */
  readonly check: (config: Config) => Effect.Effect<void, ConfigRefused, R>
  /** What its owner should know of a config that is accepted. */
  readonly warning?: (config: Config) => string | null
  /** The config to store when `next` replaces `stored`. */
  readonly replace?: (stored: Config, next: Config, now: Timestamp) => Config
  /** The server or chat that the rate is counted for: one bucket per target. */
  readonly target: (config: Config) => string
  readonly rate: TargetRate
  readonly send: (config: Config, dispatch: Dispatch) => Effect.Effect<SendReceipt, SendFailed, R>
}
