/**
 * The agent reports the events of a task engine to a brain and executes the brain's commands. `startAgent` runs it in
 * any application, `Agent.layer` in an Effect application. An engine is a bundled adapter or any value of type
 * `Engine`.
 */
export { Agent, type RunningAgent } from "./agents/runtime/Agent.ts"
export type { AgentStatus, EngineStatus } from "./agents/runtime/AgentStatus.ts"
export * from "./agents/runtime/Engine.ts"
export { fromEnvironment } from "./agents/runtime/Environment.ts"
export type { Transport } from "./agents/runtime/HostOptions.ts"
export type { Log, LogLevel } from "./agents/runtime/Log.ts"
export { type AgentOptions, AgentRefused } from "./agents/runtime/Options.ts"
export { type AgentHandle, startAgent } from "./agents/runtime/startAgent.ts"
