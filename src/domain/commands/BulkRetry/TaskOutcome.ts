import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"

/**
 * What became of a task that was retried, by its present state: of the new task that the retry created, or of the same
 * task where it runs again under its id.
 *
 * - `succeeded`: it succeeded, or a later retry of it did.
 * - `failed`: it failed again.
 * - `waiting`: it has not ended. A task that no agent has reported since the retry waits for `silentSeconds`.
 * - `cancelled`: it was revoked or rejected.
 * - `unknown`: no agent reported it, its end is unknown, or it was deleted.
 */
export const TaskOutcome = Schema.Literal("succeeded", "failed", "waiting", "cancelled", "unknown")
export type TaskOutcome = typeof TaskOutcome.Type

/** How long a retried task without a report counts as waiting: a queue may be long, and Celery reports a start at first. */
export const silentSeconds = 86_400

const count = (text: string, example: number) => describeField(Schema.NonNegativeInt, text, example)

export const TaskOutcomes = Schema.Struct({
  succeeded: count("Tasks that succeeded, or whose later retry did.", 61),
  failed: count("Tasks that failed again.", 30),
  waiting: count("Tasks that have not ended.", 8),
  cancelled: count("Tasks that were revoked or rejected.", 0),
  unknown: count("Tasks that no agent reported within a day, whose end is unknown, or that were deleted.", 1)
}).annotations(describeBody("TaskOutcomes", "What became of retried tasks, by their present states."))
export type TaskOutcomes = typeof TaskOutcomes.Type

export const noOutcomes: TaskOutcomes = { succeeded: 0, failed: 0, waiting: 0, cancelled: 0, unknown: 0 }
