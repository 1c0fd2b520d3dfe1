import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices } from "../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"
import { decodeSchedules, type ScheduleRow } from "./Repo.ts"

/** How long deletions are kept. A scheduler that was away for longer takes a new snapshot. */
const tombstoneDays = 7

/** A change of a schedule that the service owns: as it is now, or deleted. */
export type ScheduleChange =
  | { readonly revision: number; readonly schedule: Schedule }
  | { readonly revision: number; readonly project_id: ProjectId; readonly deleted_id: ScheduleId }

/** The schedules and projects that a scheduler watches; null: all. */
export type Scope = ProjectId | null

const Progress = Schema.Struct({ revision: Schema.Int, horizon: Schema.Int })
const TombstoneRow = Schema.Struct({ revision: Schema.Int, project_id: ProjectId, deleted_id: ScheduleId })

/**
 * The changes of schedules in the order of their revisions. All changes until `revision` are committed, since the row
 * lock of `takeRevisions` puts them in order, so no change appears behind a revision that was read.
 */
export class ScheduleChanges extends Effect.Service<ScheduleChanges>()("svc/ScheduleChanges", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const firstProgress = firstRowOf(Progress)
    const within = (scope: Scope) => scope === null ? read`` : read`AND project_id = ${scope}`

    /** The newest revision, and the horizon: changes until there are incomplete. */
    const progress = Effect.map(
      firstProgress(read`SELECT revision, horizon FROM schedule_changes WHERE id = 1`),
      Option.getOrElse(() => ({ revision: 0, horizon: 0 }))
    )

    /** The first `limit` changes after a revision, until `through`. */
    const list = Effect.fnUntraced(function*(scope: Scope, after: number, through: number, limit: number) {
      const rows = yield* Effect.map(
        read<ScheduleRow>`SELECT * FROM schedules WHERE schedule_revision > ${after} AND schedule_revision <= ${through}
          AND scheduler = 'svc-scheduler' ${within(scope)} ORDER BY schedule_revision LIMIT ${limit}`,
        decodeSchedules
      )
      const tombstones = yield* rowsOf(TombstoneRow)(
        read`SELECT revision, project_id, schedule_id AS deleted_id FROM schedule_tombstones
          WHERE revision > ${after} AND revision <= ${through} ${within(scope)} ORDER BY revision LIMIT ${limit}`
      )
      const upserts = rows.map((schedule) => ({ schedule, revision: schedule.schedule_revision ?? 0 }))
      return [...upserts, ...tombstones].toSorted((a, b) => a.revision - b.revision).slice(0, limit)
    })

    /** Schedules by id, after the given one. */
    const page = (scope: Scope, after: ScheduleId | null, limit: number) =>
      Effect.map(
        read<ScheduleRow>`SELECT * FROM schedules WHERE scheduler = 'svc-scheduler' ${within(scope)}
          ${after === null ? read`` : read`AND id > ${after}`} ORDER BY id LIMIT ${limit}`,
        decodeSchedules
      )

    /** Deletes old tombstones, after it has moved the horizon behind them. */
    const sweep = Effect.fn("ScheduleChanges.sweep")(function*() {
      const cutoff = Timestamp.addSeconds(yield* Timestamp.now, -tombstoneDays * Timestamp.secondsPerDay)
      yield* sql`UPDATE schedule_changes SET horizon = (SELECT max(revision) FROM schedule_tombstones
          WHERE deleted_at < ${cutoff})
        WHERE id = 1 AND EXISTS (SELECT 1 FROM schedule_tombstones WHERE deleted_at < ${cutoff})`
      yield* deleteInSlices(sql, {
        table: "schedule_tombstones",
        key: "revision",
        where: sql`revision <= (SELECT horizon FROM schedule_changes WHERE id = 1)`
      })
    })

    return { progress, list, page, sweep } as const
  })
}) {
  static readonly layer = this.Default
}
