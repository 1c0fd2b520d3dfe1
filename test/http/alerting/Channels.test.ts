import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientWith } from "../../client.ts"
import type { Engine } from "../../databases.ts"
import { laneEngines } from "../../engines.ts"
import { portOf } from "../../ports.ts"
import { insertChannel } from "../../services/alerting/Notifications/notifications.ts"

const secrets = ["the-hmac-secret", "the-header-token"]

/** A receiver at 127.0.0.1, which the server may call over plain http. */
const makeReceiver = Effect.gen(function*() {
  const received: Array<string> = []
  const server = createServer((message, response) => {
    received.push(message.url ?? "")
    const isOver = message.url === "/refuses"
    message.resume().on("end", () => response.writeHead(isOver ? 503 : 200).end(isOver ? "later" : "taken"))
  })
  return { url: `http://127.0.0.1:${yield* portOf(server)}`, received }
})

const overReceiver = (engine: Engine) =>
  serverOn(engine, { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.0/8:*"] })

describe.each(laneEngines)("channels on %s", (engine) => {
  layer(overReceiver(engine), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const path = { slug: project.slug }
      const member = (role: Role) =>
        Effect.gen(function*() {
          const key = yield* freshKey({ roles: { [project.id]: role } })
          const { channels, user_channels } = yield* clientWith(key)
          return { ...key, channels, own: user_channels }
        })
      const receiver = yield* makeReceiver
      const config = {
        url: `${receiver.url}/hook`,
        hmac_secret: "the-hmac-secret",
        headers: { "X-Token": "the-header-token" }
      }
      return { project, path, member, receiver, config, payload: { name: "On-call", type: "webhook", config } }
    })

    /** The stored row. Its config is sealed: only the receiver shows which secret signs. */
    const rowOf = (id: string) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.map(
          sql<Readonly<Record<string, unknown>>>`SELECT * FROM channels WHERE id = ${id}`,
          ([row]) => row ?? {}
        ))

    it.scoped("are masked in responses, sealed in the database, and an empty or masked secret keeps the stored one", () =>
      Effect.gen(function*() {
        const { config, member, path, payload } = yield* site
        const { channels } = yield* member("admin")
        const created = yield* channels.create({ path, payload: { ...payload, is_active: true } })
        const masked = { url: config.url, hmac_secret: "********", headers: { "X-Token": "********" } }
        assert.deepInclude(created, { name: "On-call", type: "webhook", config: masked, is_active: true })
        const row = yield* rowOf(created.id)
        for (const secret of secrets) assert.notInclude(JSON.stringify(row), secret)
        const at = { path: { ...path, channel_id: created.id } }
        for (
          const given of [
            {},
            { hmac_secret: "" },
            { hmac_secret: "********" },
            masked,
            { hmac_secret: "", headers: { "x-token": "" } }
          ]
        ) {
          const updated = yield* channels.update({ ...at, payload: { config: given } })
          assert.strictEqual(updated.config["hmac_secret"], "********")
          assert.strictEqual(Object.values(updated.config["headers"] ?? {}).join(), "********")
        }
        const without = yield* channels.update({ ...at, payload: { config: { hmac_secret: null, headers: {} } } })
        assert.deepStrictEqual(without.config, { url: config.url, headers: {} })
        assert.deepStrictEqual(yield* channels.list({ path }), [without])
        yield* channels.remove(at)
        yield* assertRefused(channels.remove(at), "not_found")
      }))

    it.scoped("ask for a secret again when the config sends it to another host, and headers also for another path", () =>
      Effect.gen(function*() {
        const { member, path, payload, receiver } = yield* site
        const other = yield* makeReceiver
        const { channels, token } = yield* member("admin")
        const { id } = yield* channels.create({ path, payload: { ...payload, is_active: true } })
        const send = (config: object) =>
          request("PATCH", `/projects/${path.slug}/notifications/channels/${id}`, { token, body: { config } })
        const moved = yield* send({ url: `${other.url}/hook` })
        assert.strictEqual(moved.status, 422)
        assert.deepStrictEqual(
          moved.json.details.issues.map((issue: { path: string }) => issue.path),
          ["config.headers", "config.hmac_secret"]
        )
        // another tenant of the same server: its headers go there, and the HMAC secret goes nowhere
        for (const url of [`${receiver.url}/tenants/mine`, `${receiver.url}/hook?for=me`]) {
          const elsewhere = yield* send({ url })
          assert.strictEqual(elsewhere.status, 422, url)
          assert.deepStrictEqual(
            elsewhere.json.details.issues.map((issue: { path: string }) => issue.path),
            ["config.headers"]
          )
        }
        const renamed = yield* send({ url: `${receiver.url}/renamed`, headers: { "X-Token": "given again" } })
        assert.strictEqual(renamed.status, 200)
        const partly = yield* send({ url: `${other.url}/hook`, headers: {} })
        assert.strictEqual(partly.status, 422)
        const whole = { url: `${other.url}/hook`, headers: {}, hmac_secret: "another secret" }
        assert.strictEqual((yield* send(whole)).status, 200)
        assert.strictEqual((yield* send({ previous_hmac_secret: "x" })).status, 422)
      }))

    it.scoped("keep their type, and say what to do instead, those of a project and of a person", () =>
      Effect.gen(function*() {
        const { member, path, project } = yield* site
        const { token, user_id } = yield* member("admin")
        const ofProject = yield* insertChannel({ projectId: project.id })
        const own = yield* insertChannel({ userId: user_id })
        for (
          const at of [`/projects/${path.slug}/notifications/channels/${ofProject.id}`, `/user/channels/${own.id}`]
        ) {
          for (const type of ["slack", "webhook", null, 1]) {
            const { json } = yield* request("PATCH", at, { token, body: { name: "Renamed", type } })
            assert.deepInclude(json, { status: 422, code: "validation_failed" }, `${at} ${type}`)
            assert.deepInclude(json.details.issues[0], { path: "type" })
            assert.include(json.details.issues[0].message, "create another channel")
          }
          const renamed = yield* request("PATCH", at, { token, body: { name: "Renamed", colour: "red" } })
          assert.deepInclude(renamed.json, { name: "Renamed", type: "webhook" }, "other unknown fields are ignored")
          assert.notProperty(renamed.json, "colour")
        }
      }))

    it.scoped("are refused by field: type, size, form, and addresses that are not called", () =>
      Effect.gen(function*() {
        const { member, path } = yield* site
        const { token } = yield* member("admin")
        const issuesOf = (body: object) =>
          Effect.map(
            request("POST", `/projects/${path.slug}/notifications/channels`, {
              token,
              body: { name: "x", type: "webhook", ...body }
            }),
            ({ json, status }) =>
              [status, ...json.details.issues.map((issue: { path: string }) => issue.path)].join(" ")
          )
        assert.strictEqual(yield* issuesOf({ type: "pager" }), "422 type")
        assert.strictEqual(yield* issuesOf({ config: {} }), "422 config.url")
        assert.strictEqual(yield* issuesOf({ config: { url: "https://10.0.0.1/" } }), "422 config.url")
        assert.strictEqual(
          yield* issuesOf({ config: { url: "https://hooks.example/", padding: "x".repeat(16_384) } }),
          "422 config"
        )
        const masked = { url: "http://127.0.0.1/", hmac_secret: "********" }
        assert.strictEqual(yield* issuesOf({ config: masked }), "422 config.hmac_secret")
        const teams = { type: "teams", config: { webhook_url: "https://hooks.example/" } }
        assert.strictEqual(yield* issuesOf(teams), "422 config.webhook_url")
      }))

    it.scoped("are tested with and without saving: a saved one leaves a delivery and is verified", () =>
      Effect.gen(function*() {
        const { config, member, path, payload, project, receiver } = yield* site
        const { channels, own, user_id } = yield* member("admin")
        const sql = yield* SqlClient.SqlClient
        const deliveries = sql<{ status: string; trigger_key: string; response_code: number; error: string | null }>`
          SELECT d.status, d.trigger_key, d.response_code, d.error FROM deliveries d
            JOIN delivery_attempts a ON a.delivery_id = d.id
          WHERE d.project_id = ${project.id} ORDER BY d.id`
        const accepted = { success: true, status_code: 200, error: null, response_body: "taken" }
        assert.deepStrictEqual(yield* channels.testConfig({ path, payload: { type: "webhook", config } }), accepted)
        assert.deepStrictEqual(yield* own.testConfig({ payload: { type: "webhook", config } }), accepted)
        assert.deepStrictEqual(yield* own.list(), [])
        assert.deepStrictEqual(yield* deliveries, [])
        const { id } = yield* channels.create({ path, payload: { ...payload, is_active: false } })
        const at = { path: { ...path, channel_id: id } }
        assert.deepStrictEqual(yield* channels.test(at), accepted)
        yield* channels.update({ ...at, payload: { config: { url: `${receiver.url}/refuses`, headers: {} } } })
        assert.deepStrictEqual(yield* channels.test(at), {
          success: false,
          status_code: 503,
          error: "it answered 503",
          response_body: "later"
        })
        assert.deepStrictEqual(yield* deliveries, [
          { status: "sent", trigger_key: "test.dispatch", response_code: 200, error: null },
          { status: "failed", trigger_key: "test.dispatch", response_code: 503, error: "it answered 503" }
        ])
        const mine = yield* own.create({ payload: { ...payload, is_active: true } })
        assert.isFalse(mine.is_verified)
        yield* own.test({ path: { channel_id: mine.id } })
        assert.deepStrictEqual((yield* own.list()).map(({ is_verified }) => is_verified), [true])
        const renamed = yield* own.update({ path: { channel_id: mine.id }, payload: { name: "Mine" } })
        assert.isTrue(renamed.is_verified)
        const changed = yield* own.update({ path: { channel_id: mine.id }, payload: { config: { headers: {} } } })
        assert.isFalse(changed.is_verified)
        const log = yield* sql<{ action: string; metadata: string }>`
          SELECT action, metadata FROM audit_log WHERE user_id = ${user_id} ORDER BY seq`
        assert.deepStrictEqual(log.map(({ action }) => action), [
          "channel.tested",
          "channel.tested",
          "channel.created",
          "channel.tested",
          "channel.updated",
          "channel.tested",
          "channel.created",
          "channel.tested",
          "channel.updated",
          "channel.updated"
        ])
        for (const secret of secrets) assert.notInclude(JSON.stringify(log), secret)
      }))

    it.scoped("are copied with their secrets: from oneself, and from a project by its admins only", () =>
      Effect.gen(function*() {
        const { member, path, payload, project } = yield* site
        const [admin, operator] = [yield* member("admin"), yield* member("operator")]
        const stranger = yield* clientWith(yield* freshKey())
        const shared = yield* admin.channels.create({ path, payload: { ...payload, is_active: true } })
        const fromProject = { payload: { project_slug: project.slug, channel_id: shared.id } }
        yield* assertRefused(operator.own.importFromProject(fromProject), "forbidden")
        yield* assertRefused(stranger.user_channels.importFromProject(fromProject), "not_found")
        const copy = yield* admin.own.importFromProject(fromProject)
        assert.deepInclude(copy, { name: "Copy of On-call", config: shared.config, is_verified: false })
        assert.isTrue((yield* admin.own.test({ path: { channel_id: copy.id } })).success)
        const theirs = yield* operator.own.create({ payload: { ...payload, is_active: true } })
        const fromUser = (user_channel_id: string) =>
          admin.channels.importFromUser({ path, payload: { user_channel_id, name: "Mine" } })
        yield* assertRefused(fromUser(theirs.id), "not_found")
        assert.deepInclude(yield* fromUser(copy.id), { name: "Mine", config: shared.config, project_id: project.id })
        yield* assertRefused(fromUser(randomUUID()), "not_found")
      }))

    it.scoped("are healthy again when a person activates them, and leave their subscriptions when they are deleted", () =>
      Effect.gen(function*() {
        const { member, payload, project } = yield* site
        const { own } = yield* member("viewer")
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* own.create({ payload: { ...payload, is_active: true } })
        const at = { path: { channel_id: id } }
        yield* sql`UPDATE channels SET is_active = 0, consecutive_failures = 9, failing_since = created_at, failure_warning = 90,
          disabled_at = created_at, disabled_reason = 'it answered 410' WHERE id = ${id}`
        const [disabled] = yield* own.list()
        assert.deepInclude(disabled, { is_active: false, disabled_reason: "it answered 410" })
        const enabled = yield* own.update({ ...at, payload: { is_active: true } })
        assert.notProperty(enabled, "disabled_reason")
        assert.deepInclude(yield* rowOf(id), {
          consecutive_failures: 0,
          failing_since: null,
          failure_warning: 0,
          disabled_at: null
        })
        const now = enabled.updated_at
        const subscription = randomUUID()
        yield* sql`INSERT INTO subscriptions ${
          sql.insert({
            id: subscription,
            project_id: project.id,
            trigger_key: "task.failed",
            filters: "{}",
            in_app: 1,
            cooldown_seconds: 0,
            hygiene: "{}",
            is_active: 1,
            created_at: now,
            updated_at: now
          })
        }`
        yield* sql`INSERT INTO subscription_channels ${
          sql.insert({ subscription_id: subscription, channel_id: id, purpose: "message" })
        }`
        yield* own.remove(at)
        assert.deepStrictEqual(
          yield* sql`SELECT * FROM subscription_channels WHERE subscription_id = ${subscription}`,
          []
        )
      }))
  })
})
