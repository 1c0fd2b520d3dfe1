import type { StoredTask, TaskRecord } from "../../../domain/tasks/Fold.ts"

/** The columns of `tasks` that the writer writes, with their types on PostgreSQL. */
export const TASK_COLUMNS = {
  id: "uuid",
  project_id: "uuid",
  engine: "text",
  task_id: "text",
  name: "text",
  queue: "text",
  state: "text",
  priority: "text",
  args: "text",
  kwargs: "text",
  result: "text",
  exception: "text",
  traceback: "text",
  retry_count: "integer",
  eta: "text",
  received_at: "text",
  started_at: "text",
  finished_at: "text",
  runtime_ms: "bigint",
  worker_name: "text",
  parent_task_id: "text",
  root_task_id: "text",
  tags: "text",
  fingerprint: "text",
  first_event_at: "text",
  history: "text",
  revision: "integer",
  created_at: "text",
  updated_at: "text"
} as const satisfies Record<Exclude<keyof TaskRecord, "recovered_by">, string>

export type TaskColumn = keyof typeof TASK_COLUMNS

// The cast: the record has no other keys.
export const taskColumns = Object.keys(TASK_COLUMNS) as ReadonlyArray<TaskColumn>

/** Columns that identify the row, and never change. */
const IDENTITY_COLUMNS: ReadonlySet<TaskColumn> = new Set(["id", "project_id", "engine", "task_id", "created_at"])

export const mutableColumns = taskColumns.filter((column) => !IDENTITY_COLUMNS.has(column))

/** Columns of a `StoredTask`. */
export const storedTaskColumns = [
  "id",
  "revision",
  "state",
  "name",
  "queue",
  "worker_name",
  "root_task_id",
  "fingerprint",
  "recovered_by",
  "received_at",
  "first_event_at",
  "finished_at",
  "runtime_ms",
  "history"
] as const satisfies ReadonlyArray<keyof StoredTask>
