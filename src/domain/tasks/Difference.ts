import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../kernel/Describe.ts"
import { wholeNumber } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** What tasks are compared by. */
export const DifferenceField = Schema.Literal("worker", "queue", "hour", "version", "run_time", "argument")
export type DifferenceField = typeof DifferenceField.Type

/** The query of `GET /projects/{slug}/task-differences`. */
export const FindDifferences = Schema.Struct({
  name: describeField(Schema.optional(text(500, 1)), "The whole name of the tasks.", "shop.orders.pay"),
  fingerprint: describeField(
    Schema.optional(text(40, 1)),
    "The failures are those of this failure group; the successes are of its task name.",
    "9f2c41d07be5a836"
  ),
  hours: describeField(
    Schema.optional(wholeNumber(1, 2160)),
    "Tasks that the brain first heard of in the last so many hours; 24 unless given.",
    24
  )
}).pipe(
  Schema.filter(({ fingerprint, name }) =>
    (name === undefined) !== (fingerprint === undefined) || "send either name or fingerprint"
  )
)
export type FindDifferences = typeof FindDifferences.Type

const Difference = Schema.Struct({
  field: describeField(DifferenceField, "What is compared.", "worker"),
  path: describeField(Schema.NullOr(Schema.String), "The place of an argument; null for other fields.", null),
  value: describeField(
    Schema.NullOr(Schema.String),
    "The value: a name, an hour of the day in UTC, a version, a run time in milliseconds that is exceeded. Null: the " +
      "argument is there, whatever it is.",
    "celery@worker-3"
  ),
  failures: describeField(Schema.NonNegativeInt, "Failed tasks of the sample that have it.", 46),
  failure_share: describeField(Schema.Number, "Their share of the failed tasks, from 0 to 1.", 0.92),
  successes: describeField(Schema.NonNegativeInt, "Succeeded tasks of the sample that have it.", 55),
  success_share: describeField(Schema.Number, "Their share of the succeeded tasks.", 0.11),
  sentence: describeField(
    Schema.String,
    "The same for people.",
    "92 % of failures ran on celery@worker-3, 11 % of successes."
  )
}).annotations(describeBody("TaskDifference", "A property that is over-represented among failed tasks."))
export type Difference = typeof Difference.Type

const Sample = (what: string) =>
  Schema.Struct({
    compared: describeField(Schema.NonNegativeInt, `The ${what} tasks that were compared, at most 500.`, 50),
    found: describeField(Schema.NonNegativeInt, "Those from which they are chosen at random.", 50),
    since: describeField(
      Timestamp,
      "The begin of the time that they are of: the window's, or a later one where 10 000 rows do not reach back to it.",
      exampleTime
    )
  })

const exampleSample = { compared: 50, found: 50, since: exampleTime }

/** The response of `GET /projects/{slug}/task-differences`. */
export const TaskDifferences = Schema.Struct({
  name: describeField(Schema.String, "The name of the tasks.", "shop.orders.pay"),
  fingerprint: describeField(Schema.NullOr(Schema.String), "The failure group, if one was asked for.", null),
  hours: describeField(Schema.Int, "The length of the window.", 24),
  failed: describeField(Sample("failed"), "The failed tasks.", exampleSample),
  succeeded: describeField(
    Sample("succeeded"),
    "The succeeded tasks. `hour` and `version` are compared where both sides reach back to the begin of the window.",
    exampleSample
  ),
  payload_hidden: describeField(
    Schema.Boolean,
    "Arguments were not compared: the caller lacks the project's `payload_role`.",
    false
  ),
  differences: describeField(
    Schema.Array(Difference),
    "What is more frequent among the failures by 0.1 of the share at least, and not by chance: the largest difference " +
      "first, at most 20."
  )
}).annotations(describeBody("TaskDifferences", "What differs between failed and succeeded tasks of a name."))
export type TaskDifferences = typeof TaskDifferences.Type

const ComparedTask = Schema.Struct({
  engine: describeField(Schema.String, "The engine.", "celery"),
  task_id: describeField(Schema.String, "The engine's own id.", "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"),
  received_at: describeField(Schema.NullOr(Timestamp), "When it was received.", exampleTime),
  finished_at: describeField(Schema.NullOr(Timestamp), "When it ended.", exampleTime)
}).annotations(describeBody("ComparedTask", "A task that another one is compared with."))

/** The response of `GET /projects/{slug}/tasks/{engine}/{task_id}/differences`. */
export const TaskComparison = Schema.Struct({
  name: describeField(Schema.String, "The name of both tasks.", "shop.orders.pay"),
  success: describeField(
    Schema.NullOr(ComparedTask),
    "The last task of the name before this one that succeeded; null: there is none among the newest 10 000."
  ),
  payload_hidden: describeField(
    Schema.Boolean,
    "Arguments were not compared: the caller lacks the project's `payload_role`.",
    false
  ),
  differences: describeField(
    Schema.Array(Schema.Struct({
      field: describeField(DifferenceField, "What differs.", "worker"),
      path: describeField(Schema.NullOr(Schema.String), "The place of an argument; null for other fields.", null),
      task: describeField(
        Schema.NullOr(Schema.String),
        "The value of this task; null: it has none.",
        "celery@worker-3"
      ),
      success: describeField(Schema.NullOr(Schema.String), "The value of the success.", "celery@worker-1")
    })),
    "What differs, at most 100. An `hour` is never listed; a `run_time` is in milliseconds.",
    [{ field: "worker", path: null, task: "celery@worker-3", success: "celery@worker-1" }]
  )
}).annotations(describeBody("TaskComparison", "What differs between a task and the last success before it."))
export type TaskComparison = typeof TaskComparison.Type

const percent = (share: number): string => `${Math.round(share * 100)} %`

const describeProperty = ({ field, path, value }: Pick<Difference, "field" | "path" | "value">): string => {
  switch (field) {
    case "worker":
      return `ran on ${value}`
    case "queue":
      return `came from the queue ${value}`
    case "hour":
      return `started in the hour from ${value} UTC`
    case "version":
      return `ran with version ${value}`
    case "run_time":
      return `ran longer than ${Number(value) < 1000 ? `${value} ms` : `${Math.round(Number(value) / 100) / 10} s`}`
    case "argument":
      return value === null ? `had ${path}` : `had ${path} = ${value}`
  }
}

/** For people: "92 % of failures ran on worker-3, 11 % of successes." */
export const describeDifference = (
  difference: Pick<Difference, "field" | "path" | "value" | "failure_share" | "success_share">
): string =>
  `${percent(difference.failure_share)} of failures ${describeProperty(difference)}, ${
    percent(difference.success_share)
  } of successes.`
