/**
 * The states of a task, and the kinds of event that lead to them (interface, Task states; agents' protocol, section
 * 4.1). docs/attempts.md describes how events become a state.
 */
import * as Schema from "effect/Schema"

export const TaskState = Schema.Literal(
  "pending",
  "received",
  "started",
  "success",
  "failure",
  "retry",
  "revoked",
  "rejected",
  "unknown"
)
export type TaskState = typeof TaskState.Type

export const TaskPriority = Schema.Literal("critical", "high", "normal", "low")
export type TaskPriority = typeof TaskPriority.Type

const PRIORITIES: ReadonlySet<string> = new Set(TaskPriority.literals)

/** Plain code, since each fold calls it. */
export const isTaskPriority = (text: string): text is TaskPriority => PRIORITIES.has(text)

/**
 * The kinds of event about one task. Append only: `TaskHistory/Codec.ts` stores their indexes.
 */
export const TaskEventKind = Schema.Literal(
  "unknown",
  "task.sent",
  "task.received",
  "task.started",
  "task.retried",
  "task.succeeded",
  "task.failed",
  "task.revoked",
  "task.rejected",
  /** From the brain and not from agents: the outcome of a task whose end was never reported. */
  "task.reconciled"
)
export type TaskEventKind = typeof TaskEventKind.Type

/** The state of a task after an event of the kind, with nothing else known. */
export const STATE_AFTER: Readonly<Record<TaskEventKind, TaskState>> = {
  "unknown": "unknown",
  "task.sent": "pending",
  "task.received": "received",
  "task.started": "started",
  "task.retried": "retry",
  "task.succeeded": "success",
  "task.failed": "failure",
  "task.revoked": "revoked",
  "task.rejected": "rejected",
  "task.reconciled": "unknown"
}

/** The progress of a task after an event of the kind: orders events of one moment. All ends rank the same. */
export const RANK: Readonly<Record<TaskEventKind, number>> = {
  "unknown": 0,
  "task.sent": 0,
  "task.received": 1,
  "task.started": 2,
  "task.retried": 3,
  "task.succeeded": 4,
  "task.failed": 4,
  "task.revoked": 4,
  "task.rejected": 4,
  "task.reconciled": 0
}

export const isTaskEventKind = (kind: string): kind is TaskEventKind => Object.hasOwn(RANK, kind)
