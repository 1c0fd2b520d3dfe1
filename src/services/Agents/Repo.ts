import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Option, Schema } from "effect"
import { Agent, AgentHealthSnapshot, protocolVersion } from "../../domain/Agent.ts"
import { AgentId, ProjectId } from "../../domain/Id.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { decodeProcess, type ProcessRow } from "../AgentProcesses/Repo.ts"
import { JsonColumn } from "../ColumnTypes.ts"
import { Reader } from "../Database.ts"
import { deleteInSlices, idIn } from "../Dialect.ts"
import { PreparedReads } from "../PreparedReads.ts"
import { firstRowOf, hasRows, rowsOf } from "../Rows.ts"

/** A row of `agents` as the drivers return it, without derived fields and secrets. */
const Row = Schema.Struct({
  ...Schema.Struct(Agent.fields).omit("is_outdated", "version_status").fields,
  engine_adapters: JsonColumn(Agent.fields.engine_adapters.from),
  scheduler_adapters: JsonColumn(Agent.fields.scheduler_adapters.from),
  capabilities: JsonColumn(Agent.fields.capabilities.from),
  setup_advice: JsonColumn(Agent.fields.setup_advice.from)
})
const toAgent = (row: typeof Row.Type): Agent => {
  const hasVersion = row.protocol_version !== ""
  const is_outdated = hasVersion && row.protocol_version !== protocolVersion
  return { ...row, is_outdated, version_status: hasVersion ? (is_outdated ? "outdated" : "current") : null }
}

const HealthRow = Schema.Struct({
  ...AgentHealthSnapshot.fields,
  telemetry_loss: Schema.NullOr(JsonColumn(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
})
const allHealth = rowsOf(HealthRow)

const EnginesRow = Schema.Struct({ id: AgentId, engine_adapters: JsonColumn(Agent.fields.engine_adapters.from) })

/** The columns of a new agent that have no fixed initial value. */
export interface NewAgent {
  readonly id: AgentId
  readonly project_id: ProjectId
  readonly name: string
  readonly token_hash: string
  readonly hmac_secret: string
  readonly created_at: string
}

const AgentIdentityRow = Schema.Struct({
  id: AgentId,
  project_id: ProjectId,
  name: Schema.String,
  hmac_secret: Schema.String
})
export type AgentIdentityRow = typeof AgentIdentityRow.Type

/** An agent beside one of its online processes; the process's columns are null where the agent has none. */
interface AgentProcessRow extends Omit<ProcessRow, "worker_id"> {
  readonly name: string
  readonly state: string
  readonly last_seen_at: Timestamp | null
  readonly engine_adapters: string
  /** Capabilities of the agent's last hello. */
  readonly declared: string
  readonly worker_id: string | null
}

export class AgentsRepo extends Effect.Service<AgentsRepo>()("svc/AgentsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const prepare = yield* PreparedReads
    const selectEngines = prepare.rows<{ readonly engine_adapters: string }>(
      "SELECT id, engine_adapters FROM agents WHERE project_id = ? AND id = ?"
    )
    const selectWithProcesses = prepare.rows<AgentProcessRow>(`
      SELECT a.name, a.state, a.last_seen_at, a.engine_adapters, a.capabilities AS declared,
        w.worker_id, w.role, w.engines, w.capabilities
      FROM agents a LEFT JOIN agent_workers w ON w.agent_id = a.id AND w.state = 'online'
      WHERE a.id = ? LIMIT ?`)
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    return {
      list: (projectId: ProjectId) =>
        Effect.map(
          rowsOf(Row)(read`SELECT ${columns} FROM agents WHERE project_id = ${projectId} ORDER BY id DESC`),
          Arr.map(toAgent)
        ),
      findById: (projectId: ProjectId, id: AgentId) =>
        Effect.map(
          firstRowOf(Row)(read`SELECT ${columns} FROM agents WHERE project_id = ${projectId} AND id = ${id}`),
          Option.map(toAgent)
        ),
      /** The engines of the agent's last hello; none when the project has no such agent. */
      findEngines: (projectId: ProjectId, id: AgentId) =>
        Effect.map(
          firstRowOf(EnginesRow)(selectEngines(projectId, id)),
          Option.map((row) => row.engine_adapters)
        ),
      /** The project's online agents with their engines, the most recently seen one first. */
      listOnline: (projectId: ProjectId) =>
        Effect.map(
          rowsOf(EnginesRow)(
            read`SELECT id, engine_adapters FROM agents
              WHERE project_id = ${projectId} AND state = 'online' ORDER BY last_seen_at DESC`
          ),
          Arr.map(({ engine_adapters, id }) => ({ id, engines: engine_adapters }))
        ),
      /** The agent, undefined when there is none, with at most `limit` of its online processes. */
      findWithProcesses: (id: AgentId, limit: number) =>
        Effect.map(
          selectWithProcesses(id, limit),
          (rows) => ({
            agent: rows[0],
            processes: rows.flatMap((
              { worker_id, ...row }
            ) => (worker_id === null ? [] : [decodeProcess({ ...row, worker_id })]))
          })
        ),
      insert: (agent: NewAgent) =>
        Effect.map(
          sql`INSERT INTO agents ${
            sql.insert({
              ...agent,
              state: "offline",
              protocol_version: "",
              framework_adapter: "",
              engine_adapters: "[]",
              scheduler_adapters: "[]",
              capabilities: "{}",
              updated_at: agent.created_at
            })
          } RETURNING ${columns}`,
          (rows) => toAgent(Schema.decodeUnknownSync(Row)(rows[0]))
        ),
      /** Deletes the agent with its processes; false when there was none. */
      delete: (projectId: ProjectId, id: AgentId) =>
        hasRows(sql`DELETE FROM agents WHERE project_id = ${projectId} AND id = ${id} RETURNING id`),
      deleteHealth: (agentId: AgentId) =>
        deleteInSlices(sql, { table: "agent_health", key: "id", where: sql`agent_id = ${agentId}` }),
      /** Newest first. */
      listHealth: (agentId: AgentId, limit: number) =>
        allHealth(
          read`SELECT id, captured_at, worker_id, telemetry_loss FROM agent_health
            WHERE agent_id = ${agentId} ORDER BY id DESC LIMIT ${limit}`
        ),
      /** The agent of a token, in an active project. */
      findByTokenHash: (tokenHash: string) =>
        firstRowOf(AgentIdentityRow)(
          read`SELECT a.id, a.project_id, a.name, a.hmac_secret
            FROM agents a JOIN projects p ON p.id = a.project_id
            WHERE a.token_hash = ${tokenHash} AND p.is_active = 1`
        ),
      /** Those of the agents that exist, in an active project. */
      listActiveIds: (ids: ReadonlyArray<AgentId>) =>
        Effect.map(
          rowsOf(Schema.Struct({ id: AgentId }))(
            read`SELECT id FROM agents WHERE ${idIn(sql, ids)}
              AND project_id IN (SELECT id FROM projects WHERE is_active = 1)`
          ),
          Arr.map(({ id }) => id)
        ),
      findSealedSecret: (projectId: ProjectId, id: AgentId) =>
        Effect.map(
          firstRowOf(AgentIdentityRow.pick("hmac_secret"))(
            read`SELECT hmac_secret FROM agents WHERE project_id = ${projectId} AND id = ${id}`
          ),
          Option.map((row) => row.hmac_secret)
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
