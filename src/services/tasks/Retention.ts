import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type TaskFacet, taskFacets } from "../../domain/tasks/TaskFacet.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Settings } from "../kernel/Settings.ts"
import { Database, isContention, orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { TaskDeletion } from "./Deletion.ts"

const tasksAtOnce = 250
const facetsAtOnce = 200
/** Writers refresh a facet in use within an hour, which is far shorter. */
const facetDays = 2

/**
 * Deletes tasks SVC_TASKS_RETENTION_DAYS after their last event, and the names, queues and workers that no task has any
 * more. In slices, each in its own transaction, with time for others in between. Several replicas may sweep at the same
 * time.
 */
export const makeTaskRetention = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { sqlite } = yield* Database
  const read = yield* Reader
  const settings = yield* Settings
  const deletion = yield* TaskDeletion

  const listProjects = read<{ id: ProjectId }>`SELECT id FROM projects ORDER BY id`

  /** On SQLite a slice keeps the event loop and the only writer: afterwards the ingest has them for as long. */
  const restAfter = (took: Duration.Duration) =>
    sqlite === null || Duration.toMillis(took) === 0 ? yieldToEventLoop : Effect.sleep(took)

  const pruneTasks = Effect.fnUntraced(function*(projectId: ProjectId, before: Timestamp.Timestamp) {
    let deleted = 0
    while (true) {
      const old = yield* read<{ id: string }>`
        SELECT id FROM tasks WHERE project_id = ${projectId} AND updated_at < ${before}
        ORDER BY updated_at LIMIT ${tasksAtOnce}`
      if (old.length === 0) return deleted
      const slice = sql.withTransaction(deletion.deleteTasks(projectId, old.map(({ id }) => id), before))
      const [took, count] = yield* Effect.timed(Effect.retry(slice, { while: isContention, times: 10 }))
      deleted += count
      yield* restAfter(took)
    }
  })

  /** What was said of tasks that never came, or came after their deletion. */
  const pruneOutputs = Effect.fnUntraced(function*(projectId: ProjectId, before: Timestamp.Timestamp) {
    while (true) {
      const old = yield* read<TaskKey>`
        SELECT engine, task_id FROM task_outputs o WHERE project_id = ${projectId} AND updated_at < ${before}
          AND NOT EXISTS (SELECT 1 FROM tasks t
            WHERE t.project_id = ${projectId} AND t.engine = o.engine AND t.task_id = o.task_id)
        ORDER BY updated_at LIMIT ${tasksAtOnce}`
      if (old.length === 0) return
      yield* Effect.retry(sql.withTransaction(deletion.deleteOutputs(projectId, old)), {
        while: isContention,
        times: 10
      })
      yield* yieldToEventLoop
    }
  })

  /** Walks the facet's values; deletes those that were not seen lately and that no task has. */
  const pruneFacets = Effect.fnUntraced(
    function*(projectId: ProjectId, facet: TaskFacet, before: Timestamp.Timestamp) {
      let after = ""
      while (true) {
        const slice: ReadonlyArray<{ value: string }> = yield* read<{ value: string }>`
        SELECT value FROM task_facets WHERE project_id = ${projectId} AND facet = ${facet} AND value > ${after}
        ORDER BY value LIMIT ${facetsAtOnce}`
        const last = slice[slice.length - 1]
        if (last === undefined) return
        yield* sql`
        DELETE FROM task_facets
        WHERE project_id = ${projectId} AND facet = ${facet} AND value > ${after} AND value <= ${last.value}
          AND seen_at < ${before} AND NOT EXISTS (
            SELECT 1 FROM tasks t WHERE t.project_id = ${projectId} AND t.${sql(facet)} = task_facets.value)`
        after = last.value
        yield* yieldToEventLoop
      }
    }
  )

  /** Deletes expired tasks and facets; returns the number of tasks. */
  return Effect.fn("TaskRetention.sweep")(function*() {
    const now = yield* Timestamp.now
    const tasksBefore = Timestamp.addSeconds(now, -settings.tasksRetentionDays * Timestamp.secondsPerDay)
    const facetsBefore = Timestamp.addSeconds(now, -facetDays * Timestamp.secondsPerDay)
    let deleted = 0
    for (const { id } of yield* listProjects) {
      deleted += yield* pruneTasks(id, tasksBefore)
      yield* pruneOutputs(id, tasksBefore)
      for (const facet of taskFacets) yield* pruneFacets(id, facet, facetsBefore)
    }
    return deleted
  }, orDieOnSql)
})

/** Once an hour. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  const sweep = yield* makeTaskRetention
  yield* loops.upkeep("task retention", "1 hour", sweep())
})).pipe(Layer.provide(TaskDeletion.layer))
