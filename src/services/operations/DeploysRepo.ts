import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { DeployId, ProjectId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Deploy } from "../../domain/operations/Deploy.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"
import { firstRowOf, rowsOf } from "../kernel/sql/Rows.ts"

/** `from` is included, `to` is not. */
export interface TimeRange {
  readonly from?: Timestamp | undefined
  readonly to?: Timestamp | undefined
}

const allRows = rowsOf(Deploy)
const firstRow = firstRowOf(Deploy)
const encode = Schema.encodeSync(Deploy)

export class DeploysRepo extends Effect.Service<DeploysRepo>()("svc/DeploysRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(Deploy.fields).join(", "))
    const isIn = ({ from, to }: TimeRange) =>
      sql.and([
        ...(from === undefined ? [] : [sql`at >= ${from}`]),
        ...(to === undefined ? [] : [sql`at < ${to}`]),
        sql`1 = 1`
      ])

    return {
      /** The newest first. */
      list: (projectId: ProjectId, range: TimeRange, limit: number) =>
        allRows(read`SELECT ${columns} FROM deploys
          WHERE project_id = ${projectId} AND ${isIn(range)} ORDER BY at DESC, id DESC LIMIT ${limit}`),
      findSame: (projectId: ProjectId, version: string, range: TimeRange) =>
        firstRow(sql`SELECT ${columns} FROM deploys
          WHERE project_id = ${projectId} AND ${isIn(range)} AND version = ${version} ORDER BY at DESC LIMIT 1`),
      findForUpdate: (projectId: ProjectId, id: DeployId) =>
        firstRow(sql`SELECT ${columns} FROM deploys
          WHERE id = ${id} AND project_id = ${projectId} ${forUpdate(sql)}`),
      insert: (projectId: ProjectId, deploy: Deploy) =>
        sql`INSERT INTO deploys ${sql.insert({ ...encode(deploy), project_id: projectId })}`,
      delete: (id: DeployId) => sql`DELETE FROM deploys WHERE id = ${id}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
