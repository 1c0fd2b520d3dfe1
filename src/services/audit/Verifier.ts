import { SqlClient } from "@effect/sql"
import { Cause, Clock, Effect, Layer, Option, Schema } from "effect"
import { Counter, Gauge } from "prom-client"
import { AuditLogProblemKind, type AuditVerification } from "../../domain/audit/Verification.ts"
import { encodeCursor } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Leader, Lease } from "../kernel/concurrency/Leader.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { firstRowOf, hasRows } from "../kernel/sql/Rows.ts"
import { Audit } from "./Audit.ts"
import type { AuditLogProblem } from "./Diagnosis.ts"
import { verifyLog } from "./Verify.ts"

/** A result later than this many seconds from now is not ours. It would put off the next verification. */
const maxClockSkewSeconds = 600

/** Milliseconds between two writes of the progress. */
const progressMillis = 1_000

type Outcome = "clean" | "failed" | "error"

const idle: AuditVerification = { status: "idle", checked_rows: null, total_rows: null, last: null }

const outcomes: Readonly<Record<string, "intact" | "broken" | "error">> = { clean: "intact", failed: "broken" }

const Problem = Schema.Struct({
  kind: AuditLogProblemKind,
  seq: Schema.Int,
  detail: Schema.String
})

/** The row of the table; none: no verification was ever due. */
const firstRow = firstRowOf(Schema.Struct({
  requested_at: Schema.NullOr(Timestamp.Timestamp),
  claimed_at: Schema.NullOr(Timestamp.Timestamp),
  checked_rows: Schema.Int,
  total_rows: Schema.Int,
  finished_at: Schema.NullOr(Timestamp.Timestamp),
  outcome: Schema.NullOr(Schema.String),
  rows: Schema.NullOr(Schema.Int),
  problem: Schema.NullOr(Schema.parseJson(Problem))
}))

/**
 * Verifies all rows when a person asks for it, and every SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS where
 * SVC_AUDIT_CHAIN_VERIFY_ENABLED says so; one at a time for a database, on one replica of a cluster.
 */
export class AuditVerifier extends Effect.Service<AuditVerifier>()("svc/AuditVerifier", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const keys = yield* Keys
    const leader = yield* Leader
    const audit = yield* Audit
    const settings = yield* Settings
    const { registry } = yield* Metrics
    const registers = settings.auditChainVerifyEnabled ? [registry] : [] // contract: only while it is scheduled
    const verifications = new Counter({
      name: "svc_audit_chain_verifications_total",
      help: "Verifications of the audit log, by outcome",
      labelNames: ["outcome"],
      registers
    })
    const rowsVerified = new Gauge({
      name: "svc_audit_chain_rows_verified",
      help: "Rows that the last verification found intact",
      registers
    })
    for (const outcome of ["clean", "failed", "error"]) verifications.inc({ outcome }, 0)

    const isDue = Effect.gen(function*() {
      const now = yield* Timestamp.now
      const [last] = yield* read<
        { requested_at: string | null; claimed_at: string | null; finished_at: string | null }
      >`SELECT requested_at, claimed_at, finished_at FROM audit_verification WHERE id = 1`
      const finishedAt = last?.finished_at ?? null
      // asked for by a person, or left by a process that died
      if (last !== undefined && (last.requested_at !== null || (last.claimed_at ?? "") > (finishedAt ?? ""))) {
        return true
      }
      if (!settings.auditChainVerifyEnabled) return false
      return finishedAt === null || finishedAt < Timestamp.addSeconds(now, -settings.auditChainVerifyInterval) ||
        finishedAt > Timestamp.addSeconds(now, maxClockSkewSeconds)
    })

    const begin = Effect.gen(function*() {
      const { withTransaction } = yield* Lease
      const claimed_at = yield* Timestamp.now
      yield* withTransaction(sql`INSERT INTO audit_verification ${sql.insert({ id: 1, claimed_at })}
        ON CONFLICT (id) DO UPDATE SET claimed_at = excluded.claimed_at, checked_rows = 0, total_rows = 0`)
    })

    /** Stores how far the verification is, at most once a second. */
    const makeProgress = Effect.gen(function*() {
      const { withTransaction } = yield* Lease
      let next = 0
      return ({ rows, total }: { readonly rows: number; readonly total: number }) =>
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          if (now < next) return
          next = now + progressMillis
          yield* withTransaction(
            sql`UPDATE audit_verification SET checked_rows = ${rows}, total_rows = ${total} WHERE id = 1`
          )
        }).pipe(Effect.orDie) // a lost lease interrupts the verification, a broken database ends it
    })

    const finish = (outcome: Outcome, rows: number, problem: AuditLogProblem | null) =>
      Effect.gen(function*() {
        const { withTransaction } = yield* Lease
        const finished_at = yield* Timestamp.now
        const json = problem === null ? null : JSON.stringify(problem)
        yield* withTransaction(sql`UPDATE audit_verification SET requested_at = NULL, finished_at = ${finished_at},
          outcome = ${outcome}, rows = ${rows}, problem = ${json} WHERE id = 1`)
        verifications.inc({ outcome })
        rowsVerified.set(rows)
      })

    const verify = Effect.gen(function*() {
      const verification = Option.getOrNull(
        yield* verifyLog(read, keys, { afterSlice: yield* makeProgress })
      )
      // this process inserted audit_head, or found it, when it started
      const problem: AuditLogProblem | null = verification === null
        ? { kind: "head", seq: 0, detail: "audit_head is gone" }
        : verification.problem
      if (problem !== null) {
        yield* Effect.logError(
          `the audit log does not verify: ${problem.detail} (${problem.kind}); run svc audit verify for details`
        )
      }
      return { outcome: problem === null ? "clean" : "failed", rows: verification?.rows ?? 0, problem } as const
    })

    const verifyWhenDue = Effect.gen(function*() {
      if (!(yield* isDue)) return // another replica finished between the check and the lease
      yield* begin
      const { outcome, problem, rows } = yield* Effect.catchAllCause(verify, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(
            Effect.logError("the audit log could not be verified", cause),
            { outcome: "error", rows: 0, problem: null } as const
          ))
      yield* finish(outcome, rows, problem)
    })

    /** Verifies when it is due. A failed verification is logged and counted, and stops nothing else. */
    const tick = Effect.fn("AuditVerifier.tick")(
      function*() {
        // a minute, so that a pause of the database does not begin the verification of a long log again
        if (yield* isDue) yield* leader.only("audit verifier", verifyWhenDue, { duration: "1 minute" })
      },
      Effect.annotateLogs("logger", "audit verifier"),
      orDieOnSql
    )

    /** What runs, and what the last one found; the entry is named to the project that it belongs to. */
    const get = Effect.fn("AuditVerifier.get")(function*() {
      const project = yield* CurrentProject
      const found = yield* firstRow(sql`SELECT requested_at, claimed_at, checked_rows, total_rows, finished_at, outcome,
          rows, problem
        FROM audit_verification WHERE id = 1`)
      if (Option.isNone(found)) return idle
      const { checked_rows, claimed_at, finished_at, outcome, problem, requested_at, rows, total_rows } = found.value
      const isRunning = claimed_at !== null && (finished_at === null || finished_at < claimed_at)
      const hasEntry = problem !== null &&
        (yield* hasRows(read`SELECT 1 FROM audit_log WHERE seq = ${problem.seq} AND project_id = ${project.id}`))
      return {
        status: isRunning ? "running" : requested_at === null ? "idle" : "waiting",
        checked_rows: isRunning ? checked_rows : null,
        total_rows: isRunning && total_rows > 0 ? total_rows : null,
        last: finished_at === null || outcome === null ? null : {
          finished_at,
          outcome: outcomes[outcome] ?? "error",
          rows: rows ?? 0,
          problem: problem === null ? null : {
            ...problem,
            cursor: hasEntry ? encodeCursor("audit", [String(problem.seq + 1)]) : null
          }
        }
      } satisfies AuditVerification
    }, orDieOnSql)

    /** Asks for a verification; while one waits or runs, that one. It begins within seconds, on any replica. */
    const request = Effect.fn("AuditVerifier.request")(function*() {
      const requested_at = yield* Timestamp.now
      const isNew = yield* hasRows(sql`INSERT INTO audit_verification ${sql.insert({ id: 1, requested_at })}
        ON CONFLICT (id) DO UPDATE SET requested_at = excluded.requested_at
          WHERE audit_verification.requested_at IS NULL RETURNING id`)
      const verification = yield* get()
      if (isNew) yield* audit.record({ action: "audit.verification_requested", target_type: "system" })
      return verification
    }, inTransaction(sql))

    return { tick, get, request } as const
  })
}) {
  static readonly layer = this.Default

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const verifier = yield* AuditVerifier
    yield* loops.every("audit verifier", "3 seconds", verifier.tick())
  })).pipe(Layer.provide(AuditVerifier.layer))
}
