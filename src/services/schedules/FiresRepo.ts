import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CommandStatus } from "../../domain/commands/Command.ts"
import { CommandId, FireRowId, Id, type ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { FireStatus, ScheduleFire, ScheduleRun } from "../../domain/schedules/Schedule/Fire.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idRows } from "../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

const RunRow = Schema.Struct({ schedule_id: ScheduleId, ...ScheduleRun.fields })
const StatusRow = Schema.Struct({ schedule_id: ScheduleId, status: FireStatus })

/** A fire as far as it says what may be decided about it. */
const RecordedFire = Schema.Struct({
  id: FireRowId,
  fire_id: Id,
  scheduled_for: Timestamp,
  status: FireStatus,
  command_id: Schema.NullOr(CommandId)
})

const CommandRow = Schema.Struct({
  id: CommandId,
  status: CommandStatus,
  action: Schema.String,
  target_id: Schema.NullOr(Schema.String),
  payload: Schema.String
})

/** Reads fires. They are written in `OpenFiresRepo.ts`. */
export class FiresRepo extends Effect.Service<FiresRepo>()("svc/FiresRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const sql = yield* SqlClient.SqlClient
    const fireColumns = read.literal(Object.keys(ScheduleFire.fields).join(", "))
    const runColumns = read.literal(Object.keys(RunRow.fields).map((column) => `f.${column}`).join(", "))
    const recordedColumns = sql.literal(Object.keys(RecordedFire.fields).join(", "))

    /**
     * The newest fires of each schedule, newest first. PostgreSQL reads them by one index range for each schedule;
     * SQLite has no lateral join, and finds the rows of each range by a correlated subquery.
     */
    const newestOf = (ids: ReadonlyArray<ScheduleId>, limit: number) =>
      sql.onDialectOrElse({
        pg: () =>
          read`${idRows(read, ids)} CROSS JOIN LATERAL (
            SELECT * FROM schedule_fires WHERE schedule_id = s.id ORDER BY scheduled_for DESC LIMIT ${limit}
          ) f`,
        orElse: () =>
          read`${idRows(read, ids)} JOIN schedule_fires f ON f.rowid IN (
            SELECT rowid FROM schedule_fires WHERE schedule_id = s.id ORDER BY scheduled_for DESC LIMIT ${limit}
          )`
      })

    return {
      listFires: (scheduleId: ScheduleId, limit: number) =>
        rowsOf(ScheduleFire)(
          read`SELECT ${fireColumns} FROM schedule_fires WHERE schedule_id = ${scheduleId}
            ORDER BY scheduled_for DESC LIMIT ${limit}`
        ),
      /** The fire of a schedule, in the caller's transaction. */
      findFire: (scheduleId: ScheduleId, fireId: string) =>
        firstRowOf(RecordedFire)(
          sql`SELECT ${recordedColumns} FROM schedule_fires WHERE schedule_id = ${scheduleId} AND fire_id = ${fireId}`
        ),
      /** The same by its tick, which finds the partition. */
      findFireAt: (fireId: string, tick: Timestamp) =>
        firstRowOf(RecordedFire)(
          sql`SELECT ${recordedColumns} FROM schedule_fires WHERE fire_id = ${fireId} AND scheduled_for = ${tick}`
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

      /** The command of a fire, in the caller's transaction. */
      findCommand: (projectId: ProjectId, id: string) =>
        firstRowOf(CommandRow)(
          sql`SELECT id, status, action, target_id, payload FROM commands WHERE project_id = ${projectId} AND id = ${id}`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
