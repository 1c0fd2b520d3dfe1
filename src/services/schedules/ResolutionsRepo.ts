import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Id, type ScheduleId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { evidenceKinds } from "../../domain/schedules/Schedule/Recovery.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf } from "../kernel/sql/Rows.ts"

const Resolution = Schema.Struct({
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

/** What operators have to decide, and have decided, about fires with an unknown outcome. Under the lock of the schedule. */
export class ResolutionsRepo extends Effect.Service<ResolutionsRepo>()("svc/ResolutionsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Object.keys(Resolution.fields).join(", "))
    const openNames = sql.literal(Object.keys(openColumns).join(", "))

    return {
      find: ({ evidence_id, evidence_kind, schedule_id }: Evidence) =>
        firstRowOf(Resolution)(
          sql`SELECT ${columns} FROM schedule_resolutions
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
