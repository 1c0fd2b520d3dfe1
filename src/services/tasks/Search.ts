import { Clock, Effect } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { TaskFilter } from "../../domain/tasks/Task/Filter.ts"
import * as Ids from "../kernel/Ids.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, idIn } from "../kernel/sql/Dialect.ts"
import { type Fragment, makeConditions } from "./Conditions.ts"
import { Scans } from "./Scans.ts"
import { makeBranches } from "./Search/Branches.ts"
import { makeCounts } from "./Search/Counts.ts"
import { makeSearchablePathsRepo } from "./SearchablePaths/Repo.ts"
import { listTrigramIndexes } from "./SearchIndexes.ts"
import { type Branch, type IdWindow, makeStatements } from "./Statements.ts"
import { writeOrder } from "./WriteOrder.ts"

/** The newest rows are read first: a frequent match is found there at once. */
const maxRecentRows = 1000
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
  /** The searchable path whose index was read; null: none. */
  readonly index: string | null
}

/**
 * Finds the ids of the tasks that match a filter, in order (docs/api.md, Tasks). Parts of names, queues and workers are
 * looked up among the project's distinct values, which are few. At most one walk over one index remains, outside of the
 * event loop (`Scans.ts`).
 */
export class TaskSearch extends Effect.Service<TaskSearch>()("svc/tasks/Search", {
  // Two searches, of the newest rows and of branches, and the lists that combine them.
  effect: Effect.gen(function*() {
    const sql = yield* Reader
    const scans = yield* Scans
    const where = makeConditions(sql)
    const statements = makeStatements(sql, where)
    const branches = makeBranches(sql, where, scans.run, yield* makeSearchablePathsRepo)
    const { count, countFacets } = makeCounts(sql, where, scans.run, statements, branches)

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

    /** The first matching ids of the window, in the order of the window. */
    const runBranches = Effect.fnUntraced(function*(
      projectId: ProjectId,
      filter: TaskFilter,
      ways: ReadonlyArray<Branch>,
      window: IdWindow,
      within: ReadonlyArray<Fragment>
    ) {
      let found: ReadonlyArray<string> = []
      for (const build of statements.buildAll(projectId, filter, ways, window)) {
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
        return yield* runBranches(projectId, filter, yield* branches.list(projectId, filter), window, [])
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
    const isShort = ({ conditions, indexed, isUnordered, ranges }: Branch) =>
      isUnordered || (ranges !== null && conditions.length === 0) || indexed?.isAlone === true

    /**
     * The newest matching ids after `after`, at most `limit`, for one page. It searches the newest rows, then older and
     * older ones in slices of time, and gives up after half a second: a search that finds nothing would read every task.
     */
    const listPage = Effect.fn("TaskSearch.listPage")(
      function*(projectId: ProjectId, filter: TaskFilter, after: string | null, limit: number) {
        const window: IdWindow = { direction: "newest", after, limit }
        const values = yield* branches.findValues(projectId, filter)
        const isInIndex = values?.isAlone === true && values.filledTo === Ids.minId
        const { following, ids } = isInIndex
          ? { ids: [], following: Ids.maxId }
          : yield* searchRecent(projectId, filter, window)
        if (following === null) return { ids, searchedTo: null, index: null } satisfies SearchedPage
        const trigrams = filter.search === null ? new Set<string>() : yield* listTrigramIndexes(sql)
        const ways = yield* branches.list(projectId, filter, trigrams)
        const index = values?.path ?? null
        const isLast = ways.every(isShort)
        const older = (from: string, count: number, within: ReadonlyArray<Fragment>) =>
          runBranches(projectId, filter, ways, { direction: "newest", after: from, limit: count }, within)
        if (isLast && !ways.some(({ isUnordered }) => isUnordered)) {
          return { ids: yield* older(after ?? Ids.maxId, limit, []), searchedTo: null, index } satisfies SearchedPage
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
            return { ids: found, searchedTo: null, index } satisfies SearchedPage
          }
          const now = yield* Clock.currentTimeMillis
          if (now - begun >= maxPageMillis) return { ids: found, searchedTo: to, index } satisfies SearchedPage
          if (now - begunSlice < shortMillis) span *= 2
          from = to
        }
      }
    )

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

const readIds = (rows: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<string> =>
  rows.map((row) => String(row[0]))

/** Both lists in one, without duplicates. */
const mergeIds = (left: ReadonlyArray<string>, right: ReadonlyArray<string>, { direction, limit }: IdWindow) => {
  const all = [...new Set([...left, ...right])].sort()
  return (direction === "newest" ? all.reverse() : all).slice(0, limit)
}
