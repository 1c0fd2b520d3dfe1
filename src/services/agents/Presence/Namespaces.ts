import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect } from "effect"
import { chooseNamespace, makeNamespace, type TaskNamespace } from "../../../domain/agents/TaskNamespace.ts"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { forNoKeyUpdate } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import type { ProcessInfo } from "./Model.ts"
import type { LockedAgent } from "./Repo.ts"

type Sources = Readonly<Record<string, string>>

interface AgentRow {
  readonly id: AgentId
  readonly project_id: ProjectId
  readonly engine_adapters: string
  readonly task_namespace: string | null
  readonly assigned_namespace: string | null
  readonly task_sources: string | null
}

/** An agent of the project that has connected. */
interface KnownAgent {
  readonly namespace: string
  readonly engines: ReadonlyArray<string>
  readonly sources: Sources
}

/** The namespace that people set counts before the one that the brain chose. */
export const namespaceOf = (
  { assigned_namespace, task_namespace }: Pick<LockedAgent, "assigned_namespace" | "task_namespace">
): TaskNamespace => makeNamespace(task_namespace ?? assigned_namespace ?? "", task_namespace === null)

const decodeRow = ({ assigned_namespace, engine_adapters, task_namespace, task_sources }: AgentRow): KnownAgent => ({
  namespace: task_namespace ?? assigned_namespace ?? "",
  engines: JSON.parse(engine_adapters), // the gateway wrote it
  sources: JSON.parse(task_sources ?? "{}") // `assign` wrote it
})

/**
 * The namespace of an agent that has none set. The first agent of an engine has an empty one. A later one gets its name,
 * unless both say that they have the same broker. What is chosen changes only where two brokers are known to differ.
 */
const choose = (
  agent: LockedAgent,
  { engines, sources }: Pick<ProcessInfo, "engines" | "sources">,
  known: ReadonlyMap<AgentId, KnownAgent>,
  taken: ReadonlySet<string>
): string => {
  const current = agent.assigned_namespace
  const isClash = (id: AgentId, other: KnownAgent) =>
    id !== agent.id && other.namespace === (current ?? "") &&
    engines.some((engine) => {
      if (!other.engines.includes(engine)) return false
      const [source, otherSource] = [sources[engine], other.sources[engine]]
      return source === undefined || otherSource === undefined ? current === null : source !== otherSource
    })
  for (const [id, other] of known) if (isClash(id, other)) return chooseNamespace(agent.name, taken)
  return current ?? ""
}

/**
 * Keeps the tasks of two brokers apart in a project whose agents have no namespace set. Such a namespace is part of those
 * ids only that are not globally unique (`domain/agents/TaskNamespace.ts`).
 */
export const makeNamespaces = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  /** The connected agents of the projects. Their projects are locked: two first agents must not connect at once. */
  const listKnown = Effect.fnUntraced(function*(projects: ReadonlyArray<ProjectId>) {
    yield* sql`SELECT id FROM projects WHERE ${sql.in("id", projects)} ORDER BY id ${forNoKeyUpdate(sql)}`
    return yield* sql<AgentRow>`
      SELECT id, project_id, engine_adapters, task_namespace, assigned_namespace, task_sources FROM agents
      WHERE ${sql.in("project_id", projects)} AND last_connect_at IS NOT NULL`
  })

  /** The locked agents with their namespaces; those that connect and have none set get one. */
  const assign = Effect.fnUntraced(
    function*(agents: ReadonlyArray<LockedAgent>, connects: ReadonlyArray<ProcessInfo>) {
      const infos = new Map(connects.filter(({ engines }) => engines.length > 0).map((info) => [info.agentId, info]))
      const isOpen = ({ assigned_namespace, id, task_namespace }: LockedAgent) => {
        const info = infos.get(id)
        if (info === undefined || task_namespace !== null) return false
        return assigned_namespace === null || Object.keys(info.sources).length > 0
      }
      const unassigned = agents.filter(isOpen)
      if (unassigned.length === 0) return agents
      const rows = yield* listKnown([...new Set(unassigned.map(({ project_id }) => project_id))].toSorted())
      const undecided = new Set(unassigned.filter((agent) => agent.assigned_namespace === null).map(({ id }) => id))
      const decided = new Map<AgentId, LockedAgent>()
      for (const [project, ofProject] of Object.entries(Arr.groupBy(unassigned, ({ project_id }) => project_id))) {
        const ofOthers = rows.filter(({ id, project_id }) => project_id === project && !undecided.has(id))
        const known = new Map(ofOthers.map((row) => [row.id, decodeRow(row)]))
        const taken = new Set([...known.values()].map(({ namespace }) => namespace))
        // one after the other: what the first of a batch got counts for the next
        for (const agent of ofProject) {
          const { engines, sources } = infos.get(agent.id)!
          const namespace = choose(agent, { engines, sources }, known, taken)
          known.set(agent.id, { namespace, engines, sources })
          taken.add(namespace)
          decided.set(agent.id, { ...agent, assigned_namespace: namespace })
        }
      }
      yield* sql`UPDATE agents SET assigned_namespace = r.namespace, task_sources = coalesce(r.sources, task_sources)
        FROM ${
        recordset(
          sql,
          "r",
          { agent_id: "uuid", namespace: "text", sources: "text" },
          [...decided.values()].map(({ assigned_namespace, id }) => {
            const { sources } = infos.get(id)!
            return {
              agent_id: id,
              namespace: assigned_namespace,
              sources: Object.keys(sources).length === 0 ? null : JSON.stringify(sources)
            }
          })
        )
      }
        WHERE agents.id = r.agent_id`
      return agents.map((agent) => decided.get(agent.id) ?? agent)
    }
  )

  /** Agents whose chosen namespace was first needed. */
  const recordApart = (agentIds: ReadonlyArray<AgentId>, at: Timestamp) =>
    agentIds.length === 0 ? Effect.void : sql`UPDATE agents SET ids_apart_at = ${at}
      WHERE ${sql.in("id", agentIds)} AND ids_apart_at IS NULL`

  return { assign, recordApart } as const
})
