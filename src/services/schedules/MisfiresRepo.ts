import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import { addSeconds, type Timestamp } from "../../domain/kernel/Timestamp.ts"
import { type MisfireCause, type NewMisfire, ScheduleMisfire } from "../../domain/schedules/Schedule/Misfire.ts"
import type { KnownMisfire } from "../../domain/schedules/Schedule/Outage.ts"
import { minLatenessSeconds } from "../../domain/schedules/Schedule/Plan.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idRows } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { rowsOf } from "../kernel/sql/Rows.ts"

const columns = {
  id: "uuid",
  project_id: "uuid",
  schedule_id: "uuid",
  detected_at: "text",
  expected_fire_at: "text",
  lateness_seconds: "text",
  grace_seconds: "integer",
  slots: "integer",
  last_tick_at: "text",
  cause: "text",
  detail: "text",
  name: "text",
  engine: "text",
  kind: "text"
} satisfies Record<keyof NewMisfire, "uuid" | "text" | "integer">

/** A tick that is late, of an enabled schedule. */
export interface LateTick {
  readonly schedule_id: ScheduleId
  readonly tick: Timestamp
}

/** What decides whether a tick is late: the time, and the grace in seconds of schedules without their own. */
interface Lateness {
  readonly now: Timestamp
  readonly grace: number
}

const CountRow = Schema.Struct({ schedule_id: ScheduleId, n: Schema.Int })

export class MisfiresRepo extends Effect.Service<MisfiresRepo>()("svc/MisfiresRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const insertColumns = Object.keys(columns)
    const selected = insertColumns.map((column) =>
      column === "lateness_seconds" ? "CAST(lateness_seconds AS DOUBLE PRECISION)" : column
    )

    const publicColumns = read.literal(Object.keys(ScheduleMisfire.fields).join(", "))

    /** Whether a tick is later than the grace of its schedule `s`, or than `grace`, in seconds. */
    const isLate = (due: "s.due_at" | "f.fired_at", { grace, now }: Lateness) => {
      const dueColumn = read.literal(due)
      const seconds = sql.onDialectOrElse({
        pg: () => read`EXTRACT(EPOCH FROM (${now}::timestamptz - ${dueColumn}::timestamptz))`,
        orElse: () => read`(unixepoch(${now}, 'subsec') - unixepoch(${dueColumn}, 'subsec'))`
      })
      return read`${dueColumn} < ${now} AND ${seconds} > COALESCE(s.grace_seconds, ${grace})`
    }

    /** The newest misfire of the schedule `owner` that begins at `tick` or before, by the index of its unique key. */
    const newestUntil = (owner: string, tick: string) =>
      read.literal(
        `m.schedule_id = ${owner} AND m.expected_fire_at = (SELECT max(expected_fire_at) FROM schedule_misfires
          WHERE schedule_id = ${owner} AND expected_fire_at <= ${tick})`
      )

    /** Whether no misfire covers the tick. */
    const isUnrecorded = (owner: string, tick: string) =>
      read`NOT EXISTS (SELECT 1 FROM schedule_misfires m WHERE ${newestUntil(owner, tick)}
        AND COALESCE(m.last_tick_at, m.expected_fire_at) >= ${read.literal(tick)})`

    /** `condition` is that of a partial index: `schedules_due` or `schedules_held`. */
    const listLateCursors = (condition: Statement.Fragment, lateness: Lateness, limit: number) =>
      read<LateTick>`SELECT s.id AS schedule_id, s.next_run_at AS tick FROM schedules s
        WHERE s.scheduler = 'svc-scheduler' AND s.is_enabled = 1 AND ${condition}
          AND ${isLate("s.due_at", lateness)} AND ${isUnrecorded("s.id", "s.next_run_at")}
        ORDER BY s.due_at LIMIT ${limit}`

    return {
      /** Newest first; of one schedule, or of all in the project. */
      list: (projectId: ProjectId, scheduleId: ScheduleId | null, limit: number) =>
        rowsOf(ScheduleMisfire)(
          read`SELECT ${publicColumns} FROM schedule_misfires WHERE ${
            scheduleId === null ? read`project_id = ${projectId}` : read`schedule_id = ${scheduleId}`
          } ORDER BY id DESC LIMIT ${limit}`
        ),
      /** Ticks of each schedule that were found missed after `since`; none for a schedule without. */
      count: (ids: ReadonlyArray<ScheduleId>, since: Timestamp) =>
        rowsOf(CountRow)(
          read`SELECT s.id AS schedule_id, sum(m.slots) AS n FROM ${idRows(read, ids)}
            JOIN schedule_misfires m ON m.schedule_id = s.id AND m.detected_at > ${since} GROUP BY s.id`
        ),
      /** A run ended the row of late ticks: the misfire at `expected_fire_at` covers so many. */
      setSlots: (rows: ReadonlyArray<Pick<NewMisfire, "schedule_id" | "expected_fire_at" | "slots">>) =>
        sql`UPDATE schedule_misfires SET slots = r.slots FROM ${
          recordset(sql, "r", { schedule_id: "uuid", expected_fire_at: "text", slots: "integer" }, rows)
        } WHERE schedule_misfires.schedule_id = r.schedule_id
          AND schedule_misfires.expected_fire_at = r.expected_fire_at AND schedule_misfires.slots < r.slots`,

      /** A misfire that is known by its first tick gets the larger number of slots. Returns the changed rows. */
      insert: (misfires: ReadonlyArray<NewMisfire>) =>
        sql<{ readonly id: string; readonly cause: MisfireCause }>`INSERT INTO schedule_misfires (${
          sql.literal(insertColumns.join(", "))
        })
          SELECT ${sql.literal(selected.join(", "))} FROM ${recordset(sql, "r", columns, misfires)} WHERE true
          ON CONFLICT (schedule_id, expected_fire_at) DO UPDATE SET slots = excluded.slots, detail = excluded.detail,
            last_tick_at = excluded.last_tick_at
            WHERE excluded.slots > schedule_misfires.slots OR excluded.last_tick_at > schedule_misfires.last_tick_at
          RETURNING id, cause`,

      /** For each of the ticks the newest misfire of its schedule that begins then or before; none where there is none. */
      listKnown: (ticks: ReadonlyArray<LateTick>) =>
        sql<
          KnownMisfire & { readonly tick: Timestamp }
        >`SELECT r.tick, m.schedule_id, m.detected_at, m.expected_fire_at,
            m.slots, m.last_tick_at, m.cause
          FROM ${recordset(sql, "r", { schedule_id: "uuid", tick: "text" }, ticks)}
          JOIN schedule_misfires m ON ${newestUntil("r.schedule_id", "r.tick")}`,

      /** Cursors that are late and have no misfire: the loop does not reach them. It is never punctual to the second. */
      listOverdueCursors: (lateness: Lateness, limit: number) =>
        listLateCursors(
          read`s.paused_at IS NULL AND s.quarantined_at IS NULL AND s.due_at IS NOT NULL
            AND s.due_at < ${addSeconds(lateness.now, -minLatenessSeconds)}`,
          lateness,
          limit
        ),
      /** The same of schedules that are paused or in quarantine. */
      listSuspendedCursors: (lateness: Lateness, limit: number) =>
        listLateCursors(read`(s.paused_at IS NOT NULL OR s.quarantined_at IS NOT NULL)`, lateness, limit),

      /** Fires that wait for an agent for longer than the grace, without a misfire, oldest first. */
      listWaitingFires: (lateness: Lateness, limit: number) =>
        read<LateTick>`SELECT f.schedule_id, f.scheduled_for AS tick
          FROM schedule_fires f JOIN schedules s ON s.id = f.schedule_id
          WHERE f.status IN ('pending', 'accepted', 'delivered', 'buffered') AND f.status = 'buffered'
            AND ${isLate("f.fired_at", lateness)} AND ${isUnrecorded("f.schedule_id", "f.scheduled_for")}
          ORDER BY f.scheduled_for LIMIT ${limit}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
