import { Effect, Layer } from "effect"
import { headRevision } from "../../migrations/MigrationList.ts"
import { SchemaTables } from "../services/kernel/sql/SchemaTables.ts"
import { Catalog } from "../services/operations/Backup/Catalog.ts"
import * as CatalogLayer from "./Catalog.ts"

/** The tables of the newest revision, by the migrations themselves, so that a new table cannot be forgotten. */
export const layer = Layer.effect(
  SchemaTables,
  Effect.gen(function*() {
    const { tablesAt } = yield* Catalog
    const tables = yield* tablesAt(yield* headRevision)
    return tables.map(({ name }) => name).sort()
  })
).pipe(Layer.provide(CatalogLayer.layer))
