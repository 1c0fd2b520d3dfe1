import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Notification } from "../../../../src/domain/alerting/Notification.ts"
import type { Project } from "../../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { Deliveries } from "../../../../src/services/alerting/Deliveries.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { Vault } from "../../../../src/services/kernel/keys/Keys.ts"
import { Hints } from "../../../../src/services/kernel/sql/Database.ts"
import { bodyOf } from "../../../bodies.ts"
import { brainOn, freshKey, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { portOf } from "../../../ports.ts"
import { until } from "../../../until.ts"
import { insertChannel, notificationOf } from "./notifications.ts"

interface Post {
  readonly path: string
  readonly id: string
  readonly title: string
}

/** A receiver that responds by the path: `/200`, `/500`, `/410`, `/hang`; a status that a test sets comes first. */
const startReceiver = Effect.gen(function*() {
  const posts: Array<Post> = []
  const override = new Map<string, number>()
  const respond = (request: IncomingMessage, response: ServerResponse) =>
    void bodyOf(request).then((body) => {
      const path = request.url ?? ""
      posts.push({ path, id: String(request.headers["webhook-id"]), title: JSON.parse(body).data.title as string }) // the text that the brain wrote
      if (path.startsWith("/hang")) return
      response.setHeader("retry-after", "3600")
      response.statusCode = override.get(path) ?? Number(path.split("/")[1])
      response.end("answered")
    })
  const port = yield* portOf(createServer(respond))
  return { url: (path: string) => `http://127.0.0.1:${port}${path}`, posts, override }
})

const enqueue = (
  project: Project,
  channel: { id: string; name: string; type: string },
  changes: Partial<Notification> = {}
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const deliveries = yield* Deliveries
    const notification = yield* notificationOf({
      project: { id: project.id, slug: project.slug, name: project.name },
      ...changes
    })
    const row = { project_id: project.id, user_id: null, subscription_id: null, channel, notification }
    const [id] = yield* sql.withTransaction(deliveries.enqueue([row]))
    return id ?? ""
  })

interface Row {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly response_code: number | null
  readonly error: string | null
  readonly due_at: string | null
}

const find = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<Row>`SELECT id, status, attempts, response_code, error, due_at FROM deliveries WHERE id = ${id}`,
      ([row]) => row
    ))

const untilStatus = (id: string, status: string) => until(find(id), (row) => row?.status === status)
const untilAttempts = (id: string, attempts: number) => until(find(id), (row) => row?.attempts === attempts)

/** As if the delay before the next attempt was over. */
const retryNow = (id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE deliveries SET due_at = ${yield* Timestamp.now} WHERE id = ${id}`
    yield* Effect.flatMap(Hints, (hints) => hints.publish("deliveries", "enqueued"))
  })

const channelState = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`SELECT is_active, consecutive_failures, failure_warning, disabled_reason FROM channels WHERE id = ${id}`,
      ([row]) => row
    ))

/** No attempt can be recorded, as while the database refuses writes. */
const refuseAttempts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.zipRight(
        sql.unsafe(
          "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'"
        ),
        sql`CREATE TRIGGER refuse BEFORE INSERT ON delivery_attempts FOR EACH ROW EXECUTE FUNCTION refuse()`
      ),
    orElse: () =>
      sql`CREATE TRIGGER refuse BEFORE INSERT ON delivery_attempts BEGIN SELECT RAISE(ABORT, 'refused'); END`
  }))

const acceptAttempts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => sql`DROP TRIGGER refuse ON delivery_attempts`,
    orElse: () => sql`DROP TRIGGER refuse`
  }))

describe.each(engines)("deliveries on %s", (engine) => {
  const brain = brainOn(engine, { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.1:*"] })
  layer(brain, { excludeTestServices: true })((it) => {
    it.scoped("reach the receiver under their id, and the attempt and the audit log say so", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id, url: receiver.url("/200") })
        const id = yield* enqueue(project, channel)
        const row = yield* untilStatus(id, "sent")
        assert.deepInclude(row, { attempts: 1, response_code: 200, error: null, due_at: null })
        assert.deepStrictEqual(receiver.posts.map((post) => post.id), [id])
        const attempts = yield* sql`SELECT number, response_code, response_body FROM delivery_attempts
          WHERE delivery_id = ${id}`
        assert.deepStrictEqual(attempts, [{ number: 1, response_code: 200, response_body: "answered" }])
        const [audited] = yield* sql<{ action: string; metadata: string }>`SELECT action, metadata FROM audit_log
          WHERE target_type = 'delivery' AND target_id = ${id}`
        assert.strictEqual(audited?.action, "notification.sent")
        assert.deepInclude(JSON.parse(audited?.metadata ?? ""), {
          channel_name: "ops",
          channel_type: "webhook",
          trigger: "task.failed",
          status: "sent",
          response_code: 200
        })
      }))

    it.scoped("are retried under the same id, in the order of their alert, while other alerts are sent", () =>
      Effect.gen(function*() {
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id, url: receiver.url("/500") })
        const alert_id = yield* Ids.next
        const first = yield* enqueue(project, channel, { alert_id, title: "first" })
        yield* untilAttempts(first, 1)
        const second = yield* enqueue(project, channel, { alert_id, title: "second" })
        receiver.override.set("/500", 204)
        const other = yield* enqueue(project, channel, { alert_id: yield* Ids.next, title: "other" })
        yield* untilStatus(other, "sent")
        assert.deepInclude(yield* find(second), { status: "pending", attempts: 0 })
        assert.strictEqual((yield* channelState(channel.id))?.consecutive_failures, 0)
        yield* retryNow(first)
        yield* untilStatus(second, "sent")
        assert.deepStrictEqual(receiver.posts.map(({ title }) => title), ["first", "other", "first", "second"])
        assert.strictEqual(new Set(receiver.posts.map((post) => post.id)).size, 3)
        assert.deepInclude(yield* find(first), { status: "sent", attempts: 2 })
      }))

    it.scoped("end after ten attempts", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id, url: receiver.url("/500") })
        const id = yield* enqueue(project, channel)
        yield* untilAttempts(id, 1)
        yield* sql`UPDATE deliveries SET attempts = 9 WHERE id = ${id}`
        yield* retryNow(id)
        const row = yield* untilStatus(id, "failed")
        assert.deepInclude(row, { attempts: 10, response_code: 500, due_at: null })
      }))

    it.scoped("a channel whose receiver is gone is disabled, and another channel and the admins are notified", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
        yield* freshKey({ roles: { [project.id]: "operator" } })
        const channel = yield* insertChannel({ projectId: project.id, name: "gone", url: receiver.url("/410") })
        const other = yield* insertChannel({ projectId: project.id, name: "other", url: receiver.url("/200") })
        const id = yield* enqueue(project, channel)
        assert.deepInclude(yield* untilStatus(id, "failed"), { response_code: 410, attempts: 1 })
        assert.deepInclude(yield* channelState(channel.id), { is_active: 0 })
        yield* until(Effect.sync(() => receiver.posts), (posts) => posts.some(({ path }) => path === "/200"))
        const rows = yield* sql<{ user_id: string; trigger_key: string; title: string; data: string }>`
            SELECT user_id, trigger_key, title, data FROM user_notifications
            WHERE project_id = ${project.id}`
        assert.deepStrictEqual(rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) })), [{
          user_id: admin.user_id,
          trigger_key: "channel.disabled",
          title: "The channel gone (webhook) was disabled",
          data: {
            channel_id: channel.id,
            channel_name: "gone",
            channel_type: "webhook",
            is_personal: false,
            error: "it answered 410"
          }
        }])
        const [notice] = yield* sql<{ notification: string }>`SELECT notification FROM deliveries
          WHERE channel_id = ${other.id}`
        const { links } = JSON.parse(notice?.notification ?? "")
        assert.include(links.view, `/projects/${project.slug}/notifications?part=channels&channel=${channel.id}`)
        const late = yield* enqueue(project, channel)
        assert.deepInclude(yield* untilStatus(late, "suppressed"), { attempts: 0, error: "The channel is not active." })
      }))

    it.scoped("a failing channel is warned of at 50, 70 and 90 % of its budget, and disabled at 100 %", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        yield* freshKey({ roles: { [project.id]: "admin" } })
        const channel = yield* insertChannel({ projectId: project.id, url: receiver.url("/500") })
        const titles = Effect.map(
          sql<
            { title: string }
          >`SELECT title FROM user_notifications WHERE project_id = ${project.id} ORDER BY created_at`,
          (rows) => rows.map(({ title }) => title)
        )
        const failAfter = (hours: number) =>
          Effect.gen(function*() {
            const since = Timestamp.addSeconds(yield* Timestamp.now, -hours * 3600)
            yield* sql`UPDATE channels SET consecutive_failures = 9, failing_since = ${since} WHERE id = ${channel.id}`
            yield* untilAttempts(yield* enqueue(project, channel), 1)
            return (yield* channelState(channel.id))?.failure_warning
          })
        assert.strictEqual(yield* failAfter(35), 0)
        assert.strictEqual(yield* failAfter(37), 50)
        assert.strictEqual(yield* failAfter(38), 50)
        assert.strictEqual(yield* failAfter(51), 70)
        assert.strictEqual(yield* failAfter(65), 90)
        yield* failAfter(73)
        const failing = "The channel ops (webhook) fails"
        assert.deepStrictEqual(yield* titles, [failing, failing, failing, "The channel ops (webhook) was disabled"])
        assert.strictEqual((yield* channelState(channel.id))?.is_active, 0)
      }))

    it.scoped("one receiver's 429 does not hold up others at the same server", () =>
      Effect.gen(function*() {
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const full = yield* insertChannel({ projectId: project.id, url: receiver.url("/429") })
        const other = yield* insertChannel({ projectId: project.id, url: receiver.url("/200") })
        yield* untilAttempts(yield* enqueue(project, full), 1)
        assert.deepInclude(yield* untilStatus(yield* enqueue(project, other), "sent"), { attempts: 1 })
      }))

    it.scoped("a channel whose config cannot be read has failed attempts, and no lost deliveries", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const vault = yield* Vault
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id })
        const sealed = yield* vault.seal("channels.sealed_config", channel.id, JSON.stringify({ url: 5 }))
        yield* sql`UPDATE channels SET sealed_config = ${sealed} WHERE id = ${channel.id}`
        const id = yield* enqueue(project, channel)
        assert.deepInclude(yield* untilAttempts(id, 1), {
          status: "pending",
          error: "the program failed while sending; its log says more"
        })
      }))

    it.scoped("an attempt that could not be recorded for a while is not sent again by its process", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id, url: receiver.url("/200") })
        yield* refuseAttempts
        const id = yield* enqueue(project, channel)
        yield* until(Effect.sync(() => receiver.posts), ({ length }) => length === 1)
        for (let lease = 0; lease < 2; lease++) { // the lease ends, and the process claims the delivery again
          const past = Timestamp.addSeconds(yield* Timestamp.now, -1)
          yield* sql`UPDATE deliveries SET due_at = ${past}, claimed_until = ${past} WHERE id = ${id}`
          yield* until(find(id), (row) => (row?.due_at ?? "") > past)
        }
        yield* acceptAttempts
        assert.deepInclude(yield* untilStatus(id, "sent"), { attempts: 1 })
        assert.lengthOf(receiver.posts, 1)
        // and no claim of the channel is left over
        const ids = yield* Effect.forEach(Array.from({ length: 8 }), () => enqueue(project, channel))
        yield* Effect.forEach(ids, (one) => untilStatus(one, "sent"), { discard: true })
      }))

    it.scoped("a personal channel gets nothing when its user may not sign in", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const { user_id } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const channel = yield* insertChannel({ userId: user_id, url: receiver.url("/200") })
        yield* sql`UPDATE users SET is_active = 0 WHERE id = ${user_id}`
        const row = yield* untilStatus(yield* enqueue(project, channel), "suppressed")
        assert.deepInclude(row, { attempts: 0, error: "The owner of the channel may not sign in." })
        assert.deepStrictEqual(receiver.posts, [])
      }))

    it.scoped("channels that hang hold up no others", () =>
      Effect.gen(function*() {
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const hanging = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, at) => at),
          (at) => insertChannel({ projectId: project.id, name: `hang ${at}`, url: receiver.url(`/hang/${at}`) })
        )
        const healthy = yield* insertChannel({ projectId: project.id, url: receiver.url("/200") })
        const stuck = yield* Effect.forEach(hanging, (channel) => enqueue(project, channel))
        const ids = yield* Effect.forEach(Array.from({ length: 20 }), () => enqueue(project, healthy))
        yield* Effect.forEach(ids, (id) => untilStatus(id, "sent"), { discard: true })
        // the first of them has not even timed out
        assert.deepInclude(yield* find(stuck[0] ?? ""), { status: "pending", attempts: 0 })
      }))

    it.scoped("a claim is left to its process until the lease ends, then it is sent under the same id", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const receiver = yield* startReceiver
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id, url: receiver.url("/200") })
        const now = yield* Timestamp.now
        const lease = Timestamp.addSeconds(now, 60)
        const [claimed, free] = yield* sql.withTransaction(Effect.gen(function*() {
          const claimed = yield* enqueue(project, channel)
          yield* sql`UPDATE deliveries SET due_at = ${lease}, claimed_until = ${lease} WHERE id = ${claimed}`
          return [claimed, yield* enqueue(project, channel)] as const
        }))
        yield* untilStatus(free, "sent")
        assert.deepStrictEqual(receiver.posts.map((post) => post.id), [free])
        yield* sql`UPDATE deliveries SET due_at = ${now}, claimed_until = ${now} WHERE id = ${claimed}`
        assert.deepInclude(yield* untilStatus(claimed, "sent"), { attempts: 1 })
        assert.deepStrictEqual(receiver.posts.map((post) => post.id), [free, claimed])
      }))
  })
})
