import type { Agent } from "../agents/agents.ts"
import { actionsOf, mayDo } from "../agents/findAgent.ts"

const action = "list_dead_letters"

/** Every engine that an agent serves, by name. */
export const enginesOf = (agents: ReadonlyArray<Agent>): ReadonlyArray<string> =>
  [...new Set(agents.flatMap(({ engine_adapters }) => engine_adapters))].sort()

export const canList = (agents: ReadonlyArray<Agent>, engine: string): boolean =>
  agents.some((agent) => mayDo(agent, engine, action))

/** 0 for an engine whose agent is connected and says that it lists dead letters; a connected agent goes first. */
const rank = (agents: ReadonlyArray<Agent>, engine: string): number =>
  Math.min(
    ...agents.filter((agent) => mayDo(agent, engine, action)).map((agent) =>
      (agent.state === "online" ? 0 : 2) + (actionsOf(agent, engine).includes(action) ? 0 : 1)
    )
  )

/** The engine that the page opens on: one whose dead letters can be listed, now if possible, then the first by name. */
export const chooseEngine = (agents: ReadonlyArray<Agent>): string | undefined =>
  enginesOf(agents).filter((engine) => canList(agents, engine))
    .sort((one, other) => rank(agents, one) - rank(agents, other))[0]
