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

/** The agent of an engine's tasks, before all others the preferred one; null: none takes them. */
export type ChooseAgent = (engine: string, preferred?: AgentId | null) => AgentId | null

/** Online processes of a project that are read. */
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
     * before all others, if one of its processes takes it. A `named` agent is the only one, and its processes that would
     * refuse the action count too: a person named it, and needs the reason of its refusal.
     */
    const chooseIn = (projectId: ProjectId, action: string, named: AgentId | null = null) =>
      Effect.map(listOnline(projectId), (online): ChooseAgent => {
        const chosen = new Map<string, AgentId | null>()
        const choose = (engine: string, preferred: AgentId | null): AgentId | null => {
          const own = online.filter(({ agent_id }) => agent_id === (named ?? preferred))
          return named === null
            ? chooseAgent(own, action, engine, refuses) ?? chooseAgent(online, action, engine, refuses)
            : chooseAgent(own, action, engine, Infinity)
        }
        return (engine, preferred = null) => {
          const key = `${preferred ?? ""} ${engine}`
          const known = chosen.get(key)
          if (known !== undefined) return known
          const agent = choose(engine, preferred)
          chosen.set(key, agent)
          return agent
        }
      })

    return { chooseIn } as const
  })
}) {
  static readonly layer = this.Default
}

/** Of the processes whose fitness is below the limit. */
const chooseAgent = (
  online: ReadonlyArray<OnlineProcess>,
  action: string,
  engine: string,
  limit: number
): AgentId | null => {
  let best: { readonly agent_id: AgentId; readonly fitness: number } | null = null
  for (const { agent_id, process } of online) {
    const fitness = rateFitness({ action, agent_id, engine, target_id: null }, process)
    if (fitness !== null && fitness < Math.min(best?.fitness ?? limit, limit)) best = { agent_id, fitness }
  }
  return best?.agent_id ?? null
}
