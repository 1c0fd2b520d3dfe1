import { Effect, Schema } from "effect"
import { Outage } from "../../../domain/agents/Uptime.ts"
import { AgentId, type ProjectId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"

const SpanRow = Schema.Struct({ since: Timestamp, until: Timestamp })
const AgentRow = Schema.Struct({ id: AgentId, first_connect_at: Schema.NullOr(Timestamp) })
const OutageRow = Schema.Struct({ agent_id: AgentId, ...Outage.fields })

/** Reads what `Presence` records. */
export const makeAgentUptimesRepo = Effect.gen(function*() {
  const read = yield* Reader
  return {
    listSpans: (from: Timestamp) =>
      rowsOf(SpanRow)(read`SELECT since, until FROM presence_spans WHERE until > ${from} ORDER BY since`),
    /** Newest first. */
    listAgents: (projectId: ProjectId) =>
      rowsOf(AgentRow)(
        read`SELECT id, first_connect_at FROM agents WHERE project_id = ${projectId} ORDER BY id DESC`
      ),
    /** Those that last first, then those that ended last. */
    listOutages: (projectId: ProjectId, from: Timestamp, limit: number) =>
      rowsOf(OutageRow)(
        read`SELECT o.agent_id, o.since, o.until FROM agents a JOIN agent_outages o ON o.agent_id = a.id
          WHERE a.project_id = ${projectId} AND (o.until IS NULL OR o.until > ${from})
          ORDER BY o.until IS NULL DESC, o.until DESC LIMIT ${limit}`
      )
  } as const
})
