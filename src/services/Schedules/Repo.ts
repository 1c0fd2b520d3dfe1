import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/Id.ts"
import { type Schedule, SchedulePublic } from "../../domain/Schedule.ts"
import { Timestamp } from "../../domain/Timestamp.ts"
import { BooleanColumn } from "../ColumnTypes.ts"
import { Reader } from "../Database.ts"
import { forUpdate, idIn } from "../Dialect.ts"
import { firstRowOf, rowsOf } from "../Rows.ts"

/** Converts between a row of `schedules`, as the drivers return it, and a Schedule. */
const Row = Schema.Struct({
  ...SchedulePublic.omit(
    "args",
    "kwargs",
    "consecutive_failures",
    "skipped_slots_24h",
    "is_drifted",
    "priority",
    "overlap_policy"
  ).fields,
  is_enabled: BooleanColumn,
  args: Schema.String,
  kwargs: Schema.String,
  anchor_at: Timestamp,
  enabled_at: Timestamp,
  due_at: Schema.NullOr(Timestamp),
  cursor_at: Schema.NullOr(Timestamp),
  imported_digest: Schema.NullOr(Schema.String)
})
export type ScheduleRow = typeof Row.Encoded
const encode = Schema.encodeSync(Row)
const toSchedule = (row: typeof Row.Type): Schedule => ({ ...row, priority: "normal", overlap_policy: "allow" })
const decodeRows = Schema.decodeUnknownSync(Schema.Array(Row))
export const decodeSchedules = (rows: ReadonlyArray<ScheduleRow>): ReadonlyArray<Schedule> =>
  decodeRows(rows).map(toSchedule)
export const toRow = ({ overlap_policy: _policy, priority: _priority, ...schedule }: Schedule) => encode(schedule)

export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("svc/SchedulesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const allRows = rowsOf(Row)
    const firstRow = firstRowOf(Row)
    const firstRevision = firstRowOf(Schema.Struct({ revision: Schema.Int }))

    return {
      /** At most `limit` schedules by name and id, after the schedule of this key. */
      listPage: (
        projectId: ProjectId,
        after: { readonly name: string; readonly id: string } | null,
        limit: number
      ) =>
        Effect.map(
          allRows(
            read`SELECT * FROM schedules WHERE project_id = ${projectId}
            ${after === null ? read`` : read`AND (name, id) > (${after.name}, ${after.id})`}
            ORDER BY name, id LIMIT ${limit}`
          ),
          (rows) => rows.map(toSchedule)
        ),
      find: (projectId: ProjectId, id: ScheduleId) =>
        Effect.map(
          firstRow(read`SELECT * FROM schedules WHERE project_id = ${projectId} AND id = ${id}`),
          Option.map(toSchedule)
        ),
      /** The schedule, locked until the transaction ends. */
      lock: (projectId: ProjectId, id: ScheduleId) =>
        Effect.map(
          firstRow(sql`SELECT * FROM schedules WHERE project_id = ${projectId} AND id = ${id} ${forUpdate(sql)}`),
          Option.map(toSchedule)
        ),
      /** Those of the schedules that exist, in the caller's transaction. */
      listByIds: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)}`, decodeSchedules),
      insert: (schedule: Schedule) => sql`INSERT INTO schedules ${sql.insert(toRow(schedule))}`,
      update: (schedule: Schedule) =>
        sql`UPDATE schedules SET ${sql.update(toRow(schedule), ["id"])} WHERE id = ${schedule.id}`,
      delete: (id: ScheduleId) => sql`DELETE FROM schedules WHERE id = ${id}`,

      /**
       * Takes the project's next `count` revisions and returns the newest. Call it first in the transaction: its row
       * lock puts the transactions that change a project's schedules in order, so that none is committed after one with
       * a higher revision.
       */
      takeRevisions: (projectId: ProjectId, count: number) =>
        Effect.map(
          firstRevision(
            sql`INSERT INTO schedule_revisions (project_id, revision) VALUES (${projectId}, ${count})
            ON CONFLICT (project_id) DO UPDATE SET revision = schedule_revisions.revision + ${count} RETURNING revision`
          ),
          Option.match({ onNone: () => 0, onSome: ({ revision }) => revision })
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
