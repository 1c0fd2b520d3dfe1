import type { TaskState } from "../TaskState.ts"
import type { Timestamp } from "../Timestamp.ts"
import type { CommandPublic } from "../Command.ts"
import { adviseAfterRetry } from "./Retry.ts"

/** What a note is made of, beside the command's own row. */
export interface NoteFacts {
  readonly engine: string | null
  /** Null where the agent was deleted. */
  readonly agent_name: string | null
  readonly agent_state: string | null
  readonly agent_seen_at: Timestamp | null
  /** 1: a process of the agent that serves the engine is connected. */
  readonly is_served: number
  /** Of the task that a cancel-task names; null where the brain does not know it. */
  readonly task_state: TaskState | null
}

type CommandFacts = Pick<CommandPublic, "action" | "status" | "error" | "timeout_at"> & {
  /** JSON text. */
  readonly result: string | null
}

/** States that a task does not leave, unless it is run again. */
const endStates: ReadonlySet<TaskState> = new Set<TaskState>(["success", "failure", "revoked", "rejected"])

export const isEndState = (state: TaskState): boolean => endStates.has(state)

/** Whole seconds are enough for people. */
const formatSeconds = (at: Timestamp): string => `${at.slice(0, 19)}Z`

/** What people should know of a command now; null where its status says all. */
export const writeNote = (command: CommandFacts, facts: NoteFacts): string | null => {
  const { action, error, status } = command
  if (status === "pending") return writePendingNote(command, facts)
  if (status === "failed" && action === "retry_task") return adviseAfterRetry(facts.engine, error ?? "")
  return status === "completed" && action === "cancel_task" ? writeCancelNote(command, facts) : null
}

const writePendingNote = ({ timeout_at }: CommandFacts, facts: NoteFacts): string | null => {
  const { agent_name, agent_seen_at, agent_state, engine, is_served } = facts
  if (agent_name === null) return null
  const until = `until ${formatSeconds(timeout_at)}, then it ends as timeout.`
  if (agent_seen_at === null) return `The agent "${agent_name}" has never connected. The command waits for it ${until}`
  if (agent_state !== "online") {
    return `The agent "${agent_name}" is offline, last seen ${formatSeconds(agent_seen_at)}. The command waits for it ${until}`
  }
  return is_served === 1 || engine === null
    ? null
    : `No process of the agent "${agent_name}" that serves ${engine} is connected. The command waits for one ${until}`
}

/** What the published agents and ours answer to cancel_task (the agents' protocol, section 5.2). */
interface CancelResult {
  readonly noop?: unknown
  readonly note?: unknown
  readonly pending_only?: unknown
}

const writeCancelNote = ({ result }: CommandFacts, { engine, task_state }: NoteFacts): string | null => {
  // the cast: an agent's answer is an object (the inbox checks it), with any members
  const { noop, note, pending_only } = JSON.parse(result ?? "{}") as CancelResult
  if (noop === true) return `There was nothing to cancel${task_state === null ? "" : `: the task has ended (${task_state})`}.`
  if (task_state === null) return null
  if (task_state === "revoked") return null
  if (isEndState(task_state)) return `The task was asked to stop, and has ended (${task_state}).`
  const runs = task_state === "started" ? "still runs" : `has not been seen to end (${task_state})`
  const why = pending_only === true ? ` ${engine} stops only tasks that have not begun.` : typeof note === "string" ? ` The agent says: ${note}` : ""
  return `The task was asked to stop and ${runs}.${why}`
}
