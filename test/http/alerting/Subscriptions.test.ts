import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { type ApiResponse, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"

/** A channel's row; no message is sent to it here. */
const channelOf = (owner: { readonly project_id?: string; readonly user_id?: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    yield* sql`INSERT INTO channels ${
      sql.insert({
        id,
        project_id: owner.project_id ?? null,
        user_id: owner.user_id ?? null,
        name: "hook",
        type: "webhook",
        sealed_config: "",
        is_active: 1,
        is_verified: 0,
        created_at: now,
        updated_at: now
      })
    }`
    return id
  }).pipe(Effect.orDie)

const revisionOf = (project_id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ revision: number | string }>`
      SELECT revision FROM trigger_revisions WHERE project_id = ${project_id}`
    return Number(row?.revision ?? 0)
  }).pipe(Effect.orDie)

/** The response is a problem with this code. */
const assertProblem = ({ json, text }: ApiResponse, code: string) => assert.strictEqual(json?.code, code, text)

describe.each(laneEngines)("subscriptions on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("an admin sets what the project is notified of; each change raises the trigger revision", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const base = `/projects/${project.slug}/notifications/defaults`
        const [channel, elsewhere] = [yield* channelOf({ project_id: project.id }), yield* channelOf({})]
        const { json: created, text } = yield* request("POST", base, {
          token,
          body: {
            trigger: "schedule.misfired",
            project_channel_ids: [channel, channel],
            send_hours: { mode: "except", start: "22:00", end: "07:00", timezone: "Europe/Berlin" },
            escalation: { after_minutes: 5, project_channel_ids: [channel] }
          }
        })
        const send_hours = {
          mode: "except",
          start: "22:00",
          end: "07:00",
          timezone: "Europe/Berlin",
          always_critical: true
        }
        const expected = {
          id: created.id,
          project_id: project.id,
          trigger: "schedule.misfired",
          filters: {},
          in_app: true,
          project_channel_ids: [channel],
          cooldown_seconds: 0,
          grouping: { wait_seconds: 30, interval_seconds: 300, repeat_seconds: 14_400 },
          notify_recovery: true,
          send_hours,
          escalation: { after_minutes: 5, project_channel_ids: [channel] },
          muted_until: null,
          is_active: true,
          last_fired_at: null,
          created_at: created.created_at,
          updated_at: created.created_at
        }
        assert.deepStrictEqual(created, expected, text)
        assert.deepStrictEqual((yield* request("GET", base, { token })).json, [expected])
        assert.strictEqual(yield* revisionOf(project.id), 1)
        const at = `${base}/${created.id}`
        const patch = (body: object) => request("PATCH", at, { token, body })
        const off = { grouping: null, send_hours: null, escalation: null, muted_until: "2999-01-01T00:00:00.000000Z" }
        const { json: updated } = yield* patch({ ...off, trigger: null })
        assert.deepStrictEqual(updated, { ...expected, ...off, updated_at: updated.updated_at })
        for (
          const body of [
            { project_channel_ids: [elsewhere] },
            { escalation: { after_minutes: 5 } },
            { filters: { rate_percent: 20 } },
            { filters: { prioritty: ["high"] } },
            { send_hours: { ...send_hours, mode: "never" } },
            { trigger: "task.exploded" }
          ]
        ) assertProblem(yield* patch(body), "validation_failed")
        const muted_until = "2998-01-01T00:00:00.000000Z"
        const filters = { rate_percent: 20, cooldown_seconds: 60, muted_until }
        const { json: rate } = yield* patch({ trigger: "task.failure_rate", filters })
        assert.deepInclude(rate, { filters: { rate_percent: 20 }, cooldown_seconds: 60, muted_until })
        assert.strictEqual((yield* request("DELETE", at, { token })).status, 204)
        assertProblem(yield* request("DELETE", at, { token }), "not_found")
        assert.strictEqual(yield* revisionOf(project.id), 4)
      }))

    it.effect("a member subscribes; project channels need an operator; who leaves loses the subscription", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const [viewer, operator, admin] = [
          yield* freshKey({ roles: { [project.id]: "viewer" } }),
          yield* freshKey({ roles: { [project.id]: "operator" } }),
          yield* freshKey({ roles: { [project.id]: "admin" } })
        ]
        const [shared, own] = [
          yield* channelOf({ project_id: project.id }),
          yield* channelOf({ user_id: viewer.user_id })
        ]
        const subscribe = ({ token }: { readonly token: string }, body: object = {}) =>
          request("POST", "/user/subscriptions", {
            token,
            body: { project_id: project.id, trigger: "task.failed", ...body }
          })
        assertProblem(yield* subscribe(yield* freshKey()), "validation_failed")
        assertProblem(yield* subscribe(viewer, { project_channel_ids: [shared] }), "forbidden")
        assertProblem(yield* subscribe(viewer, { user_channel_ids: [shared] }), "validation_failed")
        assertProblem(yield* subscribe(operator, { user_channel_ids: [own] }), "validation_failed")
        assertProblem(yield* subscribe(viewer, { trigger: "schedule.misfired" }), "validation_failed")
        const filters = { priority_min: "high", queue: "pay" }
        const { json: subscription, text } = yield* subscribe(viewer, { user_channel_ids: [own], filters })
        assert.deepInclude(subscription, { user_id: viewer.user_id, user_channel_ids: [own], filters }, text)
        assert.strictEqual((yield* subscribe(operator, { project_channel_ids: [shared] })).status, 201)

        const at = `/user/subscriptions/${subscription.id}`
        const body = { is_active: false }
        assertProblem(yield* request("PATCH", at, { token: operator.token, body }), "not_found")
        assertProblem(yield* request("DELETE", at, { token: operator.token }), "not_found")
        assert.isFalse((yield* request("PATCH", at, { token: viewer.token, body })).json.is_active)
        const list = () => request("GET", `/user/subscriptions?project_id=${project.id}`, { token: viewer.token })
        assert.strictEqual((yield* list()).json.items.length, 1)

        const { memberships } = yield* clientWith(admin)
        const path = { slug: project.slug }
        const membership = (yield* memberships.list({ path })).find(({ user_id }) => user_id === viewer.user_id)
        const before = yield* revisionOf(project.id)
        assert.isDefined(membership)
        yield* memberships.delete({ path: { ...path, membership_id: membership.id } })
        assert.deepStrictEqual((yield* list()).json.items, [])
        assert.strictEqual(yield* revisionOf(project.id), before + 1)
      }))

    it.effect("admins plan maintenance windows, and members see them", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const path = { slug: project.slug }
        const as = (role: "viewer" | "admin") => Effect.flatMap(freshKey({ roles: { [project.id]: role } }), clientWith)
        const [viewer, admin] = [(yield* as("viewer")).maintenance_windows, (yield* as("admin")).maintenance_windows]
        const at = (text: string) => Timestamp.parse(text) ?? ("" as never)
        const payload = { name: "Upgrade", starts_at: at("2999-01-01T00:00:00Z"), ends_at: at("2999-01-02T00:00:00Z") }
        yield* assertRefused(viewer.create({ path, payload }), "forbidden")
        const planned = yield* admin.create({ path, payload })
        assert.deepStrictEqual(yield* viewer.list({ path }), [planned])
        for (
          const invalidTimes of [
            { starts_at: at("2999-01-02T00:00:00Z") },
            { ends_at: at("2999-03-02T00:00:00Z") }
          ]
        ) {
          yield* assertRefused(admin.create({ path, payload: { ...payload, ...invalidTimes } }), "validation_failed")
        }
        const past = { starts_at: at("2001-01-01T00:00:00Z"), ends_at: at("2001-01-02T00:00:00Z") }
        yield* assertRefused(admin.create({ path, payload: { ...payload, ...past } }), "validation_failed")
        const window = { path: { ...path, window_id: planned.id } }
        assert.strictEqual((yield* admin.update({ ...window, payload: { name: "Later" } })).name, "Later")
        yield* admin.remove(window)
        assert.deepStrictEqual(yield* viewer.list({ path }), [])
      }))

    it.effect("a window that has ended begins again only where there is room for one more", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { maintenance_windows } = yield* clientWith(yield* freshKey({ roles: { [project.id]: "admin" } }))
        const path = { slug: project.slug }
        const at = (text: string) => Timestamp.parse(text) ?? ("" as never)
        const payload = { name: "Upgrade", starts_at: at("2999-01-01T00:00:00Z"), ends_at: at("2999-01-02T00:00:00Z") }
        const window = { path: { ...path, window_id: (yield* maintenance_windows.create({ path, payload })).id } }
        const past = { starts_at: at("2001-01-01T00:00:00Z"), ends_at: at("2001-01-02T00:00:00Z") }
        const end = maintenance_windows.update({ ...window, payload: past })
        const reopen = maintenance_windows.update({ ...window, payload })
        const sql = yield* SqlClient.SqlClient
        yield* end
        const others = yield* Effect.replicateEffect(
          Effect.map(Ids.next, (id) => ({ ...payload, id, project_id: project.id, created_at: payload.starts_at })),
          99
        )
        yield* sql`INSERT INTO maintenance_windows ${sql.insert(others)}`
        assert.strictEqual((yield* reopen).ends_at, payload.ends_at)
        assert.strictEqual((yield* maintenance_windows.update({ ...window, payload: { name: "Later" } })).name, "Later")
        yield* end
        yield* maintenance_windows.create({ path, payload })
        yield* assertRefused(reopen, "too_many_maintenance_windows")
      }))
  })
})
