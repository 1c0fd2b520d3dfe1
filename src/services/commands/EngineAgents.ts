import { Effect } from "effect"
import type { AgentId, ProjectId } from "../../domain/kernel/Id.ts"
import { decodeProcess, type ProcessRow } from "../agents/AgentProcesses/Repo.ts"
import type { RoutableProcess } from "../agents/AgentSessions.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { rateFitness } from "./Routing.ts"

interface OnlineRow extends ProcessRow {
  readonly agent_id: AgentId
}

/** An online process and its agent. */
interface OnlineProcess {
  readonly agent_id: AgentId
  readonly process: RoutableProcess
}

/** Online processes of a project that are looked at. */
const maxProcesses = 1000

/** A process that would refuse the action has fitness 3 (`Routing.ts`). */
const refuses = 3

/** Chooses the agent that a command of the program itself goes to. */
export class EngineAgents extends Effect.Service<EngineAgents>()("svc/EngineAgents", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    const listOnline = (projectId: ProjectId) =>
      Effect.map(
        read<OnlineRow>`SELECT agent_id, worker_id, role, engines, capabilities FROM agent_workers
          WHERE project_id = ${projectId} AND state = 'online' ORDER BY last_seen_at DESC LIMIT ${maxProcesses}`,
        (rows) => rows.map((row): OnlineProcess => ({ agent_id: row.agent_id, process: decodeProcess(row) }))
      )

    /**
     * The project's agents as they are now: for an engine, the agent with the process that suits the action best and
     * was seen last, or null when no online process takes the action for the engine. The agent `preferred` is chosen
     * before all others, if one of its processes takes it.
     */
    const chooseIn = (projectId: ProjectId, action: string) =>
      Effect.map(listOnline(projectId), (online) => {
        const chosen = new Map<string, AgentId | null>()
        return (engine: string, preferred: AgentId | null = null): AgentId | null => {
          const key = `${preferred ?? ""} ${engine}`
          const known = chosen.get(key)
          if (known !== undefined) return known
          const own = online.filter(({ agent_id }) => agent_id === preferred)
          const agent = chooseAgent(own, action, engine) ?? chooseAgent(online, action, engine)
          chosen.set(key, agent)
          return agent
        }
      })

    /**
     * Whether this agent takes the action for an engine now. A process that would refuse the action counts: the agent
     * was named by a person, who needs its answer.
     */
    const servedBy = (projectId: ProjectId, agentId: AgentId, action: string) =>
      Effect.map(listOnline(projectId), (online) => {
        const own = online.filter(({ agent_id }) => agent_id === agentId)
        return (engine: string): boolean =>
          own.some(({ agent_id, process }) =>
            rateFitness({ action, agent_id, engine, target_id: null }, process) !== null
          )
      })

    return { chooseIn, servedBy } as const
  })
}) {
  static readonly layer = this.Default
}

const chooseAgent = (online: ReadonlyArray<OnlineProcess>, action: string, engine: string): AgentId | null => {
  let best: { readonly agent_id: AgentId; readonly fitness: number } | null = null
  for (const { agent_id, process } of online) {
    const fitness = rateFitness({ action, agent_id, engine, target_id: null }, process)
    if (fitness !== null && fitness < Math.min(best?.fitness ?? refuses, refuses)) best = { agent_id, fitness }
  }
  return best?.agent_id ?? null
}
