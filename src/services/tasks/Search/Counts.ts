import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { maxFacetTasks, maxFacetValues, type ReadFacetCounts } from "../../../domain/tasks/Task/Facets.ts"
import type { TaskFilter } from "../../../domain/tasks/Task/Filter.ts"
import { minId } from "../../kernel/Ids.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import type { Conditions } from "../Conditions.ts"
import { findIndexedTerm } from "../IndexedTerm.ts"
import type { RunStatement } from "../Scans.ts"
import type { makeStatements } from "../Statements.ts"
import type { Branches } from "./Branches.ts"

/** Maximum total; more tasks are not counted. */
export const maxCounted = 10_000
/** Counts the tasks that match a filter. */
export const makeCounts = (
  sql: SqlClient.SqlClient,
  where: Conditions,
  run: RunStatement,
  statements: ReturnType<typeof makeStatements>,
  { findValues, listNamesLike, listTermValues }: Branches
) => {
  /** What an index finds of a filter; no terms: all tasks, null: none. */
  const narrow = Effect.fnUntraced(function*(projectId: ProjectId, filter: TaskFilter, most: number) {
    if (filter.ids !== null) return { terms: [idIn(sql, filter.ids)], isOrdered: false }
    const indexed = yield* findValues(projectId, filter)
    if (indexed?.filledTo === minId) {
      return { terms: [statements.isIndexed(projectId, indexed, most)], isOrdered: false }
    }
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
      narrow(projectId, filter, most),
      ({ isOrdered, terms }) =>
        terms === null ? null : statements.selectCandidates(projectId, filter, terms, isOrdered, most)
    )

  /** How many tasks match, or null when more than `maxCounted` rows would have to be read. */
  const count = Effect.fn("TaskSearch.count")(function*(projectId: ProjectId, filter: TaskFilter) {
    const rows = yield* selectCandidates(projectId, filter, maxCounted + 1)
    if (rows === null) return 0
    const matches = sql`CASE WHEN ${sql.and(where.allTerms(filter))} THEN 1 ELSE 0 END`
    const [row] = yield* run(sql`SELECT COUNT(*), COALESCE(SUM(${matches}), 0) FROM (${rows}) AS candidates`)
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
    const found = yield* run(sql`WITH candidates AS MATERIALIZED (${rows}),
      matches AS MATERIALIZED (
        SELECT state, name, queue, worker_name, engine FROM candidates
        ${sql.literal("WHERE ")}${sql.and([sql`1 = 1`, ...where.allTerms(filter)])}
      )
      SELECT 'read' AS facet, NULL AS value, COUNT(*) AS tasks FROM candidates
      UNION ALL SELECT 'counted', NULL, COUNT(*) FROM matches
      UNION ALL ${sql.join(" UNION ALL ", false)(each)}`)
    return toFacetCounts(found, maxFacetTasks)
  })

  return { count, countFacets } as const
}

/** The counts of rows `[facet, value, tasks]`. The rows `read` and `counted` have the numbers of tasks. */
const toFacetCounts = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  mostRead: number
): ReadFacetCounts => {
  const numberOf = (facet: string) => Number(rows.find(([name]) => name === facet)?.[2] ?? 0)
  const valuesOf = (facet: string) =>
    rows
      .filter(([name, value]) => name === facet && value !== null)
      .map(([, value, tasks]) => ({ value: String(value), count: Number(tasks) }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, maxFacetValues)
  return {
    counted: numberOf("counted"),
    is_complete: rows.length === 0 || numberOf("read") < mostRead,
    state: valuesOf("state"),
    name: valuesOf("name"),
    queue: valuesOf("queue"),
    worker: valuesOf("worker_name"),
    engine: valuesOf("engine")
  }
}
