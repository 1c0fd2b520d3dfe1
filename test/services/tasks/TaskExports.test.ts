import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ExportJobId } from "../../../src/domain/kernel/Id.ts"
import { taskExports } from "../../../src/services/audit/ExportJobs/Kinds.ts"
import { Leader, LeaseLost } from "../../../src/services/kernel/concurrency/Leader.ts"
import { TaskExportRunner } from "../../../src/services/tasks/TaskExports/Runner.ts"
import { engines } from "../../databases.ts"
import { countChunks, insertExportJob } from "../../exportJobs.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { bareProject, fileOf, jobOf, processOf } from "../audit/ExportJobs/process.ts"
import { auditOn } from "../audit/world.ts"

const run = Effect.flatMap(TaskExportRunner, (runner) => runner.run).pipe(Effect.provide(TaskExportRunner.layer))
const { runUntil, runWith } = processOf(run)

/** A project with so many tasks; their ids, newest first. */
const tasksIn = (count: number) =>
  Effect.gen(function*() {
    const project = yield* bareProject
    const start = Date.now() - 3_600_000
    const tasks = Array.from(
      { length: count },
      (_, n) => storedTask(project, start + n, { traceback: "x".repeat(500) })
    )
    yield* insertTasks(tasks)
    return { project, ids: tasks.map(({ id }) => id).reverse() }
  })

const idsIn = (file: string) => {
  const rows: ReadonlyArray<{ readonly id: string }> = JSON.parse(file)
  return rows.map(({ id }) => id)
}

describe.each(engines)("the writer of exports of tasks on %s", (engine) => {
  const world = Leader.layer.pipe(Layer.provideMerge(auditOn(engine)))
  layer(world, { excludeTestServices: true })((it) => {
    it.effect("changes nothing of its successor's file once it lost its lease in the middle of its own", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ids, project } = yield* tasksIn(1000)
        const id = yield* insertExportJob(project, { chunks: ["half of"] }, taskExports)
        let transaction = 0
        const succeed = Effect.gen(function*() {
          if (++transaction !== 5) return // the first four begin, delete the old chunk, count, and write a chunk
          yield* sql`UPDATE leases SET expires_at = 1 WHERE name = ${taskExports.leaseName}`
          yield* run
        })
        assert.instanceOf(yield* Effect.flip(runWith(succeed)), LeaseLost)
        assert.deepInclude(yield* jobOf(id), { status: "completed", row_count: ids.length, error: null })
        assert.deepStrictEqual(idsIn(yield* fileOf(id)), ids)
      }))

    it.effect("ends the export that a person deletes in the middle of it, and deletes what it has written", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { project } = yield* tasksIn(1000)
        const id = yield* insertExportJob(project, { chunks: ["half of"] }, taskExports)
        const next = yield* insertExportJob(project, { chunks: [] }, taskExports)
        let transaction = 0
        const remove = sql`UPDATE export_jobs SET deleted_at = created_at, completed_at = created_at WHERE id = ${id}`
        // the first four transactions begin, delete the old chunk, count, and write a chunk
        yield* runWith(Effect.suspend(() => ++transaction === 5 ? Effect.asVoid(remove) : Effect.void))
        assert.deepInclude(yield* jobOf(next), { status: "completed" })
        yield* run
        assert.isUndefined(yield* jobOf(id))
        assert.strictEqual(yield* countChunks(id), 0)
      }))

    it.effect("gives the export back when it is stopped in order, and writes it whole later", () =>
      Effect.gen(function*() {
        const { ids, project } = yield* tasksIn(1000)
        const id = yield* insertExportJob(project, { chunks: ["half of"], attempts: 2 }, taskExports)
        yield* runUntil(4)
        assert.deepInclude(yield* jobOf(id), { status: "pending", attempts: 2, row_count: null, size_bytes: null })
        yield* run
        const job = yield* jobOf(id)
        assert.deepInclude(job, { status: "completed", attempts: 3, row_count: ids.length })
        const file = yield* fileOf(id)
        assert.strictEqual(Buffer.byteLength(file), job?.size_bytes)
        assert.deepStrictEqual(idsIn(file), ids)
      }))

    it.effect("keeps the newest files of a project, and all of others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const other = yield* tasksIn(1)
        yield* insertExportJob(other.project, { chunks: ["[]"], status: "completed" }, taskExports)
        const { project } = yield* tasksIn(1)
        const oldId = (n: number) => ExportJobId.make(`00000000-0000-7000-8000-0000000000${10 + n}`)
        yield* Effect.forEach(Array.from({ length: 21 }, (_, n) => n), (n) =>
          insertExportJob(project, { chunks: ["[]"], status: "completed", id: oldId(n) }, taskExports))
        const id = yield* insertExportJob(project, { chunks: [] }, taskExports)
        yield* run
        const idsOf = (projectId: string) =>
          Effect.map(
            sql<{ id: string }>`SELECT id FROM export_jobs WHERE project_id = ${projectId} ORDER BY id`,
            (rows) =>
              rows.map((row) => row.id)
          )
        const kept = yield* idsOf(project)
        assert.lengthOf(kept, 20)
        assert.include(kept, id)
        assert.notInclude(kept, oldId(1))
        assert.strictEqual(yield* countChunks(oldId(1)), 0)
        assert.lengthOf(yield* idsOf(other.project), 1)
      }))
  })
})
