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

/** What decides whether a tick is late: the time, and the grace in seconds of schedules without their own. */
interface Lateness {
  readonly now: Timestamp
  readonly grace: number
}

export class MisfiresRepo extends Effect.Service<MisfiresRepo>()("svc/MisfiresRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const insertColumns = Object.keys(columns)
    const selected = insertColumns.map((column) =>
      column === "lateness_seconds" ? "CAST(lateness_seconds AS DOUBLE PRECISION)" : column
    )

    /** Whether a tick is later than the grace of its schedule `s`, or than `grace`, in seconds. */
    const isLate = (due: "s.due_at" | "f.fired_at", { grace, now }: Lateness) => {
      const at = read.literal(due)
      const seconds = sql.onDialectOrElse({
        pg: () => read`EXTRACT(EPOCH FROM (${now}::timestamptz - ${at}::timestamptz))`,
        orElse: () => read`(unixepoch(${now}, 'subsec') - unixepoch(${at}, 'subsec'))`
      })
      return read`${at} < ${now} AND ${seconds} > COALESCE(s.grace_seconds, ${grace})`
    }

    /** `condition` is that of a partial index: `schedules_due` or `schedules_held`. */
    const listStanding = (condition: string, lateness: Lateness, limit: number) =>
      read<LateTick>`SELECT s.id AS schedule_id, s.project_id, s.name, s.engine, s.kind, s.grace_seconds,
          s.next_run_at AS expected_fire_at, s.due_at, s.paused_at, s.quarantined_at
        FROM schedules s LEFT JOIN schedule_misfires m ON m.schedule_id = s.id AND m.expected_fire_at = s.next_run_at
        WHERE s.scheduler = 'svc-scheduler' AND s.is_enabled = 1 AND ${read.literal(condition)}
          AND ${isLate("s.due_at", lateness)} AND m.id IS NULL
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

      /** Cursors that are late and have no misfire: the loop does not reach them. */
      listStandingCursors: (lateness: Lateness, limit: number) =>
        listStanding("s.paused_at IS NULL AND s.quarantined_at IS NULL AND s.due_at IS NOT NULL", lateness, limit),
      /** The same of schedules that are paused or in quarantine. */
      listHeldCursors: (lateness: Lateness, limit: number) =>
        listStanding("(s.paused_at IS NOT NULL OR s.quarantined_at IS NOT NULL)", lateness, limit),

      /** Fires that wait for an agent for longer than the grace, without a misfire. */
      listWaitingFires: (lateness: Lateness, limit: number) =>
        read<LateTick>`SELECT s.id AS schedule_id, s.project_id, s.name, s.engine, s.kind, s.grace_seconds,
            f.scheduled_for AS expected_fire_at, f.fired_at AS due_at, s.paused_at, s.quarantined_at
          FROM schedule_fires f JOIN schedules s ON s.id = f.schedule_id
          LEFT JOIN schedule_misfires m ON m.schedule_id = f.schedule_id AND m.expected_fire_at = f.scheduled_for
          WHERE f.status IN ('pending', 'accepted', 'delivered', 'buffered') AND f.status = 'buffered'
            AND ${isLate("f.fired_at", lateness)} AND m.id IS NULL
          LIMIT ${limit}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
