import type { Agent } from "./agents.ts"

/** What agents report that they can do (docs/commands.md). */
export type Action =
  | "purge_queue"
  | "pause_queue"
  | "resume_queue"
  | "restart_worker"
  | "pool_grow"
  | "pool_shrink"
  | "add_consumer"
  | "cancel_consumer"
  | "rate_limit"
  | "list_dead_letters"

export const actionsOf = ({ capabilities }: Agent, engine: string): ReadonlyArray<unknown> => {
  const actions = capabilities[engine]
  return Array.isArray(actions) ? actions : []
}

const serves = (agent: Agent, engine: string): boolean =>
  agent.engine_adapters.includes(engine) || actionsOf(agent, engine).length > 0

/** Over long-poll an agent reports no capabilities: it gets each command, and refuses what it cannot do. */
export const mayDo = (agent: Agent, engine: string, action: Action | undefined): boolean =>
  serves(agent, engine) && (action === undefined || actionsOf(agent, engine).includes(action) ||
    Object.keys(agent.capabilities).length === 0)

/**
 * The agent that executes commands of an engine, and this action where it is given: one that is connected, else any, for
 * which the command waits.
 */
export const findAgent = (agents: ReadonlyArray<Agent>, engine: string, action?: Action): Agent | undefined => {
  const able = agents.filter((agent) => mayDo(agent, engine, action))
  return able.find(({ state }) => state === "online") ?? able[0]
}
