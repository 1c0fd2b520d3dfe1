import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Audit } from "../Audit.ts"

interface Oldest {
  readonly seq: number
  readonly row_hmac: string
  readonly occurred_at: string
}

const slice = 1000

/**
 * Removes the oldest rows of the audit log, at most 1000, that are older than `cutoff`, and records that in a row of
 * its own: `audit.pruned` names the last row removed, so that what is left still hangs on a chain that the key proves.
 * Answers whether there may be more.
 */
export const pruneAudit = (cutoff: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const oldest = yield* sql<Oldest>`SELECT seq, row_hmac, occurred_at FROM audit_log ORDER BY seq LIMIT ${slice}`
    const young = oldest.findIndex(({ occurred_at }) => occurred_at >= cutoff)
    const last = oldest[young === -1 ? oldest.length - 1 : young - 1]
    if (last === undefined) return false
    const removed = yield* sql`DELETE FROM audit_log WHERE seq <= ${last.seq} RETURNING seq`
    if (removed.length === 0) return false // another replica was faster
    yield* audit.record({
      action: "audit.pruned",
      target_type: "audit_log",
      metadata: { rows: removed.length, last_seq: last.seq, last_row_hmac: last.row_hmac }
    })
    return removed.length === slice
  })
