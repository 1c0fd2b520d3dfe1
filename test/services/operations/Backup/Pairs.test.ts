import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { archivedTables, unarchivedTables } from "../../../../src/services/operations/Backup/Catalog.ts"
import { Restore } from "../../../../src/services/operations/Restore.ts"
import { RestoreAftermath } from "../../../../src/services/operations/Restore/Aftermath.ts"
import { engines, temporaryHome } from "../../../databases.ts"
import { fillTables, readPostgresColumns } from "./rows.ts"
import { backUp, dumpTable, headTables, layerAudit, layerDatabase, makeSite, restoreInto, type Site } from "./site.ts"

const dumpAll = (site: Site) =>
  Effect.gen(function*() {
    const tables = archivedTables(yield* headTables)
    const dumps = yield* Effect.forEach(tables, (table) =>
      Effect.map(dumpTable(table.name, table.columns), (rows) => [table.name, rows] as const))
    return new Map(dumps)
  }).pipe(Effect.provide(layerDatabase(site)))

describe("the archived tables", () => {
  it.scopedLive("are those that PostgreSQL has, column by column", () =>
    Effect.gen(function*() {
      const tables = yield* headTables
      const columns = yield* readPostgresColumns
      const kinds: Readonly<Record<string, string>> = {
        text: "text",
        uuid: "text",
        int4: "integer",
        int8: "integer",
        float8: "real"
      }
      const found = columns.filter(({ table_name }) => !/^schedule_fires_(default|\d+)$/.test(table_name))
        .map(({ column_name, table_name, udt_name }) => `${table_name}.${column_name} ${kinds[udt_name]}`)
      assert.deepStrictEqual(
        tables.flatMap(({ columns, name }) => columns.map((column) => `${name}.${column.name} ${column.kind}`)).sort(),
        found.sort()
      )
      assert.deepStrictEqual(
        tables.map(({ name }) => name).filter((name) => unarchivedTables.has(name)).sort(),
        [...unarchivedTables].sort()
      )
    }))
})

describe.each(engines)("a backup of %s", (source) => {
  it.scopedLive("has every row of every table, exactly, on both databases", () =>
    Effect.gen(function*() {
      const from = yield* makeSite(source)
      yield* fillTables(yield* headTables).pipe(Effect.provide(layerAudit(from)))
      const before = yield* dumpAll(from)
      assert.deepStrictEqual([...before].filter(([, rows]) => rows.length === 0).map(([name]) => name), [
        "audit_watermark"
      ])
      const path = join(yield* temporaryHome, "archive")
      const { manifest, summary } = yield* backUp(from, path)
      assert.deepStrictEqual(
        summary.tables.map(({ name, rows }) => [name, rows]),
        [...before].map(([name, rows]) => [name, rows.length])
      )
      for (const target of engines) {
        const to = yield* makeSite(target, { keysOf: from })
        const copyOnly = Layer.succeed(
          RestoreAftermath,
          RestoreAftermath.make({ closeOpenWork: () => Effect.succeed({}) })
        )
        yield* restoreInto(to, path, null, Restore.Default.pipe(Layer.provide(copyOnly)))
        const after = yield* dumpAll(to)
        for (const [name, rows] of before) {
          const found = after.get(name) ?? []
          const isNew = (row: ReadonlyArray<string | null>) => row.includes("system.restored")
          if (name === "audit_head") continue
          assert.deepStrictEqual(name === "audit_log" ? found.filter((row) => !isNew(row)) : found, rows, name)
        }
        const [row] = yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{ seq: number; metadata: string }>`SELECT seq, metadata FROM audit_log WHERE action = 'system.restored'`
        ).pipe(Effect.provide(layerDatabase(to)))
        assert.strictEqual(row?.seq, (manifest.audit_head?.seq ?? 0) + 1)
        assert.deepNestedInclude(JSON.parse(row?.metadata ?? "{}"), { "backup.audit_head": manifest.audit_head })
      }
    }))
})
