import type { TaskState } from "../../kernel/TaskState.ts"
import { formatSecond, type Timestamp } from "../../kernel/Timestamp.ts"
import { adviseAfterRetry } from "../../tasks/Retry.ts"
import type { CommandPublic } from "../Command.ts"
import { emptyResizeNote, type WorkerFacts, writeWorkerNote } from "./WorkerNote.ts"

/** The input of a note besides the command's own row. */
export interface NoteFacts {
  readonly engine: string | null
  /** Null where the agent was deleted. */
  readonly agent_name: string | null
  readonly agent_state: string | null
  readonly agent_seen_at: Timestamp | null
  /** 1: a connected process of the agent serves the engine. */
  readonly is_served: number
  /** The task that the command names; null where it names none, or one that the brain does not know. */
  readonly task_name: string | null
  readonly task_state: TaskState | null
  /** The worker that the command names; null: it names none, or one that the brain does not know. */
  readonly worker: WorkerFacts | null
}

type CommandFacts = Pick<CommandPublic, "action" | "status" | "error" | "timeout_at" | "completed_at"> & {
  /** JSON text. */
  readonly payload: string
  readonly result: string | null
}

/** States that a task does not leave, unless it is run again. */
const endStates: ReadonlySet<TaskState> = new Set<TaskState>(["success", "failure", "revoked", "rejected"])

export const isEndState = (state: TaskState): boolean => endStates.has(state)

/** Advice for people about a command; null where status, result and error say all. */
export const writeNote = (command: CommandFacts, facts: NoteFacts): string | null => {
  const { action, error, status } = command
  if (status === "pending") return writePendingNote(command, facts)
  if (status === "failed" && action === "retry_task") return adviseAfterRetry(facts.engine, error ?? "")
  if (status !== "completed") return null
  if (action === "cancel_task") return writeCancelNote(command, facts)
  if (isNoopResize(command)) return emptyResizeNote
  return facts.worker === null ? null : writeWorkerNote(command, facts.worker)
}

const isNoopResize = ({ action, payload }: CommandFacts): boolean =>
  // the cast: the brain wrote the payload of the action
  (action === "pool_grow" || action === "pool_shrink") && (JSON.parse(payload) as { delta?: unknown }).delta === 0

const writePendingNote = ({ timeout_at }: CommandFacts, facts: NoteFacts): string | null => {
  const { agent_name, agent_seen_at, agent_state, engine, is_served } = facts
  if (agent_name === null) return null
  const until = `until ${formatSecond(timeout_at)}, then it ends as timeout.`
  if (agent_seen_at === null) return `The agent "${agent_name}" has never connected. The command waits for it ${until}`
  if (agent_state !== "online") {
    return `The agent "${agent_name}" is offline, last seen ${
      formatSecond(agent_seen_at)
    }. The command waits for it ${until}`
  }
  return is_served === 1 || engine === null
    ? null
    : `No process of the agent "${agent_name}" that serves ${engine} is connected. The command waits for one ${until}`
}

/** The result of cancel_task, from the published agents and ours (the agents' protocol, section 5.2). */
interface CancelResult {
  readonly noop?: unknown
  readonly note?: unknown
  readonly pending_only?: unknown
}

const writeCancelNote = ({ result }: CommandFacts, { engine, task_state }: NoteFacts): string | null => {
  // the cast: a result is an object with any members; the gateway validates that
  const { noop, note, pending_only } = JSON.parse(result ?? "{}") as CancelResult
  if (noop === true) {
    return `There was nothing to cancel${task_state === null ? "" : `: the task has ended (${task_state})`}.`
  }
  if (task_state === null) return null
  if (task_state === "revoked") return null
  if (isEndState(task_state)) return `The task was asked to stop, and has ended (${task_state}).`
  const runs = task_state === "started" ? "still runs" : `has not been seen to end (${task_state})`
  const why = pending_only === true
    ? ` ${engine} stops only tasks that have not begun.`
    : typeof note === "string"
    ? ` The agent says: ${note}`
    : ""
  return `The task was asked to stop and ${runs}.${why}`
}
