import type { PoolReport } from "../../domain/agents/Worker.ts"
import type { Command, CommandAction, CommandStatus } from "../../domain/commands/Command.ts"
import type { CanonicalText, JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import type { AgentId, BulkJobId, CommandId, ProjectId, UserId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { CommandedAgent } from "../agents/Repo.ts"
import type { AuditEntry } from "../audit/Row.ts"

/** A command to be issued in the current project: what the agent is asked to do (the agents' protocol, section 5.2). */
export interface Intent {
  readonly agent_id: AgentId
  readonly action: CommandAction
  readonly engine: string | null
  readonly target_type: string
  readonly target_id: string | null
  /** What is sent as `parameters`. Undefined members are left out: only what the operator set is sent. */
  readonly parameters: Readonly<Record<string, JsonInput | undefined>>
  /** Parameters that are encrypted at rest, masked in every response, and deleted when the command ends. */
  readonly sealed?: Readonly<Record<string, CanonicalText>>
  readonly timeout_seconds: number
  /** The only session that the command may be sent to; absent: any session of the agent that suits. */
  readonly bound_session_id?: string
  /** The agent, where the request has read it; else the admission reads it. */
  readonly agent?: CommandedAgent
  /** The bulk job that issues the command. */
  readonly bulk_job_id?: BulkJobId
  /** The pool of the worker that the command names, before it. */
  readonly worker_before?: PoolReport | null
  /** Additional metadata of the audit row. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The audit row of the operation that issues the command, before the command's own. */
  readonly cause?: AuditEntry
}

/** How a command begins: pending, or ended at once when its end is known beforehand. */
export interface InitialState {
  readonly status: "pending" | "completed" | "failed"
  /** JSON text. */
  readonly result: string | null
  readonly error: string | null
}

/** The columns of a new row. */
export interface NewCommand extends InitialState {
  readonly id: CommandId
  readonly project_id: ProjectId
  readonly agent_id: AgentId
  readonly issued_by: UserId | null
  readonly action: CommandAction
  readonly engine: string | null
  readonly target_type: string
  readonly target_id: string | null
  readonly payload: string
  readonly sealed_payload: string | null
  readonly idempotency_key: string | null
  readonly request_hash: string | null
  readonly issued_at: Timestamp
  readonly timeout_at: Timestamp
  /** The only session that the command may be sent to; null: any session of the agent that suits. */
  readonly bound_session_id: string | null
  /** The bulk job that issued it; null: none. */
  readonly bulk_job_id: BulkJobId | null
  /** A PoolReport as JSON text. */
  readonly worker_before: string | null
  /** The time of issue for a command that ended at once, else null. */
  readonly completed_at: Timestamp | null
}

/** A row without what other tables say of it. */
export type CommandRow = Omit<Command, "target_name" | "agent_name" | "note">

/** What decides where a command is sent. */
export interface PendingCommand {
  readonly id: CommandId
  readonly agent_id: AgentId
  readonly engine: string | null
  readonly action: string
  readonly target_type: string
  readonly target_id: string | null
  readonly issued_at: Timestamp
  /** The only session that the command may be sent to; null: any session of the agent that suits. */
  readonly bound_session_id: string | null
}

/** An unfinished command that is claimed for a process of its agent. */
export interface CommandClaim {
  readonly id: CommandId
  readonly agent_id: AgentId
  readonly worker_id: string
  readonly session_id: string
  /** When it was claimed: a later claim of the same command for the same session is another one. */
  readonly claimed_at: Timestamp
}

/** A command as it is sent; `worker_id` and `session_id` say where to. */
export interface ClaimedCommand extends PendingCommand, CommandClaim {
  readonly issued_by: UserId | null
  readonly payload: string
  readonly sealed_payload: string | null
  readonly timeout_at: Timestamp
}

/** A locked row: what decides the effect of an agent's report. */
export interface LockedCommand {
  readonly id: CommandId
  readonly project_id: ProjectId
  readonly agent_id: AgentId | null
  readonly worker_id: string | null
  readonly action: string
  readonly engine: string | null
  readonly target_id: string | null
  readonly status: CommandStatus
  readonly issued_at: Timestamp
  readonly acked_at: Timestamp | null
}

export interface FinishedCommand {
  readonly id: CommandId
  readonly action: string
  readonly status: CommandStatus
  readonly issued_at: Timestamp
}

/** Which command an agent reports on, and from which process. */
interface ReportBase {
  readonly agentId: AgentId
  readonly sessionId: string
  /** The `workerId` of `AgentSession`. */
  readonly workerId: string
  /** The agent's text, which may not be the id of a command. */
  readonly commandId: string
}

/** A `command_ack` frame: the agent has the command (the agents' protocol, section 2.6). */
export type AckReport = ReportBase

/** A `command_result` frame. `result` is the agent's JSON text with all its digits. */
export interface ResultReport extends ReportBase {
  readonly status: "success" | "failed"
  readonly result: string | null
  readonly error: string | null
  /** Called after the commit, or once it is known that the result cannot be stored. */
  readonly onCommit: () => void
}

/** What an agent reported on a command, and when the report arrived. */
export type CommandReport =
  & { readonly at: Timestamp }
  & (
    | { readonly kind: "acked"; readonly report: AckReport }
    | { readonly kind: "finished"; readonly report: ResultReport }
  )

/** The first acknowledgement of a command. */
export interface CommandAck {
  readonly id: CommandId
  readonly acked_at: Timestamp
}

/** The end of a command by its agent's result. */
export interface CommandResultUpdate {
  readonly id: CommandId
  readonly status: "completed" | "failed"
  /** Of an acknowledgement in the same batch, else null. */
  readonly acked_at: Timestamp | null
  readonly result: string | null
  readonly error: string | null
  readonly completed_at: Timestamp
  /** The task that it submitted for a schedule. */
  readonly created_task_id: string | null
}

/** The end of a command with its row as it was before. */
export interface FinishTransition {
  readonly row: LockedCommand
  readonly end: CommandResultUpdate
}
