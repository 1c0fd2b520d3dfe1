import type { SetupAdvice } from "../../../domain/agents/Agent.ts"
import type { TaskNamespace } from "../../../domain/agents/TaskNamespace.ts"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"

/** An agent process as its hello describes it. The gateway truncates the texts to the length of their columns. */
export interface ProcessInfo {
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly sessionId: string
  /** The `workerId` of `AgentSession`. */
  readonly workerId: string
  /** Whether the process has only this session; the long-poll sessions of an agent share one row. */
  readonly exclusive: boolean
  readonly protocolVersion: string
  readonly agentVersion: string | null
  readonly framework: string | null
  readonly engines: ReadonlyArray<string>
  readonly schedulers: ReadonlyArray<string>
  /** The `features` of `AgentSession`. */
  readonly features: ReadonlyArray<string>
  readonly capabilities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly hostName: string | null
  readonly role: string | null
  readonly pid: number | null
  readonly startedAt: Timestamp | null
  /** What names the broker of each engine, where the agent knows it: two agents with one broker share its tasks. */
  readonly sources: Readonly<Record<string, string>>
}

/** What presence calls on the session. */
export interface PresenceCallbacks {
  /** Closes the session: another session replaced it, or its agent was deleted. */
  readonly onReplacedOrRevoked: (why: "replaced" | "revoked") => void
  /** Whether the gateway has stopped reading the session: then its silence does not mean that it is gone. */
  readonly isPaused: () => boolean
}

export type Advice = SetupAdvice["code"]

/** A present session. Its methods change memory only; a flush writes the changes about once a second. */
export interface PresenceHandle {
  /** The namespace of the session's tasks, as of the agent's last flush. */
  readonly namespace: TaskNamespace
  /** Says on the records of the agents that a task was kept apart from another broker's. */
  readonly reportApart: () => void
  readonly touch: () => void
  /** `adapter_health` of a heartbeat, as plain values. */
  readonly reportAdapterHealth: (health: Readonly<Record<string, unknown>>) => void
  /** The worker of the session's process, by an event of a task that ran there. `at` is by the clock of the agent. */
  readonly reportTaskWorker: (engine: string, name: string, at: Timestamp) => void
  /** A validated `telemetry_loss` as JSON text. */
  readonly reportTelemetryLoss: (text: string) => void
  /** Sets advice on the agent's set-up; a null `detail` removes it. */
  readonly setAdvice: (advice: Advice, detail: string | null) => void
  /** `isOrderly`: the process closed the connection by itself, so its workers have left. */
  readonly disconnect: (isOrderly: boolean) => void
}
