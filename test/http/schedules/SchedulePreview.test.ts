import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { now, Timestamp } from "../../../src/domain/kernel/Timestamp.ts"
import type { PreviewRequest } from "../../../src/domain/schedules/Schedule/Preview.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"
import { newPreview } from "../payloads.ts"

const at = Schema.decodeSync(Timestamp)

/** A viewer's preview by the derived client, and as plain JSON. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const key = yield* freshKey({ roles: { [project.id]: "viewer" }, scopes: ["schedules:read"] })
  const { schedules } = yield* clientWith(key)
  return {
    project,
    preview: (fields: Partial<PreviewRequest>) =>
      schedules.preview({ path: { slug: project.slug }, payload: newPreview(fields) }),
    refuse: (body: object) =>
      Effect.map(
        request("POST", `/projects/${project.slug}/schedules:preview`, { ...key, body }),
        ({ json }) => json.details.issues.map(({ path }: { readonly path: string }) => path)
      )
  }
})

describe.each(laneEngines)("the preview of a schedule on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("shows the next ticks in local time, what a change of the clocks does, and the expression in words", () =>
      Effect.gen(function*() {
        const { preview } = yield* world
        const spring = yield* preview({ from: at("2026-03-27T12:00:00Z"), count: 3 })
        assert.deepInclude(spring, { summary: "At 02:30 every day", catch_up: null })
        assert.deepStrictEqual(spring.ticks.map((tick) => [tick.at, tick.local, tick.dst, tick.fires_before]), [
          ["2026-03-28T01:30:00.000000Z", "2026-03-28T02:30:00+01:00", null, "2026-03-28T01:30:00.000000Z"],
          ["2026-03-29T01:00:00.000000Z", "2026-03-29T03:00:00+02:00", "gap", "2026-03-29T01:00:00.000000Z"],
          ["2026-03-30T00:30:00.000000Z", "2026-03-30T02:30:00+02:00", null, "2026-03-30T00:30:00.000000Z"]
        ])
        assert.deepInclude(spring.next_dst, { local: "2026-03-29T03:00:00+02:00", dst: "gap" })
        const summer = yield* preview({ from: at("2026-03-30T12:00:00Z"), count: 1 }) // months before the next change
        assert.deepInclude(summer.next_dst, { local: "2026-10-25T02:30:00+02:00", dst: "overlap" })
        const noon = yield* preview({ expression: "0 12 * * *", from: at("2026-03-27T12:00:00Z") })
        assert.isNull(noon.next_dst)
        const autumn = yield* preview({ from: at("2026-10-24T12:00:00Z"), count: 1 })
        assert.deepInclude(autumn.ticks[0], { local: "2026-10-25T02:30:00+02:00", dst: "overlap" })
      }))

    it.effect("begins now, and lists ten ticks", () =>
      Effect.gen(function*() {
        const { preview } = yield* world
        const now = new Date().toISOString()
        const { ticks } = yield* preview({ kind: "interval", expression: "60" })
        assert.strictEqual(ticks.length, 10)
        assert.isAbove(Date.parse(ticks[0]?.at ?? ""), Date.parse(now))
        const once = yield* preview({ kind: "clocked", expression: "2099-12-24T18:00:00" })
        assert.deepStrictEqual(once.ticks.map(({ local }) => local), ["2099-12-24T18:00:00+01:00"])
      }))

    it.effect("jitter ends before the next tick", () =>
      Effect.gen(function*() {
        const { preview } = yield* world
        const fields = { expression: "* * * * *", from: at("2026-01-01T00:00:00Z"), count: 1 }
        const spread = (jitter_seconds: number) =>
          Effect.map(preview({ ...fields, jitter_seconds }), ({ ticks }) => ticks[0]?.fires_before)
        assert.strictEqual(yield* spread(20), "2026-01-01T00:01:20.000000Z")
        assert.strictEqual(yield* spread(300), "2026-01-01T00:02:00.000000Z")
      }))

    it.effect("shows what each catch_up fires after an outage, at most SVC_SCHEDULE_CATCH_UP_MAX missed ones", () =>
      Effect.gen(function*() {
        const { preview } = yield* world
        const outage = { from: at("2026-01-01T00:00:00Z"), until: at("2026-01-01T03:30:00Z") }
        const shown = yield* preview({ expression: "@hourly", timezone: "UTC", count: 1, outage })
        const hours = (ticks: ReadonlyArray<{ readonly at: string }> = []) => ticks.map((tick) => tick.at.slice(11, 13))
        assert.deepStrictEqual(hours(shown.catch_up?.skip), [])
        assert.deepStrictEqual(hours(shown.catch_up?.fire_one_missed), ["03"])
        assert.deepStrictEqual(hours(shown.catch_up?.fire_all_missed), ["01", "02", "03"])
        const interval = yield* preview({ kind: "interval", expression: "1", outage })
        // the ticks of the last 60 seconds are late, not missed
        assert.strictEqual(interval.catch_up?.skip.length, 61)
        assert.strictEqual(interval.catch_up?.fire_one_missed.length, 62)
        assert.strictEqual(interval.catch_up?.fire_all_missed.length, 161)
        assert.strictEqual(interval.catch_up?.fire_all_missed.at(-1)?.at, outage.until)
      }))

    it.effect("refuses what cannot be a cadence, and names the field", () =>
      Effect.gen(function*() {
        const { refuse } = yield* world
        const valid = { kind: "cron", expression: "@daily" }
        const outage = { from: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" }
        assert.deepStrictEqual(yield* refuse({ ...valid, expression: "0 0 30 2 *" }), ["expression"])
        assert.deepStrictEqual(yield* refuse({ ...valid, timezone: "Mars/Olympus" }), ["timezone"])
        assert.deepStrictEqual(yield* refuse({ ...valid, count: 1001 }), ["count"])
        assert.deepStrictEqual(yield* refuse({ ...valid, outage }), ["outage.until"])
        assert.deepStrictEqual(yield* refuse({ kind: "solar" }), ["kind", "expression"])
      }))

    it.scoped("names what is not there to run the tasks: an agent of the engine, or a worker of the queue", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { preview, project } = yield* world
        const unservedOf = (fields: Partial<PreviewRequest>) =>
          Effect.map(preview({ count: 1, ...fields }), ({ unserved }) => unserved)
        assert.isNull(yield* unservedOf({}), "no engine in the request")
        assert.deepStrictEqual(yield* unservedOf({ engine: "celery" }), { what: "engine", wait_seconds: 3600 })
        const credentials = yield* freshAgent(project)
        yield* connected({
          base: yield* baseUrl,
          ...credentials,
          hello: { engines: ["celery"], capabilities: { celery: ["submit_task"] }, worker_role: "task" }
        })
        yield* until(unservedOf({ engine: "celery" }), (unserved) => unserved === null)
        assert.deepInclude(yield* unservedOf({ engine: "rq" }), { what: "engine" })
        const created_at = yield* now
        const insertWorkers = (state: "online" | "offline", queues: ReadonlyArray<string>) =>
          sql`INSERT INTO workers ${
            sql.insert(queues.map((queue) => ({
              id: randomUUID(),
              project_id: project.id,
              engine: "celery",
              name: `${state} ${queue}`,
              state,
              queues: JSON.stringify([queue]),
              active_tasks: 0,
              processed: 0,
              failed: 0,
              succeeded: 0,
              retried: 0,
              metadata: "{}",
              created_at,
              updated_at: created_at
            })))
          }`
        // those that are gone for a while do not hide the one that is there
        const many = Array.from({ length: 501 }, (_, n) => `a${n}`)
        yield* insertWorkers("offline", many)
        yield* insertWorkers("online", ["celery"])
        assert.isNull(yield* unservedOf({ engine: "celery", queue: "celery" }))
        const missing = { what: "queue", wait_seconds: null } as const
        assert.deepStrictEqual(yield* unservedOf({ engine: "celery", queue: "reports" }), missing)
        yield* insertWorkers("online", many)
        assert.isNull(yield* unservedOf({ engine: "celery", queue: "reports" }), "more workers than are looked at")
      }))

    it.effect("writes nothing", () =>
      Effect.gen(function*() {
        const { preview } = yield* world
        const sql = yield* SqlClient.SqlClient
        const count =
          sql`SELECT (SELECT count(*) FROM schedules) AS schedules, (SELECT count(*) FROM audit_log) AS audit`
        const before = yield* count
        yield* preview({})
        assert.deepStrictEqual(yield* count, before)
      }))
  })
})
