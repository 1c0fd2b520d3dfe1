import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { type ProjectId, type ScheduleId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { type Schedule, SchedulePublic } from "../../domain/schedules/Schedule.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn, skipLocked } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

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
  imported_digest: Schema.NullOr(Schema.String),
  stream_id: Schema.NullOr(ScheduleStreamId),
  source_key: Schema.NullOr(Schema.String)
})
export type ScheduleRow = typeof Row.Encoded
const encode = Schema.encodeSync(Row)
const toSchedule = (row: typeof Row.Type): Schedule => ({ ...row, priority: "normal", overlap_policy: "allow" })
const decodeRows = Schema.decodeUnknownSync(Schema.Array(Row))
export const decodeSchedules = (rows: ReadonlyArray<ScheduleRow>): ReadonlyArray<Schedule> =>
  decodeRows(rows).map(toSchedule)
export const toRow = ({ overlap_policy: _policy, priority: _priority, ...schedule }: Schedule) => encode(schedule)

/** A deleted schedule. */
export interface Tombstone {
  readonly revision: number
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly deleted_at: Timestamp
}

const tombstoneColumns = {
  revision: "bigint",
  project_id: "uuid",
  schedule_id: "uuid",
  deleted_at: "text"
} satisfies Record<keyof Tombstone, "bigint" | "uuid" | "text">

export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("svc/SchedulesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const allRows = rowsOf(Row)
    const firstRow = firstRowOf(Row)
    const tombstoneNames = sql.literal(Object.keys(tombstoneColumns).join(", "))
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
      /** The schedule of whatever project. */
      findById: (id: ScheduleId) =>
        Effect.map(firstRow(read`SELECT * FROM schedules WHERE id = ${id}`), Option.map(toSchedule)),
      /** The schedule, locked until the transaction ends. */
      lock: (projectId: ProjectId, id: ScheduleId) =>
        Effect.map(
          firstRow(sql`SELECT * FROM schedules WHERE project_id = ${projectId} AND id = ${id} ${forUpdate(sql)}`),
          Option.map(toSchedule)
        ),
      /** Those of the schedules that exist, locked until the transaction ends. */
      lockByIds: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} ORDER BY id ${forUpdate(sql)}`,
          decodeSchedules
        ),
      /** The same without those that another transaction holds. */
      lockFree: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} ORDER BY id ${skipLocked(sql)}`,
          decodeSchedules
        ),
      /** Those of the schedules that exist, in the caller's transaction. */
      listByIds: (ids: ReadonlyArray<ScheduleId>) =>
        Effect.map(sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)}`, decodeSchedules),
      insert: (schedule: Schedule) => sql`INSERT INTO schedules ${sql.insert(toRow(schedule))}`,
      update: (schedule: Schedule) =>
        sql`UPDATE schedules SET ${sql.update(toRow(schedule), ["id"])} WHERE id = ${schedule.id}`,
      /** The circuit breaker has disabled it. The mark no longer counts once a person has enabled it again. */
      markTripped: (id: ScheduleId, at: Timestamp) => sql`UPDATE schedules SET tripped_at = ${at} WHERE id = ${id}`,
      delete: (id: ScheduleId) => sql`DELETE FROM schedules WHERE id = ${id}`,
      /** Keeps deletions for schedulers that watch (`Changes.ts`), each under a revision of its own. */
      insertTombstones: (tombstones: ReadonlyArray<Tombstone>) =>
        sql`INSERT INTO schedule_tombstones (${tombstoneNames}) SELECT ${tombstoneNames}
          FROM ${recordset(sql, "r", tombstoneColumns, tombstones)}`,
      /** Keeps the deletion of all schedules of a project, which is deleted after it. Call it first, as `takeRevisions`. */
      insertProjectTombstones: (projectId: ProjectId, now: Timestamp) =>
        Effect.zipRight(
          sql`UPDATE schedule_changes SET revision = revision + (
              SELECT count(*) FROM schedules WHERE project_id = ${projectId}
            ) WHERE id = 1`,
          sql`INSERT INTO schedule_tombstones (${tombstoneNames})
            SELECT c.revision + 1 - row_number() OVER (ORDER BY s.id), s.project_id, s.id, ${now}
            FROM schedules s CROSS JOIN schedule_changes c WHERE s.project_id = ${projectId}`
        ),

      /**
       * Takes the next `count` revisions and returns the newest. Call it first in the transaction: its row lock puts the
       * transactions that change schedules in order, so that none is committed after one with a higher revision.
       * Revisions count over all projects, because a scheduler watches all of them by one number (`Changes.ts`).
       */
      takeRevisions: (count: number) =>
        Effect.map(
          firstRevision(
            sql`UPDATE schedule_changes SET revision = revision + ${count} WHERE id = 1 RETURNING revision`
          ),
          Option.match({ onNone: () => 0, onSome: ({ revision }) => revision })
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
