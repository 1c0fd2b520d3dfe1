import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../../kernel/Describe.ts"
import { CommandId } from "../../kernel/Id.ts"
import { Page } from "../../kernel/Page.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { TaskOutcome } from "./TaskOutcome.ts"

/**
 * How far a task of a bulk retry is.
 *
 * - `pending`: not commanded. A command that was certainly not sent makes the task pending again.
 * - `claimed`: commanded, without an outcome.
 * - all others are final, and `BulkRetryCounts` says what they mean.
 */
export const ItemStatus = Schema.Literal("pending", "claimed", "unobserved", "succeeded", "failed", "unknown")
export type ItemStatus = typeof ItemStatus.Type

/** Why a task was left out, or not retried. */
export const itemReasons = {
  task_deleted: "The task was deleted.",
  task_changed: "The task has another state than when the set was frozen.",
  task_retried: "Another command has retried the task since the set was frozen.",
  command_cancelled: "Its command was cancelled before it was sent.",
  refused: "The engine cannot retry the task without its arguments.",
  failed: "The agent refused or failed.",
  unconfirmed: "It was sent, and its outcome is unknown."
} as const
export type ItemReason = keyof typeof itemReasons

export const BulkRetryItem = Schema.Struct({
  position: describeField(Schema.Int, "Its place in the order of the retries, from 1.", 1),
  engine: describeField(Schema.String, "The task's engine.", "celery"),
  task_id: describeField(Schema.String, "The engine's own id.", "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"),
  name: describeField(Schema.String, "The task's name when the set was frozen.", "shop.orders.ship"),
  status: describeField(ItemStatus, "How far it is.", "succeeded"),
  reason: describeField(
    Schema.NullOr(Schema.String.annotations({ jsonSchema: { type: "string", enum: Object.keys(itemReasons) } })),
    "Why it was left out or not retried.",
    null
  ),
  error: describeField(Schema.NullOr(Schema.String), "What the agent, or the brain, says about it.", null),
  command_id: describeField(Schema.NullOr(CommandId), "The command that retries it.", exampleId),
  new_task_id: describeField(Schema.NullOr(Schema.String), "The task that the retry created.", "b4e2"),
  outcome: describeField(
    Schema.NullOr(TaskOutcome),
    "What became of the new task, or of the same one where it runs again under its id; null: it was not retried.",
    "failed"
  ),
  claimed_at: describeField(Schema.NullOr(Timestamp), "When its command was issued.", exampleTime),
  ended_at: describeField(Schema.NullOr(Timestamp), "When its outcome was known.", exampleTime)
}).annotations(describeBody("BulkRetryItem", "A task of a bulk retry."))
export type BulkRetryItem = typeof BulkRetryItem.Type

export const BulkRetryItemList = Page(BulkRetryItem).annotations(
  describeBody("BulkRetryItemList", "A page of the tasks of a bulk retry.")
)
