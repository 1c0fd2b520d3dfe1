import { flag, origin, targets, text } from "./Kinds.ts"

/** Calls to channels of projects and other webhooks. */
export const outboundSettings = {
  webhookAllowHttp: flag(
    "SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP",
    { default: false },
    "Webhooks, including the audit log's, may use plain http."
  ),
  outboundAllowCidrs: targets(
    "SVC_OUTBOUND_ALLOW_CIDRS",
    "Internal addresses or ranges, with ports, that channels of projects may reach: 10.1.2.0/24:443."
  ),
  outboundCaFile: text(
    "SVC_OUTBOUND_CA_FILE",
    { default: "" },
    "PEM file of authorities that outbound calls trust beside the public ones, for receivers of your own."
  ),
  telegramUrl: origin(
    "SVC_NOTIFICATIONS_TELEGRAM_URL",
    "https://api.telegram.org",
    "Telegram's Bot API, or a Bot API server of your own."
  ),
  pagerdutyUrl: origin(
    "SVC_NOTIFICATIONS_PAGERDUTY_URL",
    "https://events.pagerduty.com",
    "PagerDuty's Events API; in its EU region https://events.eu.pagerduty.com."
  )
} as const
