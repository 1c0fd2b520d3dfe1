import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CommandId, FireRowId, ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { FireStatus } from "../../domain/schedules/Schedule/Fire.ts"
import {
  type CommandedFire,
  type FireKey,
  type FireMove,
  lateResultCode
} from "../../domain/schedules/Schedule/FireOutcome.ts"
import type { StaleSchedule } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { onPostgres } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"

/** The columns of a new fire. */
export interface NewFire {
  readonly id: FireRowId
  readonly fire_id: string
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly engine: string
  readonly command_id: CommandId | null
  readonly status: FireStatus
  readonly scheduled_for: Timestamp
  readonly fired_at: Timestamp
  readonly definition_digest: string
  readonly expires_at: Timestamp
  readonly fence: number
}

const newFireColumns = {
  id: "uuid",
  fire_id: "uuid",
  project_id: "uuid",
  schedule_id: "uuid",
  engine: "text",
  command_id: "uuid",
  status: "text",
  scheduled_for: "text",
  fired_at: "text",
  definition_digest: "text",
  expires_at: "text",
  fence: "bigint"
} satisfies Record<keyof NewFire, "uuid" | "text" | "bigint">

/** A fire that waits for an agent of its engine, or for its turn after an outage. */
export interface WaitingFire extends FireKey {
  readonly schedule_id: ScheduleId
  readonly fired_at: Timestamp
  readonly definition_digest: string
}

/** A fire whose time to wait is over. */
export interface ExpiredFire extends FireKey {
  readonly schedule_id: ScheduleId
  readonly project_id: ProjectId
  readonly engine: string
  readonly status: "pending" | "buffered"
}

/** A fire that a restore has ended. */
export type EndedFire = Pick<NewFire, "id" | "fire_id" | "command_id" | "schedule_id">

const moveColumns = {
  fire_id: "uuid",
  scheduled_for: "text",
  status: "text",
  command_id: "uuid",
  acked_at: "text",
  latency_ms: "bigint",
  error_code: "text",
  error_message: "text"
} satisfies Record<keyof FireMove, "uuid" | "text" | "bigint">

/** Fires without an outcome. All writes of fires are here. */
export class OpenFiresRepo extends Effect.Service<OpenFiresRepo>()("svc/OpenFiresRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const insertColumns = sql.literal(Object.keys(newFireColumns).join(", "))
    // SQLite uses the partial index `schedule_fires_open` only where its condition is repeated, as a literal
    const openText = "status IN ('pending', 'accepted', 'delivered', 'buffered')"
    /** For fires found by their key: the expression keeps both databases away from the partial index. */
    const isStillOpen = sql.literal("(f.status || '') IN ('pending', 'accepted', 'delivered', 'buffered')")
    const isWaiting = sql.literal(`${openText} AND status IN ('pending', 'buffered')`)
    const isCommanded = sql.literal(
      `f.${openText} AND f.status IN ('accepted', 'delivered') AND f.command_id IS NOT NULL`
    )

    /** The keys as the rows of the table `r`. */
    const keyRows = (fires: ReadonlyArray<FireKey>) =>
      recordset(
        sql,
        "r",
        { fire_id: "uuid", scheduled_for: "text" },
        fires.map(({ fire_id, scheduled_for }) => ({ fire_id, scheduled_for }))
      )

    return {
      /** Returns the fires that were inserted: a fire id that exists already is left as it is. */
      insert: (fires: ReadonlyArray<NewFire>) =>
        sql<FireKey>`INSERT INTO schedule_fires (${insertColumns})
          SELECT ${insertColumns} FROM ${recordset(sql, "r", newFireColumns, fires)} WHERE true
          ON CONFLICT DO NOTHING RETURNING fire_id, scheduled_for`,

      /** The projects and engines that have waiting fires. */
      listWaitingEngines: read<{ readonly project_id: ProjectId; readonly engine: string }>`
        SELECT DISTINCT project_id, engine FROM schedule_fires WHERE ${isWaiting}`,
      /** Waiting fires of an engine, oldest tick first, without those of paused schedules. */
      listWaiting: (projectId: ProjectId, engine: string, now: Timestamp, limit: number) =>
        read<WaitingFire>`SELECT fire_id, scheduled_for, schedule_id, fired_at, definition_digest FROM schedule_fires
          WHERE ${isWaiting} AND project_id = ${projectId} AND engine = ${engine} AND expires_at > ${now}
            AND NOT EXISTS (SELECT 1 FROM schedules s WHERE s.id = schedule_id AND s.paused_at IS NOT NULL)
          ORDER BY scheduled_for LIMIT ${limit}`,
      /** Waiting fires whose time in the buffer is over, oldest tick first. */
      listExpired: (now: Timestamp, limit: number) =>
        read<ExpiredFire>`SELECT fire_id, scheduled_for, schedule_id, project_id, engine, status FROM schedule_fires
          WHERE ${isWaiting} AND expires_at <= ${now} ORDER BY scheduled_for LIMIT ${limit}`,
      /** Expires those of the fires that still wait, and returns their ids. */
      expire: (fires: ReadonlyArray<FireKey>) =>
        Effect.map(
          sql<Pick<FireKey, "fire_id">>`UPDATE schedule_fires SET status = 'buffer_expired',
              error_code = 'not_sent_in_time', error_message = CASE status WHEN 'pending'
                THEN 'It waited for its turn, or for an agent, longer than SVC_SCHEDULE_BUFFER_SECONDS.'
                ELSE 'No agent of its engine took it within SVC_SCHEDULE_BUFFER_SECONDS.' END
            WHERE (fire_id, scheduled_for) IN (SELECT r.fire_id, r.scheduled_for FROM ${keyRows(fires)})
              AND (status || '') IN ('pending', 'buffered') RETURNING fire_id`,
          (rows) => new Set(rows.map(({ fire_id }) => fire_id))
        ),

      /** Fires whose command has moved since. With 10 000 open fires that have not, 7 ms on both databases. */
      listCommanded: (limit: number) =>
        read<
          CommandedFire
        >`SELECT f.id, f.fire_id, f.scheduled_for, f.schedule_id, f.project_id, c.status AS command_status,
            c.dispatched_at, c.completed_at, c.error, f.error_code
          FROM schedule_fires f LEFT JOIN commands c ON c.id = f.command_id
          WHERE ${isCommanded} AND (c.id IS NULL OR c.completed_at IS NOT NULL
            OR (f.status = 'accepted' AND c.status = 'dispatched'))
          LIMIT ${limit}`,

      /** Moves open fires, and returns those; a fire that another move has ended stays. */
      move: (moves: ReadonlyArray<FireMove>) =>
        sql<
          { readonly id: FireRowId }
        >`UPDATE schedule_fires AS f SET status = r.status, command_id = COALESCE(r.command_id, f.command_id),
            acked_at = r.acked_at, latency_ms = r.latency_ms, error_code = r.error_code, error_message = r.error_message
          FROM ${recordset(sql, "r", moveColumns, moves)}
          WHERE f.fire_id = r.fire_id AND f.scheduled_for = r.scheduled_for AND ${isStillOpen} RETURNING id`,

      /** Opens the fires of commands whose result came after their timeout, so that it is recorded as any other. */
      reopen: (commandIds: ReadonlyArray<CommandId>) =>
        sql`UPDATE schedule_fires SET status = 'delivered', error_code = ${lateResultCode}
          WHERE ${sql.in("command_id", commandIds)} AND status = 'terminal_timeout'`,

      /**
       * Ends the waiting fires of schedules that do not send them any more; the transaction has locked the schedules.
       * Waiting fires are read first: an import may change 2000 schedules, of which few have any.
       */
      endStale: (stale: ReadonlyArray<StaleSchedule>) =>
        stale.length === 0 ?
          Effect.void :
          sql`WITH waiting AS MATERIALIZED (SELECT fire_id, scheduled_for, schedule_id FROM schedule_fires WHERE ${isWaiting})
          UPDATE schedule_fires SET status = 'buffer_stale', error_code = 'definition_changed', error_message = r.reason
          FROM waiting w JOIN ${recordset(sql, "r", { schedule_id: "uuid", reason: "text" }, stale)}
            ON r.schedule_id = w.schedule_id
          WHERE schedule_fires.fire_id = w.fire_id AND schedule_fires.scheduled_for = w.scheduled_for
            AND (schedule_fires.status || '') IN ('pending', 'buffered')`,

      /** After a restore: ends all open fires, since their outcome is unknown. Returns them. */
      endAll: (message: string) =>
        sql<EndedFire>`UPDATE schedule_fires SET status = 'terminal_timeout', error_code = 'restored',
            error_message = ${message}
          WHERE ${sql.literal(openText)} RETURNING id, fire_id, command_id, schedule_id`,

      /** Ends a fire by an operator's word. */
      resolve: ({ fire_id, scheduled_for }: FireKey, status: FireStatus) =>
        sql`UPDATE schedule_fires SET status = ${status}, error_code = 'resolved_by_operator',
            error_message = 'An operator has resolved it.'
          WHERE fire_id = ${fire_id} AND scheduled_for = ${scheduled_for}`,

      /** Locks the waiting ones of the fires until the transaction ends, and returns their keys. */
      lockWaiting: (fires: ReadonlyArray<FireKey>) =>
        sql<FireKey>`SELECT f.fire_id, f.scheduled_for FROM schedule_fires f
          JOIN ${keyRows(fires)} ON f.fire_id = r.fire_id AND f.scheduled_for = r.scheduled_for
          WHERE f.status IN ('pending', 'buffered') ${onPostgres(sql, "FOR UPDATE OF f")}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
