import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { Cursor } from "../../domain/schedules/Schedule/Plan.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idIn, skipLocked } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf } from "../kernel/sql/Rows.ts"
import { decodeSchedules, type ScheduleRow } from "./Repo.ts"

/** A schedule whose cursor is due. */
export interface DueSchedule {
  readonly id: ScheduleId
  readonly project_id: ProjectId
}

/** What a round of fires changes of a schedule. */
export interface CursorUpdate extends Cursor {
  readonly id: ScheduleId
  readonly last_run_at: Timestamp | null
  /** Fires that were added. */
  readonly runs: number
  readonly schedule_revision: number
}

/** A cursor that was computed again, because the clock was set back. */
export interface RewoundCursor extends Cursor {
  readonly id: ScheduleId
  readonly anchor_at: Timestamp
  readonly enabled_at: Timestamp
  readonly schedule_revision: number
}

/** A schedule that is in quarantine from now on. */
export interface QuarantineUpdate {
  readonly id: ScheduleId
  readonly code: string
  readonly detail: string
  readonly token: string
  readonly schedule_revision: number
}

/** The cursors of the schedules that the service fires. Those of engines' own schedulers: `ExternalRunsRepo.ts`. */
export class DueRepo extends Effect.Service<DueRepo>()("svc/DueRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    // literals, so that SQLite uses the partial index `schedules_due`
    const isFired = sql.literal(
      "scheduler = 'svc-scheduler' AND is_enabled = 1 AND paused_at IS NULL AND quarantined_at IS NULL AND due_at IS NOT NULL"
    )
    const isOwned = sql.literal("scheduler = 'svc-scheduler'") // of the partial index `schedules_cursor`
    const firstDue = firstRowOf(
      Schema.Struct({ due_at: Schema.NullOr(Timestamp), cursor_at: Schema.NullOr(Timestamp) })
    )

    return {
      /** The due schedules, the longest overdue first. */
      listDue: (now: Timestamp, limit: number) =>
        read<DueSchedule>`SELECT id, project_id FROM schedules WHERE ${isFired} AND due_at <= ${now}
          ORDER BY due_at LIMIT ${limit}`,
      /** When the next schedule is due, and when the newest cursor was computed; null where there is none. */
      nextDue: Effect.map(
        firstDue(
          read`SELECT (SELECT min(due_at) FROM schedules WHERE ${isFired}) AS due_at,
            (SELECT max(cursor_at) FROM schedules WHERE ${isOwned}) AS cursor_at`
        ),
        Option.getOrElse(() => ({ due_at: null, cursor_at: null }))
      ),
      /** Schedules whose cursors were computed later than `latest`. */
      listAhead: (latest: Timestamp, limit: number) =>
        read<DueSchedule>`SELECT id, project_id FROM schedules WHERE ${isOwned} AND cursor_at > ${latest}
          ORDER BY cursor_at DESC LIMIT ${limit}`,
      /** Those of the ids whose cursors were computed later than `latest`, locked as in `lockDue`. */
      lockAhead: (ids: ReadonlyArray<ScheduleId>, latest: Timestamp) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} AND cursor_at > ${latest}
            ORDER BY id ${skipLocked(sql)}`,
          decodeSchedules
        ),
      rewindCursors: (cursors: ReadonlyArray<RewoundCursor>) =>
        sql`UPDATE schedules SET next_run_at = r.next_run_at, due_at = r.due_at, cursor_at = r.cursor_at,
            anchor_at = r.anchor_at, enabled_at = r.enabled_at, schedule_revision = r.schedule_revision
          FROM ${
          recordset(sql, "r", {
            id: "uuid",
            next_run_at: "text",
            due_at: "text",
            cursor_at: "text",
            anchor_at: "text",
            enabled_at: "text",
            schedule_revision: "bigint"
          }, cursors)
        } WHERE schedules.id = r.id`,
      /**
       * Those of the ids that are due, locked until the transaction ends. A schedule that another transaction holds is
       * left out: a transaction that hangs stops no schedule but its own.
       */
      lockDue: (ids: ReadonlyArray<ScheduleId>, now: Timestamp) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} AND ${isFired} AND due_at <= ${now}
            ORDER BY id ${skipLocked(sql)}`,
          decodeSchedules
        ),
      /** `last_run_at` never goes back: after the clock was set back, earlier ticks may fire later. */
      moveCursors: (updates: ReadonlyArray<CursorUpdate>) =>
        sql`UPDATE schedules SET next_run_at = r.next_run_at, due_at = r.due_at, cursor_at = r.cursor_at,
            last_run_at = CASE WHEN schedules.last_run_at >= r.last_run_at THEN schedules.last_run_at
              ELSE COALESCE(r.last_run_at, schedules.last_run_at) END, total_runs = total_runs + r.runs,
            schedule_revision = r.schedule_revision
          FROM ${
          recordset(sql, "r", {
            id: "uuid",
            next_run_at: "text",
            due_at: "text",
            cursor_at: "text",
            last_run_at: "text",
            runs: "integer",
            schedule_revision: "bigint"
          }, updates)
        } WHERE schedules.id = r.id`,
      quarantine: (updates: ReadonlyArray<QuarantineUpdate>, now: Timestamp) =>
        sql`UPDATE schedules SET quarantined_at = ${now}, cursor_at = ${now}, quarantine_code = r.code, quarantine_detail = r.detail,
            quarantine_control_token = r.token, control_token = r.token, schedule_revision = r.schedule_revision
          FROM ${
          recordset(
            sql,
            "r",
            { id: "uuid", code: "text", detail: "text", token: "uuid", schedule_revision: "bigint" },
            updates
          )
        } WHERE schedules.id = r.id`,

      /** The service's schedules whose next tick has passed, by id, after the given one. */
      listPassed: (now: Timestamp, after: string, limit: number) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${isOwned} AND next_run_at <= ${now}
            AND id > ${after} ORDER BY id LIMIT ${limit}`,
          decodeSchedules
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
