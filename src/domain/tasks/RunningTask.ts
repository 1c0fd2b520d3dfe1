import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { TaskPriority } from "../kernel/TaskState.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** Rows of the response: those that were received first, among which are the ones that run longest. */
export const maxRunningTasks = 1000

export const RunningTask = Schema.Struct({
  id: describeField(Schema.String, "The brain's id of the task.", exampleId),
  engine: describeField(Schema.String, "The engine.", "celery"),
  task_id: describeField(Schema.String, "The engine's own id.", "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"),
  name: describeField(Schema.String, "The task's name.", "shop.pay"),
  queue: describeField(Schema.NullOr(Schema.String), "The queue.", "payments"),
  priority: describeField(TaskPriority, "The priority.", "normal"),
  worker_name: describeField(
    Schema.NullOr(Schema.String),
    "The worker that runs it, as the engine names it.",
    "w@box-1"
  ),
  started_at: describeField(Schema.NullOr(Timestamp), "When it started.", exampleTime)
}).annotations(describeBody("RunningTask", "A task that has started and not ended."))

export const RunningTasks = Schema.Struct({
  items: describeField(
    Schema.Array(RunningTask),
    `Oldest start first: the ${maxRunningTasks} that were received first.`
  ),
  total: describeField(Schema.Int, "How many run.", 12)
}).annotations(describeBody("RunningTasks", "What runs now."))
export type RunningTasks = typeof RunningTasks.Type
