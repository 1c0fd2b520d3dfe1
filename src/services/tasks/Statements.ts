import type { SqlClient, Statement } from "@effect/sql"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { termsOf } from "../../domain/tasks/Task/Expression.ts"
import type { TaskFilter } from "../../domain/tasks/Task/Filter.ts"
import type { TaskFacet } from "../../domain/tasks/TaskFacet.ts"
import { type Conditions, type Fragment, idBoundsOf } from "./Conditions.ts"

/** A window of the matching tasks: up to `limit` ids after `after`, in the order of the ids. */
export interface IdWindow {
  readonly direction: "newest" | "oldest"
  readonly after: string | null
  readonly limit: number
}

/** The rows with one of these values in the column: each value is a range of the column's index. */
interface Ranges {
  readonly column: TaskFacet | "state"
  readonly values: ReadonlyArray<string>
}

/** The tasks that have one of these values at one of these searchable paths, from the index of values. */
export interface IndexedValues {
  /** As a term of a query names it. */
  readonly path: string
  /** The numbers of the paths: one place, of several task names. */
  readonly paths: ReadonlyArray<number>
  readonly values: ReadonlyArray<string>
  /** Whether the filter demands nothing else. */
  readonly isAlone: boolean
}

/** One way to match a filter: the rows that satisfy the conditions, within the ranges if there are any. */
export interface Branch {
  readonly conditions: ReadonlyArray<Fragment>
  readonly ranges: Ranges | null
  /** The conditions demand them too: a long value is cut in the index, and a task may change while it is read. */
  readonly indexed: IndexedValues | null
  /** Bounds of the ids. */
  readonly within: ReadonlyArray<Fragment>
  /** The index to walk on SQLite; null leaves it to the planner. */
  readonly index: string | null
  /** All matches are read and then sorted: a trigram index of PostgreSQL, and a lookup of named rows, have no order. */
  readonly isUnordered: boolean
}

/** A part of the ids; `otherHour`: only those in the index `tasks_other_hour`. */
interface Part {
  readonly conditions: ReadonlyArray<Fragment>
  readonly otherHour: boolean
}

/** Builds a statement from further bounds of the ids. */
export type BuildStatement = (bounds: ReadonlyArray<Fragment>) => Statement.Statement<object>

/** Ranges per statement. */
const rangesAtOnce = 100

const shortColumns = "id, engine, state, priority, name, queue, worker_name, fingerprint, task_id, received_at, " +
  "first_event_at, runtime_ms, retry_count, finished_at"

/** The columns that a filter's terms compare. Values and exceptions are long, and are read only when they are searched. */
const searchColumnsOf = ({ query, search_exceptions }: Pick<TaskFilter, "query" | "search_exceptions">): string => {
  const terms = termsOf(query)
  const long = new Set<string>(
    terms.flatMap((term) => (term.kind === "payload" ? [term.column] : term.kind === "tag" ? ["tags"] : []))
  )
  if (search_exceptions || terms.some(({ kind }) => kind === "word" || kind === "error")) long.add("exception")
  return [shortColumns, ...long].join(", ")
}

/** The statements that find ids. Each walks one index in the order of the ids, or short ranges of one index. */
// Each statement is a short function of `sql` and the window; `buildAll` combines them.
export const makeStatements = (sql: SqlClient.SqlClient, where: Conditions) => {
  const indexedBy = (index: string | null) =>
    sql.onDialectOrElse({
      pg: () => sql.literal(""),
      orElse: () => sql.literal(index === null ? "" : `INDEXED BY ${index}`)
    })
  const order = ({ direction }: IdWindow) => sql.literal(direction === "newest" ? "ORDER BY id DESC" : "ORDER BY id")

  const afterBound = ({ after, direction }: IdWindow): ReadonlyArray<Fragment> =>
    after === null ? [] : [direction === "newest" ? sql`id < ${after}` : sql`id > ${after}`]
  const untilBound = (last: string, { direction }: IdWindow) =>
    direction === "newest" ? sql`id >= ${last}` : sql`id <= ${last}`

  /** All rows of the window, newest first; the caller adds a LIMIT. */
  const selectNewest = (projectId: ProjectId, filter: TaskFilter, window: IdWindow) =>
    sql`SELECT ${sql.literal(searchColumnsOf(filter))} FROM tasks ${indexedBy("tasks_list")}
      WHERE ${sql.and([sql`project_id = ${projectId}`, ...afterBound(window)])} ORDER BY id DESC`

  /**
   * Candidates for a count. Ordered, so that PostgreSQL stops at the limit; a list of names has no index in that
   * order.
   */
  const selectCandidates = (
    projectId: ProjectId,
    filter: TaskFilter,
    conditions: ReadonlyArray<Fragment>,
    ordered: boolean,
    limit: number
  ) =>
    sql`SELECT ${sql.literal(searchColumnsOf(filter))} FROM tasks WHERE ${
      sql.and([sql`project_id = ${projectId}`, ...conditions])
    }
      ${sql.literal(ordered ? "ORDER BY id DESC" : "")} LIMIT ${limit}`

  /** The first ids of each value's range. */
  const selectInRanges = ({ column, values }: Ranges, conditions: ReadonlyArray<Fragment>, window: IdWindow) => {
    const range = (value: Fragment) =>
      sql`SELECT id FROM tasks WHERE ${sql.and([sql`${sql(column)} = ${value}`, ...conditions])}
        ${order(window)} LIMIT ${window.limit}`
    return sql.onDialectOrElse({
      pg: () =>
        sql`SELECT found.id FROM unnest(${values}::text[]) AS given(value)
          CROSS JOIN LATERAL (${range(sql.literal("given.value"))}) AS found ${order(window)} LIMIT ${window.limit}`,
      orElse: () => {
        const each = values.map((value) => sql`SELECT id FROM (${range(sql`${value}`)})`)
        return sql`${sql.join(" UNION ALL ", false)(each)} ${order(window)} LIMIT ${window.limit}`
      }
    })
  }

  /** Each value at each path is a range of the index, in the order of the ids. */
  const selectRangesOfValues = (
    projectId: ProjectId,
    { paths, values }: IndexedValues,
    select: (range: Fragment) => Fragment
  ) =>
    sql.join(" UNION ALL ", false)(
      paths.flatMap((path) =>
        values.map((value) =>
          sql`SELECT id FROM (${
            select(
              sql`SELECT task AS id FROM searchable_values
              WHERE project_id = ${projectId} AND path = ${path} AND value = ${value}`
            )
          }) AS found`
        )
      )
    )

  /** The scalar subquery looks each task up as its id is read: no planner makes a join of it, which would need a sort. */
  const selectIndexed = (
    projectId: ProjectId,
    indexed: IndexedValues,
    bounds: ReadonlyArray<Fragment>,
    conditions: ReadonlyArray<Fragment>,
    window: IdWindow
  ) => {
    const isMatch = sql`(SELECT 1 FROM tasks
      WHERE ${sql.and([sql`project_id = ${projectId}`, sql`id = known.id`, ...conditions])} LIMIT 1) = 1`
    const each = selectRangesOfValues(
      projectId,
      indexed,
      (range) =>
        sql`SELECT id FROM (${range}) AS known WHERE ${sql.and([...bounds, isMatch])} ${
          order(window)
        } LIMIT ${window.limit}`
    )
    return sql`SELECT DISTINCT id FROM (${each}) AS matches ${order(window)} LIMIT ${window.limit}`
  }

  /** A condition on candidates: they are among the newest tasks, at most `most`, with one of the values. */
  const isIndexed = (projectId: ProjectId, indexed: IndexedValues, most: number): Fragment =>
    sql`id IN (${selectRangesOfValues(projectId, indexed, (range) => sql`${range} ORDER BY task DESC LIMIT ${most}`)})`

  /** Walks `tasks_other_hour`. PostgreSQL's planner overestimates it; OFFSET 0 keeps the planner on that index. */
  const selectOtherHour = (
    filter: TaskFilter,
    within: ReadonlyArray<Fragment>,
    conditions: ReadonlyArray<Fragment>,
    window: IdWindow
  ) => {
    const indexed = [where.isOfOtherHour, ...within]
    const found = sql.onDialectOrElse({
      pg: () =>
        sql`(SELECT ${sql.literal(searchColumnsOf(filter))} FROM tasks WHERE ${sql.and(indexed)} ${
          order(window)
        } OFFSET 0) AS few
          WHERE ${sql.and(conditions)}`,
      orElse: () => sql`tasks ${indexedBy("tasks_other_hour")} WHERE ${sql.and([...indexed, ...conditions])}`
    })
    return sql`SELECT id FROM ${found} ${order(window)} LIMIT ${window.limit}`
  }

  const buildStatements = (
    projectId: ProjectId,
    filter: TaskFilter,
    branch: Branch,
    window: IdWindow,
    part: Part
  ): ReadonlyArray<BuildStatement> => {
    const { conditions, index, indexed, isUnordered, ranges } = branch
    const common = [sql`project_id = ${projectId}`, ...branch.within, ...part.conditions]
    if (part.otherHour) {
      const rest = ranges === null ? conditions : [...conditions, where.isOneOf(ranges.column, ranges.values)]
      return [(bounds) => selectOtherHour(filter, [...common, ...bounds], rest, window)]
    }
    if (indexed !== null) {
      const inside = [...branch.within, ...part.conditions]
      return [(bounds) => selectIndexed(projectId, indexed, [...inside, ...bounds], conditions, window)]
    }
    if (isUnordered) {
      // keeps the planner from walking another index in the order of the ids
      const barrier = sql.onDialectOrElse({ pg: () => sql.literal("OFFSET 0"), orElse: () => sql.literal("LIMIT -1") })
      return [
        (bounds) =>
          sql`SELECT id FROM (
            SELECT id FROM tasks WHERE ${sql.and([...common, ...bounds, ...conditions])} ${barrier}
          ) AS matches ${order(window)} LIMIT ${window.limit}`
      ]
    }
    if (ranges === null) {
      return [
        (bounds) =>
          sql`SELECT id FROM tasks ${indexedBy(index)} WHERE ${sql.and([...common, ...bounds, ...conditions])}
          ${order(window)} LIMIT ${window.limit}`
      ]
    }
    const groups: Array<BuildStatement> = []
    for (let start = 0; start < ranges.values.length; start += rangesAtOnce) {
      const slice = { column: ranges.column, values: ranges.values.slice(start, start + rangesAtOnce) }
      groups.push((bounds) => selectInRanges(slice, [...common, ...bounds, ...conditions], window))
    }
    return groups
  }

  /** `since` and `until` bound the ids; `tasks_other_hour` finds the tasks whose ids are outside of these bounds. */
  const splitByIds = (filter: TaskFilter): ReadonlyArray<Part> => {
    const { highest, lowest } = idBoundsOf(filter)
    const inside = [
      ...(lowest === null ? [] : [sql`id >= ${lowest}`]),
      ...(highest === null ? [] : [sql`id <= ${highest}`])
    ]
    const outside = [
      ...(lowest === null ? [] : [sql`id < ${lowest}`]),
      ...(highest === null ? [] : [sql`id > ${highest}`])
    ]
    return inside.length === 0
      ? [{ conditions: [], otherHour: false }]
      : [{ conditions: inside, otherHour: false }, { conditions: [sql.or(outside)], otherHour: true }]
  }

  /** The statements of all branches, to run one after the other. */
  const buildAll = (projectId: ProjectId, filter: TaskFilter, branches: ReadonlyArray<Branch>, window: IdWindow) => {
    const parts = splitByIds(filter)
    return branches.flatMap((branch) =>
      parts.flatMap((part) => buildStatements(projectId, filter, branch, window, part))
    )
  }

  return { buildAll, afterBound, isIndexed, selectCandidates, selectNewest, untilBound } as const
}
