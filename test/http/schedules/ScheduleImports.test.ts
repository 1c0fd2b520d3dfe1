import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"

interface Row {
  readonly name: string
  readonly [field: string]: unknown
}

const row = (name: string, fields: object = {}): Row => ({
  name,
  engine: "celery",
  kind: "cron",
  expression: "0 3 * * *",
  task_name: "shop.report",
  source: "git",
  ...fields
})

/** A project, and imports of an admin's key into it. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
  const path = `/projects/${project.slug}/schedules`
  const call = (method: string, rest: string, body?: unknown) =>
    request(method, `${path}${rest}`, { token, ...(body !== undefined && { body }) })
  const post = (verb: string) => (schedules: ReadonlyArray<Row>, fields: object = {}) =>
    Effect.map(call("POST", `:${verb}`, { schedules, ...fields }), ({ json, status, text }) => {
      assert.strictEqual(status, 200, text)
      return json
    })
  const all = Effect.map(call("GET", "?limit=500"), ({ json }) => json.items as ReadonlyArray<Row>)
  const find = (name: string) =>
    Effect.map(all, (schedules) => schedules.find((schedule) => schedule.name === name) ?? assert.fail(name))
  /** The paths of a refusal. */
  const refuse = (schedules: ReadonlyArray<Row>, fields: object = {}) =>
    Effect.map(call("POST", ":import", { schedules, ...fields }), ({ json, status, text }) => {
      assert.strictEqual(status, 422, text)
      return json.details.issues.map(({ path }: { readonly path: string }) => path)
    })
  return { project, token, path, call, importAll: post("import"), diff: post("diff"), all, find, refuse }
})

const counts = (inserted: number, updated: number, unchanged: number, deleted = 0) => ({
  inserted,
  updated,
  unchanged,
  deleted
})

const replaceGit = { mode: "replace", source_filter: "git" }

describe.each(laneEngines)("imports of schedules on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("a date and time that has passed is refused, but one that was imported before stays", () =>
      Effect.gen(function*() {
        const { call, importAll, refuse } = yield* world
        const sql = yield* SqlClient.SqlClient
        const once = (name: string, expression: string) => row(name, { kind: "clocked", expression })
        const past = once("past", "2020-12-24T18:00:00Z")
        assert.deepStrictEqual(yield* refuse([row("a"), past]), ["schedules.1.expression"])
        assert.strictEqual((yield* call("POST", ":diff", { schedules: [past] })).status, 422)
        yield* importAll([once("b", "2190-12-24T18:00:00Z")])
        const fired = once("b", "2020-12-24T18:00:00Z")
        assert.deepStrictEqual(yield* refuse([fired]), ["schedules.0.expression"])
        yield* sql`UPDATE schedules SET expression = ${"2020-12-24T18:00:00Z"} WHERE name = 'b'` // it has fired since
        assert.deepInclude(yield* importAll([fired]), { inserted: 0, updated: 0, unchanged: 1 })
        assert.deepInclude(yield* importAll([{ ...fired, queue: "other" }]), { updated: 1 })
      }))

    it.effect("a snapshot is written once; again, nothing changes", () =>
      Effect.gen(function*() {
        const { all, find, importAll, project } = yield* world
        const rows = [row("a"), row("b", { kind: "interval", expression: "60", is_enabled: false })]
        assert.deepStrictEqual(yield* importAll(rows), { ...counts(2, 0, 0), failed: 0, errors: {} })
        const a = yield* find("a")
        assert.deepInclude(a, {
          scheduler: "svc-scheduler",
          source: "git",
          catch_up: "skip",
          timezone: "UTC",
          is_drifted: false,
          total_runs: 0,
          created_at: a.updated_at
        })
        assert.match(String(a.next_run_at), /T03:00:00\.000000Z$/)
        const before = yield* all
        assert.deepStrictEqual(yield* importAll(rows), { ...counts(0, 0, 2), failed: 0, errors: {} })
        assert.deepStrictEqual(yield* all, before)
        const sql = yield* SqlClient.SqlClient
        const audited = yield* sql<{ metadata: string }>`SELECT metadata FROM audit_log
          WHERE project_id = ${project.id} AND action = 'schedules.imported' ORDER BY seq`
        assert.deepStrictEqual(audited.map(({ metadata }) => JSON.parse(metadata)), [
          { mode: "upsert", source_filter: null, ...counts(2, 0, 0) },
          { mode: "upsert", source_filter: null, ...counts(0, 0, 2) }
        ])
      }))

    it.effect("a changed row keeps what it has done; a changed cadence begins with the next tick after now", () =>
      Effect.gen(function*() {
        const { find, importAll } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* importAll([row("a"), row("b")])
        const [a, b] = [yield* find("a"), yield* find("b")]
        const past = "2020-01-01T03:00:00.000000Z"
        for (const { id } of [a, b]) {
          yield* sql`UPDATE schedules SET total_runs = 7, last_run_at = ${past}, next_run_at = ${past} WHERE id = ${id}`
        }
        const changes = [row("a", { queue: "reports" }), row("b", { expression: "30 4 * * *" })]
        assert.deepInclude(yield* importAll(changes), counts(0, 2, 0))
        const [newA, newB] = [yield* find("a"), yield* find("b")]
        const kept = { id: a.id, total_runs: 7, last_run_at: past, created_at: a.created_at }
        assert.deepInclude(newA, { ...kept, queue: "reports", next_run_at: past })
        assert.notStrictEqual(newA.control_token, a.control_token)
        assert.match(String(newB.next_run_at), /T04:30:00\.000000Z$/)
        assert.isAbove(Date.parse(String(newB.next_run_at)), Date.now())
        assert.sameMembers(
          [newA.schedule_revision, newB.schedule_revision],
          [Number(b.schedule_revision) + 1, Number(b.schedule_revision) + 2]
        )
      }))

    it.effect("replace deletes what the snapshot lacks, of its source only", () =>
      Effect.gen(function*() {
        const { all, call, diff, importAll, refuse } = yield* world
        yield* importAll([row("a"), row("b"), row("other", { source: "terraform" })])
        yield* call("POST", "", { ...row("by hand"), source: "dashboard" })
        assert.deepStrictEqual(yield* refuse([row("a")], { mode: "replace" }), ["source_filter"])
        assert.deepStrictEqual(yield* refuse([row("a", { source: "terraform" })], replaceGit), ["schedules.0.source"])
        const planned = yield* diff([row("a"), row("c")], replaceGit)
        assert.deepStrictEqual(planned.summary, counts(1, 0, 1, 1))
        assert.deepInclude(planned.deleted[0], { name: "b", proposed: {} })
        assert.deepInclude(planned.deleted[0].current, { expression: "0 3 * * *", source: "git" })
        assert.strictEqual((yield* all).length, 4)
        assert.deepInclude(yield* importAll([row("a"), row("c")], replaceGit), counts(1, 0, 1, 1))
        assert.deepStrictEqual((yield* all).map(({ name }) => name), ["a", "by hand", "c", "other"])
      }))

    it.effect("one invalid row writes nothing, and the refusal names it", () =>
      Effect.gen(function*() {
        const { all, call, refuse } = yield* world
        const invalidRows: ReadonlyArray<readonly [object, string]> = [
          [{ expression: "0 0 30 2 *" }, "expression"],
          [{ timezone: "Mars/Olympus" }, "timezone"],
          [{ kind: "solar" }, "kind"],
          [{ scheduler: "celery-beat" }, "scheduler"],
          [{ source: "dashboard" }, "source"],
          [{ overlap_policy: "skip" }, "overlap_policy"],
          [{ args: ["x".repeat(65_536)] }, "args"],
          [{ kwargs: { token: "[REDACTED]" } }, "kwargs"],
          [{ name: "row 1" }, "name"]
        ]
        for (const [fields, field] of invalidRows) {
          const rows = Array.from({ length: 20 }, (_, index) => row(`row ${index}`, index === 17 ? fields : {}))
          assert.deepStrictEqual(yield* refuse(rows), [`schedules.17.${field}`], field)
        }
        const many = Array.from({ length: 100 }, (_, index) => row(`row ${index}`, { expression: "nonsense" }))
        assert.strictEqual((yield* refuse(many)).length, 20)
        const tooMany = Array.from({ length: 2001 }, (_, index) => row(`row ${index}`))
        assert.deepStrictEqual(yield* refuse(tooMany), ["schedules"])
        assert.deepStrictEqual((yield* call("POST", ":diff", { schedules: [row("a", { kind: "solar" })] })).status, 422)
        assert.deepStrictEqual(yield* all, [])
      }))

    it.effect("a snapshot may have 2000 schedules, and more bytes than other requests", () =>
      Effect.gen(function*() {
        const { importAll } = yield* world
        const rows = Array.from({ length: 2000 }, (_, index) => row(`row ${index}`, { args: ["x".repeat(1000)] }))
        assert.deepInclude(yield* importAll(rows), counts(2000, 0, 0))
        const changed = rows.map((schedule, index) => index % 2 === 0 ? schedule : { ...schedule, queue: "slow" })
        assert.deepInclude(yield* importAll(changed), counts(0, 1000, 1000))
        assert.deepInclude(yield* importAll(changed.slice(0, 500), replaceGit), counts(0, 0, 500, 1500))
      }))

    it.effect("arguments keep every digit, and are compared with all of them", () =>
      Effect.gen(function*() {
        const { path, token } = yield* world
        const body = (args: string) => `{"schedules":[${JSON.stringify(row("exact")).slice(0, -1)},"args":${args}}]}`
        const send = (verb: string, args: string) => request("POST", `${path}:${verb}`, { token, raw: body(args) })
        assert.deepInclude((yield* send("import", "[12345678901234567890,1.0]")).json, counts(1, 0, 0))
        assert.include((yield* request("GET", path, { token })).text, `"args":[12345678901234567890,1.0]`)
        assert.deepInclude((yield* send("import", "[12345678901234567890, 1.0]")).json, counts(0, 0, 1))
        const { text } = yield* send("diff", "[12345678901234567891,1.0]")
        assert.include(text, `"current":{"args":[12345678901234567890,1.0]}`)
        assert.include(text, `"proposed":{"args":[12345678901234567891,1.0]}`)
      }))

    it.effect("a person's change shows as drift, and the next import undoes it", () =>
      Effect.gen(function*() {
        const { call, diff, find, importAll } = yield* world
        yield* importAll([row("a"), row("b")])
        const { id } = yield* find("a")
        const change = (fields: object) => Effect.map(call("PATCH", `/${id}`, fields), ({ json }) => json)
        assert.isTrue((yield* change({ expression: "0 4 * * *", queue: "reports" })).is_drifted)
        assert.isFalse((yield* change({ expression: "0 3 * * *", queue: null })).is_drifted)
        yield* change({ expression: "0 4 * * *" })
        const [planned, ...others] = (yield* diff([row("a"), row("b")])).updated
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(planned, {
          name: "a",
          scheduler: "svc-scheduler",
          is_drifted: true,
          proposed: { expression: "0 3 * * *" },
          current: { expression: "0 4 * * *" }
        })
        assert.isTrue((yield* find("a")).is_drifted)
        assert.deepInclude(yield* importAll([row("a"), row("b")]), counts(0, 1, 1))
        assert.deepInclude(yield* find("a"), { expression: "0 3 * * *", is_drifted: false })
        // the source follows the person
        const { control_token } = yield* change({ expression: "0 5 * * *" })
        assert.deepInclude(yield* importAll([row("a", { expression: "0 5 * * *" })]), counts(0, 0, 1))
        assert.deepInclude(yield* find("a"), { is_drifted: false, control_token })
      }))

    it.effect("a schedule of the dashboard is never drifted, and an import may take it over", () =>
      Effect.gen(function*() {
        const { call, diff, find, importAll } = yield* world
        const { id } = (yield* call("POST", "", { ...row("a"), source: "dashboard", catch_up: "skip" })).json
        assert.isFalse((yield* call("PATCH", `/${id}`, { queue: "reports" })).json.is_drifted)
        assert.deepInclude((yield* diff([row("a", { queue: "reports" })])).updated[0], {
          is_drifted: false,
          proposed: { source: "git" },
          current: { source: "dashboard" }
        })
        yield* importAll([row("a")])
        assert.deepInclude(yield* find("a"), { id, source: "git", queue: null })
      }))
  })
})
