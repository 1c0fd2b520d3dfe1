import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
/** Rows as `Repo.ts` writes them, many at a time; names are the columns'. Structures are JSON text. */

export interface ConnectRow {
  readonly id: string
  readonly agent_id: AgentId
  readonly project_id: ProjectId
  readonly worker_id: string
  readonly session_id: string
  readonly role: string | null
  readonly framework: string | null
  readonly pid: number | null
  readonly started_at: string | null
  readonly engines: string
  readonly schedulers: string
  readonly capabilities: string
  readonly protocol_version: string
  readonly agent_version: string | null
  readonly host_name: string | null
  readonly at: string
}

export interface HeartbeatRow {
  readonly agent_id: AgentId
  readonly worker_id: string
  readonly session_id: string
  /** 1: only this session may speak for the process; 0: any session of it (long-poll). */
  readonly exclusive: 0 | 1
  readonly at: string
}

export interface DisconnectRow {
  readonly agent_id: AgentId
  readonly worker_id: string
  readonly session_id: string
  readonly at: string
}

/** A worker whose process has closed its connection in an orderly way. */
export interface DepartureRow {
  readonly project_id: ProjectId
  readonly engine: string
  readonly name: string
  readonly at: string
}

export interface OutageRow {
  readonly agent_id: AgentId
  /** The time of its last message. */
  readonly since: string
}

export interface RefusalRow {
  readonly agent_id: AgentId
  readonly reason: string
  readonly detail: string
  readonly at: string
}

export interface AdviceRow {
  readonly agent_id: AgentId
  readonly setup_advice: string
  readonly at: string
}

export interface HealthRow {
  readonly agent_id: AgentId
  readonly worker_id: string | null
  readonly captured_at: string
  readonly telemetry_loss: string
}

export interface WorkerRow {
  readonly id: string
  readonly project_id: ProjectId
  readonly agent_id: AgentId
  readonly engine: string
  readonly name: string
  readonly hostname: string | null
  readonly pid: number | null
  readonly concurrency: number | null
  readonly queues: string
  readonly active_tasks: number
  readonly metadata: string
  readonly at: string
}

export interface QueueRow {
  readonly id: string
  readonly project_id: ProjectId
  readonly agent_id: AgentId
  readonly engine: string
  readonly name: string
  readonly broker_type: string | null
  readonly broker_url_hint: string | null
  readonly depth: number | null
  /** Null: the agent cannot see pauses. */
  readonly paused: 0 | 1 | null
  readonly at: string
  /** The 5 minutes of the report, for the queue's least depth in them; null without a depth. */
  readonly low_window: number | null
  /** The minute of the report since 1970. */
  readonly minute: number
}
