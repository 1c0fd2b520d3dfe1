import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { CommandStatus } from "../../domain/commands/Command.ts"
import { CommandId, FireRowId, Id, type ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { FireStatus, ScheduleFire, ScheduleRun } from "../../domain/schedules/Schedule/Fire.ts"
import type { evidenceKinds } from "../../domain/schedules/Schedule/Recovery.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idRows } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
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

export const Resolution = Schema.Struct({
  fire_id: Id,
  resolved_at: Schema.NullOr(Timestamp),
  work_may_have_executed: Schema.NullOr(BooleanColumn),
  enabled_after_resolution: Schema.NullOr(BooleanColumn),
  grant_carried: Schema.NullOr(BooleanColumn),
  control_token: Schema.NullOr(Id),
  revision: Schema.NullOr(Schema.Int)
})
export type Resolution = typeof Resolution.Type

type EvidenceKind = (typeof evidenceKinds)[number]

/** What a resolution is about. */
export interface Evidence {
  readonly schedule_id: ScheduleId
  readonly evidence_kind: EvidenceKind
  /** Of a fire with a command its `fire_id`, else the id of the row. */
  readonly evidence_id: string
}

/** A fire whose unknown outcome keeps its schedule in quarantine. */
export interface OpenResolution extends Evidence {
  readonly fire_id: string
  readonly opened_at: Timestamp
}

export interface NewResolution extends Evidence {
  readonly fire_id: string
  readonly resolved_at: Timestamp
  readonly work_may_have_executed: boolean
  readonly enabled_after_resolution: boolean
  readonly grant_carried: boolean
  readonly control_token: string
  readonly revision: number
}

const openColumns = {
  schedule_id: "uuid",
  evidence_kind: "text",
  evidence_id: "uuid",
  fire_id: "uuid",
  opened_at: "text"
} satisfies Record<keyof OpenResolution, "uuid" | "text">

/**
 * Reads fires, and has what operators decide about them: the rows of `schedule_resolutions`, under the lock of the
 * schedule. Fires are written in `OpenFiresRepo.ts`.
 */
export class FiresRepo extends Effect.Service<FiresRepo>()("svc/FiresRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const sql = yield* SqlClient.SqlClient
    const fireColumns = read.literal(Object.keys(ScheduleFire.fields).join(", "))
    const runColumns = read.literal(Object.keys(RunRow.fields).map((column) => `f.${column}`).join(", "))
    const recordedColumns = sql.literal(Object.keys(RecordedFire.fields).join(", "))
    const resolutionColumns = sql.literal(Object.keys(Resolution.fields).join(", "))
    const openNames = sql.literal(Object.keys(openColumns).join(", "))

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
        ),
      findResolution: ({ evidence_id, evidence_kind, schedule_id }: Evidence) =>
        firstRowOf(Resolution)(
          sql`SELECT ${resolutionColumns} FROM schedule_resolutions
            WHERE schedule_id = ${schedule_id} AND evidence_kind = ${evidence_kind} AND evidence_id = ${evidence_id}`
        ),
      /** The fire that keeps the schedule in quarantine for the longest time; none: nothing does. */
      findOpen: (scheduleId: ScheduleId) =>
        Effect.map(
          firstRowOf(Schema.Struct({ fire_id: Id }))(
            sql`SELECT fire_id FROM schedule_resolutions WHERE schedule_id = ${scheduleId} AND resolved_at IS NULL
              ORDER BY opened_at, fire_id LIMIT 1`
          ),
          Option.map(({ fire_id }) => fire_id)
        ),
      insertOpen: (rows: ReadonlyArray<OpenResolution>) =>
        sql`INSERT INTO schedule_resolutions (${openNames})
          SELECT ${openNames} FROM ${recordset(sql, "r", openColumns, rows)} WHERE true ON CONFLICT DO NOTHING`,
      /** The outcomes of these fires are known: nothing is left for an operator to decide. */
      deleteOpen: (fires: ReadonlyArray<Pick<OpenResolution, "schedule_id" | "fire_id">>) =>
        sql`DELETE FROM schedule_resolutions WHERE evidence_kind = 'fire' AND resolved_at IS NULL
          AND ${sql.in("schedule_id", fires.map(({ schedule_id }) => schedule_id))}
          AND ${sql.in("evidence_id", fires.map(({ fire_id }) => fire_id))}`,
      resolve: (resolution: NewResolution) => {
        const row = {
          ...resolution,
          work_may_have_executed: resolution.work_may_have_executed ? 1 : 0,
          enabled_after_resolution: resolution.enabled_after_resolution ? 1 : 0,
          grant_carried: resolution.grant_carried ? 1 : 0
        }
        return sql`INSERT INTO schedule_resolutions ${sql.insert({ ...row, opened_at: resolution.resolved_at })}
          ON CONFLICT (schedule_id, evidence_kind, evidence_id) DO UPDATE SET ${
          sql.update(row, ["schedule_id", "evidence_kind", "evidence_id", "fire_id"])
        }`
      }
    } as const
  })
}) {
  static readonly layer = this.Default
}
