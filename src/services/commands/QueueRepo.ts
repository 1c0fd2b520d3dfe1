import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { AgentId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { isReplaced } from "../agents/AgentProcesses/Replacement.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import type { ClaimedCommand, CommandAck, CommandClaim, LockedCommand, PendingCommand } from "./Model.ts"

/** The columns of a ClaimedCommand. */
export const claimedColumns =
  "id, agent_id, engine, action, target_type, target_id, issued_at, worker_id, session_id, " +
  "issued_by, payload, sealed_payload, timeout_at, bound_session_id, dispatched_at AS claimed_at"

/** The table is the queue of commands: reads and writes in sets. `CommandStatusRepo` changes their status. */
export class CommandQueueRepo extends Effect.Service<CommandQueueRepo>()("svc/CommandQueueRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const pendingColumns = sql.literal(
      "id, agent_id, engine, action, target_type, target_id, issued_at, bound_session_id"
    )
    const sortById = (rows: ReadonlyArray<ClaimedCommand>) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))

    /** Agents that have something pending. */
    const listPendingAgentIds = Effect.map(
      sql<{ readonly agent_id: AgentId }>`SELECT DISTINCT agent_id FROM commands
        WHERE status = 'pending' AND agent_id IS NOT NULL`,
      (rows) => rows.map((row) => row.agent_id)
    )

    /** Pending commands of these agents with an id above `after`, oldest first. */
    const listPending = (agentIds: ReadonlyArray<AgentId>, after: string, now: Timestamp, limit: number) =>
      sql<PendingCommand>`SELECT ${pendingColumns} FROM commands
        WHERE status = 'pending' AND agent_id IN ${sql.in(agentIds)} AND id > ${after} AND timeout_at > ${now}
        ORDER BY id LIMIT ${limit}`

    /**
     * Dispatched commands of these agents that are not finished and not overdue, oldest first. What a command that is
     * bound to a session asks for ends with the session.
     */
    const listDispatched = (agentIds: ReadonlyArray<AgentId>, now: Timestamp) =>
      sql<CommandClaim>`SELECT id, agent_id, worker_id, session_id, dispatched_at AS claimed_at FROM commands
        WHERE status = 'dispatched' AND agent_id IN ${sql.in(agentIds)} AND timeout_at > ${now}
          AND bound_session_id IS NULL ORDER BY id`

    /** Moves dispatched commands from one session of a process to its current one, `session_id`. */
    const updateSessions = (moves: ReadonlyArray<CommandClaim & { readonly from: string }>) => {
      const rows = recordset(
        sql,
        "r",
        { command: "uuid", origin: "text", session: "text" },
        moves.map(({ from, id, session_id }) => ({ command: id, origin: from, session: session_id }))
      )
      return Effect.map(
        sql<ClaimedCommand>`UPDATE commands SET session_id = r.session FROM ${rows}
          WHERE id = r.command AND session_id = r.origin AND status = 'dispatched'
            AND NOT ${
          isReplaced(sql, { agent: "commands.agent_id", process: "commands.worker_id", session: "r.session" })
        } RETURNING ${sql.literal(claimedColumns)}`,
        sortById
      )
    }

    /** The rows of these ids, locked in the order of their ids, so that two replicas cannot deadlock. */
    const lock = (ids: ReadonlyArray<string>) =>
      sql<
        LockedCommand
      >`SELECT id, project_id, agent_id, worker_id, action, engine, target_id, status, issued_at, acked_at
        FROM commands WHERE id IN ${sql.in(ids)} ORDER BY id ${forUpdate(sql)}`

    /** Stores when agents first acknowledged locked commands. */
    const acknowledge = (acks: ReadonlyArray<CommandAck>) =>
      sql`UPDATE commands SET acked_at = coalesce(commands.acked_at, r.acked_at)
        FROM ${recordset(sql, "r", { id: "uuid", acked_at: "text" }, acks)} WHERE commands.id = r.id`

    return { listPendingAgentIds, listPending, listDispatched, updateSessions, lock, acknowledge } as const
  })
}) {
  static readonly layer = this.Default
}
