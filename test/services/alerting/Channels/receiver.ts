import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { Notification } from "../../../../src/domain/alerting/Notification.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import type { ChannelConfig } from "../../../../src/services/alerting/Channels/ChannelType.ts"
import { ChannelTypes } from "../../../../src/services/alerting/Channels/ChannelTypes.ts"
import { Outbound, Resolver } from "../../../../src/services/kernel/Outbound.ts"
import type { SettingsShape } from "../../../../src/services/kernel/Settings.ts"
import { settingsOn } from "../../../databases.ts"
import { makePki } from "../../../grpc/pki.ts"
import { portOf } from "../../../ports.ts"

export interface Seen {
  readonly host: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  // tests read any field of what was sent
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A provider's documented response to a request. */
export type Provider = (seen: Seen) => Reply

const names = [
  "hooks.example",
  "hooks.slack.com",
  "discord.com",
  "api.telegram.org",
  "events.pagerduty.com",
  "prod-1.logic.azure.com",
  "shop.webhook.office.com",
  "smtp.example"
]

/** HTTPS for the names of all providers, under a CA of the test's own, and the names' addresses: 127.0.0.1. */
export const makeReceiver = Effect.gen(function*() {
  const pki = yield* makePki
  const files = yield* pki.authority.server(...names)
  const [cert, key] = [readFileSync(files.cert), readFileSync(files.key)]
  const seen: Array<Seen> = []
  let provider: Provider = () => ({ status: 200 })
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const host = (request.headers.host ?? "").split(":")[0] ?? ""
      const one = { host, path: request.url ?? "", headers: request.headers, text, json: JSON.parse(text) }
      seen.push(one)
      const { body = "", headers, status } = provider(one)
      response.writeHead(status, headers).end(body)
    })
  })
  const port = yield* portOf(server)
  const resolver = Layer.succeed(Resolver, {
    addresses: (host) => (names.includes(host) ? Effect.succeed(["127.0.0.1"]) : Effect.fail("ENOTFOUND"))
  })
  const settings: Partial<SettingsShape> = {
    outboundAllowCidrs: ["127.0.0.0/8:*"],
    outboundCaFile: pki.authority.cert,
    telegramUrl: `https://api.telegram.org:${port}`,
    pagerdutyUrl: `https://events.pagerduty.com:${port}`
  }
  return {
    cert,
    key,
    port,
    seen,
    resolver,
    settings,
    /** Sets the provider, and deletes the requests seen before. */
    behave: (as: Provider) => {
      provider = as
      seen.length = 0
    }
  }
})

export type Receiver = Effect.Effect.Success<typeof makeReceiver>

/** The channel types, which call the receiver. */
export const typesOver = ({ resolver, settings }: Receiver, overrides: Partial<SettingsShape> = {}) =>
  ChannelTypes.layer.pipe(
    Layer.provide(Outbound.layer),
    Layer.provide(resolver),
    Layer.provide(settingsOn("SQLite", { ...settings, ...overrides }))
  )

const at = "2026-11-23T10:00:00.000000Z" as Timestamp.Timestamp // of the normal form

export const notification = (changes: Partial<Notification> = {}): Notification => ({
  kind: "alert",
  trigger: "task.failed",
  severity: "error",
  project: { id: "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10" as never, slug: "shop", name: "Shop" },
  title: "shop.charge fails with CardDeclined",
  text: "12 times since 10:00 UTC, all in the queue payments.",
  facts: [{ name: "Queue", value: "payments" }],
  dedup_key: "k".repeat(64),
  alert_id: "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a11",
  occurrences: 12,
  first_at: at,
  last_at: at,
  engine: "celery",
  task_id: "t-1",
  task_name: "shop.charge",
  queue: "payments",
  worker: "w@box",
  exception: "CardDeclined",
  fingerprint: "f".repeat(32),
  links: {
    view: "https://svc.example/alerts/1",
    acknowledge: "https://svc.example/a/ack",
    snooze: null
  },
  ...changes
})

export const deliveryId = "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a12"

/** Sends one attempt. */
export const send = (
  type: string,
  config: ChannelConfig,
  changes: Partial<Notification> = {},
  { attempt = 1, sent_at = at }: { readonly attempt?: number; readonly sent_at?: Timestamp.Timestamp } = {}
) =>
  Effect.flatMap(ChannelTypes, (types) => {
    const found = types.find(type)
    if (found === undefined) throw new Error(`no type ${type}`)
    return found.send(config, { delivery_id: deliveryId, attempt, sent_at, notification: notification(changes) })
  })

/** The flaw of a config, in its form or beyond; null: none. */
export const flawOf = (type: string, config: ChannelConfig) =>
  Effect.flatMap(ChannelTypes, (types) => {
    const found = types.find(type)
    if (found === undefined) throw new Error(`no type ${type}`)
    const decoded = found.decode(config)
    return decoded._tag === "Left"
      ? Effect.succeed([...new Set(decoded.left.map(({ path }) => path))].join())
      : Effect.match(found.check(decoded.right), {
        onFailure: ({ field }) => `config.${field}`,
        onSuccess: () => null
      })
  })

export const laterThan = (seconds: number): Timestamp.Timestamp => Timestamp.addSeconds(at, seconds)
