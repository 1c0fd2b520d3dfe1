import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CommandId, type ProjectId, type ScheduleId, ScheduleId as ScheduleIdSchema } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { FireStatus, ScheduleFire, ScheduleRun } from "../../domain/schedules/Schedule/Fire.ts"
import { ScheduleMisfire } from "../../domain/schedules/Schedule/Misfire.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

const RunRow = Schema.Struct({ schedule_id: ScheduleIdSchema, ...ScheduleRun.fields })
const StatusRow = Schema.Struct({ schedule_id: ScheduleIdSchema, status: FireStatus })
const CommandRow = Schema.Struct({ command_id: Schema.NullOr(CommandId), status: FireStatus })
const CountRow = Schema.Struct({ schedule_id: ScheduleIdSchema, n: Schema.Int })

/** Reads fires and misfires. */
export class FiresRepo extends Effect.Service<FiresRepo>()("svc/FiresRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const sql = yield* SqlClient.SqlClient
    const fireColumns = read.literal(Object.keys(ScheduleFire.fields).join(", "))
    const runColumns = read.literal(Object.keys(RunRow.fields).map((column) => `f.${column}`).join(", "))
    const misfireColumns = read.literal(Object.keys(ScheduleMisfire.fields).join(", "))

    /** The ids as the rows of the table `s`. */
    const idRows = (ids: ReadonlyArray<ScheduleId>) =>
      sql.onDialectOrElse({
        pg: () => read`(SELECT unnest(${ids}::uuid[]) AS id) s`,
        orElse: () => read`(SELECT value AS id FROM json_each(${JSON.stringify(ids)})) s`
      })

    /**
     * The newest fires of each schedule, newest first. PostgreSQL reads them by one index range for each schedule;
     * SQLite has no lateral join, and finds the rows of each range by a correlated subquery.
     */
    const newestOf = (ids: ReadonlyArray<ScheduleId>, limit: number) =>
      sql.onDialectOrElse({
        pg: () =>
          read`${idRows(ids)} CROSS JOIN LATERAL (
            SELECT * FROM schedule_fires WHERE schedule_id = s.id ORDER BY scheduled_for DESC LIMIT ${limit}
          ) f`,
        orElse: () =>
          read`${idRows(ids)} JOIN schedule_fires f ON f.rowid IN (
            SELECT rowid FROM schedule_fires WHERE schedule_id = s.id ORDER BY scheduled_for DESC LIMIT ${limit}
          )`
      })

    return {
      listFires: (scheduleId: ScheduleId, limit: number) =>
        rowsOf(ScheduleFire)(
          read`SELECT ${fireColumns} FROM schedule_fires WHERE schedule_id = ${scheduleId}
            ORDER BY scheduled_for DESC LIMIT ${limit}`
        ),
      /** The command and status of a fire, in the caller's transaction. */
      findFire: (fireId: string, tick: Timestamp) =>
        firstRowOf(CommandRow)(
          sql`SELECT command_id, status FROM schedule_fires WHERE fire_id = ${fireId} AND scheduled_for = ${tick}`
        ),
      /** Those of the ids that are schedules of the project. */
      listOwned: (projectId: ProjectId, ids: ReadonlyArray<ScheduleId>) =>
        rowsOf(Schema.Struct({ id: ScheduleIdSchema }))(
          read`SELECT p.id FROM ${idRows(ids)} JOIN schedules p ON p.id = s.id WHERE p.project_id = ${projectId}`
        ),
      /** The newest `limit` fires of each schedule. */
      listRuns: (ids: ReadonlyArray<ScheduleId>, limit: number) =>
        rowsOf(RunRow)(
          read`SELECT ${runColumns} FROM ${newestOf(ids, limit)} ORDER BY f.schedule_id, f.scheduled_for DESC`
        ),
      /** Statuses of the newest `limit` fires of each schedule since it was last enabled, newest first. */
      listStatuses: (ids: ReadonlyArray<ScheduleId>, limit: number) =>
        rowsOf(StatusRow)(
          read`SELECT f.schedule_id, f.status FROM ${newestOf(ids, limit)} JOIN schedules p ON p.id = s.id
            WHERE f.fired_at >= p.enabled_at ORDER BY f.schedule_id, f.scheduled_for DESC`
        ),
      /** Ticks of each schedule that were found missed after `since`; none for a schedule without. */
      countMisfires: (ids: ReadonlyArray<ScheduleId>, since: Timestamp) =>
        rowsOf(CountRow)(
          read`SELECT s.id AS schedule_id, sum(m.slots) AS n FROM ${idRows(ids)}
            JOIN schedule_misfires m ON m.schedule_id = s.id AND m.detected_at > ${since} GROUP BY s.id`
        ),
      /** Newest first; of one schedule, or of all in the project. */
      listMisfires: (projectId: ProjectId, scheduleId: ScheduleId | null, limit: number) =>
        rowsOf(ScheduleMisfire)(
          scheduleId === null
            ? read`SELECT ${misfireColumns} FROM schedule_misfires WHERE project_id = ${projectId}
              ORDER BY id DESC LIMIT ${limit}`
            : read`SELECT ${misfireColumns} FROM schedule_misfires WHERE schedule_id = ${scheduleId}
              ORDER BY id DESC LIMIT ${limit}`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
