import type { SqlClient, SqlError } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { TaskFilter } from "../../../domain/tasks/Task/Filter.ts"
import { type TaskFacet, taskFacets } from "../../../domain/tasks/TaskFacet.ts"
import { minId } from "../../kernel/Ids.ts"
import type { Conditions, Fragment } from "../Conditions.ts"
import { findIndexedTerm, type IndexedTerm, listPlacedTerms } from "../IndexedTerm.ts"
import type { RunStatement } from "../Scans.ts"
import type { SearchablePathsRepo } from "../SearchablePaths/Repo.ts"
import { hasTrigram } from "../SearchIndexes.ts"
import type { Branch, IndexedValues } from "../Statements.ts"

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

/** Values at paths that are each looked up in their own range of the index of values. */
const maxValueRanges = 100

type Terms = ReadonlyArray<Fragment>

/** What the index of searchable paths has of a filter. */
interface FoundValues extends IndexedValues {
  /** The index has the tasks from this id on. */
  readonly filledTo: string
}

const makeWalk = (conditions: Terms, index: string | null): Branch => ({
  conditions,
  ranges: null,
  indexed: null,
  within: [],
  index,
  isUnordered: false
})

/** The ways in which rows can match a filter, and the values that its parts of names stand for. */
export const makeBranches = (
  sql: SqlClient.SqlClient,
  where: Conditions,
  run: RunStatement,
  searchablePaths: SearchablePathsRepo
) => {
  /** For each column the project's values that satisfy a condition on `value`; null when there are too many. */
  const listValues = (projectId: ProjectId, columns: ReadonlyArray<TaskFacet>, condition: Fragment) => {
    const each = columns.map((facet) =>
      sql`SELECT facet, value FROM (
        SELECT facet, value FROM task_facets WHERE project_id = ${projectId} AND facet = ${facet} AND ${condition}
        LIMIT ${maxValues + 1}
      ) AS ${sql(facet)}`
    )
    return Effect.map(run(sql`${sql.join(" UNION ALL ", false)(each)}`), (rows) =>
      columns.map((column) => {
        const values = rows.filter(([facet]) => facet === column).map(([, value]) => String(value))
        return { column, values: values.length > maxValues ? null : values }
      }))
  }

  const listNamesLike = (projectId: ProjectId, part: string) =>
    Effect.map(listValues(projectId, ["name"], where.contains("value", part)), ([names]) => names?.values ?? null)

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
      ? { ...makeWalk(others, null), ranges: { column, values } }
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

  /**
   * What the index of searchable paths has of the filter; null where it cannot answer: the path must be searchable for
   * each task name that the filter admits.
   */
  const findValues = Effect.fnUntraced(function*(projectId: ProjectId, filter: TaskFilter) {
    if (filter.ids !== null) return null
    for (const { name, path, rest, values } of listPlacedTerms(filter.query)) {
      const names = filter.name !== null
        ? yield* listNamesLike(projectId, filter.name)
        : name === null
        ? null
        : yield* listTermValues(projectId, name)
      if (names === null || names.length === 0 || names.length * values.length > maxValueRanges) continue
      const paths = yield* searchablePaths.listOfNames(projectId, path, names)
      const filled = paths.flatMap(({ filled_to }) => filled_to ?? [])
      if (filled.length < names.length) continue
      return {
        path,
        paths: paths.map(({ number }) => number),
        values,
        filledTo: filled.reduce((newest, id) => (id > newest ? id : newest)),
        isAlone: rest.length === 0 && (filter.name === null || name === null) && hasOnlyNameAndQuery(filter)
      } satisfies FoundValues
    }
    return null
  })

  /** The branches of the filter; `trigrams`: the columns that have a trigram index. */
  const list = Effect.fnUntraced(function*(
    projectId: ProjectId,
    filter: TaskFilter,
    trigrams: ReadonlySet<string> = new Set()
  ) {
    const indexed = yield* findValues(projectId, filter)
    if (indexed === null) return yield* listWithoutValues(projectId, filter, trigrams)
    const branch: Branch = { ...makeWalk(where.allTerms(filter), null), indexed }
    if (indexed.filledTo === minId) return [branch]
    const others = yield* listWithoutValues(projectId, filter, trigrams)
    return [
      { ...branch, within: [sql`id >= ${indexed.filledTo}`] },
      ...others.map((other): Branch => ({ ...other, conditions: [...other.conditions, sql`id < ${indexed.filledTo}`] }))
    ]
  })

  /** The branches that read no index of values. */
  const listWithoutValues = Effect.fnUntraced(function*(
    projectId: ProjectId,
    filter: TaskFilter,
    trigrams: ReadonlySet<string>
  ): Effect.fn.Return<ReadonlyArray<Branch>, SqlError.SqlError> {
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

  return { list, findValues, listNamesLike, listTermValues } as const
}

export type Branches = ReturnType<typeof makeBranches>

/** Whether a term of the filter has an index of its own. */
const isIndexed = ({ fingerprint, queue, state, worker }: TaskFilter): boolean =>
  [fingerprint, queue, state, worker].some((term) => term !== null)

const hasOnlyNameAndQuery = (filter: TaskFilter): boolean =>
  Object.entries(filter).every(([term, value]) =>
    value === null || ["name", "query", "search_exceptions"].includes(term)
  )
