import { Clock, Effect } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { maxFacetTasks, maxFacetValues } from "../../domain/tasks/Task/Facets.ts"
import type { TaskFilter } from "../../domain/tasks/Task/Filter.ts"
import { type TaskFacet, taskFacets } from "../../domain/tasks/TaskFacet.ts"
import * as Ids from "../kernel/Ids.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn } from "../kernel/sql/Dialect.ts"
import { type Fragment, makeConditions } from "./Conditions.ts"
import { writeOrder } from "./Deletion.ts"
import { toFacetCounts } from "./FacetCounts.ts"
import { findIndexedTerm, type IndexedTerm } from "./IndexedTerm.ts"
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
      column: TaskFacet | "state",
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

    /** The values of the term in the project; null: too many. */
    const listTermValues = (projectId: ProjectId, { column, patterns, values }: IndexedTerm) =>
      values !== null || column === "state" ? Effect.succeed(values) : Effect.map(
        listValues(projectId, [column], where.matchesAnyPattern(sql.literal("value"), patterns)),
        ([found]) => found?.values ?? null
      )

    const makeBranches = Effect.fnUntraced(function*(
      projectId: ProjectId,
      filter: TaskFilter,
      trigrams: ReadonlySet<string> = new Set()
    ) {
      const { name, search } = filter
      if (filter.ids !== null) return [{ ...makeWalk(where.allTerms(filter), null), isUnordered: true }]
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
      const term = isIndexed(filter) || name !== null ? null : findIndexedTerm(filter.query)
      const values = term === null ? null : yield* listTermValues(projectId, term)
      if (term !== null && values !== null) {
        if (values.length === 0) return []
        return [makeValueBranch(term.column, values, where.exactTerms({ ...filter, query: term.rest }), filter)]
      }
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

    /** The next matching ids, the oldest first: those of tasks that were there at the moment `asOf`. */
    const listArrived = (
      projectId: ProjectId,
      filter: TaskFilter,
      { after, asOf, limit }: {
        readonly after: string | null
        readonly asOf: Timestamp.Timestamp
        readonly limit: number
      }
    ) => {
      const newest = Ids.maxIdAt(Timestamp.toEpochMillis(asOf))
      return Effect.map(
        listIds(projectId, filter, { direction: "oldest", after, limit }),
        (ids) => ids.filter((id) => id <= newest)
      )
    }

    /** Whether a branch reads few rows however many tasks there are. */
    const isShort = ({ conditions, isUnordered, ranges }: Branch) =>
      isUnordered || (ranges !== null && conditions.length === 0)

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
        const isLast = branches.every(isShort)
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

    /** What an index finds of a filter; no terms: all tasks, null: none. */
    const narrow = Effect.fnUntraced(function*(projectId: ProjectId, filter: TaskFilter) {
      if (filter.ids !== null) return { terms: [idIn(sql, filter.ids)], isOrdered: false }
      const indexedTerms = filter.fingerprint !== null
        ? [sql`fingerprint = ${filter.fingerprint}`]
        : filter.worker !== null
        ? [sql`worker_name = ${filter.worker}`]
        : filter.queue !== null
        ? [sql`queue = ${filter.queue}`]
        : filter.state !== null
        ? [sql`state = ${filter.state}`]
        : []
      if (indexedTerms.length > 0) return { terms: indexedTerms, isOrdered: true }
      const term = filter.name === null ? findIndexedTerm(filter.query) : null
      const column = filter.name === null ? term?.column : "name"
      const values = filter.name !== null
        ? yield* listNamesLike(projectId, filter.name)
        : term === null
        ? null
        : yield* listTermValues(projectId, term)
      return column === undefined || values === null
        ? { terms: [], isOrdered: true }
        : { terms: values.length === 0 ? null : [where.isOneOf(column, values)], isOrdered: false }
    })

    /** At most `most` rows, the newest that an index finds, among which all matches are if there are fewer rows. */
    const selectCandidates = (projectId: ProjectId, filter: TaskFilter, most: number) =>
      Effect.map(
        narrow(projectId, filter),
        ({ isOrdered, terms }) =>
          terms === null ? null : statements.selectCandidates(projectId, filter, terms, isOrdered, most)
      )

    /** How many tasks match, or null when more than `maxCounted` rows would have to be read. */
    const count = Effect.fn("TaskSearch.count")(function*(projectId: ProjectId, filter: TaskFilter) {
      const rows = yield* selectCandidates(projectId, filter, maxCounted + 1)
      if (rows === null) return 0
      const matches = sql`CASE WHEN ${sql.and(where.allTerms(filter))} THEN 1 ELSE 0 END`
      const [row] = yield* scans.run(sql`SELECT COUNT(*), COALESCE(SUM(${matches}), 0) FROM (${rows}) AS candidates`)
      return Number(row?.[0]) > maxCounted ? null : Number(row?.[1])
    })

    /** How often each value occurs among the matches of at most `maxFacetTasks` rows. */
    const countFacets = Effect.fn("TaskSearch.countFacets")(function*(projectId: ProjectId, filter: TaskFilter) {
      const rows = yield* selectCandidates(projectId, filter, maxFacetTasks)
      if (rows === null) return toFacetCounts([], 0)
      const each = ["state", "name", "queue", "worker_name", "engine"].map((column) =>
        sql`SELECT * FROM (
          SELECT ${sql.literal(`'${column}'`)} AS facet, ${sql(column)} AS value, COUNT(*) AS tasks FROM matches
          GROUP BY ${sql(column)} ORDER BY tasks DESC, value LIMIT ${maxFacetValues + 1}
        ) AS ${sql(`of_${column}`)}`
      )
      const found = yield* scans.run(sql`WITH candidates AS MATERIALIZED (${rows}),
        matches AS MATERIALIZED (
          SELECT state, name, queue, worker_name, engine FROM candidates
          ${sql.literal("WHERE ")}${sql.and([sql`1 = 1`, ...where.allTerms(filter)])}
        )
        SELECT 'read' AS facet, NULL AS value, COUNT(*) AS tasks FROM candidates
        UNION ALL SELECT 'counted', NULL, COUNT(*) FROM matches
        UNION ALL ${sql.join(" UNION ALL ", false)(each)}`)
      return toFacetCounts(found, maxFacetTasks)
    })

    /** Those of the ids whose tasks match. */
    const matchesOf = (projectId: ProjectId, filter: TaskFilter, ids: ReadonlyArray<string>) =>
      sql`SELECT id FROM tasks
        WHERE ${sql.and([sql`project_id = ${projectId}`, idIn(sql, ids), ...where.allTerms(filter)])}`

    const listMatches = Effect.fn("TaskSearch.listMatches")(
      (projectId: ProjectId, filter: TaskFilter, ids: ReadonlyArray<string>) =>
        Effect.map(matchesOf(projectId, filter, ids).values, readIds)
    )

    /** As `listMatches`, sorted, and locked until the transaction ends: they match as long. */
    const lockMatches = Effect.fn("TaskSearch.lockMatches")(
      (projectId: ProjectId, filter: TaskFilter, ids: ReadonlyArray<string>) =>
        Effect.map(
          sql`${matchesOf(projectId, filter, ids)} ORDER BY ${writeOrder(sql)} ${forUpdate(sql)}`.values,
          (rows) => readIds(rows).toSorted()
        )
    )

    return { listIds, listArrived, listPage, count, countFacets, listMatches, lockMatches } as const
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
