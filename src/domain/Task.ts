import { Schema } from "effect"
import { Page } from "./Page.ts"
import { TaskEventKind, TaskPriority, TaskState } from "./TaskState.ts"
import { Id, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

const Json = Schema.Unknown.annotations({ description: "JSON, digit for digit as the agent sent it" })

/**
 * A task as callers see it (interface, Task; bodies: TaskPublic). Answers are written as text from the stored row
 * (`Task/Json.ts`) and never pass through this schema, so that the numbers in args, kwargs and result survive.
 */
export const Task = Schema.Struct({
  id: Id,
  project_id: Id,
  engine: Schema.String,
  task_id: Schema.String.annotations({ description: "the engine's own id; may hold any character" }),
  name: Schema.String,
  queue: Schema.NullOr(Schema.String),
  state: TaskState,
  priority: TaskPriority,
  args: Schema.NullOr(Json),
  kwargs: Schema.NullOr(Json),
  result: Schema.NullOr(Json),
  exception: Schema.NullOr(Schema.String),
  traceback: Schema.NullOr(Schema.String),
  retry_count: Schema.Int,
  eta: Schema.NullOr(Timestamp),
  received_at: Schema.NullOr(Timestamp),
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  runtime_ms: Schema.NullOr(Schema.Int),
  worker_name: Schema.NullOr(Schema.String),
  parent_task_id: Schema.NullOr(Schema.String),
  root_task_id: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotations({ identifier: "Task" })

/** One task, with what only its own page shows. */
export const TaskDetail = Schema.Struct({
  ...Task.fields,
  retry_note: Schema.NullOr(Schema.String).annotations({
    description: "what a retry of this task without other arguments needs; null where nothing is known to be missing"
  })
}).annotations({ identifier: "TaskDetail" })

export type TaskField = keyof typeof Task.Type

/** Every field of a task, in the order of the contract; also the columns that are read and the columns of exports. */
// the cast: keys of the struct above, which Object.keys types as string
export const taskFields = Object.keys(Task.fields) as ReadonlyArray<TaskField>

export const TaskList = Schema.Struct({
  items: Schema.Array(Task),
  next_cursor: Schema.NullOr(Schema.String),
  total_count: Schema.optional(Schema.NullOr(Schema.NonNegativeInt)).annotations({
    description: "with include_total; null when there are too many to count"
  })
}).annotations({ identifier: "TaskList" })

/** One task of a tree (bodies: TaskTreeNode). */
export const TaskTreeNode = Schema.Struct({
  engine: Schema.String,
  task_id: Schema.String,
  name: Schema.String,
  state: TaskState,
  parent_task_id: Schema.NullOr(Schema.String),
  root_task_id: Schema.NullOr(Schema.String),
  received_at: Schema.NullOr(Timestamp),
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "TaskTreeNode" })
export type TaskTreeNode = typeof TaskTreeNode.Type

/** At most 500 nodes, oldest first; `truncated` when there are more (interface, Limits). */
export const TaskTree = Schema.Struct({
  root_task_id: Schema.String,
  node_count: Schema.Int,
  truncated: Schema.Boolean,
  nodes: Schema.Array(TaskTreeNode)
}).annotations({ identifier: "TaskTree" })
export type TaskTree = typeof TaskTree.Type

/** One event of a task's timeline (bodies: EventPublic). `payload` is written as text, as args and kwargs are. */
export const Event = Schema.Struct({
  id: Id,
  project_id: Id,
  agent_id: Id,
  engine: Schema.String,
  task_id: Schema.String,
  kind: TaskEventKind,
  occurred_at: Timestamp,
  payload: Schema.Object.annotations({ jsonSchema: { type: "object" } })
}).annotations({ identifier: "Event" })

export const EventList = Page(Event).annotations({ identifier: "EventList" })

/** Which task an engine means: an engine name and the engine's own id of the task. */
export const TaskKey = Schema.Struct({ engine: text(40, 1), task_id: text(200, 1) })
export type TaskKey = typeof TaskKey.Type
