import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type CommandStatus, sourceStatusesOf, timeoutErrors } from "../../domain/Command.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { deleteInSlices, forUpdate, skipLocked } from "../Dialect.ts"
import { recordset } from "../Recordset.ts"
import type { CommandChange } from "./Answers.ts"

/** What decides where a command goes. */
export interface PendingCommand {
  readonly id: string
  readonly agent_id: string
  readonly engine: string | null
  readonly action: string
  readonly target_type: string
  readonly target_id: string | null
  readonly issued_at: Timestamp
}

/** A command that was given to a process of its agent and is not finished. */
export interface CommandClaim {
  readonly id: string
  readonly agent_id: string
  readonly worker_id: string
  readonly session_id: string
}

/** A command as it is sent; `worker_id` and `session_id` say where to. */
export interface ClaimedCommand extends PendingCommand, CommandClaim {
  readonly issued_by: string | null
  readonly payload: string
  readonly sealed_payload: string | null
  readonly timeout_at: Timestamp
}

/** A row as it was locked, for whoever decides what an answer makes of it. */
export interface LockedCommand {
  readonly id: string
  readonly project_id: string
  readonly agent_id: string | null
  readonly worker_id: string | null
  readonly action: string
  readonly engine: string | null
  readonly target_id: string | null
  readonly status: CommandStatus
  readonly issued_at: Timestamp
  readonly acked_at: Timestamp | null
}

export interface EndedCommand {
  readonly id: string
  readonly action: string
  readonly status: CommandStatus
  readonly issued_at: Timestamp
}

const undecryptableError = "Never sent: its encrypted parameters cannot be opened with this brain's SVC_SECRET_KEY. Issue it again."

/** The row is the queue: how commands move from pending to their end, in sets. */
export class CommandQueueRepo extends Effect.Service<CommandQueueRepo>()("svc/CommandQueue", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    /** As literals, since SQLite uses a partial index only where it sees that the values fit. */
    const unfinishedStatuses = sql.literal(`('${sourceStatusesOf("timeout").join("', '")}')`)
    const pendingColumns = sql.literal("id, agent_id, engine, action, target_type, target_id, issued_at")
    const claimedColumns = sql.literal(
      "id, agent_id, engine, action, target_type, target_id, issued_at, worker_id, session_id, issued_by, " +
        "payload, sealed_payload, timeout_at"
    )
    const sortById = (rows: ReadonlyArray<ClaimedCommand>) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))

    /** Agents that have something pending. */
    const listPendingAgentIds = Effect.map(
      sql<{ readonly agent_id: string }>`SELECT DISTINCT agent_id FROM commands
        WHERE status = 'pending' AND agent_id IS NOT NULL`,
      (rows) => rows.map((row) => row.agent_id)
    )

    /** Pending commands of these agents with an id above `after`, oldest first. */
    const listPending = (agentIds: ReadonlyArray<string>, after: string, now: Timestamp, limit: number) =>
      sql<PendingCommand>`SELECT ${pendingColumns} FROM commands
        WHERE status = 'pending' AND agent_id IN ${sql.in(agentIds)} AND id > ${after} AND timeout_at > ${now}
        ORDER BY id LIMIT ${limit}`

    /**
     * Makes pending commands dispatched, each to its process: the one statement that decides between replicas, a
     * cancellation and the sweeper. Answers those that it got.
     */
    const claim = (claims: ReadonlyArray<CommandClaim>, now: Timestamp) => {
      const rows = recordset(sql, "r", { command: "uuid", process: "text", session: "text" }, claims.map((claim) => ({
        command: claim.id,
        process: claim.worker_id,
        session: claim.session_id
      })))
      const unclaimed = sql`status = 'pending' AND timeout_at > ${now}`
      // PostgreSQL takes the locks in one order, and leaves alone what another replica has just locked
      const { free, isFree } = sql.onDialectOrElse({
        pg: () => ({
          free: sql`WITH free AS (
            SELECT id FROM commands WHERE id IN ${sql.in(claims.map(({ id }) => id))} AND ${unclaimed}
            ORDER BY id FOR UPDATE SKIP LOCKED
          )`,
          isFree: sql`id IN (SELECT id FROM free)`
        }),
        orElse: () => ({ free: sql``, isFree: unclaimed })
      })
      return Effect.map(
        sql<ClaimedCommand>`${free} UPDATE commands
          SET status = 'dispatched', worker_id = r.process, session_id = r.session, dispatched_at = ${now}
          FROM ${rows} WHERE id = r.command AND ${isFree} RETURNING ${claimedColumns}`,
        sortById
      )
    }

    /** Hands claims back of which it is certain that nothing was written. */
    const release = (claims: ReadonlyArray<CommandClaim>) => {
      const rows = recordset(sql, "r", { id: "uuid", session_id: "text" }, claims)
      return sql`UPDATE commands SET status = 'pending', worker_id = NULL, session_id = NULL, dispatched_at = NULL
        FROM ${rows} WHERE commands.id = r.id AND commands.session_id = r.session_id AND commands.status = 'dispatched'`
    }

    /** Ends a claimed command that cannot be sent: what is sealed in it was damaged. */
    const failUndecryptable = (id: string, now: Timestamp) =>
      sql`UPDATE commands SET status = 'failed', error = ${undecryptableError}, completed_at = ${now}, sealed_payload = NULL
        WHERE id = ${id} AND status = 'dispatched'`

    /** Dispatched commands of these agents that are not finished and not overdue, oldest first. */
    const listDispatched = (agentIds: ReadonlyArray<string>, now: Timestamp) =>
      sql<CommandClaim>`SELECT id, agent_id, worker_id, session_id FROM commands
        WHERE status = 'dispatched' AND agent_id IN ${sql.in(agentIds)} AND timeout_at > ${now} ORDER BY id`

    /** Moves dispatched commands from one session of a process to another one of the same process. */
    const updateSessions = (moves: ReadonlyArray<{ readonly id: string; readonly from: string; readonly to: string }>) => {
      const rows = recordset(sql, "r", { command: "uuid", origin: "text", session: "text" }, moves.map(
        ({ from, id, to }) => ({ command: id, origin: from, session: to })
      ))
      return Effect.map(
        sql<ClaimedCommand>`UPDATE commands SET session_id = r.session FROM ${rows}
          WHERE id = r.command AND session_id = r.origin AND status = 'dispatched' RETURNING ${claimedColumns}`,
        sortById
      )
    }

    /** The rows of these ids, locked in the order of their ids: the same order everywhere. */
    const lock = (ids: ReadonlyArray<string>) =>
      sql<LockedCommand>`SELECT id, project_id, agent_id, worker_id, action, engine, target_id, status, issued_at, acked_at
        FROM commands WHERE id IN ${sql.in(ids)} ORDER BY id ${forUpdate(sql)}`

    /** Applies what agents answered to locked rows. */
    const applyChanges = (rows: ReadonlyArray<CommandChange>) => {
      const columns = {
        id: "uuid",
        acked_at: "text",
        status: "text",
        result: "text",
        error: "text",
        completed_at: "text"
      } as const
      return sql`UPDATE commands SET
          acked_at = coalesce(commands.acked_at, r.acked_at),
          status = coalesce(r.status, commands.status),
          result = CASE WHEN r.status IS NULL THEN commands.result ELSE r.result END,
          error = CASE WHEN r.status IS NULL THEN commands.error ELSE r.error END,
          completed_at = coalesce(r.completed_at, commands.completed_at),
          sealed_payload = CASE WHEN r.status IS NULL THEN commands.sealed_payload ELSE NULL END
        FROM ${recordset(sql, "r", columns, rows)} WHERE commands.id = r.id`
    }

    /** Ends at most `limit` overdue commands; `error` says how far each had come. */
    const expire = (now: Timestamp, limit: number) =>
      sql<EndedCommand>`WITH overdue AS (
          SELECT id FROM commands WHERE status IN ${unfinishedStatuses} AND timeout_at <= ${now}
          ORDER BY timeout_at LIMIT ${limit} ${skipLocked(sql)}
        )
        UPDATE commands SET status = 'timeout', completed_at = ${now}, sealed_payload = NULL, error = CASE
          WHEN status = 'pending' THEN ${timeoutErrors.pending}
          WHEN acked_at IS NULL THEN ${timeoutErrors.sent}
          ELSE ${timeoutErrors.acknowledged} END
        WHERE id IN (SELECT id FROM overdue) RETURNING id, action, status, issued_at`

    /** Deletes the commands that ended before `before`. */
    const prune = (before: Timestamp) =>
      deleteInSlices(sql, {
        table: "commands",
        key: "id",
        where: sql`completed_at IS NOT NULL AND completed_at < ${before}`,
        orderBy: "completed_at",
        skipsLocked: true
      })

    return {
      listPendingAgentIds,
      listPending,
      claim,
      release,
      failUndecryptable,
      listDispatched,
      updateSessions,
      lock,
      applyChanges,
      expire,
      prune
    } as const
  })
}) {
  static readonly layer = this.Default
}
