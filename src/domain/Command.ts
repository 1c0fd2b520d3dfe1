import { Schema } from "effect"
import { Page } from "./Page.ts"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** interface, Command statuses. */
export const statuses = ["pending", "dispatched", "completed", "failed", "timeout", "cancelled"] as const
export const CommandStatus = Schema.Literal(...statuses)
export type CommandStatus = typeof CommandStatus.Type

export const isStatus = Schema.is(CommandStatus)

/**
 * Which status may follow which; every UPDATE of a command's status asks here.
 *
 * A command begins as pending; one that its agent cannot do, or that has nothing to do, ends when it is issued.
 *
 * - pending: waits for a process of its agent. Nothing was sent.
 * - dispatched: claimed for one process, then sent to it, and to no other for ever.
 *   Back to pending only while it is certain that nothing was written to the socket.
 * - timeout: the outcome is unknown unless `error` says that it was never sent. A late result is still taken.
 */
const following: Readonly<Record<CommandStatus, ReadonlyArray<CommandStatus>>> = {
  pending: ["dispatched", "timeout", "cancelled"],
  dispatched: ["pending", "completed", "failed", "timeout", "cancelled"],
  completed: [],
  failed: [],
  timeout: ["completed", "failed"],
  cancelled: []
}

export const mayFollow = (from: CommandStatus, to: CommandStatus): boolean => following[from].includes(to)

/** The statuses from which a command may become `to`. */
export const sourcesOf = (to: CommandStatus): ReadonlyArray<CommandStatus> =>
  statuses.filter((from) => mayFollow(from, to))

/** What a command's `error` says when its time ran out, by how far it had come. */
export const timeoutErrors = {
  pending: "Never sent: until its time ran out, no connected process of the agent could take it.",
  sent: "Sent, but the agent did not confirm it in time. Whether it was executed is unknown.",
  acknowledged: "The agent confirmed it, but sent no result in time. Whether it was executed is unknown."
} as const

/** What stands in `payload` for a value that is sealed. */
export const mask = "[REDACTED]"

/** Bytes of a frame that agents accept (the agents' protocol, section 1.1). */
export const maxFrameBytes = 1_048_576

/** Bytes of the envelope around target and parameters, rounded up. */
export const frameOverheadBytes = 1024

/** A command as people see it (bodies: CommandPublic). */
export const CommandPublic = Schema.Struct({
  id: Id,
  project_id: Id,
  agent_id: Schema.NullOr(Id),
  issued_by: Schema.NullOr(Id),
  /** The action that the agent is asked for, such as `retry_task` or `pool_grow`. */
  action: Schema.String,
  target_type: Schema.String,
  target_id: Schema.NullOr(Schema.String),
  /** The parameters as they are sent, `override_args` and the like masked. */
  payload: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  status: CommandStatus,
  result: Schema.Unknown,
  error: Schema.NullOr(Schema.String),
  /** What people should know of it now: that it waits, that a cancelled task still runs, what a retry needs. */
  note: Schema.NullOr(Schema.String),
  issued_at: Timestamp,
  dispatched_at: Schema.NullOr(Timestamp),
  /** When it came to its end, whatever end. */
  completed_at: Schema.NullOr(Timestamp),
  timeout_at: Timestamp
}).annotations({ identifier: "Command" })
export type CommandPublic = typeof CommandPublic.Type

export const CommandList = Page(CommandPublic).annotations({ identifier: "CommandList" })

/** A command as it is kept: `payload` and `result` are JSON text, with all digits that the agent sent. */
export interface Command extends Omit<CommandPublic, "payload" | "result"> {
  readonly payload: string
  readonly result: string | null
}

/** The JSON text of its CommandPublic. */
export const commandText = ({ payload, result, ...rest }: Command): string =>
  `${JSON.stringify(rest).slice(0, -1)},"payload":${payload},"result":${result ?? "null"}}`
