import { Effect } from "effect"
import type { TaskFilter } from "../../domain/Task/Filter.ts"
import { type TaskFacet, taskFacets } from "../../domain/TaskFacet.ts"
import { Reader } from "../Database.ts"
import { conditionsOn, type Fragment } from "./Conditions.ts"
import { Scans } from "./Scans.ts"
import { type Branch, statementsOf, type Window } from "./Statements.ts"

/** The newest rows that are looked at first: whatever matches often is found there at once. */
const recentRows = 1000
/** More distinct values than this are not compared one by one; then each row's own text is. */
const mostValues = 5000
/** So many values are looked up each in its own range of an index; fewer where another term has an index as well. */
const mostRanges = 1000
const mostRangesBesideIndex = 20
/** A part of an id of so many characters is rare: then a walk over the ids alone comes before any other term. */
const rareCharacters = 4
/** No total is counted beyond this. */
export const mostCounted = 10_000

type Terms = ReadonlyArray<Fragment>

/**
 * Finds the ids of the tasks that match a filter, in order (docs/api.md, Tasks). Parts of names, queues and workers
 * are looked up among the project's distinct values, which are few; what is left is at most one walk over one index,
 * aside from the event loop (`Scans.ts`).
 */
export class TaskSearch extends Effect.Service<TaskSearch>()("svc/tasks/Search", {
  effect: Effect.gen(function*() {
    const sql = yield* Reader
    const scans = yield* Scans
    const where = conditionsOn(sql)
    const statements = statementsOf(sql, where)

    /** The matches among the newest rows beyond the window's start; null when there may be more behind them. */
    const amongRecent = Effect.fnUntraced(function*(projectId: string, filter: TaskFilter, window: Window) {
      const rows = statements.newest(projectId, filter, window)
      const found = yield* sql`SELECT id FROM (${rows} LIMIT ${recentRows}) AS recent
        WHERE ${sql.and(where.everything(filter))} ORDER BY id DESC LIMIT ${window.limit}`.values
      if (found.length === window.limit) return idsFrom(found)
      const more = yield* sql`${rows} LIMIT 1 OFFSET ${recentRows}`.values
      return more.length === 0 ? idsFrom(found) : null
    })

    /** For each column the project's values that satisfy a condition on `value`; null when they are too many. */
    const valuesOf = (projectId: string, columns: ReadonlyArray<TaskFacet>, condition: Fragment) => {
      const each = columns.map((facet) =>
        sql`SELECT facet, value FROM (
          SELECT facet, value FROM task_facets WHERE project_id = ${projectId} AND facet = ${facet} AND ${condition}
          LIMIT ${mostValues + 1}
        ) AS ${sql(facet)}`
      )
      return Effect.map(scans.values(sql`${sql.join(" UNION ALL ", false)(each)}`), (rows) =>
        columns.map((column) => {
          const values = rows.filter(([facet]) => facet === column).map(([, value]) => String(value))
          return { column, values: values.length > mostValues ? null : values }
        }))
    }

    const namesLike = (projectId: string, part: string) =>
      Effect.map(valuesOf(projectId, ["name"], where.has("value", part)), ([names]) => names?.values ?? null)

    const walk = (conditions: Terms, index: string | null): Branch => ({ conditions, ranges: null, index })

    const amongValues = (column: TaskFacet, values: ReadonlyArray<string>, others: Terms, filter: TaskFilter): Branch =>
      values.length <= (isIndexed(filter) ? mostRangesBesideIndex : mostRanges)
        ? { conditions: others, ranges: { column, values }, index: null }
        : walk([...others, where.oneOf(column, values)], null)

    /** The ways in which a row can match the search term, given the other terms. */
    const searching = Effect.fnUntraced(function*(projectId: string, filter: TaskFilter, term: string, others: Terms) {
      const branches: Array<Branch> = []
      for (const { column, values } of yield* valuesOf(projectId, taskFacets, where.resembles("value", term))) {
        if (values === null) branches.push(walk([...others, where.resembles(column, term)], null))
        else if (values.length > 0) branches.push(amongValues(column, values, others, filter))
      }
      const index = isIndexed(filter) && term.length < rareCharacters ? null : "tasks_list"
      branches.push(walk([...others, where.resembles("task_id", term)], index))
      if (filter.search_exceptions) {
        branches.push(walk([...others, sql`exception IS NOT NULL`, where.resembles("exception", term)], isIndexed(filter) ? null : "tasks_exception"))
      }
      return branches
    })

    const branchesOf = Effect.fnUntraced(function*(projectId: string, filter: TaskFilter) {
      const { name, search } = filter
      const plain = where.plain(filter)
      const names = name === null ? null : yield* namesLike(projectId, name)
      if (names?.length === 0) return []
      const named = name === null ? [] : [names === null ? where.has("name", name) : where.oneOf("name", names)]
      if (search !== null) return yield* searching(projectId, filter, search, [...plain, ...named])
      if (names !== null) return [amongValues("name", names, plain, filter)]
      return [walk([...plain, ...named], isIndexed(filter) ? null : "tasks_list")]
    })

    /** The first matching ids of the window. */
    const ids = Effect.fn("TaskSearch.ids")(function*(projectId: string, filter: TaskFilter, window: Window) {
      if (window.direction === "newest" && window.limit < recentRows) {
        const recent = yield* amongRecent(projectId, filter, window)
        if (recent !== null) return recent
      }
      const branches = yield* branchesOf(projectId, filter)
      let found: ReadonlyArray<string> = []
      for (const build of statements.all(projectId, filter, branches, window)) {
        const last = found.length < window.limit ? undefined : found[found.length - 1]
        const bounds = [...statements.beyond(window), ...(last === undefined ? [] : [statements.upTo(last, window)])]
        const rows = yield* scans.values(build(bounds))
        found = merged(found, idsFrom(rows), window)
      }
      return found
    })

    /** How many tasks match, or null when more than `mostCounted` would have to be looked at. */
    const count = Effect.fn("TaskSearch.count")(function*(projectId: string, filter: TaskFilter) {
      const driver = filter.worker !== null
        ? [sql`worker_name = ${filter.worker}`]
        : filter.queue !== null
        ? [sql`queue = ${filter.queue}`]
        : filter.state !== null
        ? [sql`state = ${filter.state}`]
        : []
      const names = filter.name === null || driver.length > 0 ? null : yield* namesLike(projectId, filter.name)
      if (names?.length === 0) return 0
      const narrowed = names === null ? driver : [where.oneOf("name", names)]
      const rows = statements.candidates(projectId, filter, narrowed, names === null, mostCounted + 1)
      const matches = sql`CASE WHEN ${sql.and(where.everything(filter))} THEN 1 ELSE 0 END`
      const [row] = yield* scans.values(sql`SELECT COUNT(*), COALESCE(SUM(${matches}), 0) FROM (${rows}) AS candidates`)
      return Number(row?.[0]) > mostCounted ? null : Number(row?.[1])
    })

    return { ids, count } as const
  })
}) {
  static readonly layer = this.Default
}

/** Whether a term of the filter has an index of its own. */
const isIndexed = ({ queue, state, worker }: TaskFilter): boolean => state !== null || queue !== null || worker !== null

const idsFrom = (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<string> =>
  rows.map((row) => String(row[0]))

/** Both lists in one, without doubles. */
const merged = (left: ReadonlyArray<string>, right: ReadonlyArray<string>, { direction, limit }: Window) => {
  const all = [...new Set([...left, ...right])].sort()
  return (direction === "newest" ? all.reverse() : all).slice(0, limit)
}
