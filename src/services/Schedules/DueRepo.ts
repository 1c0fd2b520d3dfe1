import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/Id.ts"
import { Timestamp } from "../../domain/Timestamp.ts"
import { Reader } from "../Database.ts"
import { forUpdate, idIn } from "../Dialect.ts"
import { recordset } from "../Recordset.ts"
import { firstRowOf } from "../Rows.ts"
import { decodeSchedules, type ScheduleRow } from "./Repo.ts"

/** A schedule whose cursor is due. */
export interface DueSchedule {
  readonly id: ScheduleId
  readonly project_id: ProjectId
}

/** What a round of fires changes of a schedule. */
export interface CursorUpdate {
  readonly id: ScheduleId
  readonly next_run_at: Timestamp | null
  readonly due_at: Timestamp | null
  readonly last_run_at: Timestamp | null
  /** Fires that were added. */
  readonly runs: number
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

/** The schedules that the service fires and whose time has come. */
export class DueRepo extends Effect.Service<DueRepo>()("svc/DueRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    // literals, so that SQLite uses the partial index `schedules_due`
    const isFired = sql.literal(
      "scheduler = 'svc-scheduler' AND is_enabled = 1 AND paused_at IS NULL AND quarantined_at IS NULL AND due_at IS NOT NULL"
    )
    const firstDue = firstRowOf(Schema.Struct({ due_at: Schema.NullOr(Timestamp) }))

    return {
      /** The due schedules, the longest overdue first. */
      listDue: (now: Timestamp, limit: number) =>
        read<DueSchedule>`SELECT id, project_id FROM schedules WHERE ${isFired} AND due_at <= ${now}
          ORDER BY due_at LIMIT ${limit}`,
      /** When the next schedule is due; none when no schedule will be. */
      nextDue: Effect.map(
        firstDue(read`SELECT min(due_at) AS due_at FROM schedules WHERE ${isFired}`),
        Option.flatMap(({ due_at }) => Option.fromNullable(due_at))
      ),
      /** Those of the ids that are due, locked until the transaction ends. */
      lockDue: (ids: ReadonlyArray<ScheduleId>, now: Timestamp) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} AND ${isFired} AND due_at <= ${now}
            ORDER BY id ${forUpdate(sql)}`,
          decodeSchedules
        ),
      moveCursors: (updates: ReadonlyArray<CursorUpdate>) =>
        sql`UPDATE schedules SET next_run_at = r.next_run_at, due_at = r.due_at,
            last_run_at = COALESCE(r.last_run_at, schedules.last_run_at), total_runs = total_runs + r.runs,
            schedule_revision = r.schedule_revision
          FROM ${
          recordset(sql, "r", {
            id: "uuid",
            next_run_at: "text",
            due_at: "text",
            last_run_at: "text",
            runs: "integer",
            schedule_revision: "bigint"
          }, updates)
        } WHERE schedules.id = r.id`,
      quarantine: (updates: ReadonlyArray<QuarantineUpdate>, now: Timestamp) =>
        sql`UPDATE schedules SET quarantined_at = ${now}, quarantine_code = r.code, quarantine_detail = r.detail,
            quarantine_control_token = r.token, control_token = r.token, schedule_revision = r.schedule_revision
          FROM ${
          recordset(
            sql,
            "r",
            { id: "uuid", code: "text", detail: "text", token: "uuid", schedule_revision: "bigint" },
            updates
          )
        } WHERE schedules.id = r.id`
    } as const
  })
}) {
  static readonly layer = this.Default
}
