import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Logger, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { Audit } from "../../../src/services/audit/Audit.ts"
import { Loops } from "../../../src/services/kernel/concurrency/Loops.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import type { SettingsShape } from "../../../src/services/kernel/Settings.ts"
import { bodyOf } from "../../bodies.ts"
import { brainOn } from "../../brain.ts"
import { engines, settingsOn } from "../../databases.ts"
import { portOf } from "../../ports.ts"
import { until } from "../../until.ts"

const secret = "0123456789abcdef0123456789abcdef"

interface Post {
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

const listening = (server: Server) =>
  Effect.map(portOf(server), (port) => `http://127.0.0.1:${port}/audit?key=in-the-url`)

/** A receiver that keeps what comes; `respond` may be slow or fail. */
const receiverOf = (respond: (response: ServerResponse, post: Post) => void = (response) => response.end()) =>
  Effect.gen(function*() {
    const posts: Array<Post> = []
    const url = yield* listening(createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const post = { headers: request.headers, body }
        posts.push(post)
        respond(response, post)
      })
    }))
    return { url, posts, actions: () => posts.map(({ body }) => JSON.parse(body).action as string) } // what `record` below wrote
  })

const to = (url: string, more: Partial<SettingsShape> = {}): Partial<SettingsShape> => ({
  auditWebhookUrl: Redacted.make(url),
  auditWebhookHmacSecret: Redacted.make(secret),
  webhookAllowHttp: true,
  auditWebhookAllowCidrs: ["127.0.0.1:*"],
  ...more
})

const record = (action: string) =>
  Effect.flatMap(
    Audit,
    (audit) => audit.record({ action, target_type: "test", metadata: { z: 1, a: { y: "é", b: [2] } } })
  )

/** One transaction of its own, with one row. */
const recordAlone = (action: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(record(action))).pipe(
    Effect.provideService(CurrentActor, system("test"))
  )

const drops = (site: string) =>
  Effect.flatMap(Metrics, (metrics) =>
    Effect.promise(async () => {
      const { values } = await metrics.swallowedExceptions.get()
      return values.find(({ labels }) => labels.module === "audit_forwarder" && labels.site === site)?.value ?? 0
    }))

describe.each(engines)("the audit log's mirror on %s", (engine) => {
  it.scopedLive("has each committed row, in order, signed, and none that was rolled back", () =>
    Effect.gen(function*() {
      const { actions, posts, url } = yield* receiverOf()
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const asTest = Effect.provideService(CurrentActor, system("test"))
        yield* recordAlone("test.first")
        yield* asTest(Effect.flip(sql.withTransaction(Effect.zipRight(record("test.undone"), Effect.fail("undo")))))
        yield* asTest(sql.withTransaction(Effect.gen(function*() {
          const inner = sql.withTransaction(Effect.zipRight(record("test.inner_undone"), Effect.fail("undo")))
          yield* Effect.flip(inner)
          yield* sql.withTransaction(record("test.inner"))
          yield* record("test.outer")
          assert.notInclude(actions(), "test.inner", "it is not committed yet")
        })))
        yield* Effect.forEach(Array.from({ length: 20 }, (_, n) => `test.n${n}`), recordAlone, {
          concurrency: "unbounded"
        })
        yield* until(Effect.sync(() => posts.length), (count) => count >= 23)

        const log = yield* sql<Readonly<Record<string, string | null>>>`SELECT * FROM audit_log ORDER BY seq`
        assert.deepStrictEqual(posts.map(({ body }) => JSON.parse(body).id), log.map(({ id }) => id))
        assert.lengthOf(log, 23)
        const [{ body, headers } = { body: "", headers: {} }] = posts
        const row = log[0] ?? {}
        const columns = [
          "action",
          "api_key_id",
          "event_id",
          "id",
          "metadata",
          "occurred_at",
          "outcome",
          "prev_row_hmac",
          "project_id",
          "result",
          "row_hmac",
          "source_ip",
          "target_id",
          "target_type",
          "user_agent",
          "user_id"
        ]
        const members = columns.map((column) =>
          `"${column}":${
            column === "metadata" ? `{"a":{"b":[2],"y":"é"},"by":"test","z":1}` : JSON.stringify(row[column])
          }`
        )
        assert.strictEqual(body, `{${members.join(",")}}`)
        assert.strictEqual(headers["content-type"], "application/json")
        assert.strictEqual(headers["x-svc-audit-schema"], "1")
        const timestamp = String(headers["x-svc-audit-timestamp"])
        assert.match(timestamp, /^\d{10}$/)
        assert.strictEqual(
          headers["x-svc-audit-signature"],
          `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`
        )
      }).pipe(Effect.provide(brainOn(engine, to(url))))
    }))
})

describe("the audit log's mirror", () => {
  it.scopedLive("never makes a writer wait: what finds no room is dropped and counted", () =>
    Effect.gen(function*() {
      const waiting = yield* Deferred.make<ServerResponse>()
      let first = true
      const { actions, posts, url } = yield* receiverOf((response) => {
        if (!first) return void response.end()
        first = false
        Deferred.unsafeDone(waiting, Exit.succeed(response))
      })
      yield* Effect.gen(function*() {
        yield* recordAlone("test.a")
        const response = yield* Deferred.await(waiting) // a is on its way, and its receiver thinks about it
        for (const name of ["b", "c", "d", "e"]) yield* recordAlone(`test.${name}`)
        assert.strictEqual(yield* drops("queue_full"), 2)
        response.end()
        yield* until(Effect.sync(() => posts.length), (count) => count === 3)
        yield* recordAlone("test.f")
        yield* until(Effect.sync(() => posts.length), (count) => count === 4)
        assert.deepStrictEqual(actions(), ["test.a", "test.b", "test.c", "test.f"])
      }).pipe(Effect.provide(brainOn("SQLite", to(url, { auditWebhookBufferSize: 2 }))))
    }))

  it.scopedLive("warns of the first row that is lost, and of each hundredth after it", () =>
    Effect.gen(function*() {
      const { url } = yield* receiverOf(() => {}) // it never responds
      const warned: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ logLevel, message }) => {
          if (logLevel._tag === "Warning") warned.push(String(message))
        })
      )
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const audit = yield* Audit
        const entry = { actor: system("test"), entry: { action: "test.many", target_type: "test" } }
        yield* sql.withTransaction(audit.recordAll(Array.from({ length: 260 }, () => entry)))
        const lost = yield* drops("queue_full")
        assert.isAtLeast(lost, 201)
        assert.deepStrictEqual(warned.map((text) => /drop number (\d+) of this process\): (.*)/.exec(text)?.slice(1)), [
          ["1", "too many rows wait"],
          ["101", "too many rows wait"],
          ["201", "too many rows wait"]
        ])
      }).pipe(
        Effect.provide(
          Layer.provideMerge(brainOn("SQLite", to(url, { auditWebhookBufferSize: 2, auditWebhookTimeout: 1 })), logger)
        )
      )
    }))

  const countPostsOfDropped = (
    site: string,
    settings: (url: string) => Partial<SettingsShape>,
    respond?: Parameters<typeof receiverOf>[0]
  ) =>
    Effect.gen(function*() {
      const { posts, url } = yield* receiverOf(respond)
      yield* Effect.gen(function*() {
        yield* recordAlone("test.lost")
        yield* until(drops(site), (count) => count === 1)
      }).pipe(Effect.provide(brainOn("SQLite", settings(url))))
      return posts.length
    })

  it.scopedLive("drops a row that is refused, and does not follow where it is sent on", () =>
    Effect.gen(function*() {
      const elsewhere = yield* receiverOf()
      assert.strictEqual(yield* countPostsOfDropped("send_one", to, (response) => response.writeHead(500).end()), 1)
      assert.strictEqual(
        yield* countPostsOfDropped("send_one", to, (response) =>
          response.writeHead(308, { location: elsewhere.url }).end()),
        1
      )
      assert.lengthOf(elsewhere.posts, 0)
    }))

  it.scopedLive("calls neither an internal address nor plain http that is not allowed", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* countPostsOfDropped("ssrf_or_dns", (url) => to(url, { auditWebhookAllowCidrs: [] })), 0)
      assert.strictEqual(yield* countPostsOfDropped("ssrf_or_dns", (url) => to(url, { webhookAllowHttp: false })), 0)
    }))

  it.scopedLive("gets out what waits when the brain ends", () =>
    Effect.gen(function*() {
      const { actions, url } = yield* receiverOf((response) => setTimeout(() => response.end(), 20))
      yield* Effect.provide(
        Effect.forEach(["a", "b", "c"], (name) => recordAlone(`test.${name}`)),
        brainOn("SQLite", to(url))
      )
      assert.deepStrictEqual(actions(), ["test.a", "test.b", "test.c"])
    }))

  it.scopedLive("says at the end what does not get out any more", () =>
    Effect.gen(function*() {
      const { actions, url } = yield* receiverOf(() => {}) // it never responds
      const warned: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ logLevel, message }) => {
          if (logLevel._tag === "Warning") warned.push(String(message))
        })
      )
      const metrics = yield* Effect.gen(function*() {
        yield* Effect.forEach(["a", "b", "c"], (name) => recordAlone(`test.${name}`))
        return yield* Metrics
      }).pipe(Effect.provide(Layer.provideMerge(brainOn("SQLite", to(url)), logger)))
      assert.deepStrictEqual(actions(), ["test.a"])
      assert.deepStrictEqual(warned, ["the program ends before 3 audit rows reached SVC_AUDIT_WEBHOOK_URL"])
      assert.strictEqual(yield* Effect.provideService(drops("shutdown"), Metrics, metrics), 3)
    }))

  it.effect("does not let a program start that could not sign", () =>
    Effect.gen(function*() {
      const start = (settings: Partial<SettingsShape>) =>
        Effect.scoped(Effect.exit(Layer.build(settingsOn("SQLite", settings))))
      assert.include(
        String(yield* start({ auditWebhookUrl: Redacted.make("https://hooks.example/") })),
        "SVC_AUDIT_WEBHOOK_HMAC_SECRET"
      )
      assert.strictEqual((yield* start(to("https://hooks.example/")))._tag, "Success")
    }))

  layer(brainOn("SQLite"), { excludeTestServices: true })((it) => {
    it.effect("is neither queue nor loop when it is not configured", () =>
      Effect.gen(function*() {
        yield* recordAlone("test.done")
        const names = (yield* (yield* Loops).state).map(({ name }) => name)
        assert.include(names, "task hints")
        assert.notInclude(names, "audit forwarder")
      }))
  })
})
