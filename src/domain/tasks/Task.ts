import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, Id, ProjectId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { TaskEventKind, TaskPriority, TaskState } from "../kernel/TaskState.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { TaskProgress } from "./TaskOutput.ts"

const JsonText = Schema.Unknown.annotations({ description: "JSON, digit for digit as the agent sent it" })

/**
 * A task as callers see it (interface, Task; bodies: TaskPublic). Responses are written as text from the stored row
 * (`Task/Json.ts`) and do not pass through this schema, so that the numbers in args, kwargs and result keep their
 * digits.
 */
export const Task = Schema.Struct({
  id: describeField(Id, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  engine: describeField(Schema.String, "The engine, in lower case.", "celery"),
  task_id: describeField(
    Schema.String.annotations({ description: "the engine's own id; may hold any character" }),
    "The engine's own id of the task; it may hold any character.",
    "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"
  ),
  name: describeField(Schema.String, "The task's name.", "shop.pay"),
  queue: describeField(Schema.NullOr(Schema.String), "Its queue.", "default"),
  state: describeField(TaskState, "Its state.", "failure"),
  priority: describeField(TaskPriority, "Its priority.", "normal"),
  args: describeField(
    Schema.NullOr(JsonText),
    "Its positional arguments; `[]` for none, null where they are unknown or hidden.",
    [42]
  ),
  kwargs: describeField(
    Schema.NullOr(JsonText),
    "Its named arguments; `{}` for none, null where they are unknown or hidden.",
    { currency: "EUR" }
  ),
  result: describeField(Schema.NullOr(JsonText), "What it returned.", null),
  exception: describeField(Schema.NullOr(Schema.String), "What it failed with.", "ValueError: no such order"),
  traceback: describeField(Schema.NullOr(Schema.String), "Where it failed.", "Traceback (most recent call last): …"),
  retry_count: describeField(Schema.Int, "How often it was retried.", 2),
  eta: describeField(Schema.NullOr(Timestamp), "The earliest moment to run it.", null),
  received_at: describeField(Schema.NullOr(Timestamp), "When a worker received it.", exampleTime),
  started_at: describeField(Schema.NullOr(Timestamp), "When its last attempt started.", exampleTime),
  finished_at: describeField(Schema.NullOr(Timestamp), "When it ended.", exampleTime),
  runtime_ms: describeField(
    Schema.NullOr(Schema.Int),
    "Milliseconds from start to end of its last attempt.",
    132
  ),
  worker_name: describeField(Schema.NullOr(Schema.String), "The worker's name, as the engine has it.", "celery@box-1"),
  parent_task_id: describeField(
    Schema.NullOr(Schema.String),
    "The engine's id of the task that started it.",
    "7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f"
  ),
  root_task_id: describeField(
    Schema.NullOr(Schema.String),
    "The engine's id of the first task of its tree.",
    "7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f"
  ),
  tags: describeField(Schema.Array(Schema.String), "Its tags.", ["payments"]),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When it last changed.", exampleTime)
})

/** An attempt of a task's latest run (docs/attempts.md). */
const TaskAttempt = Schema.Struct({
  number: describeField(Schema.Int, "Its place among the starts of the run, from 1.", 1),
  state: describeField(
    TaskState,
    "How it ended; `started` while it runs, `retry` where the task went back without an error.",
    "failure"
  ),
  started_at: describeField(Schema.NullOr(Timestamp), "When it started.", exampleTime),
  finished_at: describeField(Schema.NullOr(Timestamp), "When it ended; null where no end is known.", exampleTime),
  runtime_ms: describeField(Schema.NullOr(Schema.Int), "Milliseconds from its start to its end.", 2000),
  worker_name: Task.fields.worker_name,
  exception: describeField(
    Schema.NullOr(Schema.String),
    "What it failed with, at most 200 characters.",
    "GatewayTimeout: no answer"
  )
}).annotations(describeBody("TaskAttempt", "An attempt of a task."))

const TaskFailureGroup = Schema.Struct({
  fingerprint: describeField(Schema.String, "The group's fingerprint.", "9f2c41d07be5a836"),
  open_count: describeField(
    Schema.Int,
    "Tasks of the group that failed and have neither recovered nor been revoked.",
    3
  ),
  occurrences: describeField(Schema.Int, "Failed attempts of the group, ever.", 42)
}).annotations(describeBody("TaskFailureGroup", "The failure group of a task."))

const TaskFire = Schema.Struct({
  schedule_id: describeField(Schema.String, "The schedule's id.", exampleId),
  schedule_name: describeField(Schema.NullOr(Schema.String), "The schedule's name at that time.", "nightly report"),
  fire_id: describeField(
    Schema.NullOr(Schema.String),
    "The fire of the schedule.",
    "5f0c7a52-3c1e-5b0a-9d57-0d9f2b3b7c11"
  )
}).annotations(describeBody("TaskFire", "The fire of a schedule that submitted a task."))

const progress = describeField(
  Schema.NullOr(TaskProgress),
  "How far it is, as it last reported; null: it reported none.",
  { percent: 40, value: { done: 40, total: 100 }, at: exampleTime }
)

/** One task, with the fields that only its detail has. */
export const TaskDetail = Schema.Struct({
  ...Task.fields,
  payload_hidden: describeField(
    Schema.Boolean,
    "Whether arguments and result are null because the caller lacks the project's `payload_role`.",
    false
  ),
  retry_note: describeField(
    Schema.NullOr(Schema.String),
    "What a retry of this task without other arguments needs; null where nothing is known to be missing.",
    null
  ),
  retried_from: describeField(
    Schema.NullOr(Schema.String),
    "The engine's id of the task whose retry created this one; null: no command created it.",
    null
  ),
  orphaned_at: describeField(
    Schema.NullOr(Timestamp),
    "When the brain found that the worker of its last attempt is gone; null: it did not, or the task has shown life since.",
    null
  ),
  attempts: describeField(
    Schema.Int,
    "How often its latest run started; more than 1 after retries or lost workers.",
    1
  ),
  first_started_at: describeField(
    Schema.NullOr(Timestamp),
    "When the first attempt of its latest run started: until then the run waited in its queue.",
    exampleTime
  ),
  attempt_list: describeField(
    Schema.Array(TaskAttempt),
    "The attempts of its latest run, in order; the latest 150 where there were more."
  ),
  run_count: describeField(
    Schema.Int,
    "How many runs it had: more than 1 where the engine used its id again after an end.",
    1
  ),
  retried_as: describeField(
    Schema.Array(Schema.String),
    "The engine's ids of the tasks that retries of this one created, newest first, at most 20.",
    ["d4c3b2a1-6e5b-4f70-8a91-c2b3d4e5f607"]
  ),
  failure_group: describeField(
    Schema.NullOr(TaskFailureGroup),
    "The failures like its own; null: it has not failed.",
    { fingerprint: "9f2c41d07be5a836", open_count: 3, occurrences: 42 }
  ),
  fired_by: describeField(
    Schema.NullOr(TaskFire),
    "What submitted it, while the command of the fire is kept; null: no schedule.",
    null
  ),
  altered_fields: describeField(
    Schema.Array(Schema.String),
    "The fields of its events that exceeded a bound, so that the agent or the brain left out a value, truncated a name or dropped " +
      "an impossible time; by the names of the agents' protocol, sorted.",
    ["kwargs"]
  ),
  log_line_count: describeField(Schema.Int, "Lines of its log (`…/logs`).", 17),
  log_url: describeField(
    Schema.NullOr(Schema.String),
    "Its log elsewhere, by `SVC_LOG_URL_TEMPLATE`; null: none is set.",
    "https://logs.example/?q=a3f1c2d4"
  ),
  progress
}).annotations(describeBody("TaskDetail", "A task with what only its own page shows."))

export type TaskField = keyof typeof Task.Type

/** Every field of a task, in the order of the contract; also the columns of reads and exports. */
// the cast: keys of the struct above, which Object.keys types as string
export const taskFields = Object.keys(Task.fields) as ReadonlyArray<TaskField>

const TaskListItem = Schema.Struct({
  ...Task.fields,
  progress: progress.annotations({
    description: "How far its current run is, as it last reported; null where it does not run."
  })
}).annotations(
  describeBody(
    "Task",
    "A task. `args`, `kwargs`, `result` and `tags` are the stored JSON text: a number has the digits that the agent sent."
  )
)

export const TaskList = Schema.Struct({
  items: describeField(Schema.Array(TaskListItem), "The rows, newest first."),
  next_cursor: describeField(
    Schema.NullOr(Schema.String),
    "`cursor` of the next page; null on the last one.",
    "WyJ0YXNrcyIsIjAxOTljMGRlIl0"
  ),
  total_count: describeField(
    Schema.optional(Schema.NullOr(Schema.NonNegativeInt)).annotations({
      description: "with include_total; null when there are too many to count"
    }),
    "How many match, with `include_total`; null when there are too many to count.",
    1200
  ),
  searched_to: describeField(
    Schema.optional(Timestamp),
    "The search took half a second and stopped here, so the page is not full: tasks the brain first heard of earlier are " +
      "searched by the next page. Absent when the search did not stop.",
    exampleTime
  ),
  index: describeField(
    Schema.optional(Schema.String),
    "The searchable path whose index was read. Absent where the query was compared with the tasks themselves.",
    "kwargs.order"
  )
}).annotations(describeBody("TaskList", "A page of tasks."))

/** One task of a tree (bodies: TaskTreeNode). */
export const TaskTreeNode = Schema.Struct({
  ...Task.pick(
    "engine",
    "task_id",
    "name",
    "state",
    "parent_task_id",
    "root_task_id",
    "received_at",
    "started_at",
    "finished_at"
  ).fields,
  attempt_list: describeField(
    Schema.optional(Schema.Array(TaskAttempt)),
    "The attempts of its latest run, in order. Absent where its only attempt is as the task itself and without an exception, " +
      "where it has none, and where its events exceed 8 KiB."
  )
}).annotations(describeBody("TaskTreeNode", "A task of a tree."))
export type TaskTreeNode = typeof TaskTreeNode.Type

/** At most 500 nodes, oldest first; `truncated` when there are more (interface, Limits). */
export const TaskTree = Schema.Struct({
  root_task_id: describeField(Schema.String, "The engine's id of its root.", "7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f"),
  node_count: describeField(Schema.Int, "Nodes shown.", 1),
  truncated: describeField(
    Schema.Boolean,
    "Whether there are more than 500. So it is where the task has more than 10 000 ancestors; the root is then the last that was found.",
    false
  ),
  nodes: describeField(Schema.Array(TaskTreeNode), "The tasks, oldest first.")
}).annotations(describeBody("TaskTree", "A task's tree."))
export type TaskTree = typeof TaskTree.Type

/** One event of a task's timeline (bodies: EventPublic). `payload` is written as text, as args and kwargs are. */
export const Event = Schema.Struct({
  id: describeField(Id, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  agent_id: describeField(AgentId, "The agent's id.", exampleId),
  engine: describeField(Schema.String, "The engine, in lower case.", "celery"),
  task_id: describeField(
    Schema.String,
    "The engine's own id of the task; it may hold any character.",
    "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"
  ),
  kind: describeField(TaskEventKind, "What happened.", "task.started"),
  occurred_at: describeField(Timestamp, "When it happened, by the sender's clock.", exampleTime),
  payload: describeField(
    Schema.Object.annotations({ jsonSchema: { type: "object" } }),
    "What the agent sent, without large values.",
    { worker: "celery@box-1" }
  )
}).annotations(describeBody("Event", "An event of a task."))

export const EventList = Page(Event).annotations(describeBody("EventList", "A page of events."))
