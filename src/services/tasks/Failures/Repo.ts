import { Array as Arr, Effect, Schema } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { TaskKey } from "../../../domain/kernel/TaskKey.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import {
  type FailureGroup,
  type FailureWindow,
  type GroupHour,
  type ListFailureGroups,
  SampleTask,
  type Share
} from "../../../domain/tasks/Failure/Group.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { textIn } from "../../kernel/sql/Dialect.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"
import { levels } from "../Rollups/Series.ts"
import { timestampOf } from "../Rollups/Window.ts"
import { type CountedWindow, fillWindow, rangesOf } from "./Window.ts"

const countColumn = Schema.Union(Schema.Number, Schema.NumberFromString) // a bigint is a string on PostgreSQL

const GroupRow = Schema.Struct({
  fingerprint: Schema.String,
  engine: Schema.String,
  task_name: Schema.String,
  sample_task_id: Schema.String,
  sample_exception: Schema.NullOr(Schema.String),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  occurrences: countColumn,
  open_count: countColumn,
  recovered_count: countColumn
})
export type GroupRow = typeof GroupRow.Type

const groupRows = rowsOf(GroupRow)
const bucketRows = rowsOf(Schema.Struct({ bucket: countColumn, occurrences: countColumn }))
const slotRows = rowsOf(Schema.Struct({ fingerprint: Schema.String, slot: countColumn, occurrences: countColumn }))
const taskRows = rowsOf(SampleTask)

/** The place in the list: groups before it have been listed. */
export interface GroupPlace {
  readonly lastSeenAt: string
  readonly fingerprint: string
}

interface GroupQuery extends Pick<ListFailureGroups, "engine" | "status"> {
  readonly seenSince: Timestamp | null
  readonly after: GroupPlace | null
  readonly limit: number
}

/** Tasks whose workers and queues are counted: few rows of the index, however large the group is. */
const countedTasks = 100

export const makeFailureGroupsRepo = Effect.gen(function*() {
  const sql = yield* Reader
  const columns = sql.literal(Object.keys(GroupRow.fields).join(", "))

  return {
    /** The groups, most recently failed first. One index has the columns of all filters. */
    list: (projectId: ProjectId, { after, engine, limit, seenSince, status }: GroupQuery) =>
      groupRows(sql`SELECT ${columns} FROM failure_groups WHERE ${
        sql.and([
          sql`project_id = ${projectId}`,
          sql.literal("occurrences > 0"),
          ...(engine === undefined ? [] : [sql`engine = ${engine}`]),
          ...(status === undefined ? [] : [sql.literal(status === "ongoing" ? "open_count > 0" : "open_count <= 0")]),
          ...(seenSince === null ? [] : [sql`last_seen_at >= ${seenSince}`]),
          ...(after === null
            ? []
            : [sql`(last_seen_at, fingerprint) < (${after.lastSeenAt}, ${after.fingerprint})`])
        ])
      } ORDER BY last_seen_at DESC, fingerprint DESC LIMIT ${limit}`),

    find: (projectId: ProjectId, fingerprint: string) =>
      Effect.map(
        groupRows(sql`SELECT ${columns} FROM failure_groups
          WHERE project_id = ${projectId} AND fingerprint = ${fingerprint} AND occurrences > 0`),
        ([row]) => row
      ),

    /** Oldest first. */
    listHours: (projectId: ProjectId, fingerprint: string, since: number) =>
      Effect.map(
        bucketRows(sql`SELECT bucket, occurrences FROM failure_group_counts
          WHERE project_id = ${projectId} AND fingerprint = ${fingerprint} AND level = ${levels.hour}
            AND bucket >= ${since} AND occurrences > 0
          ORDER BY bucket`),
        (rows) => rows.map(({ bucket, occurrences }): GroupHour => ({ hour: timestampOf(bucket), occurrences }))
      ),

    /** The counts of these groups in the window, by fingerprint: at most 192 rows each in a list, and 1500 of one alone. */
    countWindows: (projectId: ProjectId, fingerprints: ReadonlyArray<string>, window: CountedWindow) =>
      Effect.map(
        Effect.forEach(rangesOf(window), ({ from, level, to }) =>
          slotRows(sql`SELECT fingerprint, slot, CAST(SUM(occurrences) AS BIGINT) AS occurrences FROM (
              SELECT fingerprint, bucket / ${sql.literal(String(window.size))} AS slot, occurrences
              FROM failure_group_counts
              WHERE project_id = ${projectId} AND ${textIn(sql, fingerprints, "fingerprint")} AND level = ${level}
                AND bucket BETWEEN ${from} AND ${to}
            ) AS counted GROUP BY fingerprint, slot`)),
        (ranges) => {
          const slots = Arr.groupBy(ranges.flat(), ({ fingerprint }) =>
            fingerprint)
          return (fingerprint: string) =>
            fillWindow(window, slots[fingerprint] ?? [])
        }
      ),

    findTask: (projectId: ProjectId, { engine, task_id }: TaskKey) =>
      Effect.map(
        taskRows(sql`SELECT engine, task_id, state, exception, traceback FROM tasks
          WHERE project_id = ${projectId} AND engine = ${engine} AND task_id = ${task_id}`),
        ([row]) => row ?? null
      ),

    /** How many of the newest tasks have each worker, and each queue; the most frequent first. */
    countShares: (projectId: ProjectId, fingerprint: string) =>
      Effect.map(
        sql<{ worker_name: string | null; queue: string | null }>`SELECT worker_name, queue FROM tasks
          WHERE project_id = ${projectId} AND fingerprint = ${fingerprint} ORDER BY id DESC LIMIT ${countedTasks}`,
        (tasks) => ({
          workers: sharesOf(tasks.map(({ worker_name }) => worker_name)),
          queues: sharesOf(tasks.map(({ queue }) => queue))
        })
      )
  } as const
})

const sharesOf = (names: ReadonlyArray<string | null>): ReadonlyArray<Share> => {
  const counts = new Map<string | null, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, tasks]) => ({ name, tasks })).sort((left, right) => right.tasks - left.tasks)
}

export const groupOf = (row: GroupRow, window: FailureWindow | null): FailureGroup => ({
  fingerprint: row.fingerprint,
  status: row.open_count > 0 ? "ongoing" : "recovered",
  occurrences: row.occurrences,
  open_count: Math.max(0, row.open_count),
  recovered_count: Math.max(0, row.recovered_count),
  first_seen: row.first_seen_at,
  last_seen: row.last_seen_at,
  engine_count: 1,
  engines: [row.engine],
  sample_exception: row.sample_exception,
  sample_task_name: row.task_name.startsWith("<unknown") ? null : row.task_name,
  window
})
