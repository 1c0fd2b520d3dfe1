/**
 * The agent: tells a brain what happens in a task engine, and does there what people ask for. `startAgent` for any
 * application, `Agent.layer` for one on Effect; an engine is an adapter's answer, or anything of the shape `Engine`.
 */
export { Agent, type RunningAgent } from "./agents/runtime/Agent.ts"
export type { AgentStatus, EngineStatus } from "./agents/runtime/AgentStatus.ts"
export * from "./agents/runtime/Engine.ts"
export { fromEnvironment } from "./agents/runtime/Environment.ts"
export type { Transport } from "./agents/runtime/HostOptions.ts"
export type { Log, LogLevel } from "./agents/runtime/Log.ts"
export { type AgentOptions, AgentRefused } from "./agents/runtime/Options.ts"
export { type AgentHandle, startAgent } from "./agents/runtime/startAgent.ts"
