import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Layer } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { toStorable } from "../../domain/kernel/Text.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import type { StartedTask } from "./Repo.ts"

/** Characters of an event's detail (`domain/triggers/Trigger.ts`). */
const maxDetailLength = 300

/** An attempt whose worker is gone, and why the brain concludes that. */
export interface OrphanedTask extends StartedTask {
  readonly detail: string
}

export interface MarkedTask {
  readonly id: string
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
  readonly name: string
  readonly queue: string | null
  readonly priority: string
  readonly retry_count: number
  readonly worker_name: string | null
  readonly detail: string
}

const columns = {
  project_id: "uuid",
  engine: "text",
  task_id: "text",
  started_at: "text",
  worker_name: "text",
  detail: "text",
  orphaned_at: "text"
} as const

/** One worker's death is one condition, whatever tasks it had. */
export const orphanedEvent = (at: Timestamp.Timestamp) => (task: MarkedTask): TriggerEvent => {
  const { detail, engine, id, name, priority, project_id, queue, retry_count, task_id, worker_name } = task
  return {
    project_id,
    trigger: "task.orphaned",
    condition: `${engine} ${worker_name ?? ""}`,
    engine,
    task_name: name,
    queue,
    priority,
    fingerprint: null,
    subject: { type: "task", id, name },
    occurrences: [{
      occurred_at: at,
      task_id,
      worker: worker_name,
      detail: toStorable(detail, maxDetailLength),
      retry_count,
      runtime_ms: null
    }]
  }
}

/**
 * The marks of orphaned attempts: started, without an end, on a worker that is gone. A mark names its attempt by its
 * start, so it counts only while that attempt is the task's last one and has no end: nothing has to remove it when the
 * task shows life again.
 */
export class TaskOrphans extends Effect.Service<TaskOrphans>()("svc/tasks/Orphans", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const triggers = yield* TriggerEvents
    const names = sql.literal(Object.keys(columns).join(", "))

    /** Marks those attempts that are still their task's last one and were not marked; each is one event `task.orphaned`. */
    const mark = Effect.fn("TaskOrphans.mark")(function*(tasks: ReadonlyArray<OrphanedTask>) {
      if (tasks.length === 0) return
      const orphaned_at = yield* Timestamp.now
      const rows = recordset(
        sql,
        "r",
        columns,
        tasks.map(({ detail, engine, project_id, started_at, task_id, worker_name }) => ({
          project_id,
          engine,
          task_id,
          started_at,
          worker_name,
          detail,
          orphaned_at
        }))
      )
      const marked = yield* sql<{ readonly project_id: string; readonly engine: string; readonly task_id: string }>`
        INSERT INTO task_orphans (${names}) SELECT ${names} FROM ${rows} WHERE true
        ON CONFLICT (project_id, engine, task_id) DO UPDATE SET started_at = excluded.started_at,
          worker_name = excluded.worker_name, detail = excluded.detail, orphaned_at = excluded.orphaned_at
        WHERE task_orphans.started_at <> excluded.started_at
        RETURNING project_id, engine, task_id`
      const isMarked = (task: OrphanedTask) =>
        marked.some(({ engine, project_id, task_id }) =>
          project_id === task.project_id && engine === task.engine && task_id === task.task_id
        )
      for (
        const [project, ofProject] of Object.entries(
          Arr.groupBy(tasks.filter(isMarked), ({ project_id }) => project_id)
        )
      ) {
        const found = yield* sql<MarkedTask>`
          SELECT t.id, t.project_id, t.engine, t.task_id, t.name, t.queue, t.priority, t.retry_count, o.worker_name, o.detail
          FROM task_orphans o JOIN tasks t
            ON t.project_id = o.project_id AND t.engine = o.engine AND t.task_id = o.task_id AND t.started_at = o.started_at
          WHERE o.project_id = ${project} AND o.task_id IN ${sql.in(ofProject.map(({ task_id }) => task_id))}
            AND o.engine IN ${sql.in([...new Set(ofProject.map(({ engine }) => engine))])}
            AND o.orphaned_at = ${orphaned_at} AND t.state IN ('started', 'unknown')`
        yield* triggers.record(found.map(orphanedEvent(orphaned_at)))
      }
    }, sql.withTransaction)

    return { mark } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(TriggerEvents.layer))
}
