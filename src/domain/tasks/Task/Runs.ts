import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"
import { Task } from "../Task.ts"

/** A run of a task (docs/attempts.md). */
export const TaskRun = Schema.Struct({
  number: describeField(Schema.Int, "Its place among the task's runs, from 1.", 7),
  ...Task.pick("state", "received_at", "started_at", "finished_at").fields,
  attempts: describeField(Schema.Int, "How often it started.", 1),
  ...Task.pick("retry_count", "runtime_ms", "worker_name").fields,
  exception: describeField(
    Schema.NullOr(Schema.String),
    "What it failed with; of an earlier run at most 200 characters.",
    null
  )
}).annotations(describeBody("TaskRun", "A run of a task."))

export const TaskRuns = Schema.Struct({
  items: describeField(Schema.Array(TaskRun), "The runs that the brain keeps, latest first, at most 150."),
  total_count: describeField(Schema.Int, "How many there were.", 7)
}).annotations(describeBody("TaskRuns", "The runs of a task, which most engines use for one."))
