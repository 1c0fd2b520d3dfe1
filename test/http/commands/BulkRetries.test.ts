import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { hash } from "node:crypto"
import { BulkRetryRequestCreate } from "../../../src/domain/commands/BulkRetry.ts"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { canonicalize } from "../../../src/domain/kernel/CanonicalJson.ts"
import { BulkRetryId } from "../../../src/domain/kernel/Id.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { maxOpenJobs } from "../../../src/services/commands/BulkJobs/Row.ts"
import { BulkJobRunner } from "../../../src/services/commands/BulkJobs/Runner.ts"
import { BulkRetries } from "../../../src/services/commands/BulkRetries.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import * as Removal from "../../../src/services/operations/Removal.ts"
import { connected, freshAgent, publishedCapabilities, type TestAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, type StoredTask, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"

const openCommands = 5
let keys = 0

const within = (project: Project) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideService(CurrentActor, system("test")), Effect.provideService(CurrentProject, project))

/** A project with an agent that is not connected, and its bulk retries. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  const { token, user_id } = yield* freshKey({ roles: { [project.id]: "operator" } })
  const bulkRetries = yield* BulkRetries
  const base = yield* baseUrl
  const path = `/projects/${project.slug}/bulk-retry-requests`
  const inProject = within(project)

  /** Failed tasks, the oldest first, named `t1` and so on. */
  const fail = (count: number, overrides: (n: number) => Partial<StoredTask> = () => ({})) => {
    const start = Date.now() - 3_600_000
    const tasks = Array.from(
      { length: count },
      (_, index) =>
        storedTask(project.id, start + index, { state: "failure", task_id: `t${index + 1}`, ...overrides(index + 1) })
    )
    return Effect.as(insertTasks(tasks), tasks)
  }
  /** By the service: over REST the bucket of bulk writes has ten a minute. */
  const create = (overrides: Partial<typeof BulkRetryRequestCreate.Encoded> = {}) =>
    inProject(Effect.flatMap(
      Schema.decode(BulkRetryRequestCreate)({ idempotency_key: `key ${++keys}`, ...overrides }),
      bulkRetries.create
    ))
  const get = (id: string) => Effect.map(request("GET", `${path}/${id}`, { token }), ({ json }) => json)
  const reaches = (id: string, status: string) => Effect.orDie(until(get(id), (shown) => shown.status === status))
  const items = (id: string, query = "") =>
    Effect.map(request("GET", `${path}/${id}/items${query}`, { token }), ({ json }) => json)
  const connect = (hello: Parameters<typeof connected>[0]["hello"] = {}) => connected({ base, ...credentials, hello })
  return {
    project,
    credentials,
    token,
    user_id,
    path,
    bulkRetries,
    inProject,
    fail,
    create,
    get,
    reaches,
    items,
    connect
  }
})

const echo = (agent: TestAgent) => {
  agent.onCommand = (command) =>
    agent.sendResult(command, {
      status: "success",
      result: { new_task_id: `new ${String(command.parameters.task_id)}` }
    })
}

const retried = (agent: TestAgent) => agent.commands.map(({ parameters }) => parameters.task_id)

describe.each(laneEngines)("bulk retries on %s", (engine) => {
  layer(serverOn(engine, { bulkRetryOpenCommands: openCommands }), { excludeTestServices: true })((it) => {
    it.scoped("retry the failed tasks of a filter one by one, the oldest first, and say how each came out", () =>
      Effect.gen(function*() {
        const { connect, credentials, fail, items, path, project, reaches, token, user_id } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(12, (n) => ({ name: n === 12 ? "other" : n === 11 ? "<unknown:1>" : "shop.pay" }))
        yield* insertTasks([storedTask(project.id, Date.now(), { task_id: "succeeded", name: "shop.pay" })])
        const agent = yield* connect()
        agent.onCommand = (command) => {
          const task = String(command.parameters.task_id)
          if (task === "t2") agent.sendResult(command, { status: "failed", error: "no such task" })
          else if (task === "t3") {
            agent.sendResult(command, { status: "failed", result: { indeterminate: true }, error: "?" })
          } else agent.sendResult(command, { status: "success", result: { new_task_id: `new ${task}` } })
        }
        const body = { idempotency_key: "outage", filter: { search: "T" }, rate_per_second: null, max: 11 }
        const created = yield* request("POST", path, { token, body })
        assert.strictEqual(created.status, 202, created.text)
        const { id } = created.json
        assert.deepInclude(created.json, {
          project_id: project.id,
          idempotency_key: "outage",
          control_state: "running",
          canonicalizer_version: 1,
          target_name: null,
          target_agent_id: null,
          filter: { search: "T", state: "failure" },
          max: 11,
          capped: true,
          rate_per_second: null,
          created_by: user_id
        })
        const ended = yield* reaches(id, "completed")
        const counts = { total: 11, pending: 0, claimed: 0, unobserved: 0, succeeded: 9, failed: 1, unknown: 1 }
        assert.deepStrictEqual(ended.counts, counts)
        assert.isTrue(ended.created_at <= ended.sealed_at && ended.sealed_at <= ended.last_progress_at)
        assert.deepStrictEqual(retried(agent), Array.from({ length: 11 }, (_, n) => `t${n + 1}`))
        const [first] = agent.commands
        assert.deepInclude(first, { action: "retry_task", parameters: { task_id: "t1", task_name: "shop.pay" } })
        assert.deepStrictEqual(agent.commands[10]?.parameters, { task_id: "t11" })

        const all = (yield* items(id)).items
        assert.deepInclude(all[0], {
          position: 1,
          engine: "celery",
          task_id: "t1",
          name: "shop.pay",
          status: "succeeded",
          reason: null,
          command_id: first?.id,
          new_task_id: "new t1"
        })
        assert.deepInclude(all[1], { status: "failed", reason: "failed", error: "no such task" })
        assert.deepInclude(all[2], { status: "unknown", reason: "unconfirmed" })
        const pages = [yield* items(id, "?status=succeeded&limit=5")]
        pages.push(yield* items(id, `?status=succeeded&limit=5&cursor=${pages[0].next_cursor}`))
        assert.deepStrictEqual(
          pages.flatMap(({ items }) => items.map(({ task_id }: { task_id: string }) => task_id)),
          ["t1", ...Array.from({ length: 8 }, (_, n) => `t${n + 4}`)]
        )
        assert.isNull(pages[1].next_cursor)

        const digest = hash(
          "sha256",
          canonicalize({ agent_id: null, filter: ended.filter, max: 11, rate_per_second: null }),
          "hex"
        )
        assert.strictEqual(ended.canonical_digest, digest)
        const plan = all.reduce(
          (digest: string, { engine, task_id }: { engine: string; task_id: string }) =>
            hash("sha256", `${digest}\n${canonicalize([engine, task_id])}`, "hex"),
          digest
        )
        assert.strictEqual(ended.plan_digest, plan)

        const again = yield* request("POST", path, { token, body })
        assert.deepInclude(again.json, { id, status: "completed" })
        const other = yield* request("POST", path, { token, body: { ...body, max: 10 } })
        assert.deepInclude(other.json, { code: "idempotency_conflict" })
        const list = yield* request("GET", `${path}?limit=1`, { token })
        assert.strictEqual(list.json.items[0].id, id)

        const audit = yield* sql<{ action: string; metadata: string }>`SELECT action, metadata FROM audit_log
          WHERE project_id = ${project.id} AND target_id = ${id} ORDER BY seq`
        assert.deepStrictEqual(audit.map(({ action }) => action), ["bulk_retry.created", "bulk_retry.finished"])
        assert.deepInclude(JSON.parse(audit[1]?.metadata ?? ""), { status: "completed", succeeded: 9, failed: 1 })
        const issued = yield* sql<{ metadata: string }>`SELECT metadata FROM audit_log
          WHERE project_id = ${project.id} AND action = 'command.issued'`
        assert.strictEqual(issued.length, 11)
        assert.deepInclude(JSON.parse(issued[0]?.metadata ?? ""), { bulk_retry_id: id, agent_id: credentials.agent_id })
        const gone = yield* request("POST", `${path}/${id}/pause`, { token })
        assert.deepInclude(gone.json, { status: 409, code: "bulk_retry_ended" })
      }))

    it.scoped("say what became of the retried tasks, of new ids and of their own", () =>
      Effect.gen(function*() {
        const { connect, create, fail, items, path, project, reaches, token } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(9)
        const agent = yield* connect()
        // t1 to t6 get a new id, t7 to t9 run again under their own
        agent.onCommand = (command) => {
          const task = String(command.parameters.task_id)
          const result = Number(task.slice(1)) <= 6 ? { new_task_id: `new ${task}` } : {}
          agent.sendResult(command, { status: "success", result })
        }
        const { id } = yield* create()
        const ended = yield* reaches(id, "completed")
        const waiting = { succeeded: 0, failed: 0, waiting: 9, cancelled: 0, unknown: 0 }
        assert.deepStrictEqual(ended.outcomes, waiting, "nothing is reported yet, and t7 to t9 are in their old state")

        const newTask = (task: string, overrides: Partial<StoredTask>) =>
          storedTask(project.id, Date.now(), { task_id: `new ${task}`, ...overrides })
        yield* insertTasks([
          newTask("t1", { state: "success" }),
          newTask("t2", { state: "failure" }),
          newTask("t3", { state: "failure" }),
          newTask("t4", { state: "started" }),
          newTask("t5", { state: "revoked" })
        ])
        yield* sql`UPDATE tasks SET recovered_by = 'later' WHERE project_id = ${project.id} AND task_id = 'new t3'`
        const report = (task: string, state: string) =>
          Effect.flatMap(Timestamp.now, (now) =>
            sql`UPDATE tasks SET state = ${state}, updated_at = ${now}
              WHERE project_id = ${project.id} AND task_id = ${task}`)
        yield* report("t7", "failure")
        yield* report("t8", "success")
        const outcomes = { succeeded: 3, failed: 2, waiting: 3, cancelled: 1, unknown: 0 }
        const shown = yield* until(
          request("GET", `${path}/${id}`, { token }),
          ({ json }) => json.outcomes.succeeded === outcomes.succeeded
        )
        assert.deepStrictEqual(shown.json.outcomes, outcomes)
        assert.strictEqual(shown.json.counts.succeeded, 9)
        const listed = yield* request("GET", path, { token })
        assert.deepStrictEqual(listed.json.items[0].outcomes, outcomes)
        const all = (yield* items(id)).items
        assert.deepStrictEqual(
          all.map(({ outcome }: { outcome: string }) => outcome),
          ["succeeded", "failed", "succeeded", "waiting", "cancelled", "waiting", "failed", "succeeded", "waiting"]
        )
        const first = yield* items(id, "?outcome=failed&limit=1")
        const second = yield* items(id, `?outcome=failed&limit=1&cursor=${first.next_cursor}`)
        assert.deepStrictEqual(
          [...first.items, ...second.items].map(({ outcome, task_id }) => [task_id, outcome]),
          [["t2", "failed"], ["t7", "failed"]]
        )
        assert.isNull(second.next_cursor)
        assert.deepStrictEqual((yield* items(id, "?outcome=failed&status=failed")).items, [])

        // a day later, without a report
        yield* sql`UPDATE bulk_retry_items SET ended_at = ${Timestamp.addSeconds(ended.finished_at, -86_500)}
          WHERE request_id = ${id} AND task_id IN ('t6', 't9')`
        const later = yield* until(
          request("GET", `${path}/${id}`, { token }),
          ({ json }) => json.outcomes.unknown === 2
        )
        assert.deepStrictEqual(later.json.outcomes, { ...outcomes, waiting: 1, unknown: 2 })
      }))

    it.scoped("retry the tasks that a person selected, whatever their state", () =>
      Effect.gen(function*() {
        const { connect, create, fail, path, reaches, token } = yield* world
        const other = yield* world
        const tasks = yield* fail(4, (n) => ({ state: n === 2 ? "success" : "failure" }))
        const [foreign] = yield* other.fail(1)
        const task_ids = [tasks[2], tasks[1], foreign].flatMap((task) => (task === undefined ? [] : [task.id]))
        const preview = yield* request("POST", `${path}:preview`, { token, body: { filter: { task_ids } } })
        assert.deepInclude(preview.json, { total: 2, capped: false })
        const agent = yield* connect()
        echo(agent)
        const { id } = yield* create({ filter: { task_ids } })
        const ended = yield* reaches(id, "completed")
        assert.deepInclude(ended.filter, { task_ids: 3 })
        assert.strictEqual(ended.target_name, tasks[0]?.name)
        assert.deepStrictEqual(retried(agent), ["t2", "t3"])
      }))

    it.scoped("take at most 10 000 tasks by max, and all that match without one", () =>
      Effect.gen(function*() {
        const { create, fail, path, token } = yield* world
        yield* fail(10_050)
        const preview = (max: number | null) => request("POST", `${path}:preview`, { token, body: { max } })
        assert.deepInclude((yield* preview(10_000)).json, { total: 10_000, capped: true })
        assert.deepInclude((yield* preview(null)).json, { total: 10_050, capped: false })
        const created = yield* request("POST", path, { token, body: { idempotency_key: "all", max: null } })
        assert.strictEqual(created.status, 202, created.text)
        assert.deepInclude(created.json, { max: null, capped: false })
        assert.strictEqual(created.json.counts.total, 10_050)
        assert.deepInclude(yield* create({ idempotency_key: "all", max: null }), { id: created.json.id, max: null })
        const shown = yield* request("GET", `${path}/${created.json.id}`, { token })
        assert.deepInclude(shown.json, { max: null, capped: false })
        const other = yield* Effect.flip(create({ idempotency_key: "all" })) // without the field: 1000
        assert.deepInclude(other, { code: "idempotency_conflict" })
        yield* request("POST", `${path}/${created.json.id}/cancel`, { token })
      }))

    it.scoped("show before what they would retry, by engine, name and exception", () =>
      Effect.gen(function*() {
        const { credentials, connect, fail, path, token } = yield* world
        yield* fail(6, (n) => ({
          name: n < 5 ? "shop.pay" : "shop.ship",
          engine: n === 6 ? "huey" : "celery",
          fingerprint: n < 3 ? "9f2c41d07be5a836" : null,
          exception: n === 1 ? null : n < 4 ? `TimeoutError: ${n} s` : `shop.Declined('card ${n}')`
        }))
        const preview = (body: object) => request("POST", `${path}:preview`, { token, body })
        const engine = {
          engine: "celery",
          count: 5,
          note: "No connected agent can retry tasks of celery. They wait until one connects."
        }
        const before = yield* preview({})
        assert.deepStrictEqual(before.json.engines[0], { ...engine, agent_id: null })
        assert.deepInclude(before.json.engines[1], { engine: "huey", count: 1, agent_id: null })
        assert.include(before.json.engines[1].note, "huey keeps no arguments")
        const { names, exceptions, ...rest } = before.json
        assert.deepInclude(rest, { total: 6, capped: false })
        assert.deepStrictEqual(names, [{ name: "shop.pay", count: 4 }, { name: "shop.ship", count: 2 }])
        assert.deepStrictEqual(exceptions, [
          { exception: "shop.Declined", count: 3 },
          { exception: "TimeoutError", count: 2 },
          { exception: null, count: 1 }
        ])
        yield* connect()
        const after = yield* until(
          preview({ filter: { engine: "celery", name: "pay" }, max: 2 }),
          ({ json }) => json.engines[0]?.agent_id !== null
        )
        assert.deepInclude(after.json, { total: 2, capped: true })
        assert.deepInclude(after.json.engines[0], { agent_id: credentials.agent_id, count: 2, note: null })
        assert.deepStrictEqual((yield* request("GET", path, { token })).json.items, [])
        const group = yield* preview({ filter: { fingerprint: "9f2c41d07be5a836" } })
        assert.deepInclude(group.json, { total: 2, capped: false })
        const succeeded = yield* preview({ filter: { state: "success" } })
        assert.deepInclude(succeeded.json, { total: 0, capped: false })
      }))

    it.scoped("leave a bounded number of commands open, and pause, resume and cancel at once", () =>
      Effect.gen(function*() {
        const { connect, create, fail, get, items, path, reaches, token } = yield* world
        yield* fail(40)
        const first = yield* connect()
        const { id } = yield* create()
        const control = (verb: string) =>
          Effect.map(request("POST", `${path}/${id}/${verb}`, { token }), ({ json }) => json)
        yield* Effect.promise(() => first.when(() => first.commands.length === openCommands))
        assert.deepInclude((yield* control("pause")).counts, { claimed: openCommands, pending: 40 - openCommands })
        const paused = yield* control("pause")
        assert.deepInclude(paused, { control_state: "paused", status: "running" })
        assert.include(paused.note, "it is paused. 5 commands were sent before")
        for (const command of first.commands) first.sendResult(command, { status: "success", result: {} })
        yield* until(get(id), ({ counts }) => counts.succeeded === openCommands && counts.claimed === 0)
        yield* Effect.promise(() => first.close())

        // no process takes them, so they are taken back
        yield* until(get(id), () => true)
        assert.deepInclude(yield* control("resume?rate_per_second=50"), {
          control_state: "running",
          rate_per_second: 50
        })
        const second = yield* connect()
        second.onCommand = null
        yield* Effect.promise(() => second.when(() => second.commands.length === openCommands))
        assert.strictEqual(new Set([...retried(first), ...retried(second)]).size, 2 * openCommands)
        const cancelled = yield* control("cancel")
        assert.deepInclude(cancelled, { control_state: "cancelled", status: "running" })
        assert.deepInclude(yield* control("resume"), { status: 409, code: "bulk_retry_ended" })
        for (const command of second.commands) second.sendResult(command, { status: "failed", error: "broken" })
        const ended = yield* reaches(id, "cancelled")
        assert.deepStrictEqual(ended.counts, {
          total: 40,
          pending: 30,
          claimed: 0,
          unobserved: 0,
          succeeded: 5,
          failed: 5,
          unknown: 0
        })
        assert.lengthOf((yield* items(id, "?status=pending")).items, 30)
      }))

    it.scoped("take back what was not sent, and wait for an agent of the engine", () =>
      Effect.gen(function*() {
        const { connect, create, fail, get, path, project, reaches, token } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(3)
        const { id, note } = yield* create()
        assert.include(note, "No connected agent can retry tasks of celery")
        // another process of the agent that serves it, as far as the database knows, takes nothing
        const silent = yield* connect({ capabilities: { celery: publishedCapabilities.celery } })
        yield* Effect.promise(() => silent.when(() => silent.commands.length === 3))
        // as if they had never been sent
        yield* sql`UPDATE commands SET status = 'timeout', dispatched_at = NULL, completed_at = issued_at
          WHERE project_id = ${project.id} AND target_id = 't1'`
        yield* sql`UPDATE commands SET status = 'pending', dispatched_at = NULL, agent_id = ${yield* Ids.next}
          WHERE project_id = ${project.id} AND target_id = 't2'`
        yield* Effect.promise(() => silent.when(() => silent.commands.length === 4))
        assert.deepStrictEqual(retried(silent)[3], "t1")
        const paused = yield* request("POST", `${path}/${id}/pause`, { token })
        assert.deepInclude(paused.json.counts, { pending: 1, claimed: 2 })
        const [taken] = yield* sql<{ error: string }>`SELECT error FROM commands
          WHERE project_id = ${project.id} AND status = 'cancelled' AND target_id = 't2'`
        assert.include(taken?.error, "Cancelled before it was sent")
        yield* request("POST", `${path}/${id}/resume`, { token })
        yield* Effect.promise(() => silent.when(() => silent.commands.length === 5))
        for (const command of silent.commands.slice(2)) silent.sendResult(command, { status: "success", result: {} })
        const ended = yield* reaches(id, "completed")
        assert.strictEqual(ended.counts.succeeded, 3)
        assert.isNull((yield* get(id)).note)
      }))

    it.scoped("leave out tasks that changed, and those that their engine cannot retry", () =>
      Effect.gen(function*() {
        const { connect, create, fail, items, project, reaches } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(5, (n) => n === 5 ? { engine: "huey" } : {})
        const { id } = yield* create()
        yield* sql`DELETE FROM tasks WHERE project_id = ${project.id} AND task_id = 't1'`
        yield* sql`UPDATE tasks SET state = 'success' WHERE project_id = ${project.id} AND task_id = 't2'`
        const row = { project_id: project.id, engine: "celery", task_id: "t3", new_task_id: "n" }
        yield* sql`INSERT INTO task_retries ${sql.insert({ ...row, command_id: yield* Ids.next })}`
        echo(yield* connect())
        const ended = yield* reaches(id, "completed")
        assert.deepInclude(ended.counts, { unobserved: 3, succeeded: 1, failed: 1 })
        const shown: ReadonlyArray<{ reason: string | null }> = (yield* items(id)).items
        assert.deepStrictEqual(
          shown.map(({ reason }) => reason),
          ["task_deleted", "task_changed", "task_retried", null, "refused"]
        )
      }))

    it.scoped("obey the rate, and end at the deadline", () =>
      Effect.gen(function*() {
        const { connect, create, fail, items, reaches } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(5)
        echo(yield* connect())
        const { created_at, id } = yield* create({ rate_per_second: 20 })
        yield* reaches(id, "completed")
        const claims: ReadonlyArray<string> = (yield* items(id)).items.map(({ claimed_at }: { claimed_at: string }) =>
          claimed_at
        )
        // A process that had to wait may claim several at once, but none before its time.
        const millis = claims.map((claimed) => Date.parse(claimed) - Date.parse(created_at)).sort((a, b) => a - b)
        millis.forEach((elapsed, index) => assert.isAtLeast(elapsed, (index + 1) * 50 - 1)) // stamps are rounded

        const late = yield* create({ rate_per_second: 0.01 })
        yield* sql`UPDATE bulk_jobs SET deadline_at = created_at WHERE id = ${late.id}`
        const expired = yield* reaches(late.id, "expired")
        assert.strictEqual(expired.counts.pending, 5)
      }))

    it.scoped("send all to a named agent, and prefer the agent that reported a task's worker", () =>
      Effect.gen(function*() {
        const { connect, create, credentials, fail, path, project, reaches, token } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(2, (n) => ({ worker_name: n === 1 ? "celery@two" : null }))
        const others = yield* freshAgent(project)
        const two = yield* connected({ base: yield* baseUrl, ...others })
        const one = yield* connect()
        const now = yield* Timestamp.now
        yield* sql`INSERT INTO workers ${
          sql.insert({
            id: yield* Ids.next,
            project_id: project.id,
            engine: "celery",
            name: "celery@two",
            state: "online",
            queues: "[]",
            active_tasks: 0,
            processed: 0,
            failed: 0,
            succeeded: 0,
            retried: 0,
            metadata: "{}",
            agent_id: others.agent_id,
            created_at: now,
            updated_at: now
          })
        }`
        echo(one)
        echo(two)
        const { id } = yield* create()
        yield* reaches(id, "completed")
        assert.include(retried(two), "t1")
        const named = yield* create({ agent_id: credentials.agent_id })
        const before = one.commands.length
        yield* reaches(named.id, "completed")
        assert.deepStrictEqual(retried(one).slice(before), ["t1", "t2"])
        const unknown = yield* request("POST", path, {
          token,
          body: { idempotency_key: "k", agent_id: yield* Ids.next }
        })
        assert.strictEqual(unknown.status, 404)
      }))

    it.scoped("refuse a misspelt filter, a rate that takes too long, and too many at a time", () =>
      Effect.gen(function*() {
        const { bulkRetries, create, fail, inProject, path, token } = yield* world
        yield* fail(3000)
        const refused = yield* request("POST", `${path}:preview`, { token, body: { filter: { sate: "failure" } } })
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(refused.text, "filter.sate")
        const doors = [
          [path, 10_001],
          ...[0, 1.5, 10_001, 100_000].map((max) => [`${path}:preview`, max] as const)
        ] as const
        for (const [door, max] of doors) {
          const { json } = yield* request("POST", door, { token, body: { idempotency_key: "k", max } })
          assert.deepInclude(json, { status: 422, code: "validation_failed" }, `${door} ${max}`)
          assert.include(json.details.issues[0].message, "from 1 to 10000")
          assert.include(json.details.issues[0].message, "bulk-retry-requests with max null")
        }
        const slow = yield* Effect.flip(create({ rate_per_second: 0.01, max: 3000 }))
        assert.include(String(slow), "3000 tasks take 84 hours at this rate")
        assert.deepStrictEqual((yield* inProject(bulkRetries.list({ cursor: undefined, limit: undefined }))).items, [])
        for (let n = 0; n < maxOpenJobs; n++) yield* create({ max: 1 })
        assert.deepInclude(yield* Effect.flip(create({ max: 1 })), { code: "too_many_bulk_retries" })
        const nothing = yield* Effect.flip(create({ filter: { name: "no such" } }))
        assert.deepInclude(nothing, { code: "too_many_bulk_retries" })
      }))

    it.scoped("keep the frozen set where the database failed at its commit, which may have happened", () =>
      Effect.gen(function*() {
        const { create, fail, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* fail(2)
        yield* sql.onDialectOrElse({
          pg: () =>
            Effect.zipRight(
              sql.unsafe(
                `CREATE FUNCTION fail_seal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''lost''; END'`
              ),
              sql.unsafe(`CREATE TRIGGER fail_seal BEFORE UPDATE ON bulk_jobs FOR EACH ROW
                WHEN (NEW.idempotency_key = 'fails') EXECUTE FUNCTION fail_seal()`)
            ),
          orElse: () =>
            sql.unsafe(`CREATE TRIGGER fail_seal BEFORE UPDATE ON bulk_jobs
              WHEN NEW.idempotency_key = 'fails' BEGIN SELECT RAISE(ABORT, 'lost'); END`)
        })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(create({ idempotency_key: "fails" }))))
        const kept = yield* sql`SELECT position FROM bulk_retry_items WHERE project_id = ${project.id}`
        assert.lengthOf(kept, 2)
      }))

    it.scoped("leave nothing behind: neither after their retention, nor of a set whose freezing was killed", () =>
      Effect.gen(function*() {
        const { connect, create, fail, get, project, reaches, token, path } = yield* world
        const sql = yield* SqlClient.SqlClient
        const { prune } = yield* BulkJobRunner
        yield* fail(700)
        const open = yield* create({ max: 700 })
        const killed = yield* create({ max: 700, idempotency_key: "killed" })
        yield* sql`UPDATE bulk_jobs SET sealed_at = NULL, created_at = ${
          Timestamp.addSeconds(killed.created_at, -4000)
        } WHERE id = ${killed.id}`
        assert.strictEqual((yield* request("GET", `${path}/${killed.id}`, { token })).status, 404)
        const again = yield* create({ max: 2, idempotency_key: "killed" })
        assert.notStrictEqual(again.id, killed.id)
        yield* request("POST", `${path}/${open.id}/cancel`, { token })
        const old = yield* reaches(open.id, "cancelled")
        yield* sql`UPDATE bulk_jobs SET finished_at = ${Timestamp.addSeconds(old.finished_at, -31 * 86_400)}
          WHERE id = ${open.id}`
        yield* prune()
        const left = yield* sql<{ request_id: string }>`SELECT DISTINCT request_id FROM bulk_retry_items
          WHERE project_id = ${project.id}`
        assert.deepStrictEqual(left, [{ request_id: again.id }])
        echo(yield* connect())
        yield* reaches(again.id, "completed")
        assert.strictEqual((yield* get(BulkRetryId.make(open.id))).status, 404)
      }).pipe(Effect.provide(BulkJobRunner.layer), Effect.provide(Removal.layer)))
  })
})
