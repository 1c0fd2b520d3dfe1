import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Effect, Schema } from "effect"
import { type ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import type { TaskKey } from "../../../domain/kernel/TaskKey.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import {
  type FailureGroup,
  type FailureWindow,
  type GroupFilter,
  type GroupHour,
  type GroupSort,
  SampleTask,
  type Share
} from "../../../domain/tasks/Failure/Group.ts"
import { MuteEnd, Triage } from "../../../domain/tasks/Failure/Triage.ts"
import { isKnownName } from "../../../domain/tasks/UnknownName.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forNoKeyUpdate, textIn } from "../../kernel/sql/Dialect.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"
import { levels } from "../Rollups/Series.ts"
import { coverOf, timestampOf } from "../Rollups/Window.ts"
import { type AssigneeNames, isAssignedTo } from "./Assignees.ts"
import { escalationOf } from "./Escalation.ts"
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
  recovered_count: countColumn,
  triage: Triage,
  triaged_at: Schema.NullOr(Timestamp),
  triaged_by: Schema.NullOr(UserId),
  muted_until: Schema.NullOr(MuteEnd),
  assignee_id: Schema.NullOr(UserId),
  note: Schema.NullOr(Schema.String)
})
export type GroupRow = typeof GroupRow.Type

const groupRows = rowsOf(GroupRow)
const rankedRows = rowsOf(Schema.Struct({ ...GroupRow.fields, rank: Schema.Union(Schema.Number, Schema.String) }))
const bucketRows = rowsOf(Schema.Struct({ bucket: countColumn, occurrences: countColumn }))
const slotRows = rowsOf(Schema.Struct({ fingerprint: Schema.String, slot: countColumn, occurrences: countColumn }))
const taskRows = rowsOf(SampleTask)

/** The place in the list: groups before it have been listed. */
export interface GroupPlace {
  readonly rank: string
  readonly lastSeenAt: string
  readonly fingerprint: string
}

interface GroupQuery {
  readonly engine: string | undefined
  readonly status: GroupFilter | undefined
  /** Null: without an assignee. */
  readonly assignee: UserId | null | undefined
  readonly search: string | undefined
  readonly sort: GroupSort
  /** In which failures are counted; null: of all time. */
  readonly window: CountedWindow | null
  readonly seenSince: Timestamp | null
  readonly now: Timestamp
  readonly after: GroupPlace | null
  readonly limit: number
}

/** The groups of a status. The words are literals, so that the databases use their partial indexes. */
const statusConditions: Readonly<Record<GroupFilter, string>> = {
  ongoing: "open_count > 0 AND triage IN ('open', 'regressed')",
  recovered: "open_count <= 0 AND triage IN ('open', 'regressed')",
  regressed: "triage = 'regressed'",
  muted: "triage = 'muted'",
  resolved: "triage = 'resolved'",
  all: "occurrences > 0"
}
const unlessGiven = "triage IN ('open', 'regressed')"

/** Groups that a list sorts by a count: with their windows 10 ms on SQLite. */
const maxRanked = 1000

/** Tasks whose workers and queues are counted: few rows of the index, however large the group is. */
const countedTasks = 100

export const makeFailureGroupsRepo = Effect.gen(function*() {
  const sql = yield* Reader
  const write = yield* SqlClient.SqlClient
  const columns = sql.literal(Object.keys(GroupRow.fields).join(", "))

  const conditionsOf = (projectId: ProjectId, { assignee, engine, search, seenSince, status }: GroupQuery) => {
    const letters = (search ?? "").replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const pattern = `%${letters.replace(/[\\%_]/g, "\\$&")}%`
    return [
      sql`project_id = ${projectId}`,
      sql.literal(`occurrences > 0 AND ${status === undefined ? unlessGiven : statusConditions[status]}`),
      ...(engine === undefined ? [] : [sql`engine = ${engine}`]),
      ...(assignee === undefined ? [] : [isAssignedTo(sql, projectId, assignee)]),
      ...(search === undefined
        ? []
        : [sql`lower(task_name || ' ' || coalesce(sample_exception, '')) LIKE ${pattern} ESCAPE '\\'`]),
      ...(seenSince === null ? [] : [sql`last_seen_at >= ${seenSince}`])
    ]
  }

  /** Failed attempts of the group `g` in the window, from as few rows as there are. */
  const countIn = ({ from }: CountedWindow) =>
    sql.join(" + ", false)(
      coverOf(from, Number.MAX_SAFE_INTEGER).map(({ from, level, to }) =>
        sql`coalesce((SELECT CAST(SUM(c.occurrences) AS BIGINT) FROM failure_group_counts c
          WHERE c.project_id = g.project_id AND c.fingerprint = g.fingerprint AND c.level = ${level}
            AND c.bucket BETWEEN ${from} AND ${to}), 0)`
      )
    )

  /** By what a list sorts the groups `g` before their last failure, and the type of that. */
  const rankOf = ({ now, sort, window }: GroupQuery): readonly [Statement.Fragment, "BIGINT" | "TEXT"] => {
    switch (sort) {
      case "first_seen":
        return [sql.literal("g.first_seen_at"), "TEXT"]
      case "escalating":
        return [sql`coalesce(${escalationOf(sql, now)}, 0)`, "BIGINT"]
      default:
        return [window === null ? sql.literal("g.occurrences") : countIn(window), "BIGINT"]
    }
  }

  return {
    /** The groups in the order of the query. One index has the columns of all filters but the search. */
    list: (projectId: ProjectId, query: GroupQuery) => {
      const { after, limit } = query
      const conditions = conditionsOf(projectId, query)
      if (query.sort === "last_seen") {
        return rankedRows(sql`SELECT ${columns}, 0 AS rank FROM failure_groups WHERE ${
          sql.and([
            ...conditions,
            ...(after === null
              ? []
              : [sql`(last_seen_at, fingerprint) < (${after.lastSeenAt}, ${after.fingerprint})`])
          ])
        } ORDER BY last_seen_at DESC, fingerprint DESC LIMIT ${limit}`)
      }
      const [rank, type] = rankOf(query)
      return rankedRows(sql`SELECT ${columns}, rank FROM (
          SELECT g.*, ${rank} AS rank FROM (SELECT * FROM failure_groups WHERE ${sql.and(conditions)}
            ORDER BY last_seen_at DESC, fingerprint DESC LIMIT ${maxRanked}) AS g
        ) AS ranked ${
        after === null ? sql.literal("") : sql`WHERE (rank, last_seen_at, fingerprint) <
          (CAST(${after.rank} AS ${sql.literal(type)}), ${after.lastSeenAt}, ${after.fingerprint})`
      } ORDER BY rank DESC, last_seen_at DESC, fingerprint DESC LIMIT ${limit}`)
    },

    /** Locked until the transaction ends. */
    findForUpdate: (projectId: ProjectId, fingerprint: string) =>
      Effect.map(
        groupRows(write`SELECT ${columns} FROM failure_groups
          WHERE project_id = ${projectId} AND fingerprint = ${fingerprint} AND occurrences > 0
          ${forNoKeyUpdate(write)}`),
        ([row]) => row
      ),

    /** Writes what people decided about a group; its counts belong to the ingest. */
    saveTriage: (
      projectId: ProjectId,
      { assignee_id, fingerprint, muted_until, note, triage, triaged_at, triaged_by }: GroupRow
    ) =>
      write`UPDATE failure_groups SET triage = ${triage}, triaged_at = ${triaged_at}, triaged_by = ${triaged_by},
          muted_until = ${muted_until}, assignee_id = ${assignee_id}, note = ${note}
        WHERE project_id = ${projectId} AND fingerprint = ${fingerprint}`,

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

export const groupOf = (row: GroupRow, window: FailureWindow | null, names: AssigneeNames): FailureGroup => ({
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
  sample_task_name: isKnownName(row.task_name) ? row.task_name : null,
  window,
  triage: row.triage,
  triaged_at: row.triaged_at,
  triaged_by: row.triaged_by === null ? null : names.get(row.triaged_by) ?? { id: row.triaged_by, name: null },
  muted_until: row.muted_until,
  // a user who is deactivated takes care of nothing
  assignee: row.assignee_id === null ? null : names.get(row.assignee_id) ?? null,
  note: row.note
})
