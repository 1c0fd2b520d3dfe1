import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Option, Schema } from "effect"
import { Agent, AgentHealthSnapshot, protocolVersion } from "../../domain/agents/Agent.ts"
import { AgentId, ProjectId } from "../../domain/kernel/Id.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import type { TaskState } from "../../domain/kernel/TaskState.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices, idIn } from "../kernel/sql/Dialect.ts"
import { PreparedReads } from "../kernel/sql/PreparedReads.ts"
import { firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"
import { decodeProcess, type ProcessRow } from "./AgentProcesses/Repo.ts"
import type { RoutableProcess } from "./AgentSessions.ts"

/** A row of `agents` as the drivers return it, without derived fields and secrets. */
const Row = Schema.Struct({
  ...Schema.Struct(Agent.fields).omit("is_outdated", "version_status", "namespace").fields,
  task_namespace: Agent.fields.namespace.from,
  engine_adapters: JsonColumn(Agent.fields.engine_adapters.from),
  scheduler_adapters: JsonColumn(Agent.fields.scheduler_adapters.from),
  capabilities: JsonColumn(Agent.fields.capabilities.from),
  setup_advice: JsonColumn(Agent.fields.setup_advice.from),
  ids_apart_at: Schema.NullOr(Schema.String)
})
type Row = typeof Row.Type

/** What the records of two agents say whose tasks are kept apart: of the one with the chosen namespace, and of others. */
const apartAdvice = (row: Row, all: ReadonlyArray<Row>): Agent["setup_advice"] => {
  const isApart = (agent: Row) => agent.ids_apart_at !== null && agent.task_namespace === null
  const sharesEngine = (other: Row) => other.engine_adapters.some((engine) => row.engine_adapters.includes(engine))
  if (isApart(row)) {
    return [{
      code: "ids_apart",
      detail:
        "Another agent of the project may give its tasks the same ids, so the ids of this agent's tasks begin with " +
        `"${row.assigned_namespace}/". Set a namespace; or set the same one for all agents of one broker.`
    }]
  }
  if ((row.task_namespace ?? row.assigned_namespace ?? "") !== "") return []
  return all.filter((other) => other.id !== row.id && isApart(other) && sharesEngine(other)).map((other) => ({
    code: "ids_apart",
    detail: `The agent ${other.name} may give its tasks the same ids as this one, so its ids begin with ` +
      `"${other.assigned_namespace}/". Set a namespace for both; or the same one, if they have one broker.`
  }))
}
const toAgent = ({ ids_apart_at: _, task_namespace: namespace, ...row }: Row): Agent => {
  const hasVersion = row.protocol_version !== ""
  const is_outdated = hasVersion && row.protocol_version !== protocolVersion
  const isFailed = row.state === "online" && row.setup_advice.some(({ code }) => code === "engine_failed")
  const state = isFailed ? "failed" : row.state
  return {
    ...row,
    namespace,
    state,
    is_outdated,
    version_status: hasVersion ? (is_outdated ? "outdated" : "current") : null
  }
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
  readonly task_namespace: string | null
  readonly created_at: string
}

const AgentIdentityRow = Schema.Struct({
  id: AgentId,
  project_id: ProjectId,
  name: Schema.String,
  hmac_secret: Schema.String
})

/** Maximum processes of an agent that are read for a command. */
export const maxProcesses = 500

/** An agent and a task beside one of the agent's online processes; the columns of what is missing are null. */
interface AgentProcessRow extends Omit<ProcessRow, "worker_id"> {
  readonly name: string
  readonly state: string
  readonly last_seen_at: Timestamp | null
  readonly engine_adapters: string
  /** Capabilities of the agent's last hello. */
  readonly declared: string
  readonly task_name: string | null
  readonly task_state: TaskState | null
  readonly worker_id: string | null
}

/** What decides about a command before it is issued. */
export interface CommandedAgent {
  readonly name: string
  readonly state: string
  readonly last_seen_at: Timestamp | null
  /** The engines of the agent's last hello. */
  readonly engines: ReadonlyArray<string>
  /** The agent's last hello, as that of a process. */
  readonly declared: RoutableProcess
  /** Online processes. */
  readonly processes: ReadonlyArray<RoutableProcess>
  /** The task that the command names; null where the brain does not know it. */
  readonly task: { readonly name: string; readonly state: TaskState } | null
}

const decodeCommanded = (id: AgentId, rows: ReadonlyArray<AgentProcessRow>): CommandedAgent | null => {
  const [row] = rows
  if (row === undefined) return null
  const { declared: capabilities, engine_adapters, last_seen_at, name, state, task_name, task_state } = row
  const declared = decodeProcess({ worker_id: id, role: null, engines: engine_adapters, capabilities })
  return {
    name,
    state,
    last_seen_at,
    engines: declared.engines,
    declared,
    processes: rows.flatMap((
      { worker_id, ...process }
    ) => (worker_id === null ? [] : [decodeProcess({ ...process, worker_id })])),
    task: task_name === null || task_state === null ? null : { name: task_name, state: task_state }
  }
}

export class AgentsRepo extends Effect.Service<AgentsRepo>()("svc/AgentsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const prepare = yield* PreparedReads
    const selectCommanded = prepare.rows<AgentProcessRow>(`
      SELECT a.name, a.state, a.last_seen_at, a.engine_adapters, a.capabilities AS declared,
        t.name AS task_name, t.state AS task_state, w.worker_id, w.role, w.engines, w.capabilities
      FROM agents a
      LEFT JOIN tasks t ON t.project_id = a.project_id AND t.engine = ? AND t.task_id = ?
      LEFT JOIN agent_workers w ON w.agent_id = a.id AND w.state = 'online'
      WHERE a.project_id = ? AND a.id = ? LIMIT ?`)
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    return {
      list: (projectId: ProjectId) =>
        Effect.map(
          rowsOf(Row)(read`SELECT ${columns} FROM agents WHERE project_id = ${projectId} ORDER BY id DESC`),
          (rows) =>
            rows.map((row) => toAgent({ ...row, setup_advice: [...row.setup_advice, ...apartAdvice(row, rows)] }))
        ),
      findById: (projectId: ProjectId, id: AgentId) =>
        Effect.map(
          firstRowOf(Row)(read`SELECT ${columns} FROM agents WHERE project_id = ${projectId} AND id = ${id}`),
          Option.map(toAgent)
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
      /**
       * The agent with its online processes, and the task that a command names; null when the project has no such agent. One statement, because a POST of a command waits for it.
       */
      findCommanded: (projectId: ProjectId, id: AgentId, task: TaskKey | null) =>
        Effect.map(
          selectCommanded(task?.engine ?? null, task?.task_id ?? null, projectId, id, maxProcesses),
          (rows) => decodeCommanded(id, rows)
        ),
      updateNamespace: (projectId: ProjectId, id: AgentId, namespace: string | null, at: Timestamp) =>
        sql`UPDATE agents SET task_namespace = ${namespace}, updated_at = ${at}
          WHERE project_id = ${projectId} AND id = ${id}`,
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
