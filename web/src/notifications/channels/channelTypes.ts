import type { Texts } from "../../i18n/en.ts"

/** The fields of a channel's config by type, as docs/notifications.md has them (test/web/channelTypes.test.ts compares). */

/**
 * `lines`: one value a line. `pairs`: `name: value`, one a line. `secret` and `secretUrl` are masked in responses, and so are
 * the values of `secretPairs`.
 */
export type FieldKind =
  | "text"
  | "url"
  | "secret"
  | "secretUrl"
  | "secretPairs"
  | "pairs"
  | "lines"
  | "port"
  | "tls"
  | "severity"

export type ChannelFieldName = keyof Texts["channels"]["fields"]

export interface ChannelField {
  readonly name: ChannelFieldName
  readonly kind: FieldKind
  readonly isRequired: boolean
}

const requiredField = (name: ChannelFieldName, kind: FieldKind): ChannelField => ({ name, kind, isRequired: true })
const optionalField = (name: ChannelFieldName, kind: FieldKind): ChannelField => ({ name, kind, isRequired: false })

export const channelTypes = {
  webhook: [
    requiredField("url", "url"),
    optionalField("hmac_secret", "secret"),
    optionalField("headers", "secretPairs")
  ],
  email: [
    requiredField("smtp_host", "text"),
    requiredField("smtp_port", "port"),
    optionalField("smtp_tls", "tls"),
    requiredField("smtp_user", "text"),
    requiredField("smtp_pass", "secret"),
    requiredField("to_addrs", "lines"),
    optionalField("from_addr", "text")
  ],
  slack: [requiredField("webhook_url", "secretUrl")],
  telegram: [requiredField("bot_token", "secret"), requiredField("chat_id", "text")],
  pagerduty: [
    requiredField("integration_key", "secret"),
    optionalField("severity_default", "severity"),
    optionalField("severity_map", "pairs")
  ],
  discord: [requiredField("webhook_url", "secretUrl")],
  teams: [requiredField("webhook_url", "secretUrl")]
} as const satisfies Readonly<Record<string, ReadonlyArray<ChannelField>>>

export type ChannelTypeName = keyof typeof channelTypes

export const isChannelType = (type: string): type is ChannelTypeName => type in channelTypes

export const channelTypeNames = Object.keys(channelTypes).filter(isChannelType)

/** The servers of `smtp_port`. */
export const smtpPorts = ["587", "465", "2525", "25"] as const
