import { Clock, Effect } from "effect"
import type { AgentId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import type { AgentSession, RoutableProcess } from "../agents/AgentSessions.ts"
import { Database } from "../kernel/sql/Database.ts"
import type { PendingCommand } from "./Model.ts"
import { rateFitness } from "./Routing.ts"

/** Milliseconds for which a command is left to a better process of another replica. */
const precedenceMillis = 3000

/** Milliseconds for which an agent's processes are cached. */
const cacheMillis = 1000

/** Cache capacity in agents. */
const maxCachedAgents = 1000

/** The agents' processes on other replicas, as far as this replica knows them. */
export const makeRemoteProcesses = Effect.gen(function*() {
  const { dialect } = yield* Database
  const repo = yield* AgentProcessesRepo
  const cache = new Map<string, { readonly at: number; readonly processes: ReadonlyArray<RoutableProcess> }>()

  const readProcesses = Effect.fnUntraced(function*(agentId: AgentId) {
    const now = yield* Clock.currentTimeMillis
    const cached = cache.get(agentId)
    if (cached !== undefined && now - cached.at < cacheMillis) return cached.processes
    const processes = yield* repo.listOnline(agentId)
    if (cache.size >= maxCachedAgents) cache.clear()
    cache.set(agentId, { at: now, processes })
    return processes
  })

  /** Whether to leave a young command to a remote process whose fitness is better than `localFitness`, the best of this replica. */
  const hasBetter = Effect.fnUntraced(function*(
    command: PendingCommand,
    localFitness: number,
    localSessions: ReadonlyArray<AgentSession>,
    now: Timestamp.Timestamp
  ) {
    if (dialect === "sqlite" || localFitness === 0) return false
    if (Timestamp.toEpochMillis(now) - Timestamp.toEpochMillis(command.issued_at) > precedenceMillis) return false
    return (yield* readProcesses(command.agent_id)).some((process) =>
      (rateFitness(command, process) ?? localFitness) < localFitness &&
      !localSessions.some((session) => session.workerId === process.workerId)
    )
  })

  return { hasBetter } as const
})
