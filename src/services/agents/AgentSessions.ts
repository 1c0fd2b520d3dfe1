import { Context, type Stream } from "effect"
import type { AgentId, CommandId, ProjectId, UserId } from "../../domain/kernel/Id.ts"

/** A command as it is sent to an agent (the agents' protocol, section 2.6). `target` and `parameters` are JSON text. */
export interface OutboundCommand {
  readonly id: CommandId
  readonly action: string
  readonly target: string
  readonly parameters: string
  readonly timeout_seconds: number
  readonly issued_by: UserId | null
}

/** One live connection of an agent's process to this replica, by WebSocket or long-poll. */
export interface AgentSession {
  readonly sessionId: string
  readonly agentId: AgentId
  readonly projectId: ProjectId
  /** Unique per process of the agent. Old agents and long-poll send none; then it is the agent id. */
  readonly workerId: string
  readonly role: string | null
  readonly engines: ReadonlyArray<string>
  readonly schedulers: ReadonlyArray<string>
  /** `runtime_features` of the hello; empty over long-poll. */
  readonly features: ReadonlyArray<string>
  /** Actions by engine or scheduler; empty over long-poll, which does not transmit them. */
  readonly capabilities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly transport: "websocket" | "longpoll"
  /** Epoch milliseconds of the last message. */
  readonly lastHeartbeat: () => number
  /**
   * Signs and writes the command; false when the session is closed or its outbox is full. A long-poll session writes with
   * its next response, and calls `onDrop` if it ends before: then nothing was written.
   */
  readonly send: (command: OutboundCommand, onDrop: () => void) => boolean
}

/** What routing knows of an agent process, on this replica or another one. */
export type RoutableProcess = Pick<AgentSession, "workerId" | "role" | "engines" | "capabilities">

/** The agents' sessions as services need them; the gateway (`src/gateway`) provides them. */
export class AgentSessions extends Context.Tag("svc/AgentSessions")<AgentSessions, {
  /** The agent's sessions on this replica; a long-poll session counts only while a poll waits. */
  readonly sessions: (agentId: AgentId) => ReadonlyArray<AgentSession>
  /** Agents that have a session on this replica. */
  readonly agentIds: () => ReadonlyArray<AgentId>
  /** Emits a session when it may receive commands: after hello_ack, or each time that a long-poll begins to wait. */
  readonly newSessions: Stream.Stream<AgentSession>
  /** Emits a session when its connection has ended, or each time that a long-poll stops waiting. */
  readonly endedSessions: Stream.Stream<AgentSession>
}>() {}
