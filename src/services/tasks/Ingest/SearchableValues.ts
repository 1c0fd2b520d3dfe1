import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"
import * as TaskHistory from "../../../domain/tasks/TaskHistory.ts"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import {
  deleteValues,
  groupPaths,
  type IndexedPath,
  type IndexedPaths,
  insertValues,
  pathColumns,
  type PathRow,
  pushValueRows,
  type ValueRow
} from "../SearchablePaths/Values.ts"
import type { FoldedGroup } from "./Fold.ts"
import type { PendingTaskEvent } from "./Grouping.ts"

interface ValueChanges {
  readonly inserted: ReadonlyArray<ValueRow>
  readonly deleted: ReadonlyArray<ValueRow>
}

const hasArguments = ({ data }: PendingTaskEvent): boolean => {
  let found = false
  data.forEach((json, field) => {
    if ((field === "args" || field === "kwargs") && json !== "null") found = true
  })
  return found
}

const readsResult = ({ column }: IndexedPath): boolean => column === "result"
const readsArguments = ({ column }: IndexedPath): boolean => column !== "result"

/**
 * What the new rows of tasks change in the index. The stored values are not read: those of before follow from the stored
 * history, which is decoded only where the values may differ. Events without arguments leave those of the task as they
 * are, and only a task in the state success has a result.
 */
export const collectValueChanges = (folded: ReadonlyArray<FoldedGroup>, paths: IndexedPaths): ValueChanges => {
  const inserted: Array<ValueRow> = []
  const deleted: Array<ValueRow> = []
  for (const { group, row, stored } of folded) {
    const byName = paths.get(row.project_id)
    if (byName === undefined) continue
    const current = byName.get(row.name) ?? []
    const previous = stored === undefined ? [] : byName.get(stored.name) ?? []
    if (current.length === 0 && previous.length === 0) continue
    if (stored === undefined) {
      pushValueRows(inserted, current, row.project_id, row.id, row)
      continue
    }
    const hasSameArguments = stored.name === row.name &&
      (!current.some(readsArguments) || !group.events.some(hasArguments))
    if (hasSameArguments && (stored.state !== "success" || !current.some(readsResult))) {
      if (row.result !== null) pushValueRows(inserted, current.filter(readsResult), row.project_id, row.id, row)
      continue
    }
    const before: Array<ValueRow> = []
    const fields = TaskHistory.computeTaskFields(TaskHistory.decode(stored.history))
    pushValueRows(before, previous, row.project_id, row.id, fields)
    const after: Array<ValueRow> = []
    pushValueRows(after, current, row.project_id, row.id, row)
    pushMissing(deleted, before, after)
    pushMissing(inserted, after, before)
  }
  return { inserted: inserted.sort(byKey), deleted: deleted.sort(byKey) }
}

/** Appends those of `rows` that `others`, of the same task, does not have. */
const pushMissing = (into: Array<ValueRow>, rows: ReadonlyArray<ValueRow>, others: ReadonlyArray<ValueRow>): void => {
  for (const row of rows) {
    if (!others.some(({ path, value }) => path === row.path && value === row.value)) into.push(row)
  }
}

/** Neighbours in the index one after the other, which halves the time of SQLite. */
const byKey = (left: ValueRow, right: ValueRow): number =>
  left.path - right.path ||
  (left.value < right.value ? -1 : left.value > right.value ? 1 : left.task < right.task ? -1 : 1)

const projectsOf = (folded: ReadonlyArray<FoldedGroup>): ReadonlyArray<string> => {
  const ids = new Set<string>()
  for (const { row } of folded) ids.add(row.project_id)
  return [...ids]
}

/**
 * Writes the values of a transaction's tasks at searchable paths. A transaction reads the paths itself, after its first
 * write: one that began before a path was made searchable is awaited before the index is filled
 * (`SearchablePaths/Fill.ts`).
 */
export const makeSearchableValues = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const write = (folded: ReadonlyArray<FoldedGroup>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.gen(function*() {
      if (folded.length === 0) return
      const rows = yield* sql<PathRow>`SELECT ${sql.literal(pathColumns)} FROM searchable_paths
        WHERE ${idIn(sql, projectsOf(folded), "project_id")} AND removed_at IS NULL ORDER BY path`
      if (rows.length === 0) return
      const changes = collectValueChanges(folded, groupPaths(rows))
      yield* deleteValues(sql, changes.deleted)
      yield* insertValues(sql, changes.inserted)
    })

  const prepare = (db: SqliteConnection) => ({
    paths: db.prepare<[string], PathRow>(
      `SELECT ${pathColumns} FROM searchable_paths WHERE project_id = ? AND removed_at IS NULL ORDER BY path`
    ),
    insert: db.prepare<[string, number, string, string]>(
      "INSERT INTO searchable_values (project_id, path, value, task) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
    ),
    delete: db.prepare<[string, number, string, string]>(
      "DELETE FROM searchable_values WHERE project_id = ? AND path = ? AND value = ? AND task = ?"
    )
  })
  let statements: ReturnType<typeof prepare> | undefined

  /** The same in the ingest's transaction on SQLite, which is synchronous. */
  const writeOnSqlite = (db: SqliteConnection, folded: ReadonlyArray<FoldedGroup>): void => {
    statements ??= prepare(db)
    const rows: Array<PathRow> = []
    for (const projectId of projectsOf(folded)) rows.push(...statements.paths.all(projectId))
    if (rows.length === 0) return
    const changes = collectValueChanges(folded, groupPaths(rows))
    for (const { path, project_id, task, value } of changes.deleted) {
      statements.delete.run(project_id, path, value, task)
    }
    for (const { path, project_id, task, value } of changes.inserted) {
      statements.insert.run(project_id, path, value, task)
    }
  }

  return { write, writeOnSqlite } as const
})
