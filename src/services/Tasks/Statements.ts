import type { SqlClient, Statement } from "@effect/sql"
import type { TaskFilter } from "../../domain/Task/Filter.ts"
import type { TaskFacet } from "../../domain/TaskFacet.ts"
import { type Conditions, type Fragment, idBoundsOf } from "./Conditions.ts"

/** Which part of the matching tasks: up to `limit` ids beyond `after`, in the order of the ids. */
export interface IdWindow {
  readonly direction: "newest" | "oldest"
  readonly after: string | null
  readonly limit: number
}

/** The rows that have one of these values in the column: one range of the column's index each. */
interface Ranges {
  readonly column: TaskFacet
  readonly values: ReadonlyArray<string>
}

/** One of the ways to match: rows where these conditions hold, of these ranges if there are any. */
export interface Branch {
  readonly conditions: ReadonlyArray<Fragment>
  readonly ranges: Ranges | null
  /** The index to walk on SQLite; null leaves it to the planner. */
  readonly index: string | null
}

/** A part of the ids; `otherHour`: of those in the index `tasks_other_hour` only. */
interface Part {
  readonly conditions: ReadonlyArray<Fragment>
  readonly otherHour: boolean
}

/** A statement of which all but further bounds of the ids is known. */
export type BuildStatement = (bounds: ReadonlyArray<Fragment>) => Statement.Statement<object>

/** Values whose ranges one statement looks at. */
const rangesAtOnce = 100

/** What the terms of a filter look at. Exceptions are long, and are read only where they count. */
const searchColumnsOf = ({ search_exceptions }: Pick<TaskFilter, "search_exceptions">): string =>
  `id, state, priority, name, queue, worker_name, task_id, received_at, first_event_at${search_exceptions ? ", exception" : ""}`

/** The statements that find ids. Each walks one index in the order of the ids, or as many short ranges of one. */
export const makeStatements = (sql: SqlClient.SqlClient, where: Conditions) => {
  const indexedBy = (index: string | null) =>
    sql.onDialectOrElse({
      pg: () => sql.literal(""),
      orElse: () => sql.literal(index === null ? "" : `INDEXED BY ${index}`)
    })
  const order = ({ direction }: IdWindow) => sql.literal(direction === "newest" ? "ORDER BY id DESC" : "ORDER BY id")

  const afterBound = ({ after, direction }: IdWindow): ReadonlyArray<Fragment> =>
    after === null ? [] : [direction === "newest" ? sql`id < ${after}` : sql`id > ${after}`]
  const untilBound = (last: string, { direction }: IdWindow) => direction === "newest" ? sql`id >= ${last}` : sql`id <= ${last}`

  /** All rows beyond the window's start, newest first; what follows must limit them. */
  const selectNewest = (projectId: string, filter: TaskFilter, window: IdWindow) =>
    sql`SELECT ${sql.literal(searchColumnsOf(filter))} FROM tasks ${indexedBy("tasks_list")}
      WHERE ${sql.and([sql`project_id = ${projectId}`, ...afterBound(window)])} ORDER BY id DESC`

  /** Candidates for a count. Ordered, so that PostgreSQL stops at the limit; a list of names has no such order. */
  const selectCandidates = (projectId: string, filter: TaskFilter, conditions: ReadonlyArray<Fragment>, ordered: boolean, limit: number) =>
    sql`SELECT ${sql.literal(searchColumnsOf(filter))} FROM tasks WHERE ${sql.and([sql`project_id = ${projectId}`, ...conditions])}
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

  /** Walks `tasks_other_hour`. PostgreSQL's planner takes it for large; OFFSET 0 keeps it from going another way. */
  const selectOtherHour = (filter: TaskFilter, within: ReadonlyArray<Fragment>, conditions: ReadonlyArray<Fragment>, window: IdWindow) => {
    const indexed = [where.otherHour, ...within]
    const found = sql.onDialectOrElse({
      pg: () =>
        sql`(SELECT ${sql.literal(searchColumnsOf(filter))} FROM tasks WHERE ${sql.and(indexed)} ${order(window)} OFFSET 0) AS few
          WHERE ${sql.and(conditions)}`,
      orElse: () => sql`tasks ${indexedBy("tasks_other_hour")} WHERE ${sql.and([...indexed, ...conditions])}`
    })
    return sql`SELECT id FROM ${found} ${order(window)} LIMIT ${window.limit}`
  }

  const buildStatements = (projectId: string, filter: TaskFilter, branch: Branch, window: IdWindow, part: Part): ReadonlyArray<BuildStatement> => {
    const { conditions, index, ranges } = branch
    const buildAll = [sql`project_id = ${projectId}`, ...part.conditions]
    if (part.otherHour) {
      const rest = ranges === null ? conditions : [...conditions, where.oneOf(ranges.column, ranges.values)]
      return [(bounds) => selectOtherHour(filter, [...buildAll, ...bounds], rest, window)]
    }
    if (ranges === null) {
      return [(bounds) =>
        sql`SELECT id FROM tasks ${indexedBy(index)} WHERE ${sql.and([...buildAll, ...bounds, ...conditions])}
          ${order(window)} LIMIT ${window.limit}`]
    }
    const groups: Array<BuildStatement> = []
    for (let at = 0; at < ranges.values.length; at += rangesAtOnce) {
      const some = { column: ranges.column, values: ranges.values.slice(at, at + rangesAtOnce) }
      groups.push((bounds) => selectInRanges(some, [...buildAll, ...bounds, ...conditions], window))
    }
    return groups
  }

  /** `since` and `until` bound the ids; the tasks of which that is not so are found by an index of their own. */
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

  /** What finds the ids of all branches, one statement after the other. */
  const all = (projectId: string, filter: TaskFilter, branches: ReadonlyArray<Branch>, window: IdWindow) => {
    const parts = splitByIds(filter)
    return branches.flatMap((branch) => parts.flatMap((part) => buildStatements(projectId, filter, branch, window, part)))
  }

  return { all, beyond: afterBound, candidates: selectCandidates, newest: selectNewest, upTo: untilBound } as const
}
