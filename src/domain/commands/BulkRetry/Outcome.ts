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
 * The outcome of a task by its command; `open` while the command has not ended, and `unsent` where it ended without
 * being sent because no process of the agent took it in time: then the task can be commanded again.
 */
export const outcomeOf = (command: RetryCommand): Outcome | "open" | "unsent" => {
  const { command_status, dispatched_at, result, task_id } = command
  const error = command.error?.slice(0, maxErrorCharacters).toWellFormed() ?? null
  const unconfirmed: Outcome = { status: "unknown", reason: "unconfirmed", error, new_task_id: null }
  switch (command_status) {
    case "pending":
    case "dispatched":
      return "open"
    case "completed": {
      const new_task_id = parseTaskRetries("retry_task", task_id, result ?? "{}")[0]?.new_task_id ?? null
      return { status: "succeeded", reason: null, error: null, new_task_id }
    }
    case "failed":
      return isIndeterminate(result) ? unconfirmed : { status: "failed", reason: "failed", error, new_task_id: null }
    case "timeout":
      return dispatched_at === null ? "unsent" : unconfirmed
    case "cancelled":
      return dispatched_at === null
        ? { status: "unobserved", reason: "command_cancelled", error, new_task_id: null }
        : unconfirmed
    case null:
      return unconfirmed
  }
}

/** A broker that did not answer in time may have done the work (the agents' protocol, section 5.1). */
const isIndeterminate = (result: string | null): boolean =>
  // the cast: a result is an object with any members, as the gateway validates
  result !== null && (JSON.parse(result) as { readonly indeterminate?: unknown } | null)?.indeterminate === true
