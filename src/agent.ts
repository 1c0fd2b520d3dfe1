/**
 * The agent reports the events of a task engine to a brain and executes the brain's commands. `startAgent` runs it in
 * any application, `Agent.layer` in an Effect application. An engine is a bundled adapter or any value of type
 * `Engine`.
 */
export { Agent, type RunningAgent } from "./agent/runtime/Agent.ts"
export type { AgentStatus, EngineStatus } from "./agent/runtime/AgentStatus.ts"
export * from "./agent/runtime/Engine.ts"
export { fromEnvironment } from "./agent/runtime/Environment.ts"
export type { Transport } from "./agent/runtime/HostOptions.ts"
export type { Log, LogLevel } from "./agent/runtime/Log.ts"
export { type AgentOptions, AgentRefused } from "./agent/runtime/Options.ts"
export { type AgentHandle, startAgent } from "./agent/runtime/startAgent.ts"
