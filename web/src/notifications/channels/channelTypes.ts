import type { Texts } from "../../i18n/en.ts"

/** The fields of a channel's config by type, as docs/notifications.md has them (test/web/channelTypes.test.ts compares). */

/**
 * `lines`: one value a line. `pairs`: `name: value`, one a line. `secret` and `secretUrl` are masked in answers, and so are
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

const required = (name: ChannelFieldName, kind: FieldKind): ChannelField => ({ name, kind, isRequired: true })
const optional = (name: ChannelFieldName, kind: FieldKind): ChannelField => ({ name, kind, isRequired: false })

export const channelTypes = {
  webhook: [required("url", "url"), optional("hmac_secret", "secret"), optional("headers", "secretPairs")],
  email: [
    required("smtp_host", "text"),
    required("smtp_port", "port"),
    optional("smtp_tls", "tls"),
    required("smtp_user", "text"),
    required("smtp_pass", "secret"),
    required("to_addrs", "lines"),
    optional("from_addr", "text")
  ],
  slack: [required("webhook_url", "secretUrl")],
  telegram: [required("bot_token", "secret"), required("chat_id", "text")],
  pagerduty: [
    required("integration_key", "secret"),
    optional("severity_default", "severity"),
    optional("severity_map", "pairs")
  ],
  discord: [required("webhook_url", "secretUrl")],
  teams: [required("webhook_url", "secretUrl")]
} as const satisfies Readonly<Record<string, ReadonlyArray<ChannelField>>>

export type ChannelTypeName = keyof typeof channelTypes

export const isChannelType = (type: string): type is ChannelTypeName => type in channelTypes

export const channelTypeNames = Object.keys(channelTypes).filter(isChannelType)

/** The servers of `smtp_port`. */
export const smtpPorts = ["587", "465", "2525", "25"] as const
