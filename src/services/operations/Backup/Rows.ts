import { type CopyToStreamQuery, to as copyTo } from "pg-copy-streams"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import type { PostgresConnection } from "../../kernel/sql/Database.ts"
import { blockBytes, type ColumnKind, type TableColumns } from "./Archive.ts"
import { encodeLine } from "./CopyText.ts"

export const quoteName = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`

export const columnList = ({ columns }: TableColumns): string => columns.map(({ name }) => quoteName(name)).join(", ")

/** The driver gives integers as floats, which lose digits above 2^53, or all of them as slower BigInt: so as text. */
const sqliteExpressions: Readonly<Record<ColumnKind, (name: string) => string>> = {
  text: (name) => name,
  real: (name) => name,
  integer: (name) => `CAST(${name} AS TEXT)`
}

/** A row of the statement below. */
type RawRow = ReadonlyArray<string | number | null>

/**
 * A table's rows from SQLite, within the reading connection's transaction. The event loop turns after each block, so
 * that threads can compress and the signal can end it.
 */
export async function* readSqliteRows(db: SqliteConnection, table: TableColumns): AsyncGenerator<Buffer> {
  const expressions = table.columns.map(({ kind, name }) => sqliteExpressions[kind](quoteName(name)))
  const statement = db.prepare<[], RawRow>(`SELECT ${expressions.join(", ")} FROM ${quoteName(table.name)}`, "array")
  let lines = ""
  for (const row of statement.iterate()) {
    lines += encodeLine(row)
    if (lines.length < blockBytes) continue
    yield Buffer.from(lines, "utf8")
    lines = ""
  }
  if (lines !== "") yield Buffer.from(lines, "utf8")
}

/**
 * Ends a COPY that is no longer read. Its stream must not be destroyed: it would leave the rest unread, and the
 * connection would wait for ever.
 */
const endCopy = async (client: PostgresConnection, copy: CopyToStreamQuery): Promise<void> => {
  const ended = new Promise<void>((resolve) => {
    copy.once("end", resolve)
    copy.once("error", () => resolve()) // the server has cancelled it
  })
  copy.resume()
  await Promise.all([ended, client.cancel()])
}

/** A table's rows from PostgreSQL, within the client's transaction. COPY reads a partitioned table only by a query. */
export async function* readPostgresRows(client: PostgresConnection, table: TableColumns): AsyncGenerator<Buffer> {
  const copy = client.query(
    copyTo(`COPY (SELECT ${columnList(table)} FROM ${quoteName(table.name)}) TO STDOUT (ENCODING 'UTF8')`)
  )
  let isRunning = true
  try {
    for await (const block of copy.iterator({ destroyOnReturn: false })) yield block
    isRunning = false
  } catch (error) {
    isRunning = false
    throw error
  } finally {
    if (isRunning) await endCopy(client, copy)
  }
}
