import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import { deleteInSlices, forNoKeyUpdate } from "../Dialect.ts"
import { Settings } from "../Settings.ts"
import { PresenceRepo } from "./Repo.ts"

/** Rows of one statement. */
const slice = 1000
/** Times SVC_AGENT_OFFLINE_AFTER_SECONDS that a worker may be idle. */
const idleFactor = 10

/**
 * What notices silence, and what forgets. Every replica runs both: each statement is conditional, so that whoever
 * comes second finds nothing left to do.
 */
export class PresenceSweeps extends Effect.Service<PresenceSweeps>()("svc/PresenceSweeps", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PresenceRepo
    const settings = yield* Settings

    /**
     * Processes and agents without a sign of life for SVC_AGENT_OFFLINE_AFTER_SECONDS become offline. Only
     * silence in the database counts, so a crashed replica's agents are noticed by the others.
     */
    const sweepProcesses = Effect.fn("PresenceSweeps.sweepProcesses")(function*() {
      const now = yield* Timestamp.now
      const cutoff = Timestamp.addSeconds(now, -settings.agentOfflineAfter)
      const silent = yield* sql<{ agent_id: string }>`
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
     * Workers without a sign of life. One that heartbeats describe (it has metadata) is silent after the same time;
     * one known by its tasks' events only may just be idle: it has longer, as long as its agent is there.
     */
    const sweepWorkers = Effect.fn("PresenceSweeps.sweepWorkers")(function*() {
      const now = yield* Timestamp.now
      const cutoff = Timestamp.addSeconds(now, -settings.agentOfflineAfter)
      const idleCutoff = Timestamp.addSeconds(now, -idleFactor * settings.agentOfflineAfter)
      // in the order in which the ingest writes them
      yield* sql`
        WITH silent AS (
          SELECT w.id FROM workers w
          WHERE w.state = 'online' AND w.last_heartbeat < ${cutoff}
            AND (w.metadata <> '{}' OR w.last_heartbeat < ${idleCutoff}
              OR NOT EXISTS (SELECT 1 FROM agents a WHERE a.id = w.agent_id AND a.state = 'online'))
          ORDER BY w.project_id, w.engine, w.name ${forNoKeyUpdate(sql)}
        )
        UPDATE workers SET state = 'offline', updated_at = ${now} WHERE id IN (SELECT id FROM silent)`
    })

    /**
     * Agent processes beyond what a project may have: of the offline ones those that were seen least recently are
     * deleted. Those online are bounded by their connections.
     */
    const deleteExcessProcesses = Effect.fn("PresenceSweeps.deleteExcessProcesses")(function*() {
      const maxProcesses = settings.agentProcessesPerProject
      const full = yield* sql<{ project_id: string; rows: number }>`
        SELECT project_id, CAST(count(*) AS integer) AS rows FROM agent_workers GROUP BY project_id HAVING count(*) > ${maxProcesses}`
      for (const { project_id, rows } of full) {
        yield* sql`DELETE FROM agent_workers WHERE id IN (
          SELECT id FROM agent_workers WHERE project_id = ${project_id} AND state = 'offline'
          ORDER BY last_seen_at LIMIT ${Math.min(Number(rows) - maxProcesses, slice)})`
      }
    })

    const pruneTable = (table: "agent_health" | "agent_workers" | "workers" | "queues", days: number) =>
      Effect.gen(function*() {
        const cutoff = Timestamp.addSeconds(yield* Timestamp.now, -days * Timestamp.secondsPerDay)
        const old = {
          agent_health: sql`captured_at < ${cutoff}`,
          agent_workers: sql`last_seen_at < ${cutoff} AND state = 'offline'`,
          workers: sql`coalesce(last_heartbeat, created_at) < ${cutoff} AND state = 'offline'`,
          queues: sql`coalesce(last_seen_at, created_at) < ${cutoff}`
        }
        yield* deleteInSlices(sql, { table, key: "id", where: old[table] })
      })

    /** Deletes health snapshots, agent processes, workers and queues that are older than their retention, in slices. */
    const prune = Effect.fn("PresenceSweeps.prune")(function*() {
      yield* pruneTable("agent_health", settings.agentHealthRetentionDays)
      yield* pruneTable("agent_workers", settings.workersRetentionDays)
      yield* pruneTable("workers", settings.workersRetentionDays)
      yield* pruneTable("queues", settings.workersRetentionDays)
    })

    return { sweepProcesses, sweepWorkers, deleteExcessProcesses, prune } as const
  })
}) {
  static readonly layer = this.Default
}
