import { Effect } from "effect"
import type { AgentId, ProjectId } from "../../domain/Id.ts"
import { decodeProcess, type ProcessRow } from "../AgentProcesses/Repo.ts"
import type { RoutableProcess } from "../AgentSessions.ts"
import { rateFitness } from "../Commands/Routing.ts"
import { Reader } from "../Database.ts"

interface OnlineRow extends ProcessRow {
  readonly agent_id: AgentId
}

/** Online processes of a project that are looked at. */
const maxProcesses = 1000

/** A process that would refuse `schedule.fire` has fitness 3 (`Commands/Routing.ts`). */
const refuses = 3

/** Chooses the agent that a fire goes to. */
export class FireAgents extends Effect.Service<FireAgents>()("svc/FireAgents", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    const listOnline = (projectId: ProjectId) =>
      Effect.map(
        read<OnlineRow>`SELECT agent_id, worker_id, role, engines, capabilities FROM agent_workers
          WHERE project_id = ${projectId} AND state = 'online' ORDER BY last_seen_at DESC LIMIT ${maxProcesses}`,
        (rows) => rows.map((row) => ({ agent_id: row.agent_id, process: decodeProcess(row) }))
      )

    /**
     * The project's agents as they are now: for an engine, the agent with the process that suits best and was seen
     * last, or null when no online process takes fires of the engine.
     */
    const chooseIn = (projectId: ProjectId) =>
      Effect.map(listOnline(projectId), (online) => {
        const chosen = new Map<string, AgentId | null>()
        return (engine: string): AgentId | null => {
          const known = chosen.get(engine)
          if (known !== undefined) return known
          const agent = chooseAgent(online, engine)
          chosen.set(engine, agent)
          return agent
        }
      })

    return { chooseIn } as const
  })
}) {
  static readonly layer = this.Default
}

const chooseAgent = (
  online: ReadonlyArray<{ readonly agent_id: AgentId; readonly process: RoutableProcess }>,
  engine: string
): AgentId | null => {
  let best: { readonly agent_id: AgentId; readonly fitness: number } | null = null
  for (const { agent_id, process } of online) {
    const fitness = rateFitness({ action: "schedule.fire", agent_id, engine, target_id: null }, process)
    if (fitness !== null && fitness < Math.min(best?.fitness ?? refuses, refuses)) best = { agent_id, fitness }
  }
  return best?.agent_id ?? null
}
