import { Effect, Schema } from "effect"
import { createHmac } from "node:crypto"
import { text } from "../../../../domain/kernel/Text.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import type { Outbound } from "../../../kernel/Outbound.ts"
import { Settings } from "../../../kernel/Settings.ts"
import type { ChannelType, Dispatch } from "../ChannelType.ts"
import { checkUrl, failureOf, isAccepted, originOf, post, receiptOf } from "./Post.ts"

const maxHeaders = 20
const maxHeaderBytes = 1024

/** For so long after a change of the secret both secrets sign. */
const rotationSeconds = 86_400

/** Headers that decide how the request is framed or routed, that hold credentials of a browser, or that are ours. */
const reservedNames: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-real-ip"
])
const reservedPrefixes = ["proxy-", "sec-", "webhook-", "x-forwarded-", "x-svc-"]

const isReserved = (name: string): boolean => {
  const lower = name.toLowerCase()
  return reservedNames.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix))
}

const flawOfHeaders = (headers: Readonly<Record<string, string>>): string | null => {
  const names = Object.keys(headers)
  if (names.length > maxHeaders) return `must have at most ${maxHeaders} entries`
  const malformed = names.find((name) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name))
  if (malformed !== undefined) return "has a name that is no header name"
  const reserved = names.find(isReserved)
  if (reserved !== undefined) return `must not set ${reserved.toLowerCase()}, which is reserved`
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return "has one name twice"
  const invalid = names.find((name) => !/^[\t\x20-\x7e]*$/.test(headers[name] ?? ""))
  if (invalid !== undefined) return `has a value of ${invalid} that is not printable ASCII`
  const long = names.find((name) => (headers[name] ?? "").length > maxHeaderBytes)
  return long === undefined ? null : `has a value of ${long} that is longer than ${maxHeaderBytes} bytes`
}

const standardPrefix = "whsec_"

/** A `whsec_` secret is base64 (Standard Webhooks); any other signs with its own bytes. */
const standardKeyOf = (secret: string): Buffer =>
  secret.startsWith(standardPrefix)
    ? Buffer.from(secret.slice(standardPrefix.length), "base64")
    : Buffer.from(secret, "utf8")

const flawOfSecret = (secret: string): string | null => {
  if (!secret.startsWith(standardPrefix)) return null
  const { length } = standardKeyOf(secret)
  return /^[A-Za-z0-9+/]+={0,2}$/.test(secret.slice(standardPrefix.length)) && length >= 24 && length <= 64
    ? null
    : "must be whsec_ and 24 to 64 bytes as base64, or a text that does not begin with whsec_"
}

const flawless = <A>(flawOf: (value: A) => string | null) => (value: A) => flawOf(value) ?? true

const secretText = text(256, 1).pipe(Schema.filter(flawless(flawOfSecret)))

const WebhookConfig = Schema.Struct({
  url: text(2048, 1),
  headers: Schema.optionalWith(
    Schema.Record({ key: Schema.String, value: Schema.String }).pipe(Schema.filter(flawless(flawOfHeaders))),
    { exact: true }
  ),
  hmac_secret: Schema.optionalWith(secretText, { exact: true }),
  /** The secret before the last change, which signs beside the new one until the time. */
  previous_hmac_secret: Schema.optionalWith(secretText, { exact: true }),
  previous_until: Schema.optionalWith(Timestamp.Timestamp, { exact: true })
})
type WebhookConfig = typeof WebhookConfig.Type

/** The body of each post. It is the same at every attempt of a delivery (docs/notifications.md). */
const envelopeOf = ({ delivery_id, notification: { trigger, ...data }, resend_of }: Dispatch): string =>
  JSON.stringify({
    version: 1,
    id: delivery_id,
    ...(resend_of !== undefined && { resend_of }),
    type: trigger,
    timestamp: data.last_at,
    data
  })

const hmac = (key: Buffer | string, signed: string) => createHmac("sha256", key).update(signed)

/** In lower case, so that a header of the config replaces ours instead of being sent beside it. */
const ownHeaders = ({ headers = {} }: WebhookConfig): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const signatureHeaders = (
  { hmac_secret, previous_hmac_secret, previous_until }: WebhookConfig,
  { delivery_id, sent_at }: Dispatch,
  body: string
): Record<string, string> => {
  const seconds = Math.floor(Timestamp.toEpochMillis(sent_at) / 1000)
  const headers = { "webhook-id": delivery_id, "webhook-timestamp": String(seconds) }
  if (hmac_secret === undefined) return headers
  const isRotating = previous_hmac_secret !== undefined && previous_until !== undefined && sent_at < previous_until
  const signatures = [hmac_secret, ...(isRotating ? [previous_hmac_secret] : [])].map((secret) =>
    `v1,${hmac(standardKeyOf(secret), `${delivery_id}.${seconds}.${body}`).digest("base64")}`
  )
  return {
    ...headers,
    "webhook-signature": signatures.join(" "),
    "x-svc-signature": `sha256=${hmac(hmac_secret, body).digest("hex")}`
  }
}

export const webhook: ChannelType<WebhookConfig, typeof WebhookConfig.Encoded, Outbound | Settings> = {
  type: "webhook",
  schema: WebhookConfig,
  secrets: ["headers", "hmac_secret"],
  internal: ["previous_hmac_secret", "previous_until"],
  // a server may have many tenants by path, and headers are sent as they are; an HMAC secret never leaves
  destination: ({ url }, secret) => secret === "headers" ? url : originOf(url),
  check: ({ url }) => Effect.flatMap(Settings, ({ webhookAllowHttp }) => checkUrl("url", url, webhookAllowHttp)),
  replace: (stored, next, now) =>
    stored.hmac_secret === undefined || next.hmac_secret === undefined || stored.hmac_secret === next.hmac_secret
      ? next
      : {
        ...next,
        previous_hmac_secret: stored.hmac_secret,
        previous_until: Timestamp.addSeconds(now, rotationSeconds)
      },
  target: ({ url }) => url, // and not its server: one receiver's 429 must not pause those of other projects
  rate: { per_second: 200, burst: 400 },
  /** The receiver is the user's own, so any refusal but 410 may heal (Standard Webhooks). */
  send: (config, dispatch) =>
    Effect.gen(function*() {
      const { webhookAllowHttp } = yield* Settings
      const body = envelopeOf(dispatch)
      const headers = { ...ownHeaders(config), ...signatureHeaders(config, dispatch, body) }
      const response = yield* post(config.url, body, { headers, plainHttp: webhookAllowHttp })
      return isAccepted(response)
        ? receiptOf(response)
        : yield* failureOf(response, response.status === 410 ? "channel" : "moment")
    })
}
