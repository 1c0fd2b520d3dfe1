import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Notification } from "../../../../src/domain/alerting/Notification.ts"
import { ChannelTypes } from "../../../../src/services/alerting/Channels/ChannelTypes.ts"
import { flawOf, makeReceiver, type Provider, type Receiver, type Reply, send, typesOver } from "./receiver.ts"

const characters = (text: unknown): number => Array.from(String(text)).length

/** More than any limit, with characters of two units, combining marks, and what each format must escape. */
const flood: Partial<Notification> = {
  title: "😀e\u0301<!channel> *_`[x](http://evil.example) @everyone & ".repeat(200),
  text: "😀e\u0301<!here> & \"quoted\" @everyone <b>".repeat(1500),
  facts: Array.from(
    { length: 40 },
    (_, at) => ({ name: `Fact ${at} ${"n".repeat(300)}`, value: "😀\"&<".repeat(1000) })
  )
}

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

const over = <A, E>(use: (receiver: Receiver) => Effect.Effect<A, E, ChannelTypes>) =>
  Effect.flatMap(makeReceiver, (receiver) => Effect.provide(use(receiver), typesOver(receiver)))

/** The failure of a message after this reply. */
const faultAfter = (receiver: Receiver, type: string, config: object, reply: Reply) =>
  Effect.suspend(() => {
    receiver.behave(() => reply)
    return Effect.flip(send(type, { ...config }))
  })

describe("Slack", () => {
  /** Incoming webhooks respond in plain text. */
  const slack: Provider = ({ json: { attachments, text }, path }) => {
    if (path !== "/services/T0/B0/secret") return { status: 404, body: "no_service" }
    const blocks = attachments.flatMap((one: { blocks: ReadonlyArray<object> }) => one.blocks)
    const isWrong = blocks.some((block: { text?: { text: string }; fields?: ReadonlyArray<{ text: string }> }) =>
      characters(block.text?.text ?? "") > 3000 || (block.fields ?? []).length > 10 ||
      (block.fields ?? []).some((field) => characters(field.text) > 2000) || block.text?.text === ""
    )
    const mentions = /<!|@everyone>|<@/.test(JSON.stringify(blocks) + String(text))
    return isWrong || blocks.length > 50 ? { status: 400, body: "invalid_blocks" } : mentions
      ? { status: 400, body: "mentions somebody" }
      : { status: 200, body: "ok" }
  }

  it.scoped("takes a message at each limit, and one that exceeds all of them", () =>
    over((receiver) =>
      Effect.gen(function*() {
        const config = { webhook_url: `https://hooks.slack.com:${receiver.port}/services/T0/B0/secret` }
        receiver.behave(slack)
        assert.deepInclude(yield* send("slack", config), { response_code: 200, response_body: "ok" })
        yield* send("slack", config, flood)
        yield* send("slack", config, { text: "x".repeat(3000) })
        yield* send("slack", config, { text: "😀".repeat(3001) })
        const sections = receiver.seen.map(({ json }) => json.attachments[0].blocks[1].text.text)
        assert.strictEqual(sections[2], "x".repeat(3000))
        assert.strictEqual(sections[3], "😀".repeat(2999) + "…")
      })
    ))

  it.scoped("ends the channel when its webhook is gone, and asks to wait by Retry-After", () =>
    over((receiver) =>
      Effect.gen(function*() {
        const config = { webhook_url: `https://hooks.slack.com:${receiver.port}/services/T0/B0/secret` }
        const after = (status: number, body: string, headers = {}) =>
          faultAfter(receiver, "slack", config, { status, body, headers })
        for (
          const [status, body] of [[404, "no_service"], [410, "channel_is_archived"], [
            403,
            "action_prohibited"
          ]] as const
        ) {
          assert.strictEqual((yield* after(status, body)).fault, "channel", body)
        }
        assert.strictEqual((yield* after(400, "invalid_payload")).fault, "message")
        assert.deepInclude(yield* after(429, "", { "retry-after": "30" }), { fault: "moment", retry_after: 30 })
        assert.strictEqual((yield* after(500, "rollup_error")).fault, "moment")
        assert.strictEqual((yield* after(404, "gone /services/T0/B0/secret")).response_body, "gone ********")
      })
    ))
})

describe("Discord", () => {
  /** The Slack-compatible address: text becomes the content, an attachment an embed. */
  const discord: Provider = ({ json: { attachments, text }, path }) => {
    if (path !== "/api/webhooks/1/token/slack") return json(404, { message: "Unknown Webhook", code: 10_015 })
    const [{ fields, text: description, title }] = attachments
    const total = [
      title,
      description,
      ...fields.flatMap((field: { title: string; value: string }) => [field.title, field.value])
    ]
    const isWrong = characters(text) > 2000 || characters(title) > 256 || characters(description) > 4096 ||
      fields.length > 25 || characters(total.join("")) > 6000 ||
      fields.some((field: { title: string; value: string }) =>
        characters(field.title) > 256 || characters(field.value) > 1024
      )
    if (isWrong) return json(400, { code: 50_035, message: "Invalid Form Body" })
    if (/@everyone|<@/.test(text)) return json(400, { message: "mentions everyone" })
    return { status: 200, body: "ok", headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1.25" } }
  }

  it.scoped("takes a message at each limit, mentions no user, and says how long its bucket is empty", () =>
    over((receiver) =>
      Effect.gen(function*() {
        const base = `https://discord.com:${receiver.port}/api/webhooks/1/token`
        receiver.behave(discord)
        for (const webhook_url of [base, `${base}/`, `${base}/slack`]) {
          assert.deepInclude(yield* send("discord", { webhook_url }), { response_code: 200, pause: 1.25 })
        }
        yield* send("discord", { webhook_url: base }, flood)
        const none = { acknowledge: null, snooze: null, view: null }
        yield* send("discord", { webhook_url: base }, { title: "t".repeat(256), text: "x".repeat(4096), links: none })
        yield* send("discord", { webhook_url: base }, { title: "t".repeat(257), text: "x".repeat(4097), links: none })
        const [exact, longer] = receiver.seen.slice(-2).map(({ json }) => json.attachments[0])
        assert.deepInclude(exact, { title: "t".repeat(256), text: "x".repeat(4096) })
        assert.deepInclude(longer, { title: "t".repeat(255) + "…", text: "x".repeat(4095) + "…" })
        yield* send("discord", { webhook_url: base }, { title: "[__init__](https://evil.example) <@1>" })
        const { attachments: [embed], text } = receiver.seen.at(-1)?.json ?? assert.fail()
        const escaped = "\\[\\_\\_init\\_\\_\\](https://evil.example) <@1\\>"
        assert.deepStrictEqual([embed.title, text.replaceAll("\u200b", "")], [escaped, escaped])
        assert.strictEqual(yield* flawOf("discord", { webhook_url: `${base}/github` }), "config.webhook_url")
      })
    ))

  it.scoped("ends the channel when its webhook is unknown, and obeys retry_after", () =>
    over((receiver) =>
      Effect.gen(function*() {
        const config = { webhook_url: `https://discord.com:${receiver.port}/api/webhooks/1/token` }
        const after = (reply: Reply) => faultAfter(receiver, "discord", config, reply)
        assert.strictEqual((yield* after(json(404, { code: 10_015 }))).fault, "channel")
        assert.strictEqual((yield* after(json(401, { code: 50_027 }))).fault, "channel")
        assert.strictEqual((yield* after(json(400, { code: 50_035 }))).fault, "message")
        const limited = yield* after(json(429, { retry_after: 0.35, global: false }, { "retry-after": "1" }))
        assert.deepInclude(limited, { fault: "moment", retry_after: 0.35 })
        assert.deepInclude(yield* after({ status: 429, headers: { "retry-after": "9" } }), { retry_after: 9 })
      })
    ))
})

describe("Telegram", () => {
  const token = "123456:AA-secret_token"

  const telegram: Provider = ({ json: { chat_id, entities, text }, path }) => {
    const refused = (status: number, description: string, parameters?: object) =>
      json(status, { ok: false, error_code: status, description, parameters })
    if (path !== `/bot${token}/sendMessage`) return refused(401, "Unauthorized")
    if (chat_id === "-5") return refused(400, "group chat was upgraded", { migrate_to_chat_id: -1_001_234_567_890 })
    if (chat_id === "404") return refused(400, "Bad Request: chat not found")
    if (chat_id === "403") return refused(403, "Forbidden: bot was kicked from the group chat")
    if (chat_id === "429") return refused(429, "Too Many Requests: retry after 3", { retry_after: 3 })
    if (text.length > 4096 || text.length === 0) return refused(400, "Bad Request: message is too long")
    const { length, offset } = entities[0]
    return offset + length <= text.length ? json(200, { ok: true, result: {} }) : refused(400, "can't parse entities")
  }

  it.scoped("takes a message at the limit, without markup that could be escaped wrongly", () =>
    over((receiver) =>
      Effect.gen(function*() {
        receiver.behave(telegram)
        const config = { bot_token: token, chat_id: "7" }
        const texts = (changes: Partial<Notification>) =>
          Effect.map(send("telegram", config, changes), () => receiver.seen.at(-1)?.json.text as string)
        assert.match(yield* texts({}), /^shop\.charge fails with CardDeclined\n\n12 times/)
        assert.isAtMost((yield* texts(flood)).length, 4096)
        const bare = { title: "t", facts: [], project: null, links: { acknowledge: null, snooze: null, view: null } }
        assert.strictEqual(yield* texts({ ...bare, text: "x".repeat(4093) }), `t\n\n${"x".repeat(4093)}`)
        assert.strictEqual(yield* texts({ ...bare, text: "x".repeat(4094) }), `t\n\n${"x".repeat(4092)}…`)
        const types = yield* ChannelTypes
        assert.deepStrictEqual(types.find("telegram")?.rate, { per_second: 1, burst: 1 })
      })
    ))

  it.scoped("follows a group that became a supergroup, and distinguishes a lost chat from a busy one", () =>
    over((receiver) =>
      Effect.gen(function*() {
        receiver.behave(telegram)
        const to = (chat_id: string, bot_token = token) => send("telegram", { bot_token, chat_id })
        const moved = yield* to("-5")
        assert.deepStrictEqual(moved.changed_config, { bot_token: token, chat_id: "-1001234567890" })
        assert.deepStrictEqual(receiver.seen.map(({ json }) => json.chat_id), ["-5", "-1001234567890"])
        for (const chat of ["404", "403"]) assert.strictEqual((yield* Effect.flip(to(chat))).fault, "channel")
        const revoked = yield* Effect.flip(to("7", "1:another"))
        assert.deepInclude(revoked, { fault: "channel", response_code: 401 })
        assert.notInclude(JSON.stringify(revoked), "1:another")
        assert.deepInclude(yield* Effect.flip(to("429")), { fault: "moment", retry_after: 3 })
      })
    ))

  it.scoped("has a token and a chat of its forms", () =>
    over(() =>
      Effect.gen(function*() {
        const flaw = (bot_token: unknown, chat_id: unknown) => flawOf("telegram", { bot_token, chat_id })
        for (const chat of ["7", "-1001234567890", "@svc_alerts", -42]) {
          assert.isNull(yield* flaw(token, chat), String(chat))
        }
        for (const chat of ["", "svc", "@1", "7; x", 1.5, null]) {
          assert.match(String(yield* flaw(token, chat)), /^config\.chat_id/, String(chat))
        }
        for (const bad of ["", "token", "1:", "a:b", "1:b/../c", "1:b c"]) {
          assert.strictEqual(yield* flaw(bad, "7"), "config.bot_token", bad)
        }
      })
    ))
})

describe("PagerDuty", () => {
  const key = "0123456789abcdef0123456789abcdef"

  const pagerduty: Provider = ({ json: { dedup_key, event_action, payload, routing_key }, path }) => {
    const invalid = (error: string) =>
      json(400, { status: "invalid event", message: "Event object is invalid", errors: [error] })
    if (path !== "/v2/enqueue") return { status: 404 }
    if (routing_key !== key) return invalid("'routing_key' is invalid")
    if (!["trigger", "acknowledge", "resolve"].includes(event_action)) return invalid("'event_action' is invalid")
    if (typeof dedup_key !== "string" || characters(dedup_key) > 255) return invalid("'dedup_key' is too long")
    if (event_action !== "trigger") {
      return payload === undefined
        ? json(202, { status: "success", dedup_key })
        : invalid("payload")
    }
    if (characters(payload.summary) > 1024 || payload.summary === "") return invalid("'payload.summary' is too long")
    if (!["critical", "error", "warning", "info"].includes(payload.severity)) return invalid("'payload.severity'")
    if (typeof payload.source !== "string" || payload.source === "") return invalid("'payload.source' is missing")
    return json(202, { status: "success", message: "Event processed", dedup_key })
  }

  it.scoped("opens, acknowledges and resolves one incident by one key", () =>
    over((receiver) =>
      Effect.gen(function*() {
        receiver.behave(pagerduty)
        const config = { integration_key: key }
        for (const kind of ["alert", "update", "escalation", "acknowledged", "recovered"] as const) {
          assert.deepInclude(yield* send("pagerduty", config, { kind }), { response_code: 202 })
        }
        assert.deepStrictEqual(
          receiver.seen.map(({ json }) => json.event_action),
          ["trigger", "trigger", "trigger", "acknowledge", "resolve"]
        )
        assert.lengthOf(new Set(receiver.seen.map(({ json }) => json.dedup_key)), 1)
        yield* send("pagerduty", config, { ...flood, dedup_key: "k".repeat(255) })
        yield* send("pagerduty", config, { dedup_key: `${"k".repeat(255)}1` })
        yield* send("pagerduty", config, { dedup_key: `${"k".repeat(255)}2` })
        const keys = receiver.seen.slice(-3).map(({ json }) => json.dedup_key)
        assert.strictEqual(keys[0], "k".repeat(255))
        assert.lengthOf(new Set(keys), 3)
        yield* send("pagerduty", config, { title: "😀".repeat(1024) })
        yield* send("pagerduty", config, { title: "😀".repeat(1025) })
        const summaries = receiver.seen.slice(-2).map(({ json }) => json.payload.summary)
        assert.deepStrictEqual(summaries, ["😀".repeat(1024), "😀".repeat(1023) + "…"])
      })
    ))

  it.scoped("takes the severity of its map, else its own, else the trigger's", () =>
    over((receiver) =>
      Effect.gen(function*() {
        receiver.behave(pagerduty)
        const severityBy = (config: object) =>
          Effect.map(
            send("pagerduty", { integration_key: key, ...config }),
            () => receiver.seen.at(-1)?.json.payload.severity as string
          )
        assert.strictEqual(yield* severityBy({}), "error")
        assert.strictEqual(yield* severityBy({ severity: "info" }), "info")
        assert.strictEqual(yield* severityBy({ severity: "info", severity_default: "warning" }), "warning")
        assert.strictEqual(
          yield* severityBy({ severity: "info", severity_map: { "task.failed": "critical" } }),
          "critical"
        )
        const flaw = (config: object) => flawOf("pagerduty", { integration_key: key, ...config })
        assert.match(String(yield* flaw({ severity_map: { "no.trigger": "info" } })), /severity_map/)
        assert.match(String(yield* flaw({ severity: "fatal" })), /severity/)
        assert.strictEqual(yield* flaw({ integration_key: "short" }), "config.integration_key")
      })
    ))

  it.scoped("ends the channel when its key is unknown", () =>
    over((receiver) =>
      Effect.gen(function*() {
        receiver.behave(pagerduty)
        const other = { integration_key: "f".repeat(32) }
        const refused = yield* Effect.flip(send("pagerduty", other))
        assert.deepInclude(refused, { fault: "channel", response_code: 400 })
        const busy = yield* faultAfter(receiver, "pagerduty", other, { status: 429 })
        assert.strictEqual(busy.fault, "moment")
        const invalid = yield* faultAfter(receiver, "pagerduty", other, json(400, { errors: ["'payload' is missing"] }))
        assert.strictEqual(invalid.fault, "message")
      })
    ))
})

describe("Teams", () => {
  const teams: Provider = ({ json: { attachments, type }, path, text }) => {
    if (!path.startsWith("/workflows/secret")) return { status: 404, body: "WorkflowNotFound" }
    if (Buffer.byteLength(text) > 28 * 1024) return { status: 413 }
    const [{ content, contentType }] = attachments
    const isCard = type === "message" && contentType === "application/vnd.microsoft.card.adaptive" &&
      content.type === "AdaptiveCard" && content.body.every((element: { text?: string }) => element.text !== "")
    return isCard ? { status: 202 } : { status: 400 }
  }

  it.scoped("takes a card of at most 27 KiB, whatever the message", () =>
    over((receiver) =>
      Effect.gen(function*() {
        receiver.behave(teams)
        const config = { webhook_url: `https://prod-1.logic.azure.com:${receiver.port}/workflows/secret?sig=signature` }
        yield* send("teams", config)
        yield* send("teams", config, flood)
        const body = (at: number) => Buffer.byteLength(receiver.seen.at(at)?.text ?? "")
        assert.isAtMost(body(-1), 27 * 1024)
        const bare = { title: "t", facts: [], project: null, links: { acknowledge: null, snooze: null, view: null } }
        yield* send("teams", config, { ...bare, text: "x" })
        const room = 27 * 1024 - body(-1) + 1
        yield* send("teams", config, { ...bare, text: "x".repeat(room) })
        assert.strictEqual(body(-1), 27 * 1024)
        assert.include(receiver.seen.at(-1)?.text, "x".repeat(room))
        yield* send("teams", config, { ...bare, text: "x".repeat(room + 1) })
        assert.isAtMost(body(-1), 27 * 1024)
        assert.include(receiver.seen.at(-1)?.text, "x…")
        const lost = { webhook_url: config.webhook_url.replace("secret", "other") }
        assert.deepInclude(yield* Effect.flip(send("teams", lost)), { fault: "channel", response_code: 404 })
      })
    ))

  it.scoped("is at one of three families of hosts, with a warning for the classic one, which fails with 200", () =>
    over((receiver) =>
      Effect.gen(function*() {
        const types = yield* ChannelTypes
        const warningOf = (webhook_url: string) => types.find("teams")?.warning({ webhook_url }) ?? null
        const classic = `https://shop.webhook.office.com:${receiver.port}/webhookb2/secret`
        assert.isNull(yield* flawOf("teams", { webhook_url: classic }))
        assert.match(warningOf(classic) ?? "", /retired/)
        assert.match(warningOf("https://outlook.office.com/webhook/1") ?? "", /retired/)
        assert.isNull(warningOf("https://prod-1.logic.azure.com/x"))
        assert.isNull(warningOf("https://default1.1b.environment.api.powerplatform.com/x"))
        assert.isNull(yield* flawOf("teams", { webhook_url: `https://prod-1.logic.azure.com:${receiver.port}/x` }))
        for (
          const host of [
            "hooks.example",
            "logic.azure.com.hooks.example",
            "xlogic.azure.com",
            "evil.com#.logic.azure.com",
            "evil.com/.logic.azure.com",
            "webhook.office.com"
          ]
        ) assert.strictEqual(yield* flawOf("teams", { webhook_url: `https://${host}/x` }), "config.webhook_url", host)
        const busyText =
          "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x"
        const busy = yield* faultAfter(receiver, "teams", { webhook_url: classic }, { status: 200, body: busyText })
        assert.deepInclude(busy, { fault: "moment", response_code: 429 })
      })
    ))
})
