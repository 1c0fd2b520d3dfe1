import { Clock, Effect } from "effect"
import type { ProjectId } from "../../domain/Id.ts"
import type { TaskFilter } from "../../domain/Task/Filter.ts"
import { type TaskFacet, taskFacets } from "../../domain/TaskFacet.ts"
import { Reader } from "../Database.ts"
import * as Ids from "../Ids.ts"
import { type Fragment, makeConditions } from "./Conditions.ts"
import { Scans } from "./Scans.ts"
import { hasTrigram, listTrigramIndexes } from "./SearchIndexes.ts"
import { type Branch, type IdWindow, makeStatements } from "./Statements.ts"

/** The newest rows are read first: a frequent match is found there at once. */
const maxRecentRows = 1000
/** Maximum distinct values that are compared one by one; with more, the text of each row is compared. */
const maxValues = 5000
/** Maximum values that are each looked up in their own range of an index; fewer where another term has an index too. */
const maxRanges = 1000
const maxRangesBesideIndex = 20
/**
 * A part of an id with this many characters is rare: a walk over the ids alone is better than the index of another
 * term.
 */
const rareCharacters = 4
/** Maximum total; more tasks are not counted. */
export const maxCounted = 10_000
/** How long the search of a page begins further slices. */
const maxPageMillis = 500
/** The first slice spans this many times the time of the newest rows. */
const firstSlice = 16
/** A slice that took less time than this is followed by one of twice the span. */
const shortMillis = 60

/** What a page's search found. */
export interface SearchedPage {
  readonly ids: ReadonlyArray<string>
  /** Tasks with this id and newer ones were searched, older ones were not; null when all were, or the page is full. */
  readonly searchedTo: string | null
}

type Terms = ReadonlyArray<Fragment>

/**
 * Finds the ids of the tasks that match a filter, in order (docs/api.md, Tasks). Parts of names, queues and workers are
 * looked up among the project's distinct values, which are few. At most one walk over one index remains, outside of the
 * event loop (`Scans.ts`).
 */
export class TaskSearch extends Effect.Service<TaskSearch>()("svc/tasks/Search", {
  effect: Effect.gen(function*() {
    const sql = yield* Reader
    const scans = yield* Scans
    const where = makeConditions(sql)
    const statements = makeStatements(sql, where)

    /** The matches among the newest rows of the window, and the id of the next row, which may match too; null: done. */
    const searchRecent = Effect.fnUntraced(function*(projectId: ProjectId, filter: TaskFilter, window: IdWindow) {
      const rows = statements.selectNewest(projectId, filter, window)
      const found = yield* sql`SELECT id FROM (${rows} LIMIT ${maxRecentRows}) AS recent
        WHERE ${sql.and(where.allTerms(filter))} ORDER BY id DESC LIMIT ${window.limit}`.values
      const ids = readIds(found)
      if (ids.length === window.limit) return { ids, following: null }
      const [row] = yield* sql`${rows} LIMIT 1 OFFSET ${maxRecentRows}`.values
      return { ids, following: row === undefined ? null : String(row[0]) }
    })

    const readEndId = (projectId: ProjectId, order: "ASC" | "DESC") =>
      Effect.map(
        sql`SELECT id FROM tasks WHERE project_id = ${projectId} ORDER BY id ${sql.literal(order)} LIMIT 1`.values,
        ([row]) => (row === undefined ? null : String(row[0]))
      )

    /** For each column the project's values that satisfy a condition on `value`; null when there are too many. */
    const listValues = (projectId: ProjectId, columns: ReadonlyArray<TaskFacet>, condition: Fragment) => {
      const each = columns.map((facet) =>
        sql`SELECT facet, value FROM (
          SELECT facet, value FROM task_facets WHERE project_id = ${projectId} AND facet = ${facet} AND ${condition}
          LIMIT ${maxValues + 1}
        ) AS ${sql(facet)}`
      )
      return Effect.map(scans.run(sql`${sql.join(" UNION ALL ", false)(each)}`), (rows) =>
        columns.map((column) => {
          const values = rows.filter(([facet]) => facet === column).map(([, value]) => String(value))
          return { column, values: values.length > maxValues ? null : values }
        }))
    }

    const listNamesLike = (projectId: ProjectId, part: string) =>
      Effect.map(listValues(projectId, ["name"], where.contains("value", part)), ([names]) => names?.values ?? null)

    const makeWalk = (conditions: Terms, index: string | null): Branch => ({
      conditions,
      ranges: null,
      index,
      isUnordered: false
    })

    /** A walk, or a lookup in the column's trigram index where there is one that helps with the term. */
    const makeTextBranch = (
      column: "task_id" | "exception",
      term: string,
      conditions: Terms,
      index: string | null,
      trigrams: ReadonlySet<string>
    ): Branch => ({
      ...makeWalk([...conditions, where.matchesTerm(column, term)], index),
      isUnordered: trigrams.has(column) && hasTrigram(term)
    })

    const makeValueBranch = (
      column: TaskFacet,
      values: ReadonlyArray<string>,
      others: Terms,
      filter: TaskFilter
    ): Branch =>
      values.length <= (isIndexed(filter) ? maxRangesBesideIndex : maxRanges)
        ? { conditions: others, ranges: { column, values }, index: null, isUnordered: false }
        : makeWalk([...others, where.isOneOf(column, values)], null)

    /** The branches by which a row can match the search term, given the other terms. */
    const makeTermBranches = Effect.fnUntraced(
      function*(
        projectId: ProjectId,
        filter: TaskFilter,
        term: string,
        others: Terms,
        trigrams: ReadonlySet<string>
      ) {
        const branches: Array<Branch> = []
        for (const { column, values } of yield* listValues(projectId, taskFacets, where.matchesTerm("value", term))) {
          if (values === null) branches.push(makeWalk([...others, where.matchesTerm(column, term)], null))
          else if (values.length > 0) branches.push(makeValueBranch(column, values, others, filter))
        }
        const index = isIndexed(filter) && term.length < rareCharacters ? null : "tasks_list"
        branches.push(makeTextBranch("task_id", term, others, index, trigrams))
        if (filter.search_exceptions) {
          branches.push(
            makeTextBranch(
              "exception",
              term,
              [...others, sql`exception IS NOT NULL`],
              isIndexed(filter) ? null : "tasks_exception",
              trigrams
            )
          )
        }
        return branches
      }
    )

    const makeBranches = Effect.fnUntraced(function*(
      projectId: ProjectId,
      filter: TaskFilter,
      trigrams: ReadonlySet<string> = new Set()
    ) {
      const { name, search } = filter
      const plain = where.exactTerms(filter)
      const names = name === null ? null : yield* listNamesLike(projectId, name)
      if (names?.length === 0) return []
      const nameConditions = name === null
        ? []
        : [names === null ? where.contains("name", name) : where.isOneOf("name", names)]
      if (search !== null) {
        return yield* makeTermBranches(projectId, filter, search, [...plain, ...nameConditions], trigrams)
      }
      if (names !== null) return [makeValueBranch("name", names, plain, filter)]
      return [makeWalk([...plain, ...nameConditions], isIndexed(filter) ? null : "tasks_list")]
    })

    /** The first matching ids of the window, in the order of the window. */
    const runBranches = Effect.fnUntraced(function*(
      projectId: ProjectId,
      filter: TaskFilter,
      branches: ReadonlyArray<Branch>,
      window: IdWindow,
      within: Terms
    ) {
      let found: ReadonlyArray<string> = []
      for (const build of statements.buildAll(projectId, filter, branches, window)) {
        const last = found.length < window.limit ? undefined : found[found.length - 1]
        const bounds = [
          ...statements.afterBound(window),
          ...within,
          ...(last === undefined ? [] : [statements.untilBound(last, window)])
        ]
        const rows = yield* scans.run(build(bounds))
        found = mergeIds(found, readIds(rows), window)
      }
      return found
    })

    /** The first matching ids of the window. May read every task of the project. */
    const listIds = Effect.fn("TaskSearch.listIds")(
      function*(projectId: ProjectId, filter: TaskFilter, window: IdWindow) {
        if (window.direction === "newest" && window.limit < maxRecentRows) {
          const { following, ids } = yield* searchRecent(projectId, filter, window)
          if (following === null) return ids
        }
        return yield* runBranches(projectId, filter, yield* makeBranches(projectId, filter), window, [])
      }
    )

    /** Whether a branch reads few rows however many tasks there are. */
    const isShort = (filter: TaskFilter, { isUnordered, ranges }: Branch) => {
      const hasOtherTerms = where.exactTerms(filter).length > 0 || (filter.name !== null && filter.search !== null)
      return isUnordered || (ranges !== null && !hasOtherTerms)
    }

    /**
     * The newest matching ids after `after`, at most `limit`, for one page. It searches the newest rows, then older and
     * older ones in slices of time, and gives up after half a second: a search that finds nothing would read every task.
     */
    const listPage = Effect.fn("TaskSearch.listPage")(
      function*(projectId: ProjectId, filter: TaskFilter, after: string | null, limit: number) {
        const window: IdWindow = { direction: "newest", after, limit }
        const { following, ids } = yield* searchRecent(projectId, filter, window)
        if (following === null) return { ids, searchedTo: null } satisfies SearchedPage
        const trigrams = filter.search === null ? new Set<string>() : yield* listTrigramIndexes(sql)
        const branches = yield* makeBranches(projectId, filter, trigrams)
        const isLast = branches.every((branch) => isShort(filter, branch))
        const older = (from: string, count: number, within: Terms) =>
          runBranches(projectId, filter, branches, { direction: "newest", after: from, limit: count }, within)
        if (isLast && !branches.some(({ isUnordered }) => isUnordered)) {
          return { ids: yield* older(after ?? Ids.maxId, limit, []), searchedTo: null } satisfies SearchedPage
        }
        const oldest = (yield* readEndId(projectId, "ASC")) ?? Ids.maxId
        const newest = after ?? (yield* readEndId(projectId, "DESC")) ?? following
        let from = after
        let span = Math.max(1, Ids.millisOf(newest) - Ids.millisOf(following)) * firstSlice
        let found: ReadonlyArray<string> = []
        const begun = yield* Clock.currentTimeMillis
        while (true) {
          const begunSlice = yield* Clock.currentTimeMillis
          const isWhole = isLast && from !== after
          const to = Ids.minIdAt(Ids.millisOf(from ?? newest) - span)
          found = [
            ...found,
            ...yield* older(from ?? Ids.maxId, limit - found.length, isWhole ? [] : [sql`id >= ${to}`])
          ]
          if (isWhole || to <= oldest || found.length === limit) {
            return { ids: found, searchedTo: null } satisfies SearchedPage
          }
          const now = yield* Clock.currentTimeMillis
          if (now - begun >= maxPageMillis) return { ids: found, searchedTo: to } satisfies SearchedPage
          if (now - begunSlice < shortMillis) span *= 2
          from = to
        }
      }
    )

    /** How many tasks match, or null when more than `maxCounted` rows would have to be read. */
    const count = Effect.fn("TaskSearch.count")(function*(projectId: ProjectId, filter: TaskFilter) {
      const indexedTerms = filter.fingerprint !== null
        ? [sql`fingerprint = ${filter.fingerprint}`]
        : filter.worker !== null
        ? [sql`worker_name = ${filter.worker}`]
        : filter.queue !== null
        ? [sql`queue = ${filter.queue}`]
        : filter.state !== null
        ? [sql`state = ${filter.state}`]
        : []
      const names = filter.name === null || indexedTerms.length > 0
        ? null
        : yield* listNamesLike(projectId, filter.name)
      if (names?.length === 0) return 0
      const narrowed = names === null ? indexedTerms : [where.isOneOf("name", names)]
      const rows = statements.selectCandidates(projectId, filter, narrowed, names === null, maxCounted + 1)
      const matches = sql`CASE WHEN ${sql.and(where.allTerms(filter))} THEN 1 ELSE 0 END`
      const [row] = yield* scans.run(sql`SELECT COUNT(*), COALESCE(SUM(${matches}), 0) FROM (${rows}) AS candidates`)
      return Number(row?.[0]) > maxCounted ? null : Number(row?.[1])
    })

    return { listIds, listPage, count } as const
  })
}) {
  static readonly layer = this.Default
}

/** Whether a term of the filter has an index of its own. */
const isIndexed = ({ fingerprint, queue, state, worker }: TaskFilter): boolean =>
  [fingerprint, queue, state, worker].some((term) => term !== null)

const readIds = (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<string> =>
  rows.map((row) => String(row[0]))

/** Both lists in one, without duplicates. */
const mergeIds = (left: ReadonlyArray<string>, right: ReadonlyArray<string>, { direction, limit }: IdWindow) => {
  const all = [...new Set([...left, ...right])].sort()
  return (direction === "newest" ? all.reverse() : all).slice(0, limit)
}
