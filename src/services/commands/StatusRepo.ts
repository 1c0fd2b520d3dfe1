import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Effect, Option } from "effect"
import {
  type CommandStatus,
  type SourceStatus,
  sourceStatusesOf,
  timeoutErrors
} from "../../domain/commands/Command.ts"
import type { CommandId, ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { isReplaced } from "../agents/AgentProcesses/Replacement.ts"
import { idIn, skipLocked } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import type { ClaimedCommand, CommandClaim, CommandResultUpdate, CommandRow, FinishedCommand } from "./Model.ts"
import { claimedColumns } from "./QueueRepo.ts"
import { commandColumns } from "./Repo.ts"

interface StatusChange<To extends CommandStatus> {
  readonly to: To
  /** Fewer source statuses than the table allows. */
  readonly from?: ReadonlyArray<SourceStatus<To>>
  /** The time of the change; a fragment where each row has its own. */
  readonly at: Timestamp.Timestamp | Statement.Fragment
  /** A common table expression before the UPDATE. */
  readonly with?: Statement.Fragment
  /** Assignments beside those of the status itself. */
  readonly set?: Statement.Fragment
  /** The table that `set` and `where` take their values from. */
  readonly using?: Statement.Fragment
  /** The rows by their ids. */
  readonly where: Statement.Fragment
  readonly returning: string
}

const undecryptableError =
  "Never sent: its encrypted parameters cannot be decrypted with this brain's SVC_SECRET_KEY. Issue it again."

/** Moves commands from status to status. The only writer of `commands.status` (`scripts/rooms.ts` checks it). */
// one object of short statements: each is a move, by the same `transition`
export class CommandStatusRepo extends Effect.Service<CommandStatusRepo>()("svc/CommandStatusRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    /** For a search by status. As literals: SQLite uses a partial index only where it sees that the values fit. */
    const hasSourceOf = (to: CommandStatus) => sql.literal(`status IN ('${sourceStatusesOf(to).join("', '")}')`)
    /**
     * For rows found by id. The expression keeps PostgreSQL away from the partial indexes on status. With statistics
     * from before a burst of 50,000 commands it reads all of an index: 200 claims took 33 ms instead of 7 ms.
     */
    const hasStatusIn = (statuses: ReadonlyArray<CommandStatus>) =>
      sql.literal(`(commands.status || '') IN ('${statuses.join("', '")}')`)

    /** What a status stores: where the command is, when it ended. An end deletes the encrypted parameters. */
    const assignmentsOf = (to: CommandStatus, at: Timestamp.Timestamp | Statement.Fragment) => {
      if (to === "pending") return sql`worker_id = NULL, session_id = NULL, dispatched_at = NULL`
      return to === "dispatched" ? sql`dispatched_at = ${at}` : sql`completed_at = ${at}, sealed_payload = NULL`
    }

    /**
     * One conditional UPDATE, whose source statuses come from the transition table. The status of a row is therefore
     * decided by the database, whatever claims, cancels, finishes or expires the command at the same time.
     */
    const transition = <Row extends object, To extends CommandStatus = CommandStatus>(change: StatusChange<To>) => {
      const { at, from, returning, set, to, using, where } = change
      const sources = sourceStatusesOf(to).filter((status) => from === undefined || from.includes(status))
      return sql<Row>`${change.with ?? sql``} UPDATE commands
        SET ${sql.csv([sql.literal(`status = '${to}'`), assignmentsOf(to, at), ...(set === undefined ? [] : [set])])}
        ${using === undefined ? sql`` : sql`FROM ${using}`}
        WHERE ${where} AND ${hasStatusIn(sources)} RETURNING ${sql.literal(returning)}`
    }

    const sortById = (rows: ReadonlyArray<ClaimedCommand>) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))

    /**
     * Claims pending commands, each for its process. Returns the commands that were claimed: none for a session that
     * another one has replaced.
     */
    const claim = (claims: ReadonlyArray<CommandClaim>, now: Timestamp.Timestamp) => {
      const rows = recordset(
        sql,
        "r",
        { command: "uuid", process: "text", session: "text" },
        claims.map((claim) => ({
          command: claim.id,
          process: claim.worker_id,
          session: claim.session_id
        }))
      )
      const isOwner = sql`NOT ${
        isReplaced(sql, { agent: "commands.agent_id", process: "r.process", session: "r.session" })
      }`
      // PostgreSQL locks in the order of the ids, and skips rows that another replica has just locked
      const free = sql.onDialectOrElse({
        pg: () => ({
          with: sql`WITH free AS (
            SELECT r.command, r.process, r.session FROM commands JOIN ${rows} ON r.command = commands.id
            WHERE commands.id IN ${sql.in(claims.map(({ id }) => id))} AND timeout_at > ${now} AND ${isOwner}
              AND ${hasStatusIn(sourceStatusesOf("dispatched"))}
            ORDER BY commands.id FOR UPDATE OF commands SKIP LOCKED
          )`,
          using: sql`free AS r`,
          where: sql`id = r.command`
        }),
        orElse: () => ({ using: rows, where: sql`id = r.command AND timeout_at > ${now} AND ${isOwner}` })
      })
      return Effect.map(
        transition<ClaimedCommand>({
          to: "dispatched",
          at: now,
          set: sql`worker_id = r.process, session_id = r.session`,
          returning: claimedColumns,
          ...free
        }),
        sortById
      )
    }

    /**
     * Returns claims to pending. Only for claims of which it is certain that nothing was written to the socket. The time
     * of the claim is compared too: a long-poll session polls several replicas, and another one may have claimed the
     * command for it since, and sent it.
     */
    const release = (
      claims: ReadonlyArray<CommandClaim>,
      now: Timestamp.Timestamp
    ): Effect.Effect<ReadonlyArray<{ readonly id: CommandId }>, SqlError.SqlError> =>
      transition<{ readonly id: CommandId }>({
        to: "pending",
        at: now,
        using: recordset(sql, "r", { id: "uuid", session_id: "text", claimed_at: "text" }, claims),
        where: sql`commands.id = r.id AND commands.session_id = r.session_id AND commands.dispatched_at = r.claimed_at`,
        returning: "commands.id"
      })

    /** Ends a claimed command whose encrypted parameters cannot be decrypted. */
    const failUndecryptable = (id: CommandId, now: Timestamp.Timestamp) =>
      transition({
        to: "failed",
        from: ["dispatched"],
        at: now,
        set: sql`error = ${undecryptableError}`,
        where: sql`id = ${id}`,
        returning: "id"
      })

    /** Ends commands by the results of their agents. */
    const finish = Effect.fnUntraced(function*(ends: ReadonlyArray<CommandResultUpdate>) {
      const columns = {
        id: "uuid",
        acked_at: "text",
        result: "text",
        error: "text",
        completed_at: "text",
        created_task_id: "text"
      } as const
      for (const to of ["completed", "failed"] as const) {
        const rows = ends.filter(({ status }) => status === to)
        if (rows.length === 0) continue
        yield* transition({
          to,
          at: sql`r.completed_at`,
          set: sql`acked_at = coalesce(commands.acked_at, r.acked_at), result = r.result, error = r.error,
            created_task_id = r.created_task_id`,
          using: recordset(sql, "r", columns, rows),
          where: sql`commands.id = r.id`,
          returning: "commands.id"
        })
      }
    })

    /** Ends at most `limit` overdue commands; `error` says how far each one had come. */
    const expire = (now: Timestamp.Timestamp, limit: number) =>
      transition<FinishedCommand>({
        to: "timeout",
        at: now,
        with: sql`WITH overdue AS (
          SELECT id FROM commands WHERE ${hasSourceOf("timeout")} AND timeout_at <= ${now}
          ORDER BY timeout_at LIMIT ${limit} ${skipLocked(sql)}
        )`,
        set: sql`error = CASE
          WHEN status = 'pending' THEN ${timeoutErrors.pending}
          WHEN acked_at IS NULL THEN ${timeoutErrors.sent}
          ELSE ${timeoutErrors.acknowledged} END`,
        where: sql`id IN (SELECT id FROM overdue)`,
        returning: "id, action, status, issued_at"
      })

    /**
     * Ends all unfinished commands of a restored database. The time of dispatch stays, or becomes that of issue: the
     * command may have been sent after the backup, so nothing may take it for one that was never sent. A result that
     * arrives later is still accepted.
     */
    const endRestored = (now: Timestamp.Timestamp, error: string) =>
      transition({
        to: "timeout",
        at: now,
        with: sql`WITH unfinished AS (SELECT id FROM commands WHERE ${hasSourceOf("timeout")})`,
        set: sql`error = ${error}, dispatched_at = coalesce(dispatched_at, issued_at)`,
        where: sql`id IN (SELECT id FROM unfinished)`,
        returning: "id"
      })

    /** Cancels a command that was not sent. Returns its row, or none when it is not pending. */
    const cancelPending = (projectId: ProjectId, id: CommandId, at: Timestamp.Timestamp, error: string) =>
      Effect.map(
        transition<CommandRow>({
          to: "cancelled",
          from: ["pending"],
          at,
          set: sql`error = ${error}`,
          where: sql`project_id = ${projectId} AND id = ${id}`,
          returning: commandColumns.join(", ")
        }),
        (rows) => Option.fromNullable(rows[0])
      )

    /** Cancels those of the commands that were not sent, and returns them. */
    const cancelUnsent = (ids: ReadonlyArray<CommandId>, at: Timestamp.Timestamp, error: string) =>
      transition<FinishedCommand>({
        to: "cancelled",
        from: ["pending"],
        at,
        set: sql`error = ${error}`,
        where: idIn(sql, ids),
        returning: "id, action, status, issued_at"
      })

    /** Cancels the unfinished commands of an agent or a project that is being deleted: no result will come. */
    const cancelUnfinished = (owner: { readonly agent: string } | { readonly project: string }) =>
      Effect.flatMap(Timestamp.now, (at) => {
        const [isOwned, error] = "agent" in owner
          ? [sql`agent_id = ${owner.agent}`, "The agent was deleted."] as const
          : [sql`project_id = ${owner.project}`, "The project was deleted."] as const
        return transition({
          to: "cancelled",
          at,
          with: sql`WITH unfinished AS (SELECT id FROM commands WHERE ${isOwned} AND ${hasSourceOf("cancelled")})`,
          set: sql`error = ${error}`,
          where: sql`id IN (SELECT id FROM unfinished)`,
          returning: "id"
        })
      })

    return {
      claim,
      release,
      failUndecryptable,
      finish,
      expire,
      endRestored,
      cancelPending,
      cancelUnsent,
      cancelUnfinished
    } as const
  })
}) {
  static readonly layer = this.Default
}
