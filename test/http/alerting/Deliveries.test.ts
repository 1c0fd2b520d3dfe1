import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ProjectId, UserId } from "../../../src/domain/kernel/Id.ts"
import { Deliveries } from "../../../src/services/alerting/Deliveries.ts"
import { Inbox } from "../../../src/services/kernel/Inbox.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertChannel, notificationOf } from "../../services/alerting/Notifications/notifications.ts"
import { until } from "../../until.ts"
import { makeReceiver, receiving } from "../receiver.ts"

const enqueue = (
  owner: { readonly project_id: ProjectId; readonly user_id: UserId | null },
  channel: { readonly id: string; readonly name: string; readonly type: string }
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const deliveries = yield* Deliveries
    const notification = yield* notificationOf()
    const row = { ...owner, subscription_id: null, channel, notification }
    const [id] = yield* sql.withTransaction(deliveries.enqueue([row]))
    return id ?? ""
  })

/** A key of the user that is bound to the project. */
const freshKeyOf = (userId: UserId, boundTo: ProjectId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { token, user_id } = yield* freshKey({ boundTo })
    yield* sql`UPDATE api_keys SET user_id = ${userId} WHERE user_id = ${user_id}`
    return token
  })

describe.each(laneEngines)("the delivery log on %s", (engine) => {
  layer(serverOn(engine, receiving), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
      const base = `/projects/${project.slug}/notifications/deliveries`
      const receiver = yield* makeReceiver
      const ended = (path: string) =>
        until(request("GET", path, { token }), ({ json }) => json.status !== "pending" && json.status !== undefined)
      return { project, token, base, receiver, ended }
    })

    it.scoped("shows a delivery with its attempts, in pages and by filter, and admins clear it", () =>
      Effect.gen(function*() {
        const { base, ended, project, receiver, token } = yield* site
        const owner = { project_id: project.id, user_id: null }
        const [good, bad] = [
          yield* insertChannel({ projectId: project.id, name: "good", url: `${receiver.url}/` }),
          yield* insertChannel({ projectId: project.id, name: "bad", url: `${receiver.url}/refuses` })
        ]
        const [sent, failed] = [yield* enqueue(owner, good), yield* enqueue(owner, bad)]
        const { json: delivery } = yield* ended(`${base}/${sent}`)
        assert.deepInclude(delivery, {
          id: sent,
          project_id: project.id,
          channel_id: good.id,
          user_channel_id: null,
          channel_name: "good",
          trigger: "task.failed",
          task_id: "task-1",
          status: "sent",
          attempts: 1,
          response_code: 204,
          error: null,
          text: "It failed 3 times since 09:26."
        })
        assert.deepInclude(delivery.attempt_list[0], { number: 1, response_code: 204, error: null })
        const { json: refused } = yield* until(
          request("GET", `${base}/${failed}`, { token }),
          ({ json }) => json.attempts === 1
        )
        assert.deepInclude(refused, { response_code: 400, error: "it answered 400" })
        const first = yield* request("GET", `${base}?limit=1`, { token })
        assert.deepStrictEqual(first.json.items.map(({ id }: { id: string }) => id), [failed])
        const second = yield* request("GET", `${base}?limit=1&cursor=${first.json.next_cursor}`, { token })
        assert.deepStrictEqual(second.json.items.map(({ id }: { id: string }) => id), [sent])
        assert.isNull(second.json.next_cursor)
        for (const path of [base, "/user/deliveries"]) {
          assert.strictEqual((yield* request("GET", `${path}?limit=500`, { token })).status, 200)
          assert.strictEqual((yield* request("GET", `${path}?limit=501`, { token })).json.code, "validation_failed")
        }
        for (const filter of ["status=sent", `channel_id=${good.id}`]) {
          const { json } = yield* request("GET", `${base}?${filter}`, { token })
          assert.deepStrictEqual(json.items.map(({ id }: { id: string }) => id), [sent])
        }
        const { json: none } = yield* request("GET", `${base}?trigger=test.dispatch`, { token })
        assert.deepStrictEqual(none.items, [])
        const earlier = yield* request("DELETE", `${base}?before=2000-01-01T00:00:00Z`, { token })
        assert.deepStrictEqual(earlier.json, { deleted: 0 })
        const { deleted } = (yield* request("DELETE", base, { token })).json
        const { json: left } = yield* request("GET", base, { token })
        assert.strictEqual(deleted + left.items.length, 2) // what waits for a retry remains
        const sql = yield* SqlClient.SqlClient
        const audited = yield* sql<{ action: string }>`SELECT action FROM audit_log
          WHERE project_id = ${project.id} AND action = 'notification.log_cleared'`
        assert.lengthOf(audited, 2)
      }))

    it.scoped("sends a message again under an id of its own, unless it waits or its channel is not active", () =>
      Effect.gen(function*() {
        const { base, ended, project, receiver, token } = yield* site
        const sql = yield* SqlClient.SqlClient
        const channel = yield* insertChannel({ projectId: project.id, url: `${receiver.url}/` })
        const id = yield* enqueue({ project_id: project.id, user_id: null }, channel)
        yield* ended(`${base}/${id}`)
        const resent = yield* request("POST", `${base}/${id}/resend`, { token })
        assert.strictEqual(resent.status, 201)
        assert.deepInclude(resent.json, { resend_of: id, status: "pending", channel_id: channel.id })
        assert.isString(resent.json.triggered_by_email)
        assert.deepInclude((yield* ended(`${base}/${resent.json.id}`)).json, { status: "sent", resend_of: id })
        assert.deepStrictEqual(receiver.bodies.map(({ resend_of }) => resend_of), [undefined, id])
        yield* sql`UPDATE deliveries SET status = 'pending' WHERE id = ${id}`
        assert.strictEqual((yield* request("POST", `${base}/${id}/resend`, { token })).json.code, "delivery_pending")
        yield* sql`UPDATE deliveries SET status = 'failed' WHERE id = ${id}`
        yield* sql`UPDATE channels SET is_active = 0 WHERE id = ${channel.id}`
        assert.strictEqual((yield* request("POST", `${base}/${id}/resend`, { token })).json.code, "channel_not_active")
      }))

    it.scoped("is the owner's for personal channels", () =>
      Effect.gen(function*() {
        const { base, project, receiver, token } = yield* site
        const owner = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const channel = yield* insertChannel({ userId: owner.user_id, url: `${receiver.url}/` })
        const id = yield* enqueue({ project_id: project.id, user_id: owner.user_id }, channel)
        const own = (path: string) => request("GET", path, { token: owner.token })
        yield* until(own(`/user/deliveries/${id}`), ({ json }) => json.status === "sent")
        const { json } = yield* own(`/user/deliveries?project_slug=${project.slug}`)
        assert.deepStrictEqual(json.items.map(({ id }: { id: string }) => id), [id])
        assert.deepInclude(json.items[0], { channel_id: null, user_channel_id: channel.id })
        assert.deepStrictEqual((yield* own("/user/deliveries?project_slug=no-such-one")).json.items, [])
        assert.deepStrictEqual((yield* request("GET", base, { token })).json.items, [])
        assert.strictEqual((yield* request("GET", `${base}/${id}`, { token })).status, 404)
        assert.strictEqual((yield* request("POST", `/user/deliveries/${id}/resend`, { token })).status, 404)
        const resent = yield* request("POST", `/user/deliveries/${id}/resend`, { token: owner.token })
        assert.deepInclude(resent.json, { resend_of: id, user_channel_id: channel.id })
        const stranger = yield* freshKey()
        assert.strictEqual((yield* request("GET", `/user/deliveries/${id}`, stranger)).status, 404)
        yield* until(own(`/user/deliveries/${resent.json.id}`), ({ json }) => json.status === "sent")
      }))

    it.scoped("shows a user nothing of a project that they left or that their key is not for, and sends no more", () =>
      Effect.gen(function*() {
        const [left, kept] = [yield* freshProject(), yield* freshProject()]
        const admin = yield* freshKey({ roles: { [left.id]: "admin" } })
        const owner = yield* freshKey({ roles: { [left.id]: "viewer", [kept.id]: "viewer" } })
        const { receiver } = yield* site
        const sql = yield* SqlClient.SqlClient
        const channel = yield* insertChannel({ userId: owner.user_id, url: `${receiver.url}/` })
        const about = (project_id: ProjectId) => enqueue({ project_id, user_id: owner.user_id }, channel)
        const statusOf = (id: string) =>
          Effect.map(sql`SELECT status FROM deliveries WHERE id = ${id}`, ([row]) => row?.status)
        const idsOf = (token: string) =>
          Effect.map(
            request("GET", "/user/deliveries", { token }),
            ({ json }) => json.items.map(({ id }: { id: string }) => id)
          )
        const [first, other] = [yield* about(left.id), yield* about(kept.id)]
        yield* until(statusOf(first), (status) => status === "sent")
        yield* until(statusOf(other), (status) => status === "sent")
        yield* request("POST", `/user/channels/${channel.id}/test`, { token: owner.token })
        const bound = yield* freshKeyOf(owner.user_id, kept.id)
        const [test, ...rest] = yield* idsOf(owner.token)
        assert.sameMembers(rest, [first, other])
        assert.sameMembers(yield* idsOf(bound), [test, other])
        assert.strictEqual((yield* request("GET", `/user/deliveries/${first}`, { token: bound })).status, 404)
        assert.strictEqual((yield* request("POST", `/user/deliveries/${first}/resend`, { token: bound })).status, 404)

        const waiting = yield* about(left.id)
        yield* sql`UPDATE deliveries SET status = 'pending', due_at = '2100-01-01T00:00:00.000000Z'
          WHERE id = ${waiting}`
        const members = `/projects/${left.slug}/memberships`
        const { json } = yield* request("GET", members, { token: admin.token })
        const { id } = json.find(({ user_id }: { user_id: string }) => user_id === owner.user_id)
        assert.strictEqual((yield* request("DELETE", `${members}/${id}`, { token: admin.token })).status, 204)
        assert.strictEqual(yield* statusOf(waiting), "suppressed")
        assert.sameMembers(yield* idsOf(owner.token), [test, other])
        assert.strictEqual((yield* request("GET", `/user/deliveries/${first}`, { token: owner.token })).status, 404)
      }))

    it.scoped("the inbox counts what is unread, of the projects that the user sees", () =>
      Effect.gen(function*() {
        const [project, left] = [yield* freshProject(), yield* freshProject()]
        const { token, user_id } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const sql = yield* SqlClient.SqlClient
        const inbox = yield* Inbox
        const row = (project_id: ProjectId, title: string) => ({
          user_id,
          project_id,
          subscription_id: null,
          alert_id: null,
          trigger: "task.failed",
          reason: "subscription",
          title,
          body: null,
          data: { task_name: "shop.charge" }
        })
        const rows = [row(project.id, "one"), row(project.id, "two"), row(left.id, "hidden"), row(project.id, "three")]
        yield* sql.withTransaction(inbox.insert(rows))
        const unread = Effect.map(request("GET", "/user/notifications/unread-count", { token }), ({ json }) => json)
        assert.deepStrictEqual(yield* unread, { unread: 3 })
        const titlesOf = (json: ReadonlyArray<{ title: string }>) => json.map(({ title }) => title)
        const first = yield* request("GET", "/user/notifications?limit=2", { token })
        assert.deepInclude(first.json[0], { project_id: project.id, read_at: null, data: { task_name: "shop.charge" } })
        const cursor = first.headers.get("x-svc-next-cursor")
        const second = yield* request("GET", `/user/notifications?limit=2&cursor=${cursor}`, { token })
        assert.deepStrictEqual([...titlesOf(first.json), ...titlesOf(second.json)], ["three", "two", "one"])
        assert.lengthOf(second.json, 1)
        const read = `/user/notifications/${first.json[0].id}/read`
        assert.strictEqual((yield* request("POST", read, { token })).status, 204)
        assert.strictEqual((yield* request("POST", read, yield* freshKey())).status, 404)
        assert.deepStrictEqual(yield* unread, { unread: 2 })
        const { json: still } = yield* request("GET", "/user/notifications?unread_only=true", { token })
        assert.deepStrictEqual(titlesOf(still), ["two", "one"])
        const elsewhere = yield* freshKeyOf(user_id, left.id)
        const path = `/user/notifications/${still[0].id}/read`
        assert.strictEqual((yield* request("POST", path, { token: elsewhere })).status, 404)
        yield* request("POST", "/user/notifications/read-all", { token: elsewhere })
        assert.deepStrictEqual(yield* unread, { unread: 2 }, "a key reads what it sees")
        yield* request("POST", "/user/notifications/read-all", { token })
        assert.deepStrictEqual(yield* unread, { unread: 0 })
      }))
  })
})
