import { Clock, Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { AgentSession } from "../AgentLine.ts"
import { Database, Reader } from "../Database.ts"
import { type Candidate, fitness } from "./Choice.ts"
import type { Waiting } from "./Queue.ts"

/** Milliseconds that a better process of another replica has to get a command before a worse one of this replica. */
const precedence = 3000

/** Milliseconds that what was read of an agent's processes is believed. */
const freshness = 1000

/** Agents whose processes are remembered. */
const mostKnown = 1000

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
export class Elsewhere extends Effect.Service<Elsewhere>()("svc/CommandsElsewhere", {
  effect: Effect.gen(function*() {
    const { dialect } = yield* Database
    const read = yield* Reader
    const known = new Map<string, { readonly at: number; readonly candidates: ReadonlyArray<Candidate> }>()

    const processesOf = Effect.fnUntraced(function*(agentId: string) {
      const now = yield* Clock.currentTimeMillis
      const cached = known.get(agentId)
      if (cached !== undefined && now - cached.at < freshness) return cached.candidates
      const rows = yield* read<Row>`SELECT worker_id, role, engines, capabilities FROM agent_workers
        WHERE agent_id = ${agentId} AND state = 'online'`
      const candidates = rows.map(candidateOf)
      if (known.size >= mostKnown) known.clear()
      known.set(agentId, { at: now, candidates })
      return candidates
    })

    /** Whether to leave a young command to a process that suits it better than `best`, the best of this replica. */
    const hasBetter = Effect.fnUntraced(function*(
      command: Waiting,
      best: number,
      here: ReadonlyArray<AgentSession>,
      now: Timestamp.Timestamp
    ) {
      if (dialect === "sqlite" || best === 0) return false
      if (Timestamp.toEpochMillis(now) - Timestamp.toEpochMillis(command.issued_at) > precedence) return false
      return (yield* processesOf(command.agent_id)).some((candidate) =>
        (fitness(command, candidate) ?? best) < best && !here.some((session) => session.workerId === candidate.workerId)
      )
    })

    return { hasBetter } as const
  })
}) {
  static readonly layer = this.Default
}
