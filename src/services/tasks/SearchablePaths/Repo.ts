import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ProjectId, SearchablePathId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { minId } from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { forUpdate, textIn } from "../../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

export const SearchablePathRow = Schema.Struct({
  id: SearchablePathId,
  project_id: ProjectId,
  task_name: Schema.String,
  path: Schema.String,
  filled_to: Schema.NullOr(Schema.String),
  created_by: Schema.NullOr(UserId),
  created_at: Timestamp
})
export type SearchablePathRow = typeof SearchablePathRow.Type

const NumberedRow = Schema.Struct({ ...SearchablePathRow.fields, number: Schema.Number })
/** A path with the number that its values name. */
export type NumberedPath = typeof NumberedRow.Type

const allRows = rowsOf(SearchablePathRow)
const firstRow = firstRowOf(SearchablePathRow)
const numberedRows = rowsOf(NumberedRow)
const encode = Schema.encodeSync(SearchablePathRow)

/** The searchable paths of projects. A removed one is no path any more; its values are deleted later. */
export const makeSearchablePathsRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const columns = sql.literal(Object.keys(SearchablePathRow.fields).join(", "))
  const numbered = sql.literal(Object.keys(NumberedRow.fields).join(", "))

  return {
    list: (projectId: ProjectId) =>
      allRows(read`SELECT ${columns} FROM searchable_paths
        WHERE project_id = ${projectId} AND removed_at IS NULL ORDER BY task_name, path`),
    count: (projectId: ProjectId) =>
      countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM searchable_paths
        WHERE project_id = ${projectId} AND removed_at IS NULL`),
    findPlace: (projectId: ProjectId, taskName: string, path: string) =>
      firstRow(sql`SELECT ${columns} FROM searchable_paths
        WHERE project_id = ${projectId} AND task_name = ${taskName} AND path = ${path} AND removed_at IS NULL`),
    findForUpdate: (projectId: ProjectId, id: SearchablePathId) =>
      firstRow(sql`SELECT ${columns} FROM searchable_paths
        WHERE id = ${id} AND project_id = ${projectId} AND removed_at IS NULL ${forUpdate(sql)}`),
    /** Those of the names at which the path is searchable. */
    listOfNames: (projectId: ProjectId, path: string, names: ReadonlyArray<string>) =>
      numberedRows(read`SELECT ${numbered} FROM searchable_paths
        WHERE project_id = ${projectId} AND path = ${path} AND removed_at IS NULL AND ${
        textIn(read, names, "task_name")
      }`),
    insert: (path: SearchablePathRow) => sql`INSERT INTO searchable_paths ${sql.insert(encode(path))}`,
    remove: (id: SearchablePathId, removed_at: string) =>
      sql`UPDATE searchable_paths SET removed_at = ${removed_at} WHERE id = ${id}`,

    /** Of all projects, those whose values are not all there. */
    listUnfilled: numberedRows(read`SELECT ${numbered} FROM searchable_paths
      WHERE removed_at IS NULL AND (filled_to IS NULL OR filled_to > ${minId}) ORDER BY number`),
    setFilled: (number: number, filledTo: string) =>
      sql`UPDATE searchable_paths SET filled_to = ${filledTo} WHERE number = ${number}`,
    listRemoved: (before: string) =>
      numberedRows(read`SELECT ${numbered} FROM searchable_paths WHERE removed_at < ${before} ORDER BY number`),
    delete: (number: number) => sql`DELETE FROM searchable_paths WHERE number = ${number}`
  } as const
})

export type SearchablePathsRepo = Effect.Effect.Success<typeof makeSearchablePathsRepo>
