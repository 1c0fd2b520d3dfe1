import { Effect, Schema } from "effect"
import type { Notification } from "../../../../domain/alerting/Notification.ts"
import { text } from "../../../../domain/kernel/Text.ts"
import { truncateText } from "../../../../domain/kernel/TruncateText.ts"
import type { Outbound } from "../../../kernel/Outbound.ts"
import { Settings } from "../../../kernel/Settings.ts"
import type { ChannelType, SendFailed } from "../ChannelType.ts"
import { decodeBody, failureOf, isAccepted, post, type ProviderResponse, receiptOf } from "./Post.ts"
import { actionsOf, factsOf, headlineOf } from "./Wording.ts"

const chatPattern = /^(-?\d{1,19}|@[A-Za-z][A-Za-z0-9_]{3,31})$/

const TelegramConfig = Schema.Struct({
  bot_token: text(256, 1).pipe(
    Schema.filter((token) =>
      /^\d+:[A-Za-z0-9_-]+$/.test(token) || "must be digits, a colon, then letters, digits, _ or -"
    )
  ),
  /** A number may also be given as text; it is kept as text, because ids exceed 2^53. */
  chat_id: Schema.Union(
    Schema.transform(Schema.Int.pipe(Schema.filter(Number.isSafeInteger)), Schema.String, {
      strict: true,
      decode: String,
      encode: Number
    }),
    text(64, 1)
  ).pipe(Schema.filter((id) => chatPattern.test(id) || "must be a number (negative for groups) or an @handle"))
})
type TelegramConfig = typeof TelegramConfig.Type

/** Of a message's text after its entities are taken out. Telegram counts UTF-16 units in some places, code points in others. */
const maxText = 4096

const countUnits = (piece: string): number => piece.length

/** Formatting goes as entities beside the text, so nothing in the text needs escaping. */
export const telegramMessage = (notification: Notification) => {
  const headline = truncateText(headlineOf(notification), 512, countUnits)
  const links = actionsOf(notification).map(({ label, url }) => `${label}: ${url}`).join("\n")
  const facts = factsOf(notification).map(({ name, value }) => `${name}: ${value}`).join("\n")
  const body = [notification.text, facts].filter((part) => part !== "").join("\n\n")
  const ending = links === "" || links.length > maxText / 2 ? "" : `\n\n${links}`
  const truncatedBody = truncateText(body, maxText - headline.length - 2 - ending.length, countUnits)
  return {
    text: headline + (truncatedBody === "" ? "" : `\n\n${truncatedBody}`) + ending,
    entities: [{ type: "bold", offset: 0, length: headline.length }],
    link_preview_options: { is_disabled: true }
  }
}

const readError = decodeBody(Schema.Struct({
  description: Schema.optional(Schema.String),
  parameters: Schema.optional(Schema.Struct({
    migrate_to_chat_id: Schema.optional(Schema.Number),
    retry_after: Schema.optional(Schema.Number)
  }))
}))

/** Descriptions of a 400 after which no message will reach the chat. */
const endedPattern =
  /chat not found|user is deactivated|user not found|group chat was deactivated|bot was (blocked|kicked)|not a member|have no rights to send|need administrator rights|chat_write_forbidden|peer_id_invalid|topic_closed/i

const faultOf = (response: ProviderResponse): SendFailed["fault"] => {
  if ([401, 403, 404].includes(response.status)) return "channel" // a revoked token, a chat without the bot, no such token
  if (response.status !== 400 && response.status !== 413) return "moment"
  return endedPattern.test(readError(response)?.description ?? "") ? "channel" : "message"
}

const sendMessage = ({ bot_token, chat_id }: TelegramConfig, notification: Notification) =>
  Effect.gen(function*() {
    const { telegramUrl } = yield* Settings
    const body = JSON.stringify({ chat_id, ...telegramMessage(notification) })
    return yield* post(`${telegramUrl}/bot${bot_token}/sendMessage`, body)
  })

export const telegram: ChannelType<TelegramConfig, typeof TelegramConfig.Encoded, Outbound | Settings> = {
  type: "telegram",
  schema: TelegramConfig,
  secrets: ["bot_token"],
  internal: [],
  destination: () => "telegram",
  check: () => Effect.void, // the only host is that of a setting
  target: ({ bot_token, chat_id }) => `${bot_token.split(":")[0] ?? ""} ${chat_id}`,
  rate: { per_second: 1, burst: 1 },
  send: (config, { notification }) =>
    Effect.gen(function*() {
      const response = yield* sendMessage(config, notification)
      if (isAccepted(response)) return receiptOf(response)
      const migrated = readError(response)?.parameters?.migrate_to_chat_id
      if (migrated === undefined) {
        const retry_after = readError(response)?.parameters?.retry_after ?? response.retry_after
        return yield* failureOf({ ...response, retry_after }, faultOf(response))
      }
      // the group became a supergroup, which has another id
      const changed_config = { ...config, chat_id: String(migrated) }
      const second = yield* sendMessage(changed_config, notification)
      return isAccepted(second) ? { ...receiptOf(second), changed_config } : yield* failureOf(second, faultOf(second))
    })
}
