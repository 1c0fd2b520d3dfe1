import { SqlClient, type SqlError } from "@effect/sql"
import { Array as Arr, Effect, Option, Schema } from "effect"
import { ProjectId, ScheduleId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import { addSeconds, secondsPerDay, Timestamp } from "../../domain/kernel/Timestamp.ts"
import { type Schedule, SchedulePublic } from "../../domain/schedules/Schedule.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices, forUpdate, idIn, skipLocked, textIn } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

/** Converts between a row of `schedules`, as the drivers return it, and a Schedule. */
const Row = Schema.Struct({
  ...SchedulePublic.omit(
    "args",
    "kwargs",
    "summary",
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

const columnTypes = {
  id: "uuid",
  project_id: "uuid",
  engine: "text",
  scheduler: "text",
  name: "text",
  task_name: "text",
  kind: "text",
  expression: "text",
  timezone: "text",
  queue: "text",
  args: "text",
  kwargs: "text",
  is_enabled: "integer",
  last_run_at: "text",
  next_run_at: "text",
  due_at: "text",
  cursor_at: "text",
  total_runs: "bigint",
  external_id: "text",
  catch_up: "text",
  on_unknown_outcome: "text",
  jitter_seconds: "integer",
  grace_seconds: "integer",
  paused_at: "text",
  source: "text",
  source_hash: "text",
  imported_digest: "text",
  stream_id: "uuid",
  source_key: "text",
  control_token: "uuid",
  legacy_fire_control_token: "uuid",
  schedule_revision: "bigint",
  quarantine_control_token: "uuid",
  quarantine_code: "text",
  quarantine_detail: "text",
  quarantined_at: "text",
  anchor_at: "text",
  enabled_at: "text",
  created_at: "text",
  updated_at: "text"
} satisfies Record<keyof ScheduleRow, "uuid" | "text" | "integer" | "bigint">

type ScheduleRows = Effect.Effect<ReadonlyArray<ScheduleRow>, SqlError.SqlError>
const all = (rows: ScheduleRows) => Effect.map(rows, decodeSchedules)
const first = (rows: ScheduleRows) => Effect.map(all(rows), Arr.head)

/** Schedules of a statement: each takes about 40 µs of SQLite, which blocks the event loop. */
const slice = 100

/** The keys of a snapshot, and the source whose other schedules it replaces. */
export interface Snapshot {
  readonly projectId: ProjectId
  readonly scheduler: string
  readonly names: ReadonlyArray<string>
  readonly source: string | null
}

/** How long deletions are kept. A scheduler that was away for longer takes a new snapshot. */
const tombstoneDays = 7

/** The schedules and projects that a scheduler watches; null: all. */
export type Scope = ProjectId | null

const Progress = Schema.Struct({ revision: Schema.Int, horizon: Schema.Int })
const DeletedRow = Schema.Struct({ revision: Schema.Int, project_id: ProjectId, deleted_id: ScheduleId })

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

/**
 * Schedules, and their changes and deletions in the order of their revisions. What is due: `DueRepo.ts`. Long: one object
 * of statements, each of a few lines; every change of a schedule takes a revision, and each deletion leaves a tombstone.
 */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("svc/SchedulesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const tombstoneNames = sql.literal(Object.keys(tombstoneColumns).join(", "))
    const firstRevision = firstRowOf(Schema.Struct({ revision: Schema.Int }))
    const columns = sql.literal(Object.keys(columnTypes).join(", "))
    const overwritten = sql.literal(
      Object.keys(columnTypes).filter((name) => name !== "id").map((name) => `${name} = excluded.${name}`).join(", ")
    )
    const within = (scope: Scope) => scope === null ? read`` : read`AND project_id = ${scope}`

    const selectSnapshot = (on: SqlClient.SqlClient, { names, projectId, scheduler, source }: Snapshot) =>
      on<ScheduleRow>`SELECT * FROM schedules WHERE project_id = ${projectId} AND scheduler = ${scheduler}
        AND (${textIn(on, names, "name")} ${source === null ? on`` : on`OR source = ${source}`}) ORDER BY id`

    return {
      /** At most `limit` schedules by name and id, after the schedule of this key. */
      listPage: (
        projectId: ProjectId,
        after: { readonly name: string; readonly id: string } | null,
        limit: number
      ) =>
        all(
          read<ScheduleRow>`SELECT * FROM schedules WHERE project_id = ${projectId}
            ${after === null ? read`` : read`AND (name, id) > (${after.name}, ${after.id})`}
            ORDER BY name, id LIMIT ${limit}`
        ),
      find: (projectId: ProjectId, id: ScheduleId) =>
        first(read<ScheduleRow>`SELECT * FROM schedules WHERE project_id = ${projectId} AND id = ${id}`),
      /** The schedule of whatever project. */
      findById: (id: ScheduleId) => first(read<ScheduleRow>`SELECT * FROM schedules WHERE id = ${id}`),
      /** The schedule, locked until the transaction ends. */
      lock: (projectId: ProjectId, id: ScheduleId) =>
        first(
          sql<ScheduleRow>`SELECT * FROM schedules WHERE project_id = ${projectId} AND id = ${id} ${forUpdate(sql)}`
        ),
      /** Those of the schedules that exist, locked until the transaction ends. */
      lockByIds: (ids: ReadonlyArray<ScheduleId>) =>
        all(sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} ORDER BY id ${forUpdate(sql)}`),
      /** The same without those that another transaction holds. */
      lockFree: (ids: ReadonlyArray<ScheduleId>) =>
        all(sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)} ORDER BY id ${skipLocked(sql)}`),
      /** Those of the schedules that exist, in the caller's transaction. */
      listByIds: (ids: ReadonlyArray<ScheduleId>) =>
        all(sql<ScheduleRow>`SELECT * FROM schedules WHERE ${idIn(sql, ids)}`),
      /** Those of the ids that are schedules of the project. */
      listOwned: (projectId: ProjectId, ids: ReadonlyArray<ScheduleId>) =>
        read<{ readonly id: ScheduleId }>`SELECT id FROM schedules WHERE ${
          idIn(read, ids)
        } AND project_id = ${projectId}`,
      /** Schedules of the scheduler with one of these keys or names. */
      listByNames: (
        projectId: ProjectId,
        scheduler: string,
        { keys, names }: { readonly keys: ReadonlyArray<string>; readonly names: ReadonlyArray<string> }
      ) =>
        sql<{ readonly id: ScheduleId; readonly name: string; readonly source_key: string | null }>`
          SELECT id, name, source_key FROM schedules WHERE project_id = ${projectId} AND scheduler = ${scheduler}
            AND (${textIn(sql, keys, "source_key")} OR ${textIn(sql, names, "name")}) ORDER BY id`,
      listSnapshot: (snapshot: Snapshot) => all(selectSnapshot(read, snapshot)),
      /** Locked until the transaction ends. */
      lockSnapshot: (snapshot: Snapshot) => all(sql<ScheduleRow>`${selectSnapshot(sql, snapshot)} ${forUpdate(sql)}`),
      /** Inserts the schedules, and overwrites those whose id exists. */
      writeAll: (schedules: ReadonlyArray<Schedule>) =>
        Effect.forEach(
          Arr.chunksOf(schedules, slice),
          (batch) =>
            sql`INSERT INTO schedules (${columns}) SELECT ${columns}
              FROM ${recordset(sql, "r", columnTypes, batch.map(toRow))} WHERE true
              ON CONFLICT (id) DO UPDATE SET ${overwritten}`,
          { discard: true }
        ),
      deleteAll: (schedules: ReadonlyArray<Schedule>) =>
        Effect.forEach(
          Arr.chunksOf(schedules, slice),
          (batch) => sql`DELETE FROM schedules WHERE ${idIn(sql, batch.map(({ id }) => id))}`,
          { discard: true }
        ),
      /** Gives the schedules names that no other one has, so that two of them can exchange theirs. */
      releaseNames: (ids: ReadonlyArray<ScheduleId>) =>
        sql`UPDATE schedules SET name = CAST(id AS TEXT) WHERE ${idIn(sql, ids)}`,
      insert: (schedule: Schedule) => sql`INSERT INTO schedules ${sql.insert(toRow(schedule))}`,
      update: (schedule: Schedule) =>
        sql`UPDATE schedules SET ${sql.update(toRow(schedule), ["id"])} WHERE id = ${schedule.id}`,
      /** The circuit breaker has disabled it. The mark no longer counts once a person has enabled it again. */
      markTripped: (id: ScheduleId, at: Timestamp) => sql`UPDATE schedules SET tripped_at = ${at} WHERE id = ${id}`,
      delete: (id: ScheduleId) => sql`DELETE FROM schedules WHERE id = ${id}`,
      /** Keeps deletions for schedulers that watch (`listChanges`), each under a revision of its own. */
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
       * Revisions count over all projects, because a scheduler watches all of them by one number (`listChanges`).
       */
      takeRevisions: (count: number) =>
        Effect.map(
          firstRevision(
            sql`UPDATE schedule_changes SET revision = revision + ${count} WHERE id = 1 RETURNING revision`
          ),
          Option.match({ onNone: () => 0, onSome: ({ revision }) => revision })
        ),
      /**
       * The newest revision, and the horizon: changes until there are incomplete. All changes until the revision are
       * committed, so no change appears behind a revision that was read.
       */
      progress: Effect.map(
        firstRowOf(Progress)(read`SELECT revision, horizon FROM schedule_changes WHERE id = 1`),
        Option.getOrElse(() => ({ revision: 0, horizon: 0 }))
      ),
      /** The first `limit` changes after a revision, until `through`. */
      listChanges: Effect.fnUntraced(function*(scope: Scope, after: number, through: number, limit: number) {
        const rows = yield* all(
          read<ScheduleRow>`SELECT * FROM schedules
            WHERE schedule_revision > ${after} AND schedule_revision <= ${through}
              AND scheduler = 'svc-scheduler' ${within(scope)} ORDER BY schedule_revision LIMIT ${limit}`
        )
        const deleted = yield* rowsOf(DeletedRow)(
          read`SELECT revision, project_id, schedule_id AS deleted_id FROM schedule_tombstones
            WHERE revision > ${after} AND revision <= ${through} ${within(scope)} ORDER BY revision LIMIT ${limit}`
        )
        const upserts = rows.map((schedule) => ({ schedule, revision: schedule.schedule_revision ?? 0 }))
        return [...upserts, ...deleted].toSorted((a, b) => a.revision - b.revision).slice(0, limit)
      }),
      /** Schedules that the service owns by id, after the given one. */
      listWatched: (scope: Scope, after: ScheduleId | null, limit: number) =>
        all(
          read<ScheduleRow>`SELECT * FROM schedules WHERE scheduler = 'svc-scheduler' ${within(scope)}
            ${after === null ? read`` : read`AND id > ${after}`} ORDER BY id LIMIT ${limit}`
        ),
      /** Deletes old tombstones, after it has moved the horizon behind them. */
      pruneTombstones: Effect.fnUntraced(function*(now: Timestamp) {
        const cutoff = addSeconds(now, -tombstoneDays * secondsPerDay)
        yield* sql`UPDATE schedule_changes SET horizon = (SELECT max(revision) FROM schedule_tombstones
            WHERE deleted_at < ${cutoff})
          WHERE id = 1 AND EXISTS (SELECT 1 FROM schedule_tombstones WHERE deleted_at < ${cutoff})`
        yield* deleteInSlices(sql, {
          table: "schedule_tombstones",
          key: "revision",
          where: sql`revision <= (SELECT horizon FROM schedule_changes WHERE id = 1)`
        })
      }),
      /** After a restore: scheduler programs have seen higher revisions, and take a new snapshot before the horizon. */
      raiseRevisions: (before: number, gap: number) => {
        const raised = sql`CASE WHEN revision > ${before} THEN revision ELSE ${before} END + ${gap}`
        return sql`UPDATE schedule_changes SET revision = ${raised}, horizon = ${raised}`
      }
    } as const
  })
}) {
  static readonly layer = this.Default
}
