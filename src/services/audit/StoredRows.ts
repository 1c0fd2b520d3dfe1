import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { auditColumnNames, type StoredRow } from "./ChainWriter.ts"
import type { RowLookup } from "./Diagnosis.ts"

/** Rows that are read and verified before the event loop turns: a few milliseconds. */
export const sliceRows = 500

/** The next rows after `seq`, up to `until`. */
export const readSlice = (sql: SqlClient.SqlClient, seq: number, until: number, rows = sliceRows) =>
  sql<StoredRow>`SELECT ${sql.literal(auditColumnNames)} FROM audit_log
    WHERE seq > ${seq} AND seq <= ${until} ORDER BY seq LIMIT ${rows}`

export const makeRowLookup = (sql: SqlClient.SqlClient): RowLookup<SqlError, never> => {
  const findAt = (seq: number) =>
    Effect.map(
      sql<StoredRow>`SELECT ${sql.literal(auditColumnNames)} FROM audit_log WHERE seq = ${seq}`,
      ([row]) => row
    )
  return {
    findAt,
    findSuccessor: (rowHmac, seq) =>
      Effect.gen(function*() {
        let from = seq
        while (true) {
          const rows = yield* sql<{ seq: number; prev_row_hmac: string }>`
            SELECT seq, prev_row_hmac FROM audit_log WHERE seq >= ${from} ORDER BY seq LIMIT 2000`
          const found = rows.find(({ prev_row_hmac }) => prev_row_hmac === rowHmac)
          if (found !== undefined) return yield* findAt(found.seq)
          const last = rows[rows.length - 1]
          if (last === undefined) return undefined
          from = last.seq + 1
          yield* yieldToEventLoop
        }
      })
  }
}
