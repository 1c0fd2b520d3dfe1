import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { ChannelTypes } from "../../../../src/services/alerting/Channels/ChannelTypes.ts"
import { deliveryId, flawOf, laterThan, makeReceiver, notification, send, typesOver } from "./receiver.ts"

const sign = (key: Buffer | string, text: string, as: "base64" | "hex") =>
  createHmac("sha256", key).update(text).digest(as)

const standard = `whsec_${Buffer.from("a key of thirty-two bytes, no more").subarray(0, 32).toString("base64")}`
const standardKey = Buffer.from(standard.slice(6), "base64")

describe("a webhook", () => {
  it.scoped("is signed for both families of receivers, with a body and an id that are the same at each attempt", () =>
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      const url = `https://hooks.example:${receiver.port}/svc?from=brain`
      const config = {
        url,
        hmac_secret: standard,
        headers: { Authorization: "Bearer of-the-receiver", "User-Agent": "shop" }
      }
      const sendAgain = (attempt: number, seconds: number) =>
        send("webhook", config, {}, { attempt, sent_at: laterThan(seconds) })
      receiver.behave(() => ({ status: 503, headers: { "retry-after": "7" }, body: "later" }))
      yield* Effect.gen(function*() {
        const failed = yield* Effect.flip(sendAgain(1, 0))
        assert.deepInclude(failed, { fault: "moment", response_code: 503, response_body: "later", retry_after: 7 })
        yield* Effect.flip(sendAgain(2, 5))
        const [first, second] = receiver.seen
        assert.strictEqual(first?.path, "/svc?from=brain")
        assert.strictEqual(first?.headers["authorization"], "Bearer of-the-receiver")
        assert.strictEqual(first?.headers["user-agent"], "shop")
        assert.strictEqual(first?.headers["content-type"], "application/json; charset=utf-8")
        assert.strictEqual(first?.text, second?.text)
        assert.strictEqual(first?.headers["webhook-id"], deliveryId)
        assert.strictEqual(second?.headers["webhook-id"], deliveryId)
        const seconds = Number(first?.headers["webhook-timestamp"])
        assert.strictEqual(Number(second?.headers["webhook-timestamp"]) - seconds, 5)
        assert.strictEqual(first?.headers["x-svc-signature"], `sha256=${sign(standard, first?.text ?? "", "hex")}`)
        const signed = `${deliveryId}.${seconds}.${first?.text}`
        assert.strictEqual(first?.headers["webhook-signature"], `v1,${sign(standardKey, signed, "base64")}`)
        const { trigger, ...data } = notification()
        assert.deepStrictEqual(first?.json, {
          version: 1,
          id: deliveryId,
          type: trigger,
          timestamp: data.last_at,
          data
        })
      }).pipe(Effect.provide(typesOver(receiver)))
    }))

  it.scoped("is signed by the former secret too for a day after a change, and without one not at all", () =>
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      receiver.behave(() => ({ status: 204 }))
      yield* Effect.gen(function*() {
        const types = yield* ChannelTypes
        const webhook = types.find("webhook")
        const url = `https://hooks.example:${receiver.port}/`
        const former = { url, hmac_secret: "former secret" }
        const config = webhook?.replace(former, { url, hmac_secret: "new secret" }, laterThan(0)) ?? {}
        const signaturesAt = (seconds: number) =>
          Effect.map(send("webhook", config, {}, { sent_at: laterThan(seconds) }), () => {
            const { headers, text } = receiver.seen.at(-1) ?? {}
            const time = Math.floor(Timestamp.toEpochMillis(laterThan(seconds)) / 1000)
            const by = (key: string) => `v1,${sign(key, `${deliveryId}.${time}.${text}`, "base64")}`
            return { header: headers?.["webhook-signature"], by }
          })
        const within = yield* signaturesAt(86_399)
        assert.strictEqual(within.header, `${within.by("new secret")} ${within.by("former secret")}`)
        const after = yield* signaturesAt(86_400)
        assert.strictEqual(after.header, after.by("new secret"))
        yield* send("webhook", { url })
        assert.notProperty(receiver.seen.at(-1)?.headers, "webhook-signature")
        assert.notProperty(receiver.seen.at(-1)?.headers, "x-svc-signature")
        assert.property(receiver.seen.at(-1)?.headers, "webhook-id")
      }).pipe(Effect.provide(typesOver(receiver)))
    }))

  it.scoped("follows no redirect, ends after 410, and masks secrets that its receiver repeats", () =>
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      const config = {
        url: `https://hooks.example:${receiver.port}/`,
        hmac_secret: "the hmac secret",
        headers: { "x-token": "the token" }
      }
      yield* Effect.gen(function*() {
        const refusalOf = (status: number, body = "", headers = {}) =>
          Effect.suspend(() => {
            receiver.behave(() => ({ status, headers, body }))
            return Effect.flip(send("webhook", config))
          })
        const redirected = yield* refusalOf(307, "", { location: `https://discord.com:${receiver.port}/` })
        assert.deepInclude(redirected, { fault: "moment", response_code: 307 })
        assert.match(redirected.reason, /redirects are not followed/)
        assert.deepStrictEqual(receiver.seen.map(({ host }) => host), ["hooks.example"])
        assert.strictEqual((yield* refusalOf(410)).fault, "channel")
        for (const status of [400, 401, 404, 429, 500]) {
          assert.strictEqual((yield* refusalOf(status)).fault, "moment", String(status))
        }
        const repeated = yield* refusalOf(500, "you sent the token and the hmac secret")
        assert.strictEqual(repeated.response_body, "you sent ******** and ********")
        const huge = yield* refusalOf(500, "x".repeat(100_000))
        assert.strictEqual(huge.response_body?.length, 8192)
      }).pipe(Effect.provide(typesOver(receiver)))
    }))

  it.scoped("is refused at save for addresses that are not called, plain http and headers that are not its own", () =>
    Effect.gen(function*() {
      const receiver = yield* makeReceiver
      yield* Effect.gen(function*() {
        const url = `https://hooks.example:${receiver.port}/`
        const withHeaders = (headers: unknown) => flawOf("webhook", { url, headers })
        assert.isNull(
          yield* flawOf("webhook", { url, hmac_secret: standard, headers: { "X-Own": "é".length === 1 ? "e" : "" } })
        )
        assert.strictEqual(yield* flawOf("webhook", {}), "config.url")
        assert.strictEqual(yield* flawOf("webhook", { url, other: 1 }), "config.other")
        for (
          const bad of ["hooks.example", "http://hooks.example/", "https://u:p@hooks.example/", "https://10.0.0.1/"]
        ) {
          assert.strictEqual(yield* flawOf("webhook", { url: bad }), "config.url", bad)
        }
        for (
          const bad of [
            "https://unknown.example/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fd00::1]/",
            "file:///etc/passwd"
          ]
        ) {
          assert.strictEqual(yield* flawOf("webhook", { url: bad }), "config.url", bad)
        }
        const many = (count: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "v"]))
        assert.isNull(yield* withHeaders(many(20)))
        assert.isNull(yield* withHeaders({ a: "x".repeat(1024) }))
        const flawed = [
          many(21),
          { a: "x".repeat(1025) },
          { a: "x\r\nHost: other" },
          { "a b": "x" },
          { "a\r\nb": "x" },
          { a: "1", A: "2" },
          { a: 1 },
          ...[
            "Host",
            "Cookie",
            "Proxy-Authorization",
            "Content-Length",
            "Transfer-Encoding",
            "Webhook-Id",
            "X-SVC-Signature"
          ]
            .map((name) => ({ [name]: "x" }))
        ]
        for (const headers of flawed) {
          assert.match(String(yield* withHeaders(headers)), /^config\.headers/, JSON.stringify(headers).slice(0, 60))
        }
        for (const secret of ["", "whsec_short", "whsec_not base64!", "x".repeat(257)]) {
          assert.strictEqual(yield* flawOf("webhook", { url, hmac_secret: secret }), "config.hmac_secret", secret)
        }
      }).pipe(Effect.provide(typesOver(receiver)))
      const overHttp = flawOf("webhook", { url: "http://hooks.example/" })
      assert.isNull(yield* Effect.provide(overHttp, typesOver(receiver, { webhookAllowHttp: true })))
    }))
})
