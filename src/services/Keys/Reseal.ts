import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import type { HeldKey } from "../HeldKeys.ts"
import { Keys, sealingKey } from "../Keys.ts"
import { recordset } from "../Recordset.ts"
import * as Cipher from "./Cipher.ts"
import { purposeOf, type SealedColumn, sealedColumns, sealedUnder } from "./Sealed.ts"

/** Rows of one transaction. A command's arguments take a megabyte at most, so this is what memory has to hold. */
const sliceRows = 50

/** Rows of one column in one pass; what is more comes in the next. */
const passRows = 100_000

/** How often it looks again when all that is left are rows that others are working on: for ten seconds. */
const mostWaits = 50
const pause = "200 millis"

interface Row {
  readonly id: string
  readonly sealed: string
}

/** A text that no key opens: it was damaged. */
export interface Damaged {
  readonly column: string
  readonly id: string
}

/** The rows whose text is sealed under another key than this one. */
const others = (sql: SqlClient.SqlClient, { column, live }: SealedColumn, { key_id }: HeldKey) => {
  const prefix = Cipher.prefixOf(key_id)
  const isOther = sql`substr(${sql(column)}, 1, ${prefix.length}) <> ${prefix}`
  return Effect.map(Timestamp.now, (now) => sql.and([live(sql, now), isOther]))
}

/** The ids of rows to be sealed anew: read apart from the slices, so that nobody waits for it. */
export const idsToReseal = (place: SealedColumn) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { secret } = yield* Keys
    const rows = yield* sql<{ id: string }>`SELECT ${sql(place.id.column)} AS id FROM ${sql(place.table)}
      WHERE ${yield* others(sql, place, yield* sealingKey(sql, secret))} LIMIT ${passRows}`
    return rows.map(({ id }) => id)
  })

/**
 * Seals those of the rows anew that are sealed under another key than the one that seals now, and records how many they
 * were, in one transaction. Rows that somebody else is working on are left out.
 */
export const resealSlice = (place: SealedColumn, ids: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { secret } = yield* Keys
    const audit = yield* Audit
    const { column, purpose, table } = place
    const name = `${table}.${column}`
    // weaker than FOR UPDATE, so that rows which refer to this one can be written meanwhile
    const locked = sql.literal(sql.onDialectOrElse({ pg: () => "FOR NO KEY UPDATE SKIP LOCKED", orElse: () => "" }))
    const key = yield* sealingKey(sql, secret)
    const rows = yield* sql<Row>`SELECT ${sql(place.id.column)} AS id, ${sql(column)} AS sealed FROM ${sql(table)}
      WHERE ${sql(place.id.column)} IN ${sql.in(ids)} AND ${yield* others(sql, place, key)} ${locked}`
    const damaged: Array<Damaged> = []
    const anew: Array<Row> = []
    for (const { id, sealed } of rows) {
      const text = Cipher.open(secret, purposeOf(purpose, id), sealed)
      if (text === null) damaged.push({ column: name, id })
      else anew.push({ id, sealed: Cipher.seal(key, purposeOf(purpose, id), text) })
    }
    if (anew.length > 0) {
      yield* sql`UPDATE ${sql(table)} SET ${sql(column)} = r.sealed
        FROM ${recordset(sql, "r", { id: place.id.type, sealed: "text" }, anew)}
        WHERE ${sql(`${table}.${place.id.column}`)} = r.id`
      yield* audit.record({
        action: "secrets.resealed",
        target_type: "secret_key",
        target_id: key.key_id,
        metadata: { column: name, texts: anew.length }
      })
    }
    return { resealed: anew.length, damaged }
  }).pipe((slice) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(slice)))

/** Once over everything. */
const pass = Effect.gen(function*() {
  const { secret } = yield* Keys
  const sql = yield* SqlClient.SqlClient
  const damaged: Array<Damaged> = []
  let resealed = 0
  for (const place of sealedColumns) {
    const ids = yield* idsToReseal(place)
    for (let at = 0; at < ids.length; at += sliceRows) {
      const slice = yield* resealSlice(place, ids.slice(at, at + sliceRows))
      resealed += slice.resealed
      damaged.push(...slice.damaged)
    }
  }
  const { key_id } = yield* sealingKey(sql, secret)
  const under = yield* sealedUnder
  const left = [...under].filter(([id]) => id !== key_id).reduce((sum, [, texts]) => sum + texts, 0)
  return { resealed, damaged, key_id, under, isSettled: left <= damaged.length }
})

/**
 * Seals all stored secrets under the key that seals now, while replicas run: slice by slice, so that it can be broken
 * off and begun again. What it found is counted in the database at the end, and not believed: `under` has how many
 * texts are sealed under each key.
 */
export const reseal = Effect.gen(function*() {
  let resealed = 0
  for (let waits = 0;;) {
    const done = yield* pass
    resealed += done.resealed
    if (done.isSettled || waits === mostWaits) return { ...done, resealed }
    if (done.resealed > 0) continue
    waits++
    yield* Effect.sleep(pause)
  }
})
