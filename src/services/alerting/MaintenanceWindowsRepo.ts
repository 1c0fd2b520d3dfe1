import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { MaintenanceWindow } from "../../domain/alerting/Notification/MaintenanceWindow.ts"
import { type MaintenanceWindowId, ProjectId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

const allRows = rowsOf(MaintenanceWindow)
const firstRow = firstRowOf(MaintenanceWindow)
const currentEnds = rowsOf(Schema.Struct({ project_id: ProjectId, ends_at: Timestamp }))
const encode = Schema.encodeSync(MaintenanceWindow)

export class MaintenanceWindowsRepo extends Effect.Service<MaintenanceWindowsRepo>()("svc/MaintenanceWindowsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(MaintenanceWindow.fields).join(", "))

    return {
      /** The latest start first. */
      list: (projectId: ProjectId) =>
        allRows(read`SELECT ${columns} FROM maintenance_windows
          WHERE project_id = ${projectId} ORDER BY starts_at DESC, id DESC LIMIT 500`),
      countOpen: (projectId: ProjectId, now: Timestamp) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM maintenance_windows
          WHERE project_id = ${projectId} AND ends_at > ${now}`),
      findForUpdate: (projectId: ProjectId, id: MaintenanceWindowId) =>
        firstRow(sql`SELECT ${columns} FROM maintenance_windows
          WHERE id = ${id} AND project_id = ${projectId} ${forUpdate(sql)}`),
      insert: (projectId: ProjectId, window: MaintenanceWindow) =>
        sql`INSERT INTO maintenance_windows ${sql.insert({ ...encode(window), project_id: projectId })}`,
      update: (window: MaintenanceWindow) =>
        sql`UPDATE maintenance_windows SET ${sql.update(encode(window), ["id"])} WHERE id = ${window.id}`,
      delete: (id: MaintenanceWindowId) => sql`DELETE FROM maintenance_windows WHERE id = ${id}`,
      /** The projects among these that are in a window now, each with the latest end. */
      listCurrentEnds: (projectIds: ReadonlyArray<ProjectId>, now: Timestamp) =>
        projectIds.length === 0 ? Effect.succeed([]) : currentEnds(sql`
          SELECT project_id, max(ends_at) AS ends_at FROM maintenance_windows
          WHERE ${sql.in("project_id", projectIds)} AND ends_at > ${now} AND starts_at <= ${now} GROUP BY project_id`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
