import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type ProjectId, SavedViewId, UserId } from "../../../domain/kernel/Id.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { SavedTaskFilters } from "../../../domain/tasks/SavedView.ts"
import { BooleanColumn, JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { countOf, firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

export const SavedViewRow = Schema.Struct({
  id: SavedViewId,
  owner_id: Schema.NullOr(UserId),
  name: Schema.String,
  filters: JsonColumn(SavedTaskFilters),
  is_shared: BooleanColumn,
  created_at: Timestamp,
  updated_at: Timestamp
})
export type SavedViewRow = typeof SavedViewRow.Type

const allRows = rowsOf(SavedViewRow)
const firstRow = firstRowOf(SavedViewRow)
const encode = Schema.encodeSync(SavedViewRow)

export class SavedViewsRepo extends Effect.Service<SavedViewsRepo>()("svc/SavedViewsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(SavedViewRow.fields).join(", "))

    return {
      /** The user's own views of the project and the shared ones, by name. */
      list: (projectId: ProjectId, ownerId: UserId) =>
        allRows(read`SELECT ${columns} FROM saved_views
          WHERE project_id = ${projectId} AND (owner_id = ${ownerId} OR is_shared = 1) ORDER BY name, id`),
      /** A view that the user sees, locked until the end of the transaction. */
      findForUpdate: (projectId: ProjectId, ownerId: UserId, id: SavedViewId) =>
        firstRow(sql`SELECT ${columns} FROM saved_views
          WHERE id = ${id} AND project_id = ${projectId} AND (owner_id = ${ownerId} OR is_shared = 1)
          ${sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })}`),
      countOwn: (projectId: ProjectId, ownerId: UserId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM saved_views
          WHERE owner_id = ${ownerId} AND project_id = ${projectId}`),
      countShared: (projectId: ProjectId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM saved_views
          WHERE project_id = ${projectId} AND is_shared = 1`),
      insert: (projectId: ProjectId, view: SavedViewRow) =>
        sql`INSERT INTO saved_views ${sql.insert({ ...encode(view), project_id: projectId })}`,
      update: (view: SavedViewRow) =>
        sql`UPDATE saved_views SET ${sql.update(encode(view), ["id"])} WHERE id = ${view.id}`,
      delete: (id: SavedViewId) => sql`DELETE FROM saved_views WHERE id = ${id}`,
      deletePersonal: (ownerId: UserId) => sql`DELETE FROM saved_views WHERE owner_id = ${ownerId} AND is_shared = 0`
    } as const
  })
}) {
  static readonly layer = this.Default
}
