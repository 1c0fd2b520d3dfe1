import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Notification, NotificationKind } from "../../../../domain/alerting/Notification.ts"
import { countJsonBytes, truncateText } from "../../../../domain/kernel/TruncateText.ts"
import { Severity, Trigger } from "../../../../domain/triggers/Trigger.ts"
import type { Outbound } from "../../../kernel/Outbound.ts"
import { Settings } from "../../../kernel/Settings.ts"
import type { ChannelType, SendFailed } from "../ChannelType.ts"
import { failureOf, isAccepted, post, type ProviderResponse, receiptOf } from "./Post.ts"
import { actionsOf, factsOf, headlineOf } from "./Wording.ts"

const PagerDutyConfig = Schema.Struct({
  integration_key: Schema.String.pipe(
    Schema.filter((key) => /^[A-Za-z0-9]{32}$/.test(key) || "must be the 32 letters and digits of an integration key")
  ),
  severity_default: Schema.optionalWith(Severity, { exact: true }),
  /** Another name of `severity_default`, which wins where both are given. */
  severity: Schema.optionalWith(Severity, { exact: true }),
  severity_map: Schema.optionalWith(
    Schema.Record({ key: Schema.String, value: Severity }).pipe(
      Schema.filter((map) => Object.keys(map).every(Schema.is(Trigger)) || "has a name that is no trigger")
    ),
    { exact: true }
  )
})
type PagerDutyConfig = typeof PagerDutyConfig.Type

const [maxSummary, maxDedupKey, maxSource] = [1024, 255, 255]
/** Of the details; an event may have 512 KB. */
const maxDetailBytes = 8192

const actions: Record<NotificationKind, "trigger" | "acknowledge" | "resolve"> = {
  alert: "trigger",
  update: "trigger",
  escalation: "trigger",
  notice: "trigger",
  test: "trigger",
  acknowledged: "acknowledge",
  recovered: "resolve"
}

/** The config's own severity, else that of the trigger. */
export const severityOf = (
  { severity, severity_default, severity_map }: PagerDutyConfig,
  notification: Notification
): Severity => severity_map?.[notification.trigger] ?? severity_default ?? severity ?? notification.severity

/** The same for all events of one condition; a long one is replaced by its hash, so that two keys stay two. */
const dedupKeyOf = (key: string): string =>
  Array.from(key).length <= maxDedupKey ? key : `svc-${createHash("sha256").update(key).digest("hex")}`

export const pagerdutyEvent = (config: PagerDutyConfig, notification: Notification) => {
  const event = {
    routing_key: config.integration_key,
    event_action: actions[notification.kind],
    dedup_key: dedupKeyOf(notification.dedup_key)
  }
  if (event.event_action !== "trigger") return event
  const facts = factsOf(notification).slice(0, 30).map(({ name, value }) => [
    truncateText(name, 200),
    truncateText(value, 1000, countJsonBytes)
  ])
  return {
    ...event,
    client: "svc",
    ...(notification.links.view !== null && { client_url: notification.links.view }),
    links: actionsOf(notification).map(({ label, url }) => ({ href: url, text: label })),
    payload: {
      summary: truncateText(headlineOf(notification), maxSummary),
      source: truncateText(notification.worker ?? notification.project?.slug ?? "svc", maxSource),
      severity: severityOf(config, notification),
      timestamp: notification.last_at,
      ...(notification.task_name !== null && { component: truncateText(notification.task_name, maxSource) }),
      ...(notification.queue !== null && { group: truncateText(notification.queue, maxSource) }),
      class: notification.trigger,
      custom_details: {
        text: truncateText(notification.text, maxDetailBytes, countJsonBytes),
        occurrences: notification.occurrences,
        ...Object.fromEntries(facts)
      }
    }
  }
}

const faultOf = ({ body, status }: ProviderResponse): SendFailed["fault"] => {
  if (status === 400) return /routing_key|routing key|integration key|service key/i.test(body) ? "channel" : "message"
  return status === 410 ? "channel" : status === 413 ? "message" : "moment"
}

export const pagerduty: ChannelType<PagerDutyConfig, typeof PagerDutyConfig.Encoded, Outbound | Settings> = {
  type: "pagerduty",
  schema: PagerDutyConfig,
  secrets: ["integration_key"],
  internal: [],
  destination: () => "pagerduty",
  check: () => Effect.void, // the only host is that of a setting
  target: ({ integration_key }) => integration_key,
  rate: { per_second: 2, burst: 20 }, // 120 events a minute for each integration
  send: (config, { notification }) =>
    Effect.gen(function*() {
      const { pagerdutyUrl } = yield* Settings
      const response = yield* post(`${pagerdutyUrl}/v2/enqueue`, JSON.stringify(pagerdutyEvent(config, notification)))
      return isAccepted(response) ? receiptOf(response) : yield* failureOf(response, faultOf(response))
    })
}
