import { SqlClient } from "@effect/sql"
import { Effect, Option, Redacted } from "effect"
import type { Actor, Source } from "../domain/Actor.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { type ChainedRow, genesis, rowHmac } from "./Audit/Chain.ts"
import { AuditForwarder } from "./AuditForwarder.ts"
import { CurrentActor } from "./CurrentActor.ts"
import { orDieOnSql } from "./Database.ts"
import * as Ids from "./Ids.ts"
import { Keys } from "./Keys.ts"
import { recordset } from "./Recordset.ts"

/** What happened, in the terms of the audit log. `action` is `noun.verb_in_past`, such as `project.created`. */
export interface Entry {
  readonly action: string
  readonly target_type: string
  readonly target_id?: string | null
  readonly project_id?: string | null
  readonly metadata?: Readonly<Record<string, unknown>>
  /** `allow` (default) or `deny`. */
  readonly outcome?: "allow" | "deny"
  /** `success` (default) or `failure`. */
  readonly result?: "success" | "failure"
  /** Where the request came from, when nobody is signed in; else it is the actor's. */
  readonly source?: Source
  /** The agent's event that tells of it. */
  readonly event_id?: string | null
}

/** An entry, and who did it. */
export interface ByActor {
  readonly actor: Actor
  readonly entry: Entry
}

const rowOf = (actor: Actor, entry: Entry, place: Pick<ChainedRow, "id" | "seq" | "occurred_at">): ChainedRow => {
  const person = actor.kind === "person" ? actor : null
  const source = person ?? entry.source ?? null
  return {
    ...place,
    project_id: entry.project_id ?? null,
    user_id: person?.user_id ?? null,
    api_key_id: person?.via.kind === "api_key" ? person.via.api_key_id : null,
    action: entry.action,
    target_type: entry.target_type,
    target_id: entry.target_id ?? null,
    result: entry.result ?? "success",
    outcome: entry.outcome ?? "allow",
    metadata: JSON.stringify({ ...(actor.kind === "system" ? { by: actor.name } : {}), ...entry.metadata }),
    source_ip: source?.source_ip ?? null,
    user_agent: source?.user_agent ?? null,
    event_id: entry.event_id ?? null
  }
}

/** The newest row's place in the chain; `occurred_at` is null before the first row. */
export interface Head {
  readonly seq: number
  readonly row_hmac: string
  readonly occurred_at: Timestamp.Timestamp | null
}

export type AuditRow = ChainedRow & { readonly prev_row_hmac: string; readonly row_hmac: string }

/**
 * The rows of these entries behind `head`, and the head after them. Times and ids rise along `seq` whatever the clocks
 * of the replicas say, since cursors are made of them: entries of one call share a moment that is later than the one before.
 */
export const appended = (key: Buffer, head: Head, entries: ReadonlyArray<ByActor>, now: Timestamp.Timestamp) => {
  const later = head.occurred_at === null || now > head.occurred_at
  const occurred_at = later ? now : Timestamp.addSeconds(head.occurred_at, 0.000001)
  const ids = Array.from(entries, () => Ids.uuidv7(Timestamp.toEpochMillis(occurred_at))).sort()
  let { row_hmac, seq } = head
  const rows = entries.map(({ actor, entry }, at): AuditRow => {
    const row = rowOf(actor, entry, { id: ids[at]!, seq: ++seq, occurred_at })
    const prev_row_hmac = row_hmac
    row_hmac = rowHmac(key, row, prev_row_hmac)
    return { ...row, prev_row_hmac, row_hmac }
  })
  return { rows, head: { seq, row_hmac, occurred_at } satisfies Head }
}

/** The columns of `audit_log`, for rows that come as JSON. */
export const columns = {
  id: "uuid",
  seq: "bigint",
  project_id: "uuid",
  user_id: "uuid",
  api_key_id: "uuid",
  action: "text",
  target_type: "text",
  target_id: "text",
  result: "text",
  outcome: "text",
  metadata: "text",
  source_ip: "text",
  user_agent: "text",
  event_id: "text",
  occurred_at: "text",
  prev_row_hmac: "text",
  row_hmac: "text"
} as const

export class Audit extends Effect.Service<Audit>()("svc/Audit", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const keys = yield* Keys
    const forwarder = yield* AuditForwarder
    const lock = sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })

    /** The newest row's place in the chain; its lock makes writers on all replicas take turns until they commit. */
    const lockedHead = sql<Head>`SELECT seq, row_hmac, occurred_at FROM audit_head WHERE id = 1 ${lock}`
    const names = sql.literal(Object.keys(columns).join(", "))
    const insert = (rows: ReadonlyArray<object>) =>
      sql`INSERT INTO audit_log (${names}) SELECT ${names} FROM ${recordset(sql, "r", columns, rows)}`
    const begin = sql`INSERT INTO audit_head ${sql.insert({ id: 1, seq: 0, row_hmac: genesis })} ON CONFLICT DO NOTHING`

    const head = Effect.gen(function*() {
      const [row] = yield* lockedHead
      if (row !== undefined) return row
      yield* begin
      const [begun] = yield* lockedHead
      return begun ?? (yield* Effect.dieMessage("audit_head has no row"))
    })

    /**
     * Appends a row for each, in their order and in the caller's transaction: all or none. The head row is the lock
     * that keeps one chain with several replicas, so call it last in the transaction. Dies without one.
     */
    const recordAll = Effect.fn("Audit.recordAll")(function*(entries: ReadonlyArray<ByActor>) {
      if (Option.isNone(yield* Effect.serviceOption(SqlClient.TransactionConnection))) {
        return yield* Effect.dieMessage(`${entries[0]?.entry.action} was to be recorded outside of a transaction`)
      }
      if (entries.length === 0) return
      const { head: { occurred_at, row_hmac, seq }, rows } = appended(
        Redacted.value(keys.auditChain),
        yield* head,
        entries,
        yield* Timestamp.now
      )
      yield* insert(rows)
      yield* sql`UPDATE audit_head SET seq = ${seq}, row_hmac = ${row_hmac}, occurred_at = ${occurred_at} WHERE id = 1`
      yield* forwarder.afterCommit(rows)
    }, orDieOnSql)

    /** Appends one row of the current actor, as `recordAll` does. */
    const record = Effect.fn("Audit.record")(function*(entry: Entry) {
      yield* recordAll([{ actor: yield* CurrentActor, entry }])
    })

    return {
      record,
      recordAll,
      /** Hears of rows that somebody else than `recordAll` wrote, once they are committed. */
      committed: forwarder.offer
    } as const
  })
}) {
  static readonly layer = this.Default
}
