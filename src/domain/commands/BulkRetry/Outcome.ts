import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { CommandStatus } from "../Command.ts"
import { parseTaskRetries } from "../Command/TaskRetry.ts"
import type { ItemReason, ItemStatus } from "./Item.ts"

/** A command of a bulk retry, and the task that it retries. */
export interface RetryCommand {
  readonly task_id: string
  /** Null: retention has deleted the command. */
  readonly command_status: CommandStatus | null
  /** Null: it was not sent. */
  readonly dispatched_at: Timestamp | null
  /** JSON text. */
  readonly result: string | null
  readonly error: string | null
}

/** Where a command's end leaves its task. */
export interface Outcome {
  readonly status: Exclude<ItemStatus, "pending" | "claimed">
  readonly reason: ItemReason | null
  readonly error: string | null
  readonly new_task_id: string | null
}

/** The most characters of an error that a task keeps; its command has all of it. */
const maxErrorCharacters = 1000

/**
 * How a job's command came out (docs/commands.md). `open`: it has no outcome. `unsent`, `withdrawn`: no process of the
 * agent took it in time, or a person cancelled it before it was sent; so it was certainly not executed.
 */
export type CommandEnd = "open" | "unsent" | "withdrawn" | "succeeded" | "failed" | "unknown"

export const endOf = (
  { command_status, dispatched_at, result }: Pick<RetryCommand, "command_status" | "dispatched_at" | "result">
): CommandEnd => {
  switch (command_status) {
    case "pending":
    case "dispatched":
      return "open"
    case "completed":
      return "succeeded"
    case "failed":
      return isIndeterminate(result) ? "unknown" : "failed"
    case "timeout":
      return dispatched_at === null ? "unsent" : "unknown"
    case "cancelled":
      return dispatched_at === null ? "withdrawn" : "unknown"
    case null:
      return "unknown"
  }
}

/**
 * The outcome of a task by its command; `open` while the command has not ended, and `unsent` where the task can be
 * commanded again.
 */
export const outcomeOf = (command: RetryCommand): Outcome | "open" | "unsent" => {
  const { result, task_id } = command
  const end = endOf(command)
  const error = command.error?.slice(0, maxErrorCharacters).toWellFormed() ?? null
  switch (end) {
    case "open":
    case "unsent":
      return end
    case "succeeded": {
      const new_task_id = parseTaskRetries("retry_task", task_id, result ?? "{}")[0]?.new_task_id ?? null
      return { status: end, reason: null, error: null, new_task_id }
    }
    case "failed":
      return { status: end, reason: "failed", error, new_task_id: null }
    case "withdrawn":
      return { status: "unobserved", reason: "command_cancelled", error, new_task_id: null }
    case "unknown":
      return { status: end, reason: "unconfirmed", error, new_task_id: null }
  }
}

/** A broker that did not respond in time may have done the work (the agents' protocol, section 5.1). */
const isIndeterminate = (result: string | null): boolean =>
  // the cast: a result is an object with any members, as the gateway validates
  result !== null && (JSON.parse(result) as { readonly indeterminate?: unknown } | null)?.indeterminate === true
