import type { SqlError } from "@effect/sql"
import { Effect } from "effect"
import { ProjectId } from "../../domain/kernel/Id.ts"
import { taskFields } from "../../domain/tasks/Task.ts"
import { everyTask, type TaskFilter } from "../../domain/tasks/Task/Filter.ts"
import type { TaskRow } from "../../domain/tasks/Task/Json.ts"
import { minId } from "../kernel/Ids.ts"
import { groupWithin, pageBytes, pageSliceBytes, type RowSize, takeUpTo, takeWithin } from "../kernel/PageBytes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { idIn } from "../kernel/sql/Dialect.ts"
import { type Parameter, PreparedReads } from "../kernel/sql/PreparedReads.ts"
import { makeConditions } from "./Conditions.ts"

/**
 * The approximate size of a row, from the columns without a small bound. Neither database reads a large value to
 * measure it.
 */
const sizeSql = ["args", "kwargs", "result", "exception", "traceback", "tags"]
  .map((column) => `coalesce(octet_length(${column}), 0)`).join(" + ")

/** Tasks in a page unless the request says how many. */
export const defaultLimit = 50

type PageQuery = readonly [projectId: ProjectId, filter: TaskFilter, after: string | null, limit: number]

/** The first rows of a page, the ids of those that are left to read, a group at a time, and whether other pages follow. */
export interface ReadPage {
  readonly rows: ReadonlyArray<TaskRow>
  readonly later: ReadonlyArray<ReadonlyArray<string>>
  readonly hasMore: boolean
}

type MakePage = (...page: PageQuery) => Effect.Effect<ReadPage, SqlError.SqlError>

/** Where the id is in a row. */
export const idAt = taskFields.indexOf("id")

const groupIds = (rows: ReadonlyArray<RowSize>): ReadonlyArray<ReadonlyArray<string>> =>
  groupWithin(rows, pageSliceBytes).map((group) => group.map(({ id }) => id))

// the cast: every column of `taskFields` is text or a number in both databases
export const asTaskRows = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => rows as ReadonlyArray<TaskRow>

/** Reads pages of `tasks`, whose rows may be large: the sizes first, then as many rows as a response may have. */
export const makeTaskPages = Effect.gen(function*() {
  const sql = yield* Reader
  const where = makeConditions(sql)
  const columns = sql.literal(taskFields.join(", "))
  const prepare = yield* PreparedReads

  /** The page's conditions and the row after it, which says whether more follow. */
  const fromPage = (...[projectId, filter, after, limit]: PageQuery) => {
    const conditions = [
      sql`project_id = ${projectId}`,
      ...where.exactTerms(filter),
      ...(after === null ? [] : [sql`id < ${after}`])
    ]
    return sql`FROM tasks WHERE ${sql.and(conditions)} ORDER BY id DESC LIMIT ${sql.literal(String(limit + 1))}`
  }

  const selectPageSizes = (...page: PageQuery) =>
    sql<RowSize>`SELECT id, ${sql.literal(sizeSql)} AS bytes ${fromPage(...page)}`

  /**
   * The first rows of the page, each with the number of rows that were found and the bytes up to it, for PostgreSQL: it
   * carries a large value by its address until the value is sent. SQLite would copy the values of rows that are left out.
   */
  const selectPage = (...page: PageQuery) =>
    sql`SELECT ${columns}, found, total FROM (
        SELECT ${columns}, row_number() OVER newest AS place, sum(bytes) OVER newest AS total, count(*) OVER () AS found
        FROM (SELECT ${columns}, ${sql.literal(sizeSql)} AS bytes ${fromPage(...page)}) AS sizes
        WINDOW newest AS (ORDER BY id DESC)
      ) AS places
      WHERE place <= ${sql.literal(String(page[3]))} AND (total <= ${sql.literal(String(pageSliceBytes))} OR place = 1)
      ORDER BY id DESC`
  // the page that is read most, prepared; its text does not depend on the project
  const [firstPageText] = selectPage(ProjectId.make(minId), everyTask, null, defaultLimit).compile()
  const selectFirstPage = prepare.values(firstPageText)

  const readPageAtOnce: MakePage = (...page) => {
    const statement = selectPage(...page)
    const [text, values] = statement.compile()
    const found = text === firstPageText ? selectFirstPage(...values as ReadonlyArray<Parameter>) : statement.values
    return Effect.flatMap(found, (all) => {
      const rows = asTaskRows(all.map((row) => row.slice(0, taskFields.length)))
      const last = all.at(-1)
      const foundRows = Number(last?.[taskFields.length] ?? 0)
      const [projectId, filter, , limit] = page
      if (last === undefined || rows.length >= Math.min(foundRows, limit)) {
        return Effect.succeed({ rows, later: [], hasMore: foundRows > rows.length } satisfies ReadPage)
      }
      const left = pageBytes - Number(last[taskFields.length + 1])
      return Effect.map(selectPageSizes(projectId, filter, String(last[idAt]), limit - rows.length), (sizes) => {
        const taken = takeUpTo(sizes, left).slice(0, limit - rows.length)
        return { rows, later: groupIds(taken), hasMore: sizes.length > taken.length } satisfies ReadPage
      })
    })
  }

  const readPageBySizes: MakePage = (...page) =>
    Effect.flatMap(selectPageSizes(...page), (sizes) => readOf(page[0], sizes, page[3]))

  /** The page of these rows, at most `limit` of them and fewer when they are large. */
  const readOf = (
    projectId: ProjectId,
    sizes: ReadonlyArray<RowSize>,
    limit: number
  ): Effect.Effect<ReadPage, SqlError.SqlError> => {
    const taken = takeWithin(sizes, pageBytes).slice(0, limit)
    const [first = [], ...later] = groupIds(taken)
    return Effect.map(listByIds(projectId, first), (rows) => ({ rows, later, hasMore: sizes.length > taken.length }))
  }

  const readPage: MakePage = sql.onDialectOrElse({ pg: () => readPageAtOnce, orElse: () => readPageBySizes })

  /** The existing rows, newest first. Read few at a time: `listSizes` has their sizes. */
  const listByIds = (projectId: ProjectId, ids: ReadonlyArray<string>) =>
    Effect.map(
      sql`SELECT ${columns} FROM tasks WHERE project_id = ${projectId} AND ${idIn(sql, ids)} ORDER BY id DESC`
        .values,
      asTaskRows
    )

  return {
    /**
     * A page of a filter with at most one term: at most `limit` rows, fewer when they are large. It is read from one index in
     * the order of the list.
     */
    readPage,

    /** As `readPage`, of rows whose sizes are known. */
    readOf,

    /** The sizes of the existing rows, newest first. */
    listSizes: (projectId: ProjectId, ids: ReadonlyArray<string>) =>
      sql<RowSize>`SELECT id, ${sql.literal(sizeSql)} AS bytes FROM tasks
        WHERE project_id = ${projectId} AND ${idIn(sql, ids)} ORDER BY id DESC`,

    listByIds
  } as const
})
