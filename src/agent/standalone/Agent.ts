/**
 * `svc-agent`: the agent for applications without Effect. The build includes the parts of Effect that the agent uses;
 * the types name none. `svc-agent/effect` is the agent for applications on Effect, and for engines of their own.
 */
import type { AgentStatus } from "../runtime/AgentStatus.ts"
import type { BrainSecrets, HostOptions } from "../runtime/HostOptions.ts"
import * as runtime from "../runtime/startAgent.ts"
import type { Engine } from "./Engine.ts"
import { revealEngines } from "./OpaqueEngine.ts"

export type { AgentStatus, EngineStatus } from "../runtime/AgentStatus.ts"
export { fromEnvironment } from "../runtime/Environment.ts"
export type { Transport } from "../runtime/HostOptions.ts"
export type { Log, LogLevel } from "../runtime/Log.ts"
export type { Engine } from "./Engine.ts"

export interface AgentOptions extends HostOptions, BrainSecrets {
  readonly engines: ReadonlyArray<Engine>
}

export interface AgentHandle {
  readonly status: () => AgentStatus
  /** Closes the agent: it sends unsent events for up to three seconds and keeps the rest for the next process. */
  readonly close: () => Promise<void>
}

/**
 * Starts an agent. Never rejects: for invalid options it says so in the log and in `status()`, and the host runs on
 * without it.
 */
export const startAgent = (options: AgentOptions): Promise<AgentHandle> =>
  runtime.startAgent({ ...options, engines: revealEngines(options.engines) })
