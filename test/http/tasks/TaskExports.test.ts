import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { ExportJob } from "../../../src/domain/audit/ExportJob.ts"
import { ExportJobId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { taskExports } from "../../../src/services/audit/ExportJobs/Kinds.ts"
import { TaskExportRunner } from "../../../src/services/tasks/TaskExports/Runner.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { countChunks, insertExportJob, refuseChunkDeletion } from "../../exportJobs.ts"
import { insertTasks, type StoredTask, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"
import { fromElsewhere, proxied } from "../people.ts"
import { cellsOfCsv, cellsOfXlsx } from "./Tasks/files.ts"

const maxRows = 600

/** A project with these tasks, the oldest first, and what a member of a role can do with its exports. */
const world = (fields: ReadonlyArray<Partial<StoredTask>>) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const start = Date.now() - 3_600_000
    const tasks = fields.map((task, n) => storedTask(project.id, start + n, task))
    yield* insertTasks(tasks)
    const path = `/projects/${project.slug}/task-export-jobs`
    const base = yield* baseUrl

    const member = (role: "viewer" | "admin") =>
      Effect.gen(function*() {
        const { token, user_id } = yield* freshKey({ roles: { [project.id]: role } })
        const call = (method: string, rest: string, body?: object) =>
          request(method, `${path}${rest}`, { token, headers: fromElsewhere(), ...(body !== undefined && { body }) })
        const get = (id: string) => Effect.map(call("GET", `/${id}`), ({ json }): ExportJob => json) // as the API documents it
        const awaitEnd = (id: string) => Effect.orDie(until(get(id), ({ completed_at }) => completed_at !== null))
        const create = (body: object) =>
          Effect.map(call("POST", "", body), ({ json, status, text }): ExportJob => {
            assert.strictEqual(status, 202, text)
            return json // as the API documents it
          })
        const exportTasks = (body: object) => Effect.flatMap(create(body), ({ id }) => awaitEnd(id))
        const download = ({ id }: ExportJob) =>
          Effect.promise(async () => {
            const headers = { authorization: `Bearer ${token}` }
            const response = await fetch(`${base}/api/v1${path}/${id}/download`, { headers })
            return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
          })
        const rowsOf = (job: ExportJob) =>
          Effect.map(
            download(job),
            ({ bytes }): ReadonlyArray<Readonly<Record<string, unknown>>> => JSON.parse(bytes.toString()) // an array
          )
        return { token, user_id, call, get, create, awaitEnd, exportTasks, download, rowsOf }
      })
    return { project, tasks, path, member, admin: yield* member("admin") }
  })

const newestIds = (tasks: ReadonlyArray<StoredTask>) => tasks.map(({ id }) => id).reverse()

describe.each(laneEngines)("exports of tasks in the background on %s", (engine) => {
  layer(serverOn(engine, { tasksExportJobMaxRows: maxRows, ...proxied }), { excludeTestServices: true })((it) => {
    it.effect("have exactly the tasks that match, in each format", () =>
      Effect.gen(function*() {
        const { admin, project, tasks } = yield* world(
          Array.from({ length: 40 }, (_, n) => ({
            queue: n % 2 === 0 ? "mail" : "slow",
            state: n % 4 === 0 ? "failure" as const : "success" as const
          }))
        )
        const matching = newestIds(tasks.filter(({ queue, state }) => queue === "mail" && state === "failure"))
        assert.lengthOf(matching, 10)
        const filter = { filter_queue: "mail", filter_query: "state:failure", fields: ["id", "queue"] }
        for (const format of ["csv", "json", "xlsx"] as const) {
          const created = yield* admin.create({ format, ...filter })
          assert.deepInclude(created, { format, export_type: "tasks", downloadable: false, sink: "database" })
          assert.strictEqual(created.user_id, admin.user_id)
          assert.deepStrictEqual(created.filters, filter)
          const job = yield* admin.awaitEnd(created.id)
          assert.deepInclude(job, {
            status: "completed",
            total_rows: 10,
            row_count: 10,
            truncated: false,
            error: null,
            downloadable: true
          })
          const { bytes, headers } = yield* admin.download(job)
          assert.match(
            headers.get("content-disposition") ?? "",
            new RegExp(`^attachment; filename="tasks-${project.slug}-.*\\.${format}"$`)
          )
          assert.strictEqual(bytes.length, job.size_bytes)
          const rows = format === "json"
            ? JSON.parse(bytes.toString()).map((row: object) => Object.values(row))
            : (format === "csv" ? cellsOfCsv(bytes.toString()) : cellsOfXlsx(bytes)).slice(1)
          assert.deepStrictEqual(rows, matching.map((id) => [id, "mail"]), format)
        }
        const { json: list } = yield* admin.call("GET", "?limit=2")
        assert.deepStrictEqual(list.items.map(({ format }: ExportJob) => format), ["xlsx", "json"])
        const sql = yield* SqlClient.SqlClient
        const log = yield* sql<{ action: string; target_type: string }>`SELECT action, target_type FROM audit_log
          WHERE project_id = ${project.id} AND action LIKE 'task.export%' ORDER BY seq`
        assert.deepStrictEqual(
          log.map(({ action }) => action),
          Array(3).fill(["task.export_created", "task.export_downloaded"]).flat()
        )
        assert.strictEqual(log[0]?.target_type, "task_export_job")
      }))

    it.effect("have all tasks without a filter, those of the creation and no later ones", () =>
      Effect.gen(function*() {
        // what an agent's clock says of a task counts for neither
        const { admin, project, tasks } = yield* world([{
          received_at: Timestamp.fromEpochMicros(4_000_000_000_000_000)
        }, {}])
        yield* insertTasks([
          storedTask(project.id, Date.now() + 3_600_000, { received_at: tasks[1]?.received_at ?? null })
        ])
        const job = yield* admin.exportTasks({ format: "json", fields: ["id"] })
        assert.deepStrictEqual(yield* admin.rowsOf(job), newestIds(tasks).map((id) => ({ id })))
      }))

    it.effect("have the tasks that a person selected", () =>
      Effect.gen(function*() {
        const { admin, tasks } = yield* world([{}, {}, {}])
        const task_ids = tasks.slice(0, 2).map(({ id }) => id)
        const job = yield* admin.exportTasks({ format: "json", fields: ["id"], task_ids })
        assert.deepStrictEqual(job.filters, { fields: ["id"], task_ids: 2 })
        assert.deepStrictEqual(yield* admin.rowsOf(job), newestIds(tasks.slice(0, 2)).map((id) => ({ id })))
      }))

    it.effect("with stored terms that the program does not know fail, and do not hold up the next", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* world([{}])
        const oldest = ExportJobId.make(`00000000${randomUUID().slice(8)}`)
        yield* insertExportJob(project.id, { id: oldest, action_prefix: "no term of tasks", chunks: [] }, taskExports)
        assert.deepInclude(yield* admin.exportTasks({ format: "json" }), { status: "completed", row_count: 1 })
        assert.strictEqual((yield* admin.get(oldest)).status, "failed")
      }))

    it.effect("refuse terms, fields and formats that there are not", () =>
      Effect.gen(function*() {
        const { admin } = yield* world([])
        for (
          const body of [
            { format: "csv", filter_queu: "mail" },
            { format: "csv", task_ids: [] },
            { format: "csv", filter_state: "failed" },
            { format: "csv", filter_query: "stat:failure" },
            { format: "csv", filter_name: " " },
            { format: "csv", fields: [] },
            { format: "csv", fields: ["secret"] },
            { format: "pdf" },
            {}
          ]
        ) {
          const { json, status } = yield* admin.call("POST", "", body)
          assert.deepStrictEqual([status, json.code], [422, "validation_failed"], JSON.stringify(body))
        }
        assert.deepStrictEqual((yield* admin.call("GET", "")).json.items, [])
      }))

    it.effect("show arguments and results as their creator sees them, and to those who may see them", () =>
      Effect.gen(function*() {
        const { admin, member, project } = yield* world([{
          args: "[\"4111\"]",
          kwargs: "{\"a\":1}",
          result: "\"4111\""
        }])
        const viewer = yield* member("viewer")
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE projects SET payload_role = 'admin' WHERE id = ${project.id}`
        const body = { format: "json", fields: ["name", "args", "kwargs", "result"] }
        const name = "shop.orders.ship"
        const hidden = yield* viewer.exportTasks(body)
        const empty = [{ name, args: null, kwargs: null, result: null }]
        assert.deepStrictEqual(yield* viewer.rowsOf(hidden), empty)
        assert.deepStrictEqual(yield* admin.rowsOf(hidden), empty)

        for (const terms of [body, { format: "json" }]) {
          const shown = yield* admin.exportTasks(terms)
          assert.deepInclude((yield* admin.rowsOf(shown))[0], { args: ["4111"], kwargs: { a: 1 }, result: "4111" })
          const refusal = yield* viewer.call("GET", `/${shown.id}/download`)
          assert.deepStrictEqual([refusal.status, refusal.json.code], [403, "forbidden"])
          assert.deepInclude(yield* viewer.get(shown.id), { status: "completed", downloadable: false, location: null })
        }
        const names = yield* admin.exportTasks({ format: "json", fields: ["name"] })
        assert.deepStrictEqual(yield* viewer.rowsOf(names), [{ name }])

        // a file of names alone says which tasks have the value
        const filter_query = "kwargs.a:1"
        const matching = yield* admin.exportTasks({
          format: "json",
          fields: ["name"],
          filter_query,
          filter_queue: "celery"
        })
        assert.deepStrictEqual(yield* admin.rowsOf(matching), [{ name }])
        assert.strictEqual(matching.filters.filter_query, filter_query)
        assert.strictEqual((yield* viewer.call("GET", `/${matching.id}/download`)).status, 403)
        const seen = yield* viewer.get(matching.id)
        assert.deepInclude(seen, {
          downloadable: false,
          filters: { fields: ["name"], filter_queue: "celery", filter_query: null }
        })
        const feed = yield* request("GET", `/activity?project_slug=${project.slug}&limit=200`, { token: viewer.token })
        assert.include(feed.text, "task.export_created")
        assert.notInclude(feed.text, filter_query, "all members read the log's rows in the feed")

        // what counts at the download is the role that the project names then
        const mine = yield* viewer.call("GET", "")
        assert.strictEqual(mine.json.items.filter(({ downloadable }: ExportJob) => !downloadable).length, 3)
        yield* sql`UPDATE projects SET payload_role = 'viewer' WHERE id = ${project.id}`
        const visibleJobs = yield* viewer.call("GET", "")
        assert.isTrue(visibleJobs.json.items.every(({ downloadable }: ExportJob) => downloadable))
      }))

    it.effect("stop at the cap with the newest tasks, and say so", () =>
      Effect.gen(function*() {
        const { admin, tasks } = yield* world(
          Array.from({ length: maxRows + 50 }, (_, n) => ({ queue: n < maxRows ? "many" : "few" }))
        )
        const job = yield* admin.exportTasks({ format: "json", fields: ["id"] })
        assert.deepInclude(job, { truncated: true, total_rows: maxRows, row_count: maxRows })
        const { bytes, headers } = yield* admin.download(job)
        assert.strictEqual(headers.get("x-svc-truncated"), "true")
        assert.deepStrictEqual(
          JSON.parse(bytes.toString()).map(({ id }: StoredTask) => id),
          newestIds(tasks).slice(0, maxRows)
        )
        const whole = yield* admin.exportTasks({ format: "csv", fields: ["id"], filter_queue: "many" })
        assert.deepInclude(whole, { truncated: false, row_count: maxRows })
      }))

    it.effect("begin again after their process died, and are another project's secret", () =>
      Effect.gen(function*() {
        const { admin, project, tasks } = yield* world([{}, {}, {}])
        const id = yield* insertExportJob(project.id, { chunks: ["half of"] }, taskExports)
        const job = yield* admin.awaitEnd(id)
        assert.deepInclude(job, { status: "completed", total_rows: 3, row_count: 3 })
        assert.deepStrictEqual((yield* admin.rowsOf(job)).map((row) => row.id), newestIds(tasks))
        const last = yield* insertExportJob(project.id, { chunks: ["half of"], attempts: 3 }, taskExports)
        assert.deepInclude(yield* admin.awaitEnd(last), { status: "failed", total_rows: null, row_count: null })
        const early = yield* admin.call("GET", `/${last}/download`)
        assert.deepStrictEqual([early.status, early.json.code], [409, "export_job_not_completed"])

        const other = yield* world([])
        for (const rest of [`/${id}`, `/${id}/download`]) {
          assert.strictEqual((yield* other.admin.call("GET", rest)).status, 404)
        }
        const audit = yield* insertExportJob(project.id, { chunks: ["[]"], status: "completed" })
        assert.strictEqual((yield* admin.call("GET", `/${audit}`)).status, 404, "of another kind")
      }))

    it.effect("are at most five at a time beside those of the log, and deleted after their retention", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* world([{}])
        const sql = yield* SqlClient.SqlClient
        yield* admin.exportTasks({ format: "csv" })
        // another replica's leader holds them
        const expires_at = Date.now() + 14_000
        yield* sql`INSERT INTO leases (name, holder, expires_at) VALUES (${taskExports.leaseName}, 'another', ${expires_at})
          ON CONFLICT (name) DO UPDATE SET expires_at = ${expires_at}`
        for (let n = 0; n < 5; n++) yield* admin.create({ format: "csv" })
        const sixth = yield* admin.call("POST", "", { format: "csv" })
        assert.deepStrictEqual([sixth.status, sixth.json.code], [409, "too_many_export_jobs"])
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const ofLog = yield* request("POST", `/projects/${project.slug}/audit/export-jobs`, {
          token,
          headers: fromElsewhere(),
          body: { format: "csv" }
        })
        assert.strictEqual(ofLog.status, 202)
        yield* sql`DELETE FROM leases WHERE name = ${taskExports.leaseName}`
        const list = Effect.map(
          admin.call("GET", ""),
          ({ json }): ReadonlyArray<ExportJob> => json.items // as the API documents it
        )
        const jobs = yield* until(list, (items) => items.every(({ status }) => status === "completed"))
        assert.lengthOf(jobs, 6)
        yield* sql`UPDATE export_jobs SET completed_at = '2020-01-01T00:00:00.000000Z'
          WHERE project_id = ${project.id}`
        yield* Effect.provide(Effect.flatMap(TaskExportRunner, ({ prune }) => prune), TaskExportRunner.layer)
        assert.deepStrictEqual(yield* list, [])
        for (const { id } of jobs) assert.strictEqual(yield* countChunks(id), 0)
        const { json: kept } = yield* request("GET", `/projects/${project.slug}/audit/export-jobs`, { token })
        assert.lengthOf(kept.items, 1)
      }))

    it.effect("are deleted by their creator or an admin, with their file, and one that waits never begins", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { admin, member, project } = yield* world([{}])
        const viewer = yield* member("viewer")
        const remove = ({ call }: typeof viewer, { id }: ExportJob) =>
          Effect.map(call("DELETE", `/${id}`), ({ status }) => status)
        const mine = yield* viewer.exportTasks({ format: "csv" })
        const other = yield* admin.exportTasks({ format: "csv" })
        assert.strictEqual(yield* remove(viewer, other), 403)
        assert.strictEqual(yield* remove(yield* member("viewer"), mine), 403)
        assert.strictEqual(yield* remove(viewer, mine), 204)
        assert.strictEqual(yield* remove(viewer, mine), 404)
        assert.strictEqual((yield* viewer.call("GET", `/${mine.id}/download`)).status, 404)
        assert.deepStrictEqual((yield* viewer.call("GET", "")).json.items.map(({ id }: ExportJob) => id), [other.id])
        const rows = sql`SELECT id FROM export_jobs WHERE project_id = ${project.id}`
        yield* until(rows, ({ length }) => length === 1)
        assert.strictEqual(yield* countChunks(mine.id), 0)

        const expires_at = Date.now() + 14_000
        yield* sql`INSERT INTO leases (name, holder, expires_at) VALUES (${taskExports.leaseName}, 'another', ${expires_at})
          ON CONFLICT (name) DO UPDATE SET expires_at = ${expires_at}`
        const waiting = yield* viewer.create({ format: "csv" })
        assert.strictEqual(yield* remove(admin, waiting), 204)
        yield* sql`DELETE FROM leases WHERE name = ${taskExports.leaseName}`
        yield* until(rows, ({ length }) => length === 1)
        assert.strictEqual(yield* remove(admin, other), 204)
        yield* until(rows, ({ length }) => length === 0)
        const log = yield* sql<{ target_id: string }>`SELECT target_id FROM audit_log
          WHERE project_id = ${project.id} AND action = 'task.export_deleted' ORDER BY seq`
        assert.deepStrictEqual(log.map(({ target_id }) => target_id), [mine.id, waiting.id, other.id])
      }))

    it.effect("are deleted before their project, in batches of 16 chunks", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ isAdmin: true })
        const chunks = Array.from({ length: 40 }, (_, n) => `chunk ${n}`)
        const id = yield* insertExportJob(project.id, { chunks, status: "completed" }, taskExports)
        const remove = Effect.map(request("DELETE", `/projects/${project.slug}`, { token }), ({ status }) => status)
        const refusal = yield* Effect.scoped(Effect.zipRight(refuseChunkDeletion(id, 20), remove))
        assert.strictEqual(refusal, 500)
        assert.strictEqual(yield* countChunks(id), 24)
        assert.strictEqual(yield* remove, 204)
        assert.strictEqual(yield* countChunks(id), 0)
      }))
  })
})
