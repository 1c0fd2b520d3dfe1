import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { TaskState } from "../../kernel/TaskState.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { reasonCodes } from "./Why/Reasons.ts"

const WhyReason = Schema.Struct({
  code: describeField(Schema.Literal(...reasonCodes), "What it is.", "no_consumer"),
  sentence: describeField(Schema.String, "The same for people.", "No online worker takes from the queue reports."),
  since: describeField(Schema.NullOr(Timestamp), "Since when; null: unknown.", null),
  evidence: describeField(
    Schema.Object.annotations({ jsonSchema: { type: "object" } }),
    "What the brain concludes it from; its members depend on `code`.",
    { queue: "reports", workers_online: 2 }
  )
}).annotations(describeBody("WhyReason", "A reason that keeps a task from running."))

/** The response of `GET /projects/{slug}/tasks/{engine}/{task_id}/why`. */
export const TaskWhy = Schema.Struct({
  engine: describeField(Schema.String, "The engine.", "celery"),
  task_id: describeField(Schema.String, "The engine's own id.", "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"),
  state: describeField(TaskState, "Its state.", "received"),
  checked_at: describeField(Timestamp, "When the facts were read.", exampleTime),
  reasons: describeField(Schema.Array(WhyReason), "The reasons, the likeliest first; at least one.")
}).annotations(describeBody("TaskWhy", "Why a task is not running."))
export type TaskWhy = typeof TaskWhy.Type
