import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { DeepCheck } from "../../../domain/operations/Health.ts"
import { Audit } from "../../audit/Audit.ts"
import { genesis } from "../../audit/Chain.ts"
import { type ChainHead, isAuthenticHead } from "../../audit/ChainWriter.ts"
import { Leader } from "../../kernel/concurrency/Leader.ts"
import { readSecretKeyIds } from "../../kernel/keys/Fingerprints.ts"
import type { KeyRing } from "../../kernel/keys/KeyRing.ts"
import { Keys } from "../../kernel/keys/Keys.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { Migrations } from "../../kernel/sql/Migrations.ts"

export const makeCheck = (fields: Partial<DeepCheck> & Pick<DeepCheck, "status">): DeepCheck => ({
  detail: null,
  latency_ms: null,
  revision: null,
  expected: null,
  activated: null,
  scope: null,
  ...fields
})

interface LastVerification {
  readonly finished_at: Timestamp.Timestamp | null
  readonly outcome: string | null
  readonly rows: number | null
}

/** What the last scheduled verification of the audit log found (services/audit/Verifier.ts). */
const verificationCheck = (last: LastVerification | undefined): Pick<DeepCheck, "status" | "detail"> => {
  if (last === undefined || last.finished_at === null) return { status: "ok", detail: "no verification has ended yet" }
  const { finished_at, outcome, rows } = last
  if (outcome === "clean") {
    return { status: "ok", detail: `all ${rows} rows were intact at ${Timestamp.formatSecond(finished_at)}` }
  }
  return outcome === "failed"
    ? {
      status: "failed",
      detail: `the verification at ${
        Timestamp.formatSecond(finished_at)
      } found the log broken after ${rows} intact rows; run svc audit verify for details`
    }
    : {
      status: "degraded",
      detail: `the verification at ${Timestamp.formatSecond(finished_at)} did not end; the program's log has the cause`
    }
}

/** The chain's head, and what its newest row has. */
interface HeadRow extends ChainHead {
  readonly newest: string | null
  readonly newest_at: string | null
}

/** What is wrong with the chain's head; null: nothing. `refusal`: why nothing is recorded. */
const describeChain = (
  keys: KeyRing,
  head: HeadRow | undefined,
  refusal: { readonly message: string } | null
): string | null => {
  const isNewest = head?.row_hmac === (head?.newest ?? genesis.row_hmac) && head.occurred_at === head.newest_at
  if (head === undefined || !isNewest) return "the chain's head is not its newest row"
  if (keys.find(head.key_id) === undefined) {
    return "the key that signs the chain is not known here; see SVC_AUDIT_CHAIN_KEY"
  }
  if (!isAuthenticHead(keys, head)) {
    return "the chain's head was not written by us, so that nothing is recorded after it; run svc audit verify for details"
  }
  return refusal === null
    ? null
    : `${refusal.message}; nothing is changed until the right database is back, or svc audit fork-cleanup has accepted this one`
}

/** What each part of the brain says of itself, by name. The caller limits how long one may take. */
export const makeProbes = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const migrations = yield* Migrations
  const leader = yield* Leader
  const { auditChain, secret } = yield* Keys
  const audit = yield* Audit
  const { auditChainVerifyEnabled } = yield* Settings

  return {
    database: Effect.as(Effect.all([read`SELECT 1`, sql`SELECT 1`]), makeCheck({ status: "ok" })),
    migrations: Effect.map(migrations.current, (revision) =>
      makeCheck({
        status: revision === migrations.head ? "ok" : "degraded",
        detail: revision === migrations.head ? null : "the database is at another revision than this program",
        revision: String(revision),
        expected: String(migrations.head)
      })),
    leaders: Effect.map(leader.listLeases, (leases) =>
      makeCheck({
        status: "ok",
        detail: leases.length === 0 ? null : leases.map(({ holder, name }) => `${name}: ${holder}`).join(", ")
      })),
    mail: Effect.flatMap(Timestamp.now, (now) =>
      Effect.map(
        read<{ n: number; reason: string | null }>`SELECT count(*) AS n, max(last_error) AS reason FROM mail_outbox
          WHERE last_error IS NOT NULL AND expires_at > ${now}`,
        ([row]) =>
          row === undefined || row.n === 0
            ? makeCheck({ status: "ok" })
            : makeCheck({
              status: "degraded",
              detail: `${row.n} ${row.n === 1 ? "mail" : "mails"} could not be delivered, to be retried: ${row.reason}`
            })
      )),
    secret_key: Effect.map(Effect.provideService(readSecretKeyIds, SqlClient.SqlClient, read), ({ active, ids }) => {
      const isHeld = active !== null && secret.find(active) !== undefined
      const next = secret.all().find(({ key_id }) => !ids.includes(key_id))
      const detail = !isHeld
        ? "this process does not hold the active encryption key; see SVC_SECRET_KEY"
        : next === undefined
        ? null
        : `an unused next key is available: ${next.key_id}`
      return makeCheck({ status: isHeld ? "ok" : "failed", detail })
    }),
    audit_verification: Effect.map(
      read<LastVerification>`
        SELECT finished_at, outcome, rows FROM audit_verification WHERE id = 1`,
      ([last]) => makeCheck({ ...verificationCheck(last), activated: auditChainVerifyEnabled, scope: "brain" })
    ),
    // verifies the head and the newest row only; `svc audit verify` reads all rows
    audit_chain: Effect.flatMap(
      read<HeadRow>`
        SELECT seq, row_hash, prev_row_hmac, row_hmac, key_id, occurred_at,
          (SELECT row_hmac FROM audit_log ORDER BY seq DESC LIMIT 1) AS newest,
          (SELECT occurred_at FROM audit_log ORDER BY seq DESC LIMIT 1) AS newest_at
        FROM audit_head WHERE id = 1`,
      ([head]) =>
        Effect.map(audit.suspendReason, (refusal) => {
          const activated = head !== undefined && auditChain.find(head.key_id) !== undefined
          const detail = describeChain(auditChain, head, refusal)
          return makeCheck({ status: detail === null ? "ok" : "failed", detail, activated, scope: "state-only" })
        })
    )
  } satisfies Readonly<Record<string, Effect.Effect<DeepCheck, unknown>>>
})
