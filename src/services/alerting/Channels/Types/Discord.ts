import { Effect, Schema } from "effect"
import type { Notification } from "../../../../domain/alerting/Notification.ts"
import { text } from "../../../../domain/kernel/Text.ts"
import { truncateText } from "../../../../domain/kernel/TruncateText.ts"
import type { Outbound } from "../../../kernel/Outbound.ts"
import { type ChannelType, ConfigRefused, type SendFailed } from "../ChannelType.ts"
import {
  checkUrl,
  decodeBody,
  failureOf,
  isAccepted,
  originOf,
  post,
  type ProviderResponse,
  receiptOf
} from "./Post.ts"
import { actionsOf, colorOf, factsOf, headlineOf } from "./Wording.ts"

const DiscordConfig = Schema.Struct({ webhook_url: text(2048, 1) })
type DiscordConfig = typeof DiscordConfig.Type

/** Characters of a message's content, and of an embed's title, description, field name and value; all of an embed. */
const [maxContent, maxTitle, maxDescription, maxName, maxValue, maxEmbed] = [2000, 256, 4096, 256, 1024, 6000]
const maxFields = 25

/** Markdown's own characters, so that a name such as `__init__` is shown as it is. */
const escapeMarkdown = (plain: string): string => plain.replace(/[\\*_~`|[\]>#]/g, "\\$&")

/** Without `@everyone`, `<@id>` and `<!here>`: content that reads like a mention would notify people. */
const escapeContent = (plain: string): string => escapeMarkdown(plain).replace(/[@<]/g, "$&\u200b")

const countContent = (piece: string): number => Array.from(escapeContent(piece)).length

const countEscaped = (piece: string): number => Array.from(escapeMarkdown(piece)).length

const truncateEscaped = (plain: string, limit: number): string =>
  escapeMarkdown(truncateText(plain, limit, countEscaped))

/** Fields as far as they fit beside the title and description of an embed. */
const fittingFields = (facts: Notification["facts"], room: number) => {
  let left = room
  return facts.slice(0, maxFields).flatMap(({ name, value }) => {
    const field = { title: truncateEscaped(name, maxName), value: truncateEscaped(value, maxValue), short: true }
    left -= Array.from(field.title + field.value).length
    return left < 0 ? [] : [field]
  })
}

/** A message in the form of Slack's attachments, which Discord turns into an embed: title, description and fields. */
export const discordMessage = (notification: Notification) => {
  const headline = headlineOf(notification)
  const title = truncateEscaped(headline, maxTitle)
  const links = actionsOf(notification).map(({ label, url }) => `[${label}](${url})`).join(" · ")
  const ending = links === "" ? "" : `\n${links}`
  const body = truncateEscaped(notification.text, maxDescription - Array.from(ending).length) + ending
  return {
    text: escapeContent(truncateText(headline, maxContent, countContent)),
    attachments: [{
      color: colorOf(notification),
      title,
      text: body,
      fields: fittingFields(factsOf(notification), maxEmbed - Array.from(title + body).length)
    }]
  }
}

/** `/slack` takes the form of Slack's messages; an address that ends with it already is taken as it is. */
const slackUrlOf = (webhook_url: string): string => {
  const url = new URL(webhook_url)
  url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/slack$/, "") + "/slack"
  return url.href
}

const readError = decodeBody(Schema.Struct({
  code: Schema.optional(Schema.Number),
  retry_after: Schema.optional(Schema.Number)
}))

/** Unknown Webhook, and Invalid webhook token (Discord, JSON error codes). */
const endedCodes: ReadonlySet<number> = new Set([10_015, 50_027])

const faultOf = (response: ProviderResponse): SendFailed["fault"] => {
  const code = readError(response)?.code ?? 0
  if (endedCodes.has(code) || [401, 403, 404, 410].includes(response.status)) return "channel"
  return response.status === 400 || response.status === 413 ? "message" : "moment"
}

/** How long an emptied bucket takes to refill; null while it has calls left. */
const pauseOf = ({ headers }: ProviderResponse): number | null => {
  const after = Number(headers["x-ratelimit-reset-after"] ?? NaN)
  return headers["x-ratelimit-remaining"] === "0" && after > 0 ? Math.min(after, 3600) : null
}

export const discord: ChannelType<DiscordConfig, typeof DiscordConfig.Encoded, Outbound> = {
  type: "discord",
  schema: DiscordConfig,
  secrets: ["webhook_url"],
  internal: [],
  destination: ({ webhook_url }) => originOf(webhook_url),
  check: ({ webhook_url }) =>
    /\/github\/*$/.test(URL.canParse(webhook_url) ? new URL(webhook_url).pathname : "")
      ? new ConfigRefused({
        field: "webhook_url",
        why: "must not end with /github, which takes another form of messages"
      })
      : checkUrl("webhook_url", webhook_url),
  target: ({ webhook_url }) => webhook_url,
  rate: { per_second: 0.5, burst: 5 }, // 30 a minute for each channel, 5 within 2 s for each webhook
  send: ({ webhook_url }, { notification }) =>
    Effect.gen(function*() {
      const response = yield* post(slackUrlOf(webhook_url), JSON.stringify(discordMessage(notification)))
      return isAccepted(response)
        ? receiptOf(response, pauseOf(response))
        // the body has fractions of a second, the header whole seconds
        : yield* failureOf(
          { ...response, retry_after: readError(response)?.retry_after ?? response.retry_after },
          faultOf(response)
        )
    })
}
