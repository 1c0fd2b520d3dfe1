import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Redacted, Scope } from "effect"
import type { UserId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Inbox } from "../../../src/services/kernel/Inbox.ts"
import { Hints } from "../../../src/services/kernel/sql/Database.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { temporaryHome } from "../../databases.ts"
import { laneEngines } from "../../engines.ts"
import { freshPostgres } from "../../postgres.ts"
import { openStream, putTask, putTasks } from "../live.ts"
import { sessionOf } from "../people.ts"

/** Opens the stream with these headers, and waits for its end. */
const whole = (slug: string, headers: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const base = yield* baseUrl
    const response = yield* Effect.promise(() => fetch(`${base}/api/v1/projects/${slug}/stream`, { headers }))
    assert.strictEqual(response.status, 200)
    return yield* Effect.fork(Effect.promise(() => response.text()))
  })

describe.each(laneEngines)("live stream on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("sends each change of the project once, and continues after Last-Event-ID", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const other = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const stream = yield* openStream(project.slug, token)
        assert.strictEqual(stream.response.headers.get("content-type"), "text/event-stream")
        yield* putTask(other.id, "not-mine", "received")
        yield* putTask(project.id, "a", "received")
        const first = yield* stream.next
        assert.deepInclude(first.data, { task_id: "a", state: "received" })
        yield* putTask(project.id, "a", "started")
        assert.deepInclude((yield* stream.next).data, { task_id: "a", state: "started" })
        yield* putTask(project.id, "b", "received")
        assert.deepInclude((yield* stream.next).data, { task_id: "b" })

        const again = yield* openStream(project.slug, token, first.id)
        const seen = [(yield* again.next).data, (yield* again.next).data]
        assert.deepStrictEqual(seen.map(({ state, task_id }) => `${task_id} ${state}`).sort(), [
          "a started",
          "b received"
        ])
      }))

    it.scoped("has the beginning of a failure's exception, and none once the task runs again", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const stream = yield* openStream(project.slug, token)
        yield* putTasks(project.id, ["a"], "failure", `IOError: ${"ü".repeat(1000)}`)
        const failed = yield* stream.next
        assert.strictEqual(failed.data.exception, `IOError: ${"ü".repeat(291)}`)
        yield* putTasks(project.id, ["a"], "started")
        assert.deepInclude((yield* stream.next).data, { task_id: "a", exception: null })
      }))

    // access is also checked every 15 seconds: the time limit is below that
    it.scoped(
      "ends at once when the session, the key, the membership or the person is gone",
      () =>
        Effect.gen(function*() {
          const project = yield* freshProject()
          const { token } = yield* freshKey({ isAdmin: true })
          const path = `/projects/${project.slug}`
          const roles = { [project.id]: "viewer" } as const
          const [one, two, three] = [
            yield* freshKey({ roles }),
            yield* freshKey({ roles }),
            yield* freshKey({ isAdmin: true })
          ]
          const [out, ended, kept] = [
            yield* sessionOf(one.user_id),
            yield* sessionOf(two.user_id),
            yield* sessionOf(two.user_id)
          ]
          const inactive = yield* sessionOf(three.user_id)
          const mint = request("POST", "/api-keys", { headers: inactive, body: { name: "k", scopes: ["tasks:read"] } })
          const keys = (yield* Effect.all([mint, mint])).map(({ json }) => json)
          const streams = yield* Effect.forEach(
            [out, ended, kept, inactive, ...keys.map(({ token }) => ({ authorization: `Bearer ${token}` }))],
            (headers) => whole(project.slug, headers)
          )
          yield* request("POST", "/auth/logout", { headers: out })
          yield* request("POST", "/auth/sessions/revoke-others", { headers: kept })
          yield* request("DELETE", `/api-keys/${keys[0].id}`, { headers: inactive })
          yield* request("PATCH", `/api-keys/${keys[1].id}`, {
            headers: inactive,
            body: { allowed_cidrs: ["192.0.2.0/24"] }
          })
          for (const index of [0, 1, 4, 5]) yield* Fiber.join(streams[index]!)
          assert.isTrue(Option.isNone(yield* Fiber.poll(streams[2]!)), "that of the session that stays")
          const members: ReadonlyArray<{ readonly id: string; readonly user_id: string }> =
            (yield* request("GET", `${path}/memberships`, { token })).json
          yield* request(
            "DELETE",
            `${path}/memberships/${members.find(({ user_id }) => user_id === two.user_id)?.id}`,
            { token }
          )
          yield* request("PATCH", `/users/${three.user_id}`, { token, body: { is_active: false } })
          for (const index of [2, 3]) yield* Fiber.join(streams[index]!)
          const last = yield* whole(project.slug, { authorization: `Bearer ${token}` })
          yield* request("DELETE", path, { token })
          yield* Fiber.join(last)
        }),
      14_000
    )

    it.scoped("is no use of a session: it idles out under an open page", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const user = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const stream = yield* whole(project.slug, yield* sessionOf(user.user_id))
        const seenAgo = (seconds: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -seconds))
        const long = yield* seenAgo(1790)
        const publishHint = Effect.flatMap(Hints, (hints) => hints.publish("access", user.user_id))
        yield* sql`UPDATE sessions SET last_seen_at = ${long} WHERE user_id = ${user.user_id}`
        yield* publishHint
        yield* request("GET", "/auth/policy", user) // checks that began before this request have ended by now
        yield* sql`UPDATE sessions SET last_seen_at = ${yield* seenAgo(
          1801
        )} WHERE user_id = ${user.user_id} AND last_seen_at = ${long}`
        yield* publishHint
        yield* Fiber.join(stream)
      }), 14_000)

    it.scoped("sends the unread count to callers who may read the inbox, after each change", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const inbox = yield* Inbox
        const project = yield* freshProject()
        const roles = { [project.id]: "viewer" } as const
        const reader = yield* freshKey({ roles })
        const withoutInbox = yield* freshKey({ roles, scopes: ["tasks:read"] })
        const streams = {
          reader: yield* openStream(project.slug, reader.token),
          withoutInbox: yield* openStream(project.slug, withoutInbox.token)
        }
        const arrive = (user_id: UserId) =>
          sql.withTransaction(inbox.insert([{
            user_id,
            project_id: project.id,
            subscription_id: null,
            alert_id: null,
            trigger: "task.failed",
            reason: "subscription",
            title: "shop.pay fails",
            body: null,
            data: {}
          }]))
        yield* arrive(withoutInbox.user_id)
        yield* arrive(reader.user_id)
        assert.deepInclude(yield* streams.reader.next, { event: "inbox", data: { unread: 1 } })
        yield* request("POST", "/user/notifications/read-all", reader)
        assert.deepInclude(yield* streams.reader.next, { event: "inbox", data: { unread: 0 } })
        yield* putTask(project.id, "a", "received")
        assert.strictEqual((yield* streams.reader.next).event, "task")
        assert.strictEqual((yield* streams.withoutInbox.next).event, "task", "nothing of the inbox before it")
      }))

    it.scoped("says reset when too much was missed", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const stream = yield* openStream(project.slug, token)
        yield* putTask(project.id, "a", "received")
        const { id } = yield* stream.next
        const [list, , row]: ReadonlyArray<string> = JSON.parse(Buffer.from(id, "base64url").toString())
        const old = Buffer.from(JSON.stringify([list, "2020-01-01T00:00:00.000000Z", row])).toString("base64url")
        assert.strictEqual((yield* (yield* openStream(project.slug, token, old)).next).event, "reset")
      }))
  })
})

describe.each(laneEngines)("live streams of a brain that ends, on %s", (engine) => {
  it.scopedLive("end with it, whole, and hold nothing up", () =>
    Effect.gen(function*() {
      const brain = yield* Scope.make()
      const context = yield* Layer.buildWithScope(serverOn(engine), brain)
      const streams = yield* Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const base = yield* baseUrl
        return yield* Effect.forEach([1, 2, 3], () =>
          Effect.promise(() =>
            fetch(`${base}/api/v1/projects/${project.slug}/stream`, { headers: { authorization: `Bearer ${token}` } })
          ))
      }).pipe(Effect.provide(context))
      const ended = yield* Effect.fork(Effect.promise(() =>
        Promise.all(streams.map((response) =>
          response.text()
        ))
      ))
      yield* Scope.close(brain, Exit.void)
      // an aborted stream would fail here
      assert.deepStrictEqual((yield* ended).map((text) => text.endsWith("\n\n")), [true, true, true])
    }))
})

describe("two brains over one PostgreSQL", () => {
  it.scopedLive(
    "what one revokes is invalid at the other at once, and its open streams end",
    () =>
      Effect.gen(function*() {
        const site = { home: yield* temporaryHome, databaseUrl: Redacted.make((yield* freshPostgres).url) }
        const [one, other] = [
          yield* Layer.build(serverOn("PostgreSQL", site)),
          yield* Layer.build(serverOn("PostgreSQL", site))
        ]
        const at = Effect.provide(one)
        const elsewhere = Effect.provide(other)
        const project = yield* at(freshProject())
        const admin = yield* at(freshKey({ isAdmin: true }))
        const headers = yield* at(sessionOf(admin.user_id))
        const { id, token } =
          (yield* at(request("POST", "/api-keys", { headers, body: { name: "k", scopes: ["tasks:read"] } }))).json
        const path = `/projects/${project.slug}/tasks`
        const watching = [headers, { authorization: `Bearer ${token}` }]
        const streams = yield* Effect.forEach(watching, (who) => elsewhere(whole(project.slug, who)))
        const statuses = elsewhere(
          Effect.forEach(watching, (who) => Effect.map(request("GET", path, { headers: who }), ({ status }) => status))
        )
        assert.deepStrictEqual(yield* statuses, [200, 200])
        assert.strictEqual((yield* at(request("DELETE", `/api-keys/${id}`, { headers }))).status, 204)
        assert.deepStrictEqual(yield* statuses, [200, 401])
        assert.strictEqual((yield* at(request("POST", "/auth/logout", { headers }))).status, 204)
        assert.deepStrictEqual(yield* statuses, [401, 401])
        // by a hint, and not by the check 15 seconds after the stream was opened
        yield* Effect.timeout(Effect.forEach(streams, Fiber.join), "12 seconds")
      })
  )
})
