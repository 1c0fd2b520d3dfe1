import { Effect, Schema } from "effect"
import type { Notification } from "../../../../domain/alerting/Notification.ts"
import { text } from "../../../../domain/kernel/Text.ts"
import { countBytes, countJsonBytes, truncateText } from "../../../../domain/kernel/TruncateText.ts"
import type { Outbound } from "../../../kernel/Outbound.ts"
import { type ChannelType, ConfigRefused, type SendFailed } from "../ChannelType.ts"
import { checkUrl, failureOf, isAccepted, originOf, post, type ProviderResponse, receiptOf } from "./Post.ts"
import { actionsOf, factsOf, headlineOf } from "./Wording.ts"

const TeamsConfig = Schema.Struct({ webhook_url: text(4096, 1) })
type TeamsConfig = typeof TeamsConfig.Type

/** Microsoft refuses 28 KB; its own measure differs a little from ours. */
export const maxCardBytes = 27 * 1024

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : "")

const isClassic = (host: string): boolean => host === "outlook.office.com" || host.endsWith(".webhook.office.com")

const isKnown = (host: string): boolean =>
  isClassic(host) || host.endsWith(".logic.azure.com") || host.endsWith(".environment.api.powerplatform.com")

const [maxHeadlineBytes, maxFactBytes, maxFacts, maxUrlBytes] = [1024, 500, 15, 2048]

/** Markdown's own characters: a text block is Markdown, which could show a link under another name. */
const escapeMarkdown = (plain: string): string => plain.replace(/[\\*_`[\]<>#~|]/g, "\\$&")

const countEscaped = (piece: string): number => countJsonBytes(escapeMarkdown(piece))

const truncateEscaped = (plain: string, limit: number): string =>
  escapeMarkdown(truncateText(plain, limit, countEscaped))

const cardOf = (notification: Notification, body: string) => ({
  type: "message",
  attachments: [{
    contentType: "application/vnd.microsoft.card.adaptive",
    contentUrl: null,
    content: {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      msteams: { width: "Full" },
      body: [
        {
          type: "TextBlock",
          text: truncateEscaped(headlineOf(notification), maxHeadlineBytes),
          weight: "Bolder",
          size: "Medium",
          wrap: true,
          color: notification.kind === "recovered"
            ? "Good"
            : notification.severity === "info"
            ? "Accent"
            : notification.severity === "warning"
            ? "Warning"
            : "Attention"
        },
        ...(body === "" ? [] : [{ type: "TextBlock", text: body, wrap: true }]),
        {
          type: "FactSet",
          facts: factsOf(notification).slice(0, maxFacts).map(({ name, value }) => ({
            title: truncateText(name, maxFactBytes, countJsonBytes),
            value: truncateEscaped(value, maxFactBytes)
          }))
        }
      ],
      actions: actionsOf(notification).filter(({ url }) => url.length <= maxUrlBytes).map(({ label, url }) => ({
        type: "Action.OpenUrl",
        title: label,
        url
      }))
    }
  }]
})

/** The text has what the rest of the card leaves. */
export const teamsCard = (notification: Notification): string => {
  const room = maxCardBytes - countBytes(JSON.stringify(cardOf(notification, "x"))) + 1
  return JSON.stringify(cardOf(notification, truncateEscaped(notification.text, Math.max(0, room))))
}

/** A classic connector responds with 200 and reports a failure in its text. */
const innerStatusOf = ({ body, status }: ProviderResponse): number =>
  Number(/HTTP error (\d{3})/i.exec(body)?.[1] ?? status)

const faultOf = (status: number): SendFailed["fault"] => {
  if ([401, 403, 404, 410].includes(status)) return "channel" // a signature that is not valid (any more), no such workflow
  return status === 400 || status === 413 ? "message" : "moment"
}

export const teams: ChannelType<TeamsConfig, typeof TeamsConfig.Encoded, Outbound> = {
  type: "teams",
  schema: TeamsConfig,
  secrets: ["webhook_url"],
  internal: [],
  destination: ({ webhook_url }) => originOf(webhook_url),
  check: ({ webhook_url }) =>
    isKnown(hostOf(webhook_url))
      ? checkUrl("webhook_url", webhook_url)
      : new ConfigRefused({
        field: "webhook_url",
        why:
          "must be at *.logic.azure.com, *.environment.api.powerplatform.com, *.webhook.office.com or outlook.office.com"
      }),
  warning: ({ webhook_url }) =>
    isClassic(hostOf(webhook_url))
      ? "Microsoft retired the connectors of this host in May 2026, so messages may not arrive. Create a workflow in " +
        "Teams (Workflows, \"Post to a channel when a webhook request is received\") and use its URL."
      : null,
  target: ({ webhook_url }) => webhook_url,
  rate: { per_second: 1, burst: 4 }, // four requests a second are accepted
  send: ({ webhook_url }, { notification }) =>
    Effect.gen(function*() {
      if (!isKnown(hostOf(webhook_url))) return yield* Effect.dieMessage("a Teams channel has another host")
      const response = yield* post(webhook_url, teamsCard(notification))
      const status = innerStatusOf(response)
      return isAccepted({ ...response, status })
        ? receiptOf(response)
        : yield* failureOf({ ...response, status }, faultOf(status))
    })
}
