import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/Id.ts"
import type { MisfireCause } from "../../domain/Schedule/Misfire.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { Reader } from "../Database.ts"
import { recordset } from "../Recordset.ts"

/** The columns of a new misfire. */
export interface NewMisfire {
  readonly id: string
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly detected_at: Timestamp
  readonly expected_fire_at: Timestamp
  readonly lateness_seconds: number
  readonly grace_seconds: number
  /** The ticks that it stands for: those in a row from `expected_fire_at` on. */
  readonly slots: number
  readonly cause: MisfireCause
  readonly detail: string
  readonly name: string
  readonly engine: string
  readonly kind: string
}

const columns = {
  id: "uuid",
  project_id: "uuid",
  schedule_id: "uuid",
  detected_at: "text",
  expected_fire_at: "text",
  lateness_seconds: "text",
  grace_seconds: "integer",
  slots: "integer",
  cause: "text",
  detail: "text",
  name: "text",
  engine: "text",
  kind: "text"
} satisfies Record<keyof NewMisfire, "uuid" | "text" | "integer">

/** A tick that is late, of an enabled schedule. */
export interface LateTick {
  readonly schedule_id: ScheduleId
  readonly project_id: ProjectId
  readonly name: string
  readonly engine: string
  readonly kind: string
  readonly grace_seconds: number | null
  readonly expected_fire_at: Timestamp
  readonly due_at: Timestamp
  readonly paused_at: Timestamp | null
  readonly quarantined_at: Timestamp | null
}

export class MisfiresRepo extends Effect.Service<MisfiresRepo>()("svc/MisfiresRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const insertColumns = Object.keys(columns)
    const selected = insertColumns.map((column) =>
      column === "lateness_seconds" ? "CAST(lateness_seconds AS DOUBLE PRECISION)" : column
    )

    /** `condition` is that of a partial index: `schedules_due` or `schedules_held`. */
    const listStanding = (condition: string, before: Timestamp, limit: number) =>
      read<LateTick>`SELECT s.id AS schedule_id, s.project_id, s.name, s.engine, s.kind, s.grace_seconds,
          s.next_run_at AS expected_fire_at, s.due_at, s.paused_at, s.quarantined_at
        FROM schedules s LEFT JOIN schedule_misfires m ON m.schedule_id = s.id AND m.expected_fire_at = s.next_run_at
        WHERE s.scheduler = 'svc-scheduler' AND s.is_enabled = 1 AND ${read.literal(condition)}
          AND s.due_at < ${before} AND m.id IS NULL
        LIMIT ${limit}`

    return {
      /** A misfire that is known by its tick gets the larger number of slots. Returns the changed rows. */
      insert: (misfires: ReadonlyArray<NewMisfire>) =>
        sql<{ readonly id: string; readonly cause: MisfireCause }>`INSERT INTO schedule_misfires (${
          sql.literal(insertColumns.join(", "))
        })
          SELECT ${sql.literal(selected.join(", "))} FROM ${recordset(sql, "r", columns, misfires)} WHERE true
          ON CONFLICT (schedule_id, expected_fire_at) DO UPDATE SET slots = excluded.slots, detail = excluded.detail
            WHERE excluded.slots > schedule_misfires.slots
          RETURNING id, cause`,

      /** Cursors that stand behind `before` without a misfire: the loop does not reach them. */
      listStandingCursors: (before: Timestamp, limit: number) =>
        listStanding("s.paused_at IS NULL AND s.quarantined_at IS NULL AND s.due_at IS NOT NULL", before, limit),
      /** The same of schedules that are paused or in quarantine. */
      listHeldCursors: (before: Timestamp, limit: number) =>
        listStanding("(s.paused_at IS NOT NULL OR s.quarantined_at IS NOT NULL)", before, limit),

      /** Fires that wait for an agent since `before`, without a misfire. */
      listWaitingFires: (before: Timestamp, limit: number) =>
        read<LateTick>`SELECT s.id AS schedule_id, s.project_id, s.name, s.engine, s.kind, s.grace_seconds,
            f.scheduled_for AS expected_fire_at, f.fired_at AS due_at, s.paused_at, s.quarantined_at
          FROM schedule_fires f JOIN schedules s ON s.id = f.schedule_id
          LEFT JOIN schedule_misfires m ON m.schedule_id = f.schedule_id AND m.expected_fire_at = f.scheduled_for
          WHERE f.status IN ('pending', 'accepted', 'delivered', 'buffered') AND f.status = 'buffered' AND f.fired_at < ${before} AND m.id IS NULL
          LIMIT ${limit}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
