import { Clock, Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { AgentSession } from "../AgentSessions.ts"
import { Database, Reader } from "../Database.ts"
import { type Candidate, rateFitness } from "./Routing.ts"
import type { PendingCommand } from "./QueueRepo.ts"

/** Milliseconds that a better process of another replica has to get a command before a worse one of this replica. */
const precedenceMillis = 3000

/** Milliseconds that what was read of an agent's processes is believed. */
const cacheMillis = 1000

/** Agents whose processes are remembered. */
const maxCachedAgents = 1000

interface Row {
  readonly worker_id: string
  readonly role: string | null
  readonly engines: string
  readonly capabilities: string
}

/** A process as the gateway wrote it down; both columns are JSON of its hello, which was checked then. */
const candidateOf = (row: Row): Candidate => ({
  workerId: row.worker_id,
  role: row.role,
  engines: JSON.parse(row.engines) as ReadonlyArray<string>,
  capabilities: JSON.parse(row.capabilities) as Candidate["capabilities"]
})

/** What this replica knows of its agents' processes on other replicas. */
export class RemoteProcesses extends Effect.Service<RemoteProcesses>()("svc/CommandsElsewhere", {
  effect: Effect.gen(function*() {
    const { dialect } = yield* Database
    const read = yield* Reader
    const cache = new Map<string, { readonly at: number; readonly candidates: ReadonlyArray<Candidate> }>()

    const readProcesses = Effect.fnUntraced(function*(agentId: string) {
      const now = yield* Clock.currentTimeMillis
      const cached = cache.get(agentId)
      if (cached !== undefined && now - cached.at < cacheMillis) return cached.candidates
      const rows = yield* read<Row>`SELECT worker_id, role, engines, capabilities FROM agent_workers
        WHERE agent_id = ${agentId} AND state = 'online'`
      const candidates = rows.map(candidateOf)
      if (cache.size >= maxCachedAgents) cache.clear()
      cache.set(agentId, { at: now, candidates })
      return candidates
    })

    /** Whether to leave a young command to a process that suits it better than `best`, the best of this replica. */
    const hasBetter = Effect.fnUntraced(function*(
      command: PendingCommand,
      localFitness: number,
      localSessions: ReadonlyArray<AgentSession>,
      now: Timestamp.Timestamp
    ) {
      if (dialect === "sqlite" || localFitness === 0) return false
      if (Timestamp.toEpochMillis(now) - Timestamp.toEpochMillis(command.issued_at) > precedenceMillis) return false
      return (yield* readProcesses(command.agent_id)).some((candidate) =>
        (rateFitness(command, candidate) ?? localFitness) < localFitness && !localSessions.some((session) => session.workerId === candidate.workerId)
      )
    })

    return { hasBetter } as const
  })
}) {
  static readonly layer = this.Default
}
