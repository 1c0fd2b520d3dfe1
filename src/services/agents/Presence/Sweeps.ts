import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Settings } from "../../kernel/Settings.ts"
import { forNoKeyUpdate } from "../../kernel/sql/Dialect.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import { agentOfflineEvent, type ReportedAgent, type SilentWorker, workerOfflineEvent } from "./PresenceEvents.ts"
import { makePresenceRepo, retryContention } from "./Repo.ts"

/** Rows per statement. */
const slice = 1000
/** A worker may be idle for this many times SVC_AGENT_OFFLINE_AFTER_SECONDS. */
const idleFactor = 10

interface OfflineAgent extends ReportedAgent {
  readonly updated_at: Timestamp.Timestamp
  readonly last_seen_at: Timestamp.Timestamp | null
}

/**
 * Sets silent processes and workers offline, and deletes excess processes. Every replica runs all sweeps: each statement
 * is conditional, so the second replica changes nothing.
 */
// one object of sweeps, each of one statement or one transaction
export const makePresenceSweeps = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* makePresenceRepo
  const settings = yield* Settings
  const triggerEvents = yield* TriggerEvents

  /**
   * Records that a brain watches the agents now. A span ends when no replica has extended it for
   * SVC_AGENT_OFFLINE_AFTER_SECONDS: from then on, agents could not report.
   */
  const extendSpan = Effect.fn("PresenceSweeps.extendSpan")(function*() {
    const now = yield* Timestamp.now
    yield* repo.extendSpan(now, Timestamp.addSeconds(now, -settings.agentOfflineAfter))
  })

  /**
   * Sets processes and agents offline that have sent nothing for SVC_AGENT_OFFLINE_AFTER_SECONDS. Only the
   * database counts, so other replicas notice the agents of a crashed one.
   */
  const sweepProcesses = Effect.fn("PresenceSweeps.sweepProcesses")(function*() {
    const now = yield* Timestamp.now
    const cutoff = Timestamp.addSeconds(now, -settings.agentOfflineAfter)
    const silent = yield* sql<{ agent_id: AgentId }>`
      SELECT DISTINCT agent_id FROM agent_workers WHERE state = 'online' AND last_seen_at < ${cutoff} LIMIT ${slice}`
    const ids = silent.map((row) => row.agent_id)
    if (ids.length > 0) {
      yield* repo.lockAgents(ids)
      yield* sql`UPDATE agent_workers SET state = 'offline', updated_at = ${now}
        WHERE ${sql.in("agent_id", ids)} AND state = 'online' AND last_seen_at < ${cutoff}`
      yield* repo.updateAgentsOffline(ids, now)
    }
    return ids.length
  }, sql.withTransaction)

  /**
   * Records `agent.offline`, and the outage, for agents that have been offline for
   * SVC_AGENT_OFFLINE_CONFIRM_SECONDS: a restart of an agent or of the brain takes less, and an agent that has never
   * connected is no outage. The row keeps what was recorded, so a replica or a restart records it once.
   */
  const reportOfflineAgents = Effect.fn("PresenceSweeps.reportOfflineAgents")(function*() {
    const cutoff = Timestamp.addSeconds(yield* Timestamp.now, -settings.agentOfflineConfirm)
    const silent = sql`state = 'offline' AND offline_reported = 0 AND updated_at < ${cutoff}
      AND last_connect_at IS NOT NULL`
    const due = yield* sql<{ id: AgentId }>`SELECT id FROM agents WHERE ${silent} LIMIT ${slice}`
    if (due.length === 0) return
    const ids = due.map(({ id }) => id)
    yield* repo.lockAgents(ids)
    const agents = yield* sql<OfflineAgent>`
      UPDATE agents SET offline_reported = 1 WHERE ${sql.in("id", ids)} AND ${silent}
      RETURNING id, project_id, name, updated_at, last_seen_at`
    yield* repo.insertOutages(agents.map(({ id, last_seen_at, updated_at }) => ({
      agent_id: id,
      // a clock that was set back leaves a later time of the last message
      since: last_seen_at === null || last_seen_at > updated_at ? updated_at : last_seen_at
    })))
    yield* triggerEvents.record(agents.map((agent) => agentOfflineEvent(agent, agent.updated_at)))
  }, sql.withTransaction)

  /**
   * Sets workers gone whose process left in an orderly way and that have no unfinished task: no failure, so it is not
   * reported. Others are silent from then on and become offline.
   */
  const sweepDepartures = Effect.fn("PresenceSweeps.sweepDepartures")(function*() {
    const now = yield* Timestamp.now
    yield* sql`
      WITH departed AS (
        SELECT w.id FROM workers w
        WHERE w.left_at IS NOT NULL AND w.state = 'online' AND NOT EXISTS (
          SELECT 1 FROM tasks t WHERE t.project_id = w.project_id AND t.state = 'started'
            AND t.engine = w.engine AND t.worker_name = w.name)
        ORDER BY w.project_id, w.engine, w.name LIMIT ${slice} ${forNoKeyUpdate(sql)}
      )
      UPDATE workers SET state = 'gone', updated_at = ${now} WHERE id IN (SELECT id FROM departed)`
  })

  /**
   * Sets workers offline without a recent heartbeat or event. A worker that heartbeats describe (it has metadata) has
   * the same time. A worker known only from events may just be idle: it has longer while its agent is online.
   */
  const sweepWorkers = Effect.fn("PresenceSweeps.sweepWorkers")(function*() {
    const now = yield* Timestamp.now
    const cutoff = Timestamp.addSeconds(now, -settings.agentOfflineAfter)
    const idleCutoff = Timestamp.addSeconds(now, -idleFactor * settings.agentOfflineAfter)
    // locks in the order of the ingest's writes
    const silent = yield* sql<SilentWorker>`
      WITH silent AS (
        SELECT w.id FROM workers w
        WHERE w.state = 'online'
          AND (w.last_heartbeat < ${cutoff} OR (w.last_heartbeat IS NULL AND w.created_at < ${cutoff}))
          AND (w.metadata <> '{}' OR coalesce(w.last_heartbeat, w.created_at) < ${idleCutoff}
            OR NOT EXISTS (SELECT 1 FROM agents a WHERE a.id = w.agent_id AND a.state = 'online'))
        ORDER BY w.project_id, w.engine, w.name ${forNoKeyUpdate(sql)}
      )
      UPDATE workers SET state = 'offline', updated_at = ${now} WHERE id IN (SELECT id FROM silent)
      RETURNING id, project_id, engine, name`
    yield* triggerEvents.record(silent.map((worker) => workerOfflineEvent(worker, now)))
  }, sql.withTransaction)

  /**
   * Deletes agent processes beyond a project's limit: the offline ones that were seen least recently. The number of
   * connections bounds the online ones.
   */
  const deleteExcessProcesses = Effect.fn("PresenceSweeps.deleteExcessProcesses")(function*() {
    const maxProcesses = settings.agentProcessesPerProject
    const full = yield* sql<{ project_id: ProjectId; rows: number }>`
      SELECT project_id, CAST(count(*) AS integer) AS rows FROM agent_workers GROUP BY project_id HAVING count(*) > ${maxProcesses}`
    for (const { project_id, rows } of full) {
      yield* sql`DELETE FROM agent_workers WHERE id IN (
        SELECT id FROM agent_workers WHERE project_id = ${project_id} AND state = 'offline'
        ORDER BY last_seen_at LIMIT ${Math.min(Number(rows) - maxProcesses, slice)})`
    }
  })

  const clampFutureProcesses = Effect.fnUntraced(
    function*(now: Timestamp.Timestamp, latest: Timestamp.Timestamp) {
      const future = yield* sql<{ agent_id: AgentId }>`
        SELECT DISTINCT agent_id FROM agent_workers WHERE last_seen_at > ${latest} LIMIT ${slice}`
      if (future.length === 0) return
      const ids = future.map(({ agent_id }) => agent_id)
      yield* repo.lockAgents(ids)
      yield* sql`UPDATE agent_workers SET last_seen_at = ${now}, updated_at = ${now}
        WHERE ${sql.in("agent_id", ids)} AND last_seen_at > ${latest}`
    },
    sql.withTransaction
  )

  /**
   * Ends signs of life that are dated in the future, by a clock that was set back: such a row would take no report, and would not age, until then. Locks rows in the order of the ingest's writes.
   */
  const clampFutureTimes = Effect.fn("PresenceSweeps.clampFutureTimes")(function*() {
    const now = yield* Timestamp.now
    const latest = Timestamp.addSeconds(now, settings.agentOfflineAfter) // clocks of replicas may differ
    const lock = forNoKeyUpdate(sql)
    yield* retryContention(sql`
      WITH future AS (
        SELECT id FROM workers WHERE last_heartbeat > ${latest} ORDER BY project_id, engine, name ${lock}
      )
      UPDATE workers SET last_heartbeat = ${now}, updated_at = ${now} WHERE id IN (SELECT id FROM future)`)
    yield* retryContention(sql`
      WITH future AS (
        SELECT id FROM queues WHERE last_seen_at > ${latest} ORDER BY project_id, engine, name ${lock}
      )
      UPDATE queues SET last_seen_at = ${now}, low_window = NULL
      WHERE id IN (SELECT id FROM future)`)
    yield* retryContention(clampFutureProcesses(now, latest))
  })

  return {
    extendSpan,
    sweepProcesses,
    reportOfflineAgents,
    sweepDepartures,
    sweepWorkers,
    deleteExcessProcesses,
    clampFutureTimes
  } as const
})
