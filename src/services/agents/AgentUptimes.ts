import { Array as Arr, Effect } from "effect"
import { type AgentsUptime, type Span, uptimeOf, uptimeSeconds } from "../../domain/agents/Uptime.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { makeAgentUptimesRepo } from "./AgentUptimes/Repo.ts"

/** Outages that one response reads: more than a thousand agents have in a bad day. */
const maxOutages = 10_000

/** When the project's agents were connected. `Presence` records their outages. */
export class AgentUptimes extends Effect.Service<AgentUptimes>()("svc/AgentUptimes", {
  effect: Effect.gen(function*() {
    const repo = yield* makeAgentUptimesRepo
    const settings = yield* Settings

    /** The last span lasts while a brain extends it, every few seconds. */
    const listWatched = Effect.fnUntraced(function*(from: Timestamp.Timestamp, now: Timestamp.Timestamp) {
      const cutoff = Timestamp.addSeconds(now, -settings.agentOfflineAfter)
      return (yield* repo.listSpans(from)).map(({ since, until }): Span => ({
        from: Timestamp.toEpochMillis(since),
        to: Timestamp.toEpochMillis(until < cutoff ? until : now)
      }))
    })

    /** The last 24 hours of every agent of the project. */
    const list = Effect.fn("AgentUptimes.list")(function*() {
      const { id } = yield* CurrentProject
      const now = yield* Timestamp.now
      const since = Timestamp.addSeconds(now, -uptimeSeconds)
      const window = { from: Timestamp.toEpochMillis(since), to: Timestamp.toEpochMillis(now) }
      const watched = yield* listWatched(since, now)
      const outages = yield* repo.listOutages(id, since, maxOutages)
      // of more outages, those that ended before are not read
      const readFrom = outages.length < maxOutages ? since : outages.at(-1)?.until ?? now
      const ofAgents = Arr.groupBy(outages, ({ agent_id }) => agent_id)
      const agents = (yield* repo.listAgents(id)).map(({ first_connect_at, id: agent_id }) => ({
        agent_id,
        ...uptimeOf({
          window,
          watched,
          knownFrom: first_connect_at !== null && first_connect_at < readFrom ? readFrom : first_connect_at,
          outages: (ofAgents[agent_id] ?? []).map(({ since, until }) => ({ since, until }))
        })
      }))
      return { since, until: now, agents } satisfies AgentsUptime
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default
}
