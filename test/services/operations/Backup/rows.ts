import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import pg from "pg"
import { inject } from "vitest"
import { system } from "../../../../src/domain/kernel/Actor.ts"
import { archivedTables, type CatalogTable } from "../../../../src/services/operations/Backup/Catalog.ts"
import { appendAudit } from "../../../audit.ts"

/** What PostgreSQL knows of a column; SQLite knows neither uuid nor 32 bits. */
interface PostgresColumn {
  readonly table_name: string
  readonly column_name: string
  readonly udt_name: string
  readonly is_nullable: string
  readonly parent: string | null
  readonly is_indexed: boolean
}

const columnsQuery = `SELECT c.table_name, c.column_name, c.udt_name, c.is_nullable, (
    SELECT k.confrelid::regclass::text FROM pg_constraint k
    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND k.conrelid = c.table_name::regclass AND a.attname = c.column_name LIMIT 1) AS parent,
    EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
      WHERE i.indrelid = c.table_name::regclass AND a.attname = c.column_name) AS is_indexed
  FROM information_schema.columns c
  WHERE c.table_schema = 'public'`

/** The columns of all tables, from the migrated database that the run's own databases are copied from. */
export const readPostgresColumns = Effect.promise(async () => {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${inject("migrated").postgres}`
  const client = new pg.Client({ connectionString: url.toString() })
  await client.connect()
  try {
    return (await client.query<PostgresColumn>(columnsQuery)).rows
  } finally {
    await client.end()
  }
})

/** Texts that a careless format loses. */
export const hostileTexts = [
  "\\N",
  "\\.",
  "a\tb\\tc",
  "line\nline\r\nline\\n",
  "\b\f\v\u0001\u001f\u007f",
  "",
  " ",
  "null",
  "\"quoted\", 'single', ${dollar}; --",
  "\\",
  "\\\\\\",
  "ä🙂漢字\u202e\ufeff\u2028",
  "12345678901234567890",
  "1.0",
  "x".repeat(20_000) + "🙂"
]

const integers = {
  int4: ["2147483647", "-2147483648", "0", "-1"],
  int8: ["9223372036854775807", "-9007199254740993", "0", "4294967296"]
}
const floats = [0.1, 1, 1e300, -5e-324, 123456789.12345679]

/** Tables whose rows must be real: the audit log, and those with one row that the migrations insert. */
const realTables: ReadonlySet<string> = new Set([
  "audit_log",
  "audit_head",
  "audit_keys",
  "audit_watermark",
  "key_fingerprints",
  "schedule_changes"
])

const rowsOfTable = 4

/**
 * Rows of every table with the most hostile values that its columns allow, and some of the audit log. References point
 * at rows of the same number.
 */
export const fillTables = (tables: ReadonlyArray<CatalogTable>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const known = yield* readPostgresColumns
    const ids = new Map<string, ReadonlyArray<string>>()
    let text = 0
    const valueOf = (column: PostgresColumn, row: number): string | number | null => {
      const parentId = column.parent === null ? undefined : ids.get(column.parent)?.[row]
      if (column.is_nullable === "YES" && (row + text) % 3 === 0) return null
      if (parentId !== undefined) return parentId
      switch (column.udt_name) {
        case "uuid":
          return randomUUID()
        case "int4":
          return integers.int4[row] ?? "0"
        case "int8":
          return integers.int8[row] ?? "0"
        case "float8":
          return floats[row % floats.length] ?? 0
        default: {
          const value = hostileTexts[text++ % hostileTexts.length] ?? ""
          // PostgreSQL refuses index rows above 2704 bytes
          return column.is_indexed ? `${value.slice(0, 40)} ${row} ${text}` : value
        }
      }
    }
    const counters = new Map(tables.map(({ counter, name }) => [name, counter]))
    for (const { columns, name } of archivedTables(tables).filter(({ name }) => !realTables.has(name))) {
      const types = columns.map((column) =>
        known.find(({ column_name, table_name }) => table_name === name && column_name === column.name)!
      )
      // a table with a small integer as its id has one row
      const isSingle = types.some(({ column_name, udt_name }) => column_name === "id" && udt_name === "int4")
      if (isSingle && (yield* sql`SELECT 1 FROM ${sql(name)}`).length > 0) continue
      const rows = Array.from({ length: isSingle ? 1 : rowsOfTable }, (_, row) =>
        Object.fromEntries(types.map((type) => {
          const isNumber = type.column_name === counters.get(name) ||
            type.column_name === "id" && type.udt_name !== "uuid"
          if (isNumber) return [type.column_name, row + 1]
          return [type.column_name, valueOf(type, row)]
        })))
      const keyColumn = columns[0]?.name ?? ""
      ids.set(name, rows.map((row) => String(row[keyColumn])))
      for (const row of rows) yield* sql`INSERT INTO ${sql(name)} ${sql.insert(row)}`
    }
    yield* appendAudit(
      hostileTexts.map((note) => ({
        action: "test.done",
        target_type: "test",
        metadata: { note: note.slice(0, 1000) }
      })),
      system("test")
    )
  })
