import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { freshAgent } from "../../agent.ts"
import { type ApiResponse, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"

const nightly = {
  name: "nightly report",
  engine: "celery",
  kind: "cron",
  expression: "0 3 * * *",
  task_name: "shop.report",
  timezone: "Europe/Berlin"
}

/** A project, and its schedules over REST. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
  const path = `/projects/${project.slug}/schedules`
  const call = (method: string, rest: string, body?: unknown) =>
    request(method, `${path}${rest}`, { token, ...(body !== undefined && { body }) })
  const create = (overrides: object = {}) =>
    Effect.map(call("POST", "", { ...nightly, ...overrides }), ({ json, status, text }) => {
      assert.strictEqual(status, 201, text)
      return json
    })
  const control = (id: string, name: string) =>
    Effect.map(call("POST", `/${id}/${name}`), ({ json, status, text }) => {
      assert.strictEqual(status, 200, text)
      return json
    })
  return { project, token, path, call, create, control }
})

/** The paths of a 422, or its status. */
const pathsOf = ({ json, status }: ApiResponse) =>
  status === 422
    ? json.details.issues.map(({ path }: { readonly path: string }) => path)
    : status

const auditOf = (projectId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      Effect.orDie(
        sql<{ action: string }>`SELECT action FROM audit_log
          WHERE project_id = ${projectId} AND target_type = 'schedule' ORDER BY seq`
      ),
      (rows) => rows.map(({ action }) => action)
    ))

describe.each(laneEngines)("schedules on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("a schedule is created with the defaults of the contract and shown as it is", () =>
      Effect.gen(function*() {
        const { call, create, project } = yield* world
        const created = yield* create()
        assert.deepInclude(created, {
          ...nightly,
          project_id: project.id,
          scheduler: "svc-scheduler",
          queue: null,
          priority: "normal",
          args: [],
          kwargs: {},
          is_enabled: true,
          last_run_at: null,
          total_runs: 0,
          consecutive_failures: null,
          skipped_slots_24h: null,
          external_id: null,
          catch_up: "fire_one_missed",
          overlap_policy: "allow",
          paused_at: null,
          source: "dashboard",
          source_hash: null,
          quarantined_at: null,
          jitter_seconds: 0,
          grace_seconds: null
        })
        assert.isTrue(created.next_run_at > created.created_at)
        assert.match(created.next_run_at, /T0[12]:00:00\.000000Z$/) // 3 o'clock in Berlin
        const shown = yield* call("GET", `/${created.id}`)
        assert.deepStrictEqual(shown.json, { ...created, consecutive_failures: 0, skipped_slots_24h: 0 })
        assert.deepStrictEqual(yield* auditOf(project.id), ["schedule.created"])
      }))

    it.effect("a schedule and a preview say when it fires in the language of the request", () =>
      Effect.gen(function*() {
        const { create, path, token } = yield* world
        const { id, summary } = yield* create()
        assert.strictEqual(summary, "At 03:00 every day")
        const headers = { "accept-language": "nl-NL, de-AT;q=0.8, en;q=0.7" }
        const list = yield* request("GET", path, { token, headers })
        assert.deepStrictEqual(
          list.json.items.map((one: { readonly id: string; readonly summary: string }) => [one.id, one.summary]),
          [[id, "Jeden Tag um 03:00"]]
        )
        const body = { kind: "interval", expression: "300" }
        const preview = yield* request("POST", `${path}:preview`, { token, headers, body })
        assert.strictEqual(preview.json.summary, "Alle 5 Minuten")
      }))

    it.effect("arguments keep every digit that the caller wrote", () =>
      Effect.gen(function*() {
        const { path, token } = yield* world
        const text = `{"name":"exact","engine":"celery","kind":"cron","expression":"@daily","task_name":"t",` +
          `"args":[12345678901234567890,1.0],"kwargs":{"rate":1.10}}`
        const created = yield* request("POST", path, { token, raw: text })
        assert.include(created.text, `"args":[12345678901234567890,1.0]`)
        assert.include(created.text, `"kwargs":{"rate":1.1}`)
        const changed = yield* request("PATCH", `${path}/${created.json.id}`, { token, raw: `{"args":[2.0]}` })
        assert.include(changed.text, `"args":[2.0],"kwargs":{"rate":1.1}`)
      }))

    it.effect("what a schedule cannot be is refused, and names the field", () =>
      Effect.gen(function*() {
        const { call, create } = yield* world
        const { id } = yield* create()
        const refused: ReadonlyArray<readonly [object, unknown]> = [
          [{ expression: "0 3 * *" }, ["expression"]],
          [{ expression: "0 0 30 2 *" }, ["expression"]],
          [{ kind: "solar" }, ["kind"]],
          [{ kind: "interval", expression: "0" }, ["expression"]],
          [{ kind: "clocked", expression: "2020-12-24T18:00:00Z" }, ["expression"]],
          [{ timezone: "Europe/Atlantis" }, ["timezone"]],
          [{ overlap_policy: "skip" }, ["overlap_policy"]],
          [{ scheduler: "celery-beat" }, ["scheduler"]],
          [{ catch_up: "always" }, ["catch_up"]],
          [{ name: "" }, ["name"]],
          [{ engine: "Celery" }, ["engine"]],
          [{ jitter_seconds: -1 }, ["jitter_seconds"]],
          [{ args: [{ url: "postgres://[REDACTED]@db" }] }, ["args"]],
          [{ kwargs: { a: ["x[...1808 more bytes truncated]"] } }, ["kwargs"]],
          [{ args: {} }, ["args"]]
        ]
        for (const [fields, paths] of refused) {
          const response = yield* call("POST", "", { ...nightly, name: "other", ...fields })
          assert.deepStrictEqual(pathsOf(response), paths, JSON.stringify(fields))
        }
        for (
          const [change, paths] of [
            [{ name: "renamed" }, ["name"]],
            [{ scheduler: "svc-scheduler" }, ["scheduler"]],
            [{ source: "git" }, ["source"]],
            [{ overlap_policy: "skip" }, ["overlap_policy"]],
            [{ expression: "nonsense" }, ["expression"]],
            [{ args: ["[REDACTED]"] }, ["args"]],
            [{ kwargs: { rows: "[more than 5000 values: left out]" } }, ["kwargs"]],
            [{ kind: "clocked", expression: "2020-12-24T18:00" }, ["expression"]]
          ] as const
        ) {
          assert.deepStrictEqual(pathsOf(yield* call("PATCH", `/${id}`, change)), paths, JSON.stringify(change))
        }
        const past = yield* call("POST", "", { ...nightly, kind: "clocked", expression: "2020-12-24T18:00:00Z" })
        assert.include(past.text, "Give a later date and time. To run the task at once, trigger a schedule of it.")
        const again = yield* call("POST", "", nightly)
        assert.deepStrictEqual([again.status, again.json.code], [409, "schedule_name_taken"])
      }))

    it.effect("the body limit holds before the limits of fields", () =>
      Effect.gen(function*() {
        const { call } = yield* world
        const response = yield* call("POST", "", { ...nightly, args: ["x".repeat(9000)] })
        assert.strictEqual(response.status, 413)
      }))

    it.effect("the list goes by name, page by page", () =>
      Effect.gen(function*() {
        const { call, create } = yield* world
        for (const name of ["c", "a", "b"]) yield* create({ name })
        const first = (yield* call("GET", "?limit=2")).json
        assert.deepStrictEqual(first.items.map((item: { name: string }) => item.name), ["a", "b"])
        assert.strictEqual(first.circuit_breaker_threshold, 5)
        assert.strictEqual(first.items[0].consecutive_failures, 0)
        const second = (yield* call("GET", `?limit=2&cursor=${first.next_cursor}`)).json
        assert.deepStrictEqual(second.items.map((item: { name: string }) => item.name), ["c"])
        assert.isNull(second.next_cursor)
        assert.deepStrictEqual(pathsOf(yield* call("GET", "?limit=501")), ["limit"])
        assert.deepStrictEqual(pathsOf(yield* call("GET", "?cursor=nonsense")), ["cursor"])
      }))

    it.effect("disable, enable, pause and resume change the token; a repetition changes nothing", () =>
      Effect.gen(function*() {
        const { control, create, project } = yield* world
        const created = yield* create()
        const disabled = yield* control(created.id, "disable")
        assert.isFalse(disabled.is_enabled)
        assert.notStrictEqual(disabled.control_token, created.control_token)
        assert.isAbove(disabled.schedule_revision, created.schedule_revision)
        assert.strictEqual((yield* control(created.id, "disable")).control_token, disabled.control_token)
        const enabled = yield* control(created.id, "enable")
        assert.isTrue(enabled.is_enabled)
        const paused = yield* control(created.id, "pause")
        assert.isString(paused.paused_at)
        assert.strictEqual((yield* control(created.id, "pause")).paused_at, paused.paused_at)
        assert.isNull((yield* control(created.id, "resume")).paused_at)
        assert.deepStrictEqual(yield* auditOf(project.id), [
          "schedule.created",
          "schedule.disabled",
          "schedule.enabled",
          "schedule.paused",
          "schedule.resumed"
        ])
      }))

    it.effect("a changed cadence begins with the next tick after now; another change keeps the tick", () =>
      Effect.gen(function*() {
        const { call, create } = yield* world
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* create()
        const past = "2020-01-01T00:00:00.000000Z"
        yield* sql`UPDATE schedules SET next_run_at = ${past} WHERE id = ${id}`
        assert.strictEqual((yield* call("PATCH", `/${id}`, { queue: "reports" })).json.next_run_at, past)
        const changed = (yield* call("PATCH", `/${id}`, { expression: "30 4 * * *", queue: null })).json
        assert.match(changed.next_run_at, /T0[23]:30:00\.000000Z$/)
        assert.isAbove(Date.parse(changed.next_run_at), Date.now())
        assert.isNull(changed.queue)
      }))

    it.effect("a trigger issues a command that the header names, records no fire and moves no tick", () =>
      Effect.gen(function*() {
        const { call, create, project, token } = yield* world
        const sql = yield* SqlClient.SqlClient
        const created = yield* create({ args: [7] })
        const alone = yield* call("POST", `/${created.id}/trigger`)
        assert.deepStrictEqual([alone.status, alone.json.code], [409, "no_agent"])
        const agent = yield* freshAgent(project)
        yield* sql`UPDATE agents SET engine_adapters = '["celery"]' WHERE id = ${agent.agent_id}`
        const triggered = yield* call("POST", `/${created.id}/trigger`)
        assert.strictEqual(triggered.status, 200)
        assert.strictEqual(triggered.json.next_run_at, created.next_run_at)
        const command = yield* request("GET", `/${triggered.headers.get("location")}`, { token })
        assert.deepInclude(command.json, { action: "schedule.fire", target_id: created.id, agent_id: agent.agent_id })
        assert.deepInclude(command.json.payload, { task_name: "shop.report", args: [7], schedule_id: created.id })
        assert.deepStrictEqual((yield* call("GET", `/${created.id}/fires`)).json, [])
        assert.deepStrictEqual((yield* auditOf(project.id)).at(-1), "schedule.trigger_now")
      }))

    it.effect("fires, runs and misfires are shown newest first, with the failures in a row", () =>
      Effect.gen(function*() {
        const { call, create, project } = yield* world
        const other = yield* world
        const sql = yield* SqlClient.SqlClient
        const schedule = yield* create()
        const foreign = yield* other.create()
        const now = new Date().toISOString().replace("Z", "000Z")
        const statuses = ["acked_success", "acked_failed", "terminal_timeout", "failed", "delivered"]
        for (const [index, status] of statuses.entries()) {
          yield* sql`INSERT INTO schedule_fires ${
            sql.insert({
              id: randomUUID(),
              fire_id: randomUUID(),
              project_id: project.id,
              schedule_id: schedule.id,
              engine: "celery",
              status,
              scheduled_for: `2026-01-0${index + 1}T03:00:00.000000Z`,
              fired_at: now,
              latency_ms: 12,
              definition_digest: "",
              expires_at: now,
              fence: 1
            })
          }`
        }
        yield* sql`INSERT INTO schedule_misfires ${
          sql.insert({
            id: randomUUID(),
            project_id: project.id,
            schedule_id: schedule.id,
            detected_at: now,
            expected_fire_at: now,
            lateness_seconds: 61.5,
            grace_seconds: 60,
            slots: 3,
            cause: "no_agent",
            name: schedule.name,
            engine: "celery",
            kind: "cron"
          })
        }`
        const fires = (yield* call("GET", `/${schedule.id}/fires?limit=2`)).json
        assert.deepStrictEqual(fires.map((fire: { status: string }) => fire.status), ["delivered", "failed"])
        const runs = (yield* call("GET", `/runs?id=${schedule.id}&id=${foreign.id}&id=${randomUUID()}&limit=3`)).json
        assert.deepStrictEqual(
          runs.items.map((item: { schedule_id: string; runs: ReadonlyArray<{ status: string }> }) => [
            item.schedule_id,
            item.runs.map((run) => run.status)
          ]),
          [[schedule.id, ["delivered", "failed", "terminal_timeout"]]]
        )
        const one = (yield* call("GET", `/runs?id=${schedule.id}`)).json
        assert.deepInclude(one, { limit: 20, circuit_breaker_threshold: 5 })
        const shown = (yield* call("GET", `/${schedule.id}`)).json
        assert.deepStrictEqual([shown.consecutive_failures, shown.skipped_slots_24h], [2, 3])
        for (const path of [`/${schedule.id}/misfires`, "/misfires"]) {
          const [misfire, ...more] = (yield* call("GET", path)).json
          assert.deepStrictEqual(more, [])
          assert.deepInclude(misfire, { schedule_id: schedule.id, lateness_seconds: 61.5, cause: "no_agent" })
        }
        assert.deepStrictEqual((yield* other.call("GET", "/misfires")).json, [])
        const tooMany = Array.from({ length: 501 }, () => `id=${schedule.id}`).join("&")
        assert.deepStrictEqual(pathsOf(yield* call("GET", `/runs?${tooMany}`)), ["id"])
        for (const path of ["/misfires?limit=1001", `/${schedule.id}/fires?limit=0`, "/runs?limit=51"]) {
          assert.deepStrictEqual(pathsOf(yield* call("GET", path)), ["limit"], path)
        }
      }))

    it.effect("a deleted schedule is gone, and a schedule of another project was never there", () =>
      Effect.gen(function*() {
        const { call, create } = yield* world
        const other = yield* world
        const { id } = yield* create()
        assert.strictEqual((yield* other.call("GET", `/${id}`)).status, 404)
        assert.strictEqual((yield* other.call("DELETE", `/${id}`)).status, 404)
        assert.strictEqual((yield* other.call("POST", `/${id}/pause`)).status, 404)
        assert.strictEqual((yield* call("DELETE", `/${id}`)).status, 204)
        assert.strictEqual((yield* call("GET", `/${id}`)).status, 404)
        assert.strictEqual((yield* call("DELETE", `/${id}`)).status, 404)
      }))
  })

  layer(serverOn(engine, { maxPayloadSizeBytes: 100_000 }), { excludeTestServices: true })((it) => {
    it.effect("args and kwargs may have 64 KiB of JSON each, where a body may have more", () =>
      Effect.gen(function*() {
        const { call, create } = yield* world
        const { id } = yield* create()
        const valueOf = {
          args: (bytes: number) => ["x".repeat(bytes - "[\"\"]".length)],
          kwargs: (bytes: number) => ({ k: "x".repeat(bytes - "{\"k\":\"\"}".length) })
        }
        for (const field of ["args", "kwargs"] as const) {
          const [largest, tooLarge] = [65_536, 65_537].map((bytes) => ({ [field]: valueOf[field](bytes) }))
          const added = { ...nightly, name: field }
          assert.deepStrictEqual(pathsOf(yield* call("POST", "", { ...added, ...tooLarge })), [field])
          assert.strictEqual((yield* call("POST", "", { ...added, ...largest })).status, 201)
          assert.deepStrictEqual(pathsOf(yield* call("PATCH", `/${id}`, tooLarge)), [field])
          assert.strictEqual((yield* call("PATCH", `/${id}`, largest)).status, 200)
        }
      }))
  })
})
