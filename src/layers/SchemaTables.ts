import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { migrations } from "../../migrations/index.ts"
import { MigrationList, Migrations } from "../services/Migrations.ts"
import { SchemaTables } from "../services/SchemaTables.ts"
import * as Sqlite from "./Sqlite.ts"

/**
 * Applies all migrations to a database in memory and lists its tables, so that a new table cannot be forgotten. The tables
 * of PostgreSQL have the same names; partitions, which it has besides, belong to their table.
 */
export const layer = Layer.scoped(
  SchemaTables,
  Effect.gen(function*() {
    const { writer: sql } = yield* Sqlite.makeSqlite(":memory:", () => {})
    const { upgrade } = yield* Effect.provide(
      Migrations,
      Migrations.layer.pipe(
        Layer.provide(Layer.succeed(MigrationList, migrations)),
        Layer.provide(Layer.succeed(SqlClient.SqlClient, sql))
      )
    )
    yield* upgrade()
    const rows = yield* sql<{ name: string }>`
      SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
    return rows.map(({ name }) => name)
  })
)
