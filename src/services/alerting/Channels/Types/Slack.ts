import { Effect, Schema } from "effect"
import type { Notification } from "../../../../domain/alerting/Notification.ts"
import { text } from "../../../../domain/kernel/Text.ts"
import { truncateText } from "../../../../domain/kernel/TruncateText.ts"
import type { Outbound } from "../../../kernel/Outbound.ts"
import type { ChannelType, SendFailed } from "../ChannelType.ts"
import { checkUrl, failureOf, isAccepted, originOf, post, type ProviderResponse, receiptOf } from "./Post.ts"
import { actionsOf, colorOf, factsOf, headlineOf } from "./Wording.ts"

const SlackConfig = Schema.Struct({ webhook_url: text(2048, 1) })
type SlackConfig = typeof SlackConfig.Type

/** Characters of a section's text, and of a field of a section; fields of one section (Slack, Block Kit reference). */
const [maxSection, maxField, maxFields] = [3000, 2000, 10]

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** The three characters that Slack asks to escape; without `<`, a text mentions no user. */
const escapeMrkdwn = (plain: string): string => plain.replace(/[&<>]/g, (character) => escapes[character] ?? "")

/** Slack counts escaped text. */
const countEscaped = (piece: string): number => Array.from(escapeMrkdwn(piece)).length

const truncateEscaped = (plain: string, limit: number): string => escapeMrkdwn(truncateText(plain, limit, countEscaped))

const linkTo = ({ label, url }: { readonly label: string; readonly url: string }): string =>
  `<${escapeMrkdwn(url).replaceAll("|", "%7C")}|${label}>`

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } })

/** A message for Slack. Blocks are shown; `text` is for notifications of the device. */
export const slackMessage = (notification: Notification) => {
  const headline = headlineOf(notification)
  const fields = factsOf(notification).slice(0, maxFields).map(({ name, value }) => {
    const label = `*${truncateEscaped(name, 100)}*\n`
    return { type: "mrkdwn", text: label + truncateEscaped(value, maxField - label.length) }
  })
  const actions = actionsOf(notification)
  return {
    text: truncateEscaped(headline, maxSection),
    attachments: [{
      color: colorOf(notification),
      blocks: [
        section(`*${truncateEscaped(headline.replaceAll("*", "∗"), maxSection - 2)}*`),
        ...(notification.text === "" ? [] : [section(truncateEscaped(notification.text, maxSection))]),
        ...(fields.length === 0 ? [] : [{ type: "section", fields }]),
        ...(actions.length === 0 ? [] : [section(actions.map(linkTo).join("  ·  "))])
      ]
    }]
  }
}

/** The responses of an incoming webhook after which no message will be accepted again (Slack, Handling errors). */
const endedPattern =
  /^(no_service|no_service_id|no_active_hooks|no_team|team_disabled|invalid_token|token_revoked|account_inactive|channel_not_found|channel_is_archived|action_prohibited|posting_to_general_channel_denied|user_not_found)\b/

const faultOf = ({ body, status }: ProviderResponse): SendFailed["fault"] => {
  if (endedPattern.test(body) || status === 404 || status === 410) return "channel"
  return status === 400 || status === 413 ? "message" : "moment"
}

export const slack: ChannelType<SlackConfig, typeof SlackConfig.Encoded, Outbound> = {
  type: "slack",
  schema: SlackConfig,
  secrets: ["webhook_url"],
  internal: [],
  destination: ({ webhook_url }) => originOf(webhook_url),
  check: ({ webhook_url }) => checkUrl("webhook_url", webhook_url),
  target: ({ webhook_url }) => webhook_url,
  rate: { per_second: 1, burst: 5 }, // "one message per second per channel, with short bursts" (Slack, Rate limits)
  send: ({ webhook_url }, { notification }) =>
    Effect.gen(function*() {
      const response = yield* post(webhook_url, JSON.stringify(slackMessage(notification)))
      const fault = faultOf(response)
      return isAccepted(response)
        ? receiptOf(response)
        : yield* failureOf(response, fault)
    })
}
