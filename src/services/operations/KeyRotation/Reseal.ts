import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import * as Cipher from "../../kernel/keys/Cipher.ts"
import type { SymmetricKey } from "../../kernel/keys/KeyRing.ts"
import { getSealingKey, Keys } from "../../kernel/keys/Keys.ts"
import {
  associatedDataOf,
  countSealedByKey,
  type SealedColumn,
  sealedColumns
} from "../../kernel/keys/SealedColumns.ts"
import { noKeySkipLocked } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"

/** Rows of one transaction. A command's arguments have at most 1 MiB, so memory holds 50 MiB at most. */
const sliceRows = 50

/** Rows of one column in one pass; the next pass takes the rest. */
const passRows = 100_000

/** Retries while all remaining rows are locked by other transactions: ten seconds in total. */
const maxWaits = 50
const waitDuration = "200 millis"

interface Row {
  readonly id: string
  readonly sealed: string
}

/** A damaged text, which no key can open. */
export interface DamagedText {
  readonly column: string
  readonly id: string
}

/** The rows whose text is not sealed under this key. */
const staleRowsFilter = (sql: SqlClient.SqlClient, { column, live }: SealedColumn, { key_id }: SymmetricKey) => {
  const prefix = Cipher.keyPrefixOf(key_id)
  const isStale = sql`substr(${sql(column)}, 1, ${prefix.length}) <> ${prefix}`
  return Effect.map(Timestamp.now, (now) => sql.and([live(sql, now), isStale]))
}

/** The ids of rows to be resealed, read outside of the slices' transactions, so the read holds no locks. */
export const listStaleIds = (sealedColumn: SealedColumn) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { secret } = yield* Keys
    const rows = yield* sql<{ id: string }>`SELECT ${sql(sealedColumn.id.column)} AS id FROM ${sql(sealedColumn.table)}
      WHERE ${yield* staleRowsFilter(sql, sealedColumn, yield* getSealingKey(sql, secret))} LIMIT ${passRows}`
    return rows.map(({ id }) => id)
  })

/**
 * Reseals those of the rows that are not sealed under the active key, and records their number, in one transaction.
 * Skips rows that other transactions have locked.
 */
export const resealSlice = (sealedColumn: SealedColumn, ids: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { secret } = yield* Keys
    const audit = yield* Audit
    const { column, purpose, table } = sealedColumn
    const name = `${table}.${column}`
    const key = yield* getSealingKey(sql, secret)
    const rows = yield* sql<Row>`SELECT ${sql(sealedColumn.id.column)} AS id, ${sql(column)} AS sealed FROM ${
      sql(table)
    }
      WHERE ${sql(sealedColumn.id.column)} IN ${sql.in(ids)} AND ${yield* staleRowsFilter(sql, sealedColumn, key)} ${
      noKeySkipLocked(sql)
    }`
    const damaged: Array<DamagedText> = []
    const resealedRows: Array<Row> = []
    let withoutKey = 0
    for (const { id, sealed } of rows) {
      const text = Cipher.open(secret, associatedDataOf(purpose, id), sealed)
      if (text === null) damaged.push({ column: name, id })
      if (!Cipher.isSealed(sealed)) withoutKey++
      if (text !== null) resealedRows.push({ id, sealed: Cipher.seal(key, associatedDataOf(purpose, id), text) })
    }
    if (resealedRows.length > 0) {
      yield* sql`UPDATE ${sql(table)} SET ${sql(column)} = r.sealed
        FROM ${recordset(sql, "r", { id: sealedColumn.id.type, sealed: "text" }, resealedRows)}
        WHERE ${sql(`${table}.${sealedColumn.id.column}`)} = r.id`
      yield* audit.record(auditEntry("secrets.resealed", "secret_key", key.key_id, {
        metadata: { column: name, texts: resealedRows.length }
      }))
    }
    return { resealed: resealedRows.length, damaged, withoutKey }
  }).pipe((slice) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(slice)))

/** One pass over all columns. */
const runPass = Effect.gen(function*() {
  const { secret } = yield* Keys
  const sql = yield* SqlClient.SqlClient
  const damaged: Array<DamagedText> = []
  let resealed = 0
  /** Damaged texts that name no key: they are counted under none. */
  let withoutKey = 0
  for (const sealedColumn of sealedColumns) {
    const ids = yield* listStaleIds(sealedColumn)
    for (let start = 0; start < ids.length; start += sliceRows) {
      const slice = yield* resealSlice(sealedColumn, ids.slice(start, start + sliceRows))
      resealed += slice.resealed
      damaged.push(...slice.damaged)
      withoutKey += slice.withoutKey
    }
  }
  const { key_id } = yield* getSealingKey(sql, secret)
  const under = yield* countSealedByKey
  const remainingTexts = [...under].filter(([id]) => id !== key_id).reduce((sum, [, texts]) => sum + texts, 0)
  return { resealed, damaged, key_id, under, isComplete: remainingTexts <= damaged.length - withoutKey }
})

/**
 * Reseals all stored secrets under the active key while replicas run. It works in slices, so it can be interrupted and
 * repeated. The result is counted in the database at the end: `under` has the number of texts under each key.
 */
export const resealStoredSecrets = Effect.gen(function*() {
  let resealed = 0
  for (let waits = 0;;) {
    const result = yield* runPass
    resealed += result.resealed
    if (result.isComplete || waits === maxWaits) return { ...result, resealed }
    if (result.resealed > 0) continue
    waits++
    yield* Effect.sleep(waitDuration)
  }
})
