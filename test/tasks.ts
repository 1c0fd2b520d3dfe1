import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { TaskPriority, TaskState } from "../src/domain/kernel/TaskState.ts"
import * as Timestamp from "../src/domain/kernel/Timestamp.ts"
import { taskFacets } from "../src/domain/tasks/TaskFacet.ts"
import * as TaskHistory from "../src/domain/tasks/TaskHistory.ts"
import * as Ids from "../src/services/kernel/Ids.ts"
import { Database } from "../src/services/kernel/sql/Database.ts"

/** A row of `tasks`; args, kwargs, result and tags are JSON text. */
export interface StoredTask {
  readonly id: string
  readonly project_id: string
  readonly engine: string
  readonly task_id: string
  readonly name: string
  readonly queue: string | null
  readonly state: TaskState
  readonly priority: TaskPriority
  readonly args: string | null
  readonly kwargs: string | null
  readonly result: string | null
  readonly exception: string | null
  readonly traceback: string | null
  readonly fingerprint: string | null
  readonly retry_count: number
  readonly eta: string | null
  readonly received_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly runtime_ms: number | null
  readonly worker_name: string | null
  readonly parent_task_id: string | null
  readonly root_task_id: string | null
  readonly tags: string
  readonly first_event_at: string
  readonly history: string
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
}

const emptyHistory = TaskHistory.encode(TaskHistory.emptyHistory())

/** A task first seen at `millis`: received at once and succeeded, unless `overrides` says otherwise. */
export const storedTask = (project_id: string, millis: number, overrides: Partial<StoredTask> = {}): StoredTask => {
  const id = Ids.uuidv7(millis)
  const at = Timestamp.fromEpochMicros(millis * 1000)
  return {
    id,
    project_id,
    engine: "celery",
    task_id: id.split("-").reverse().join("-"),
    name: "shop.orders.ship",
    queue: "celery",
    state: "success",
    priority: "normal",
    args: "[]",
    kwargs: "{}",
    result: null,
    exception: null,
    fingerprint: null,
    traceback: null,
    retry_count: 0,
    eta: null,
    received_at: at,
    started_at: null,
    finished_at: null,
    runtime_ms: null,
    worker_name: null,
    parent_task_id: null,
    root_task_id: null,
    tags: "[]",
    first_event_at: at,
    history: emptyHistory,
    revision: 1,
    created_at: at,
    updated_at: at,
    ...overrides
  }
}

const insertedAt = new Map<string, number>()

/** Writes one task, first seen now, and after the project's last one: ids of one millisecond are not ordered. */
export const insertTask = (projectId: string, overrides: Partial<StoredTask> = {}) =>
  Effect.flatMap(Timestamp.now, (now) => {
    const millis = Math.max(Timestamp.toEpochMillis(now), (insertedAt.get(projectId) ?? 0) + 1)
    insertedAt.set(projectId, millis)
    return insertTasks([storedTask(projectId, millis, overrides)])
  })

const rowsAtOnce = 2000

/** Writes rows as the ingest leaves them: with their counts by state and their distinct names, queues and workers. */
export const insertTasks = (tasks: ReadonlyArray<StoredTask>) =>
  Effect.gen(function*() {
    for (let start = 0; start < tasks.length; start += rowsAtOnce) {
      yield* insertRows(tasks.slice(start, start + rowsAtOnce))
    }
    yield* count(tasks)
    yield* note(tasks)
  }).pipe(Effect.orDie)

const insertRows = (tasks: ReadonlyArray<StoredTask>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { sqlite } = yield* Database
    const [first] = tasks
    if (first === undefined) return
    const columns = Object.keys(first)
    if (sqlite === null) {
      const names = sql.literal(columns.join(", "))
      yield* sql`INSERT INTO tasks (${names})
        SELECT ${names} FROM json_populate_recordset(NULL::tasks, ${JSON.stringify(tasks)}::json)`
      return
    }
    yield* sqlite.write((db) => {
      const insert = db.prepare(
        `INSERT INTO tasks (${columns.join(", ")}) VALUES (${columns.map((column) => `@${column}`).join(", ")})`
      )
      for (const task of tasks) insert.run(task)
    })
  })

const count = (tasks: ReadonlyArray<StoredTask>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const counts = new Map<string, { project_id: string; state: string; slot: number; tasks: number }>()
    for (const { project_id, state } of tasks) {
      const row = counts.get(`${project_id} ${state}`) ?? { project_id, state, slot: 0, tasks: 0 }
      row.tasks += 1
      counts.set(`${project_id} ${state}`, row)
    }
    if (counts.size === 0) return
    yield* sql`INSERT INTO task_counts ${sql.insert([...counts.values()])}
      ON CONFLICT (project_id, state, slot) DO UPDATE SET tasks = task_counts.tasks + excluded.tasks`
  })

const note = (tasks: ReadonlyArray<StoredTask>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = new Map<string, { project_id: string; facet: string; value: string }>()
    for (const task of tasks) {
      for (const facet of taskFacets) {
        const value = task[facet]
        if (value !== null) {
          rows.set(`${task.project_id} ${facet} ${value}`, { project_id: task.project_id, facet, value })
        }
      }
    }
    const all = [...rows.values()]
    for (let start = 0; start < all.length; start += rowsAtOnce) {
      yield* sql`INSERT INTO task_facets ${sql.insert(all.slice(start, start + rowsAtOnce))} ON CONFLICT DO NOTHING`
    }
  })
