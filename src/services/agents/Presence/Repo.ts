import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Effect } from "effect"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import { isContention } from "../../kernel/sql/Database.ts"
import { forNoKeyUpdate } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { depthLevels, quarterMinutes } from "../Queues/Depths.ts"
import { lowColumns, lowUpdates } from "../Queues/Lows.ts"
import type { ReportedAgent } from "./PresenceEvents.ts"
import type {
  AdviceRow,
  ConnectRow,
  DepartureRow,
  DisconnectRow,
  HealthRow,
  HeartbeatRow,
  OutageRow,
  QueueRow,
  RefusalRow,
  WorkerRow
} from "./Rows.ts"

/** A locked row of an agent. An agent without a row was deleted. */
export interface LockedAgent {
  readonly id: AgentId
  readonly project_id: ProjectId
  readonly name: string
  readonly setup_advice: string
  readonly task_namespace: string | null
  readonly assigned_namespace: string | null
  /** 1: `agent.offline` was recorded since the agent was last online. */
  readonly offline_reported: number
}

/** For writes to rows that the ingest and other replicas write too. */
export const retryContention = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.retry(write, { while: isContention, times: 10 })

/**
 * The set-based writes of `Presence`. Each takes all rows of one batch as one JSON parameter, so that a thousand
 * heartbeats are two statements. The join with `agents` leaves out the rows of deleted agents.
 *
 * Call `lockAgents` first in a transaction that writes: all replicas then lock the agents' rows in the same order.
 */
// one object of short statements, one for each kind of row
export const makePresenceRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const agentIdsOf = (
    rows: ReadonlyArray<{ readonly agent_id: AgentId }>
  ) => [...new Set(rows.map((row) => row.agent_id))]
  type Write = Effect.Effect<unknown, SqlError.SqlError>

  /** Runs `write` with the rows as the table `r`, unless there are none. */
  const writeRows = (
    rows: ReadonlyArray<object>,
    columns: Parameters<typeof recordset>[2],
    write: (r: Statement.Fragment) => Write
  ): Write => rows.length === 0 ? Effect.void : write(recordset(sql, "r", columns, rows))

  const lockAgents = (
    agentIds: ReadonlyArray<AgentId>
  ): Effect.Effect<ReadonlyArray<LockedAgent>, SqlError.SqlError> =>
    agentIds.length === 0
      ? Effect.succeed([])
      : sql<
        LockedAgent
      >`SELECT id, project_id, name, setup_advice, task_namespace, assigned_namespace, offline_reported FROM agents
        WHERE id IN ${sql.in(agentIds)} ORDER BY id ${forNoKeyUpdate(sql)}`

  /** Over long-poll all processes share one row, and a new session does not name its engines yet. */
  const isAnonymous = sql.literal("agent_workers.worker_id = CAST(agent_workers.agent_id AS text)")

  /** Processes that sent a hello: online, and owned by their new session. */
  const upsertProcesses = (rows: ReadonlyArray<ConnectRow>) =>
    writeRows(rows, {
      id: "uuid",
      agent_id: "uuid",
      worker_id: "text",
      session_id: "text",
      role: "text",
      framework: "text",
      pid: "integer",
      started_at: "text",
      engines: "text",
      capabilities: "text",
      at: "text"
    }, (r) =>
      sql`
        INSERT INTO agent_workers (id, agent_id, project_id, worker_id, role, framework, pid, started_at, engines, capabilities,
          state, session_id, last_seen_at, last_connect_at, created_at, updated_at)
        SELECT r.id, a.id, a.project_id, r.worker_id, r.role, r.framework, r.pid, r.started_at, r.engines, r.capabilities,
          'online', r.session_id, r.at, r.at, r.at, r.at
        FROM ${r} JOIN agents a ON a.id = r.agent_id WHERE true
        ON CONFLICT (agent_id, worker_id) DO UPDATE SET role = excluded.role, framework = excluded.framework,
          pid = excluded.pid, started_at = excluded.started_at,
          engines = CASE WHEN excluded.engines = '[]' AND ${isAnonymous} THEN agent_workers.engines ELSE excluded.engines END,
          capabilities = excluded.capabilities, state = 'online', session_id = excluded.session_id,
          last_seen_at = excluded.last_seen_at, last_connect_at = excluded.last_connect_at, updated_at = excluded.updated_at`)

  /** Updates the agents from their latest hello that names something to operate. At most one row per agent. */
  const updateAgentsFromHello = (rows: ReadonlyArray<ConnectRow>) =>
    writeRows(rows, {
      agent_id: "uuid",
      framework: "text",
      engines: "text",
      schedulers: "text",
      capabilities: "text",
      protocol_version: "text",
      agent_version: "text",
      host_name: "text",
      at: "text"
    }, (r) =>
      sql`
        UPDATE agents SET state = 'online', protocol_version = r.protocol_version,
          framework_adapter = coalesce(r.framework, ''), engine_adapters = r.engines, scheduler_adapters = r.schedulers,
          capabilities = r.capabilities, agent_version = coalesce(r.agent_version, agents.agent_version),
          host_name = coalesce(r.host_name, agents.host_name),
          first_connect_at = coalesce(agents.first_connect_at, r.at), last_connect_at = r.at, last_seen_at = r.at, updated_at = r.at
        FROM ${r} WHERE agents.id = r.agent_id`)

  /** Updates the agents of processes whose hello names nothing to operate, as long-poll sessions begin. */
  const updateAgentsOnline = (rows: ReadonlyArray<ConnectRow>) =>
    writeRows(
      rows,
      { agent_id: "uuid", protocol_version: "text", at: "text" },
      (r) =>
        sql`UPDATE agents SET state = 'online', protocol_version = r.protocol_version,
          first_connect_at = coalesce(agents.first_connect_at, r.at), last_connect_at = r.at, last_seen_at = r.at,
          updated_at = r.at
        FROM ${r} WHERE agents.id = r.agent_id`
    )

  /** Writes signs of life. Returns the sessions that still own their process's row. */
  const updateLastSeen = (rows: ReadonlyArray<HeartbeatRow>) =>
    Effect.gen(function*() {
      if (rows.length === 0) return []
      const columns = {
        agent_id: "uuid",
        worker_id: "text",
        session_id: "text",
        exclusive: "integer",
        at: "text"
      } as const
      const ownedRows = yield* sql<{ agent_id: AgentId; worker_id: string }>`
        UPDATE agent_workers SET last_seen_at = r.at, state = 'online', updated_at = r.at FROM ${
        recordset(sql, "r", columns, rows)
      }
        WHERE agent_workers.agent_id = r.agent_id AND agent_workers.worker_id = r.worker_id
          AND (agent_workers.session_id = r.session_id OR r.exclusive = 0)
        RETURNING agent_workers.agent_id, agent_workers.worker_id`
      yield* sql`
        UPDATE agents SET last_seen_at = r.at, state = 'online' FROM ${recordset(sql, "r", columns, lastPerAgent(rows))}
        WHERE agents.id = r.agent_id
          AND EXISTS (SELECT 1 FROM agent_workers w WHERE w.agent_id = agents.id AND w.state = 'online')`
      return ownedRows
    })

  /** Sets those of the agents offline that have no online process. */
  const updateAgentsOffline = (agentIds: ReadonlyArray<AgentId>, at: string): Write =>
    sql`UPDATE agents SET state = 'offline', updated_at = ${at}
      WHERE ${sql.in("id", agentIds)} AND state = 'online'
        AND NOT EXISTS (SELECT 1 FROM agent_workers w WHERE w.agent_id = agents.id AND w.state = 'online')`

  /** Those of the reported agents that are online again; their next time offline is reported again. */
  const endOfflineEpisodes = Effect.fnUntraced(function*(agents: ReadonlyArray<LockedAgent>, at: string) {
    const ids = agents.filter(({ offline_reported }) => offline_reported === 1).map(({ id }) => id)
    if (ids.length === 0) return []
    const returned = yield* sql<ReportedAgent>`UPDATE agents SET offline_reported = 0
      WHERE ${sql.in("id", ids)} AND state = 'online' AND offline_reported = 1 RETURNING id, project_id, name`
    if (returned.length > 0) {
      yield* sql`UPDATE agent_outages SET until = ${at}
        WHERE ${sql.in("agent_id", returned.map(({ id }) => id))} AND until IS NULL`
    }
    return returned
  })

  /** Begins the outages of agents that were reported offline. The clock may have been set back since an earlier one. */
  const insertOutages = (rows: ReadonlyArray<OutageRow>): Write =>
    writeRows(
      rows,
      { agent_id: "uuid", since: "text" },
      (r) =>
        sql`INSERT INTO agent_outages (agent_id, since) SELECT r.agent_id, r.since FROM ${r} WHERE true
        ON CONFLICT (agent_id, since) DO UPDATE SET until = NULL`
    )

  /** Records that a brain watches now; a span that was not extended since `cutoff` has ended. */
  const extendSpan = Effect.fnUntraced(function*(now: string, cutoff: string) {
    const extended = yield* sql`UPDATE presence_spans SET until = ${now}
      WHERE since = (SELECT max(since) FROM presence_spans WHERE since <= ${now}) AND until >= ${cutoff}
      RETURNING since`
    if (extended.length > 0) return
    yield* sql`INSERT INTO presence_spans (since, until) VALUES (${now}, ${now})
      ON CONFLICT (since) DO UPDATE SET until = excluded.until`
  })

  /** Sets the processes of ended sessions offline. A replaced session no longer owns the row and changes nothing. */
  const updateProcessesOffline = (rows: ReadonlyArray<DisconnectRow>) =>
    writeRows(rows, { agent_id: "uuid", worker_id: "text", session_id: "text", at: "text" }, (r) =>
      Effect.zipRight(
        sql`UPDATE agent_workers SET state = 'offline', updated_at = r.at FROM ${r}
          WHERE agent_workers.agent_id = r.agent_id AND agent_workers.worker_id = r.worker_id
            AND agent_workers.session_id = r.session_id`,
        updateAgentsOffline(agentIdsOf(rows), rows[rows.length - 1]?.at ?? "")
      ))

  const updateRefusals = (rows: ReadonlyArray<RefusalRow>) =>
    writeRows(
      rows,
      { agent_id: "uuid", reason: "text", detail: "text", at: "text" },
      (r) =>
        sql`UPDATE agents SET last_refused_at = r.at, last_refused_reason = r.reason, last_refused_detail = r.detail
        FROM ${r} WHERE agents.id = r.agent_id`
    )

  const updateAdvice = (rows: ReadonlyArray<AdviceRow>) =>
    writeRows(
      rows,
      { agent_id: "uuid", setup_advice: "text", at: "text" },
      (r) =>
        sql`UPDATE agents SET setup_advice = r.setup_advice, updated_at = r.at FROM ${r} WHERE agents.id = r.agent_id`
    )

  const insertHealth = (rows: ReadonlyArray<HealthRow>) =>
    writeRows(
      rows,
      { agent_id: "uuid", worker_id: "text", captured_at: "text", telemetry_loss: "text" },
      (r) =>
        sql`INSERT INTO agent_health (agent_id, worker_id, captured_at, telemetry_loss)
        SELECT a.id, r.worker_id, r.captured_at, r.telemetry_loss FROM ${r} JOIN agents a ON a.id = r.agent_id`
    )

  /** Workers that a heartbeat described. The ingest counts their tasks, from events. */
  const upsertWorkers = (rows: ReadonlyArray<WorkerRow>) =>
    writeRows(rows, {
      id: "uuid",
      agent_id: "uuid",
      engine: "text",
      name: "text",
      hostname: "text",
      pid: "integer",
      concurrency: "integer",
      queues: "text",
      active_tasks: "integer",
      metadata: "text",
      at: "text"
    }, (r) =>
      sql`
        INSERT INTO workers (id, project_id, engine, name, hostname, pid, concurrency, queues, state, last_heartbeat,
          active_tasks, processed, failed, succeeded, retried, metadata, agent_id, created_at, updated_at)
        SELECT r.id, a.project_id, r.engine, r.name, r.hostname, r.pid, r.concurrency, r.queues, 'online', r.at,
          r.active_tasks, 0, 0, 0, 0, r.metadata, a.id, r.at, r.at
        FROM ${r} JOIN agents a ON a.id = r.agent_id WHERE true
        ON CONFLICT (project_id, engine, name) DO UPDATE SET hostname = excluded.hostname, pid = excluded.pid,
          concurrency = excluded.concurrency, queues = excluded.queues, active_tasks = excluded.active_tasks,
          state = CASE WHEN workers.last_heartbeat > excluded.last_heartbeat THEN workers.state ELSE 'online' END,
          last_heartbeat = CASE WHEN workers.last_heartbeat > excluded.last_heartbeat THEN workers.last_heartbeat
            ELSE excluded.last_heartbeat END,
          metadata = excluded.metadata, agent_id = excluded.agent_id, left_at = NULL, updated_at = excluded.updated_at`)

  /** Workers whose process left. What a late event says of such a worker does not bring it back. */
  const updateDepartures = (rows: ReadonlyArray<DepartureRow>) =>
    writeRows(
      rows,
      { project_id: "uuid", engine: "text", name: "text", at: "text" },
      (r) =>
        retryContention(sql`UPDATE workers SET left_at = r.at FROM ${r}
        WHERE workers.project_id = r.project_id AND workers.engine = r.engine AND workers.name = r.name
          AND workers.state = 'online'`)
    )

  const upsertQueues = (rows: ReadonlyArray<QueueRow>) =>
    writeRows(rows, {
      id: "uuid",
      agent_id: "uuid",
      engine: "text",
      name: "text",
      broker_type: "text",
      broker_url_hint: "text",
      depth: "bigint",
      paused: "integer",
      at: "text",
      low_window: "bigint"
    }, (r) =>
      sql`
        INSERT INTO queues (id, project_id, engine, name, broker_type, broker_url_hint, depth, paused,
          pause_reported_at, last_seen_at, created_at, ${sql.literal(lowColumns)})
        SELECT r.id, a.project_id, r.engine, r.name, r.broker_type, r.broker_url_hint, r.depth, r.paused,
          CASE WHEN r.paused IS NOT NULL THEN r.at END, r.at, r.at, r.low_window, r.depth
        FROM ${r} JOIN agents a ON a.id = r.agent_id WHERE true
        ON CONFLICT (project_id, engine, name) DO UPDATE SET
          broker_type = coalesce(excluded.broker_type, queues.broker_type),
          broker_url_hint = coalesce(excluded.broker_url_hint, queues.broker_url_hint),
          ${sql.literal(lowUpdates)},
          depth = coalesce(excluded.depth, queues.depth), paused = coalesce(excluded.paused, queues.paused),
          pause_reported_at = coalesce(excluded.pause_reported_at, queues.pause_reported_at),
          last_seen_at = excluded.last_seen_at`)

  // literals: PostgreSQL takes parameters of a SELECT list for text
  const levels = sql.literal(
    `SELECT ${depthLevels.minute} AS level, 1 AS size UNION ALL SELECT ${depthLevels.quarter}, ${quarterMinutes}`
  )

  /** The depths of queues that `upsertQueues` has written before, of their minute and of their 15 minutes. */
  const upsertDepths = (rows: ReadonlyArray<QueueRow>) =>
    writeRows(
      rows.filter(({ depth }) => depth !== null),
      { project_id: "uuid", engine: "text", name: "text", depth: "bigint", minute: "bigint" },
      (r) =>
        sql`INSERT INTO queue_depths (queue_id, level, bucket, depth)
          SELECT q.id, l.level, r.minute - r.minute % l.size, r.depth FROM ${r}
          JOIN queues q ON q.project_id = r.project_id AND q.engine = r.engine AND q.name = r.name
          CROSS JOIN (${levels}) l WHERE true
          ON CONFLICT (queue_id, level, bucket) DO UPDATE SET depth = CASE
            WHEN excluded.level = ${depthLevels.minute} OR excluded.depth > queue_depths.depth THEN excluded.depth
            ELSE queue_depths.depth END`
    )

  return {
    lockAgents,
    upsertProcesses,
    updateAgentsFromHello,
    updateAgentsOnline,
    updateLastSeen,
    updateProcessesOffline,
    updateAgentsOffline,
    endOfflineEpisodes,
    insertOutages,
    extendSpan,
    updateRefusals,
    updateAdvice,
    insertHealth,
    upsertWorkers,
    updateDepartures,
    upsertQueues,
    upsertDepths
  } as const
})

/** The last row of each agent; the rows are in the order of time. */
const lastPerAgent = (
  rows: ReadonlyArray<HeartbeatRow>
): ReadonlyArray<HeartbeatRow> => [...new Map(rows.map((row) => [row.agent_id, row])).values()]
