import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Either, Option, Schedule } from "effect"
import type { BulkJob } from "../../../src/domain/commands/BulkJob.ts"
import { BulkJobId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { BulkJobsRepo } from "../../../src/services/commands/BulkJobs/Repo.ts"
import { BulkJobRunner, leaseName } from "../../../src/services/commands/BulkJobs/Runner.ts"
import { Leader, Lease, LeaseLost } from "../../../src/services/kernel/concurrency/Leader.ts"
import * as Removal from "../../../src/services/operations/Removal.ts"
import { connected, freshAgent, type TestAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, type StoredTask, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"
import { fromElsewhere, proxied } from "../people.ts"

const openCommands = 5

/** A project with an agent that is not connected, an admin and an operator. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
  const operator = yield* freshKey({ roles: { [project.id]: "operator" } })
  const base = yield* baseUrl
  const path = `/projects/${project.slug}/bulk-jobs`

  /** Tasks of the last hour, the oldest first, named `t1` and so on. */
  const insert = (count: number, overrides: (n: number) => Partial<StoredTask> = () => ({})) => {
    const start = Date.now() - 3_600_000
    return insertTasks(Array.from(
      { length: count },
      (_, index) =>
        storedTask(project.id, start + index, { state: "started", task_id: `t${index + 1}`, ...overrides(index + 1) })
    ))
  }
  const post = (rest: string, body: object | undefined, { token } = admin) =>
    request("POST", `${path}${rest}`, { token, headers: fromElsewhere(), ...(body !== undefined && { body }) })
  const create = (action: "cancel" | "delete", body: object) =>
    Effect.map(post(`:${action}`, body), ({ json, status, text }): BulkJob => {
      assert.strictEqual(status, 202, text)
      return json // as the API documents it
    })
  const get = (id: string) => Effect.map(request("GET", `${path}/${id}`, { token: operator.token }), ({ json }) => json)
  const ends = (id: string) => Effect.orDie(until(get(id), ({ status }) => status !== "running"))
  const tasksLeft = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ task_id: string }>`SELECT task_id FROM tasks WHERE project_id = ${project.id} ORDER BY id`,
      (rows) => rows.map(({ task_id }) => task_id)
    ))
  const audit = (id: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(
        sql<{ action: string; metadata: string; user_id: string | null }>`SELECT action, metadata, user_id
          FROM audit_log WHERE project_id = ${project.id} AND target_id = ${id} ORDER BY seq`,
        (rows) => rows.map((row) => ({ ...row, metadata: JSON.parse(row.metadata) }))
      ))
  const connect = connected({ base, ...credentials })
  return { project, credentials, admin, operator, path, insert, post, create, get, ends, tasksLeft, audit, connect }
})

/** Another replica leads, so that the test alone moves jobs. */
const withoutRunner = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const expiry = Effect.sync(() => Date.now() + 9_000)
  const renew = Effect.flatMap(expiry, (at) => sql`UPDATE leases SET expires_at = ${at} WHERE holder = 'another'`)
  yield* until(sql`SELECT 1 FROM leases WHERE name = ${leaseName}`, (rows) => rows.length === 0)
  yield* Effect.acquireRelease(
    Effect.flatMap(
      expiry,
      (at) => sql`INSERT INTO leases (name, holder, expires_at) VALUES (${leaseName}, 'another', ${at})`
    ),
    () => Effect.orDie(sql`DELETE FROM leases WHERE holder = 'another'`)
  )
  yield* Effect.forkScoped(Effect.repeat(renew, Schedule.spaced("1 second")))
})

const completeAll = (agent: TestAgent) => {
  agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: {} })
}

const cancelled = (agent: TestAgent) => agent.commands.map(({ parameters }) => String(parameters.task_id))

describe.each(laneEngines)("bulk jobs on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, bulkRetryOpenCommands: openCommands }), { excludeTestServices: true })((it) => {
    it.scoped("delete all tasks of a filter, however many, but none that arrives later", () =>
      Effect.gen(function*() {
        const { admin, audit, create, ends, insert, operator, path, post, project, tasksLeft } = yield* world
        const other = yield* world
        yield* insert(602, (n) => ({ state: n % 2 === 0 ? "failure" : "success" }))
        yield* other.insert(2, () => ({ state: "failure" }))
        const refused = yield* post(":delete", { filter_state: "failure" }, operator)
        assert.strictEqual(refused.status, 403)
        assert.strictEqual((yield* post(":delete", {})).status, 422)
        assert.strictEqual((yield* post(":delete", { filter_sate: "failure" })).status, 422)
        const created = yield* create("delete", { filter_state: "failure", filter_until: "2999-01-01T00:00:00Z" })
        assert.deepInclude(created, {
          project_id: project.id,
          act: "delete",
          total: 301,
          outcomes: null,
          created_by: admin.user_id,
          filter: { filter_state: "failure", filter_until: created.created_at }
        })
        yield* insertTasks([storedTask(project.id, Date.now() + 60_000, { state: "failure", task_id: "later" })])
        const ended = yield* ends(created.id)
        assert.deepInclude(ended, { status: "completed", done: 301, skipped: 0, note: null })
        assert.isNotNull(ended.finished_at)
        const left = yield* tasksLeft
        assert.lengthOf(left, 302)
        assert.include(left, "later")
        assert.lengthOf(yield* other.tasksLeft, 2)

        const rows = yield* audit(created.id)
        assert.deepStrictEqual(rows.map(({ action, user_id }) => [action, user_id]), [
          ["bulk_job.created", admin.user_id],
          ["bulk_job.finished", null]
        ])
        assert.deepInclude(rows[1]?.metadata, { act: "delete", total: 301, done: 301 })
        const slices = (yield* audit(project.id)).filter(({ action }) => action === "task.bulk_deleted")
        assert.deepStrictEqual(slices.map(({ metadata }) => metadata.deleted_count), [250, 51])
        assert.deepInclude(slices[0]?.metadata, { bulk_job_id: created.id })

        const none = yield* create("delete", { filter_name: "no such" })
        assert.deepInclude(none, { status: "completed", total: 0, done: 0 })
        const page = yield* request("GET", `${path}?limit=1`, { token: operator.token })
        assert.deepStrictEqual(page.json.items.map(({ id }: BulkJob) => id), [none.id])
        const next = yield* request("GET", `${path}?limit=1&cursor=${page.json.next_cursor}`, { token: operator.token })
        assert.deepStrictEqual(next.json.items.map(({ id }: BulkJob) => id), [created.id])
        const stopped = yield* post(`/${created.id}/stop`, undefined, operator)
        assert.deepInclude(stopped.json, { status: 409, code: "bulk_job_ended" })
        const foreign = yield* request("GET", `${other.path}/${created.id}`, { token: other.operator.token })
        assert.strictEqual(foreign.status, 404)
      }))

    it.scoped("command the cancellation of the tasks that have not ended, and count the outcomes", () =>
      Effect.gen(function*() {
        const { audit, connect, create, credentials, ends, get, insert, operator, post, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        const states = ["started", "received", "pending", "retry", "unknown", "success", "failure", "revoked"] as const
        yield* insert(16, (n) => ({ state: states[(n - 1) % 8] ?? "rejected" }))
        const agent = yield* connect
        const created = yield* create("cancel", { filter_name: "shop" })
        assert.deepInclude(created, { act: "cancel", total: 10, status: "running" })
        yield* Effect.promise(() => agent.when(() => agent.commands.length === openCommands))
        const half = yield* until(get(created.id), ({ done }) => done === openCommands)
        assert.deepStrictEqual(half.outcomes, { pending: openCommands, succeeded: 0, failed: 0, unknown: 0 })
        assert.deepStrictEqual(cancelled(agent), ["t1", "t2", "t3", "t4", "t5"])
        yield* sql`UPDATE tasks SET state = 'success' WHERE project_id = ${project.id} AND task_id = 't10'`
        yield* sql`DELETE FROM tasks WHERE project_id = ${project.id} AND task_id = 't11'`
        agent.onCommand = (command) => {
          const task = command.parameters.task_id
          if (task === "t9") agent.sendResult(command, { status: "failed", error: "broken" })
          else if (task === "t13") {
            agent.sendResult(command, { status: "failed", result: { indeterminate: true }, error: "?" })
          } else agent.sendResult(command, { status: "success", result: {} })
        }
        for (const command of agent.commands) agent.sendResult(command, { status: "success", result: {} })
        const ended = yield* ends(created.id)
        assert.deepInclude(ended, { status: "completed", done: 8, skipped: 2 })
        assert.deepStrictEqual(ended.outcomes, { pending: 0, succeeded: 6, failed: 1, unknown: 1 })
        assert.deepStrictEqual(cancelled(agent).slice(openCommands), ["t9", "t12", "t13"])
        const issued = yield* sql<{ metadata: string }>`SELECT metadata FROM audit_log
          WHERE project_id = ${project.id} AND action = 'command.issued'`
        assert.lengthOf(issued, 8)
        assert.deepInclude(JSON.parse(issued[0]?.metadata ?? ""), {
          action: "cancel_task",
          agent_id: credentials.agent_id,
          bulk_job_id: created.id
        })
        assert.deepStrictEqual((yield* audit(created.id)).map(({ action }) => action), [
          "bulk_job.created",
          "bulk_job.finished"
        ])
        const ofEnded = yield* post(":cancel", { filter_state: "failure" }, operator)
        assert.deepInclude(ofEnded.json, { status: "completed", total: 0 })
      }))

    it.scoped("concern the tasks that a person selected, of which only those that have not ended are cancelled", () =>
      Effect.gen(function*() {
        const { audit, connect, create, ends, insert, path, operator, post, project, tasksLeft } = yield* world
        const other = yield* world
        yield* insert(6, (n) => ({ state: n === 2 ? "success" : "started" }))
        yield* other.insert(1)
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ id: string; task_id: string }>`SELECT id, task_id FROM tasks
          WHERE project_id IN ${sql.in([project.id, other.project.id])} AND task_id IN ${sql.in(["t1", "t2", "t3"])}`
        const task_ids = rows.map(({ id }) => id)
        assert.strictEqual((yield* post(":cancel", { task_ids: [] })).status, 422)
        const agent = yield* connect
        completeAll(agent)
        const cancelled = yield* create("cancel", { task_ids })
        assert.deepInclude(cancelled, { total: 2, filter: { task_ids: 4 } })
        assert.deepInclude(yield* ends(cancelled.id), { status: "completed", done: 2, skipped: 0 })
        assert.deepStrictEqual(agent.commands.map(({ parameters }) => parameters.task_id), ["t1", "t3"])
        const deleted = yield* create("delete", { task_ids })
        assert.deepInclude(yield* ends(deleted.id), { total: 3, done: 3, skipped: 0 })
        assert.deepStrictEqual(yield* tasksLeft, ["t4", "t5", "t6"])
        assert.deepStrictEqual(yield* other.tasksLeft, ["t1"])
        assert.deepInclude((yield* audit(deleted.id))[0]?.metadata.filter, { task_ids: 4 })
        const { json } = yield* request("GET", path, { token: operator.token })
        assert.deepStrictEqual(json.items.map(({ filter }: BulkJob) => filter), [{ task_ids: 4 }, { task_ids: 4 }])
      }))

    it.scoped("delete of the selected tasks those that match all other terms", () =>
      Effect.gen(function*() {
        const { audit, create, ends, insert, project, tasksLeft } = yield* world
        yield* insert(4, (n) => ({ state: n % 2 === 0 ? "failure" : "started" }))
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ id: string }>`SELECT id FROM tasks
          WHERE project_id = ${project.id} AND task_id IN ${sql.in(["t1", "t2", "t3"])}`
        const terms = { task_ids: rows.map(({ id }) => id), filter_state: "failure" }
        const { id } = yield* create("delete", terms)
        assert.deepInclude(yield* ends(id), { total: 1, done: 1, skipped: 0 })
        assert.deepStrictEqual(yield* tasksLeft, ["t1", "t3", "t4"])
        const slice = (yield* audit(project.id)).find(({ action }) => action === "task.bulk_deleted")
        assert.deepStrictEqual(slice?.metadata.selection, { task_ids: 3, filter_state: "failure" })
      }))

    it.scoped("wait for an agent of each engine until the deadline, and count what is left", () =>
      Effect.gen(function*() {
        const { connect, create, ends, get, insert, tasksLeft } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* insert(6, (n) => ({ engine: n % 2 === 0 ? "celery" : "rq" }))
        const created = yield* create("cancel", { filter_name: "shop" })
        assert.include(created.note, "No connected agent can cancel tasks of celery, rq.")
        const agent = yield* connect
        completeAll(agent)
        const half = yield* until(get(created.id), ({ outcomes }) => outcomes.succeeded === 3)
        assert.deepInclude(half, { status: "running", done: 3, skipped: 0 })
        assert.include(half.note, "No connected agent can cancel tasks of rq.")
        yield* sql`UPDATE bulk_jobs SET deadline_at = created_at WHERE id = ${created.id}`
        assert.deepInclude(yield* ends(created.id), { status: "completed", total: 6, done: 3, skipped: 3, note: null })
        assert.deepStrictEqual(cancelled(agent), ["t2", "t4", "t6"])
        assert.lengthOf(yield* tasksLeft, 6)
      }))

    it.scoped("stop in the middle, and are complete when the last command has an outcome", () =>
      Effect.gen(function*() {
        const { audit, connect, create, get, insert, operator, post } = yield* world
        yield* insert(9)
        const agent = yield* connect
        const { id } = yield* create("cancel", { filter_state: "started" })
        yield* Effect.promise(() => agent.when(() => agent.commands.length === openCommands))
        const stopped = yield* post(`/${id}/stop`, undefined, operator)
        assert.deepInclude(stopped.json, { status: "stopped", done: openCommands, skipped: 0 })
        assert.isNotNull(stopped.json.finished_at)
        for (const command of agent.commands) agent.sendResult(command, { status: "success", result: {} })
        const resolved = yield* until(get(id), ({ outcomes }) => outcomes.pending === 0)
        assert.deepStrictEqual(resolved.outcomes, { pending: 0, succeeded: openCommands, failed: 0, unknown: 0 })
        assert.lengthOf(agent.commands, openCommands)
        const rows = yield* audit(id)
        assert.deepStrictEqual(rows.map(({ action, user_id }) => [action, user_id === operator.user_id]), [
          ["bulk_job.created", false],
          ["bulk_job.stopped", true]
        ])
      }))
  })

  // another layer: these tests stop the runner, which the tests above need
  layer(serverOn(engine, { ...proxied, bulkRetryOpenCommands: openCommands }), { excludeTestServices: true })((it) => {
    /** Moves the job on by one step, as a process that leads does. */
    const step = Effect.fnUntraced(function*(job: { readonly id: string; readonly project_id: BulkJob["project_id"] }) {
      const repo = yield* BulkJobsRepo
      const runner = yield* BulkJobRunner
      const row = yield* yield* repo.walks.find(job.project_id, BulkJobId.make(job.id))
      return (yield* runner.makeSteps()(row)).moved
    })
    const leading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Leader, (leader) => leader.only("a test's own lease", effect))
    const services = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      effect.pipe(
        Effect.provide(BulkJobRunner.layer),
        Effect.provide(Removal.layer),
        Effect.provide(BulkJobsRepo.layer),
        Effect.provide(Leader.layer)
      )

    it.scoped("continue after their process was killed: nothing is doubled, and nothing is left out", () =>
      Effect.gen(function*() {
        yield* withoutRunner
        const { connect, create, ends, get, insert, project, tasksLeft } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* insert(300, (n) => ({ state: n <= 290 ? "failure" : "started", engine: n > 298 ? "rq" : "celery" }))
        const agent = yield* connect
        const deletion = yield* create("delete", { filter_state: "failure" })
        const cancellation = yield* create("cancel", { filter_state: "started" })
        const isServed = Effect.map(get(cancellation.id), ({ note }) => String(note))
        yield* until(isServed, (note) => note.includes("tasks of rq."))
        // its lease is taken over while it works: the step is rolled back as if it had been killed
        const lose = sql`DELETE FROM leases WHERE name = 'a test''s own lease'`
        for (const job of [deletion, cancellation]) {
          const lost = yield* Effect.either(leading(Effect.zipRight(lose, step(job))))
          assert.isTrue(Either.isLeft(lost) && lost.left instanceof LeaseLost, String(lost))
          assert.deepInclude(yield* get(job.id), { done: 0, status: "running" })
        }
        assert.lengthOf(yield* tasksLeft, 300)
        assert.lengthOf(agent.commands, 0)
        // one slice each, and the process is killed between two steps
        assert.deepStrictEqual(yield* leading(Effect.zip(step(deletion), step(cancellation))), Option.some([250, 5]))
        assert.deepInclude(yield* get(deletion.id), { done: 250 })
        yield* Effect.promise(() => agent.when(() => agent.commands.length === openCommands))
        assert.deepStrictEqual(
          yield* leading(step(cancellation)),
          Option.some(0),
          "the open commands are at their limit"
        )

        completeAll(agent)
        for (const command of agent.commands) agent.sendResult(command, { status: "success", result: {} })
        yield* sql`UPDATE bulk_jobs SET deadline_at = ${Timestamp.addSeconds(yield* Timestamp.now, 5)}
          WHERE id = ${cancellation.id}`
        yield* sql`DELETE FROM leases WHERE name = ${leaseName}`
        assert.deepInclude(yield* ends(deletion.id), { status: "completed", total: 290, done: 290 })
        const ended = yield* ends(cancellation.id)
        assert.deepInclude(ended, { status: "completed", total: 10, done: 8, skipped: 2 })
        assert.deepStrictEqual(cancelled(agent), ["t291", "t292", "t293", "t294", "t295", "t296", "t297", "t298"])
        assert.lengthOf(yield* tasksLeft, 10)
        const [commands] = yield* sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM commands
          WHERE project_id = ${project.id} AND action = 'cancel_task'`
        assert.strictEqual(commands?.n, 8)
      }).pipe(services))

    it.scoped("leave alone what no longer matches when its slice is written", () =>
      Effect.gen(function*() {
        yield* withoutRunner
        const { connect, create, get, insert, project, tasksLeft } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* insert(4, (n) => ({ state: n <= 2 ? "failure" : "pending" }))
        const agent = yield* connect
        const deletion = yield* create("delete", { filter_state: "failure" })
        const cancellation = yield* create("cancel", { filter_state: "pending" })
        const isServed = Effect.map(get(cancellation.id), ({ note }) => note)
        yield* until(isServed, (note) => note === null)
        const begin = (task: string) =>
          sql`UPDATE tasks SET state = 'started' WHERE project_id = ${project.id} AND task_id = ${task}`
        /** A step during which a task begins, between the search and the write. */
        const stepWhile = (task: string, job: BulkJob) =>
          Effect.updateService(step(job), Lease, (lease) => ({
            ...lease,
            withTransaction: (body) => Effect.zipRight(Effect.orDie(begin(task)), lease.withTransaction(body))
          }))
        yield* leading(Effect.zip(stepWhile("t1", deletion), stepWhile("t3", cancellation)))
        assert.deepStrictEqual(yield* tasksLeft, ["t1", "t3", "t4"])
        yield* Effect.promise(() => agent.when(() => agent.commands.length === 1))
        assert.deepStrictEqual(cancelled(agent), ["t4"])
        assert.deepInclude(yield* get(cancellation.id), { done: 1, skipped: 1 })
      }).pipe(services))

    it.scoped("count ages from their creation, and are deleted after their retention", () =>
      Effect.gen(function*() {
        yield* withoutRunner
        const { create, get, insert, post, tasksLeft } = yield* world
        const sql = yield* SqlClient.SqlClient
        const { prune } = yield* BulkJobRunner
        yield* insert(3, () => ({ state: "failure" }))
        const old = yield* create("delete", { filter_query: "state:failure until:30m" })
        assert.strictEqual(old.total, 3)
        // as if the job had been asked for when its tasks were new
        yield* sql`UPDATE bulk_jobs SET as_of = ${Timestamp.addSeconds(old.created_at, -3000)} WHERE id = ${old.id}`
        yield* leading(step(old))
        assert.lengthOf(yield* tasksLeft, 3)
        assert.deepInclude(yield* get(old.id), { status: "completed", done: 0, skipped: 3 })
        yield* prune()
        assert.strictEqual((yield* get(old.id)).id, old.id)
        yield* sql`UPDATE bulk_jobs SET finished_at = ${Timestamp.addSeconds(old.created_at, -31 * 86_400)}
          WHERE id = ${old.id}`
        yield* prune()
        assert.strictEqual((yield* get(old.id)).status, 404)
        const running = yield* create("delete", { filter_state: "failure" })
        assert.deepInclude((yield* post(`/${running.id}/stop`, undefined)).json, { status: "stopped", done: 0 })
        assert.lengthOf(yield* tasksLeft, 3)
      }).pipe(services))
  })
})
