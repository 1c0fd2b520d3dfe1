import { SqlClient } from "@effect/sql"
import { Cause, Effect, Layer, Option } from "effect"
import { Counter, Gauge } from "prom-client"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Leader, Lease } from "../kernel/concurrency/Leader.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { verifyLog } from "./Verify.ts"

/** A result later than this many seconds from now is not ours. It would put off the next verification. */
const maxClockSkewSeconds = 600

type Outcome = "clean" | "failed" | "error"

/** Verifies all rows every SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS, on one replica of a cluster. */
export class AuditVerifier extends Effect.Service<AuditVerifier>()("svc/AuditVerifier", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const keys = yield* Keys
    const leader = yield* Leader
    const settings = yield* Settings
    const { registry } = yield* Metrics
    const registers = [registry] // the metrics exist only while the verifier does
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
        { finished_at: string | null }
      >`SELECT finished_at FROM audit_verification WHERE id = 1`
      const finishedAt = last?.finished_at ?? null
      return finishedAt === null || finishedAt < Timestamp.addSeconds(now, -settings.auditChainVerifyInterval) ||
        finishedAt > Timestamp.addSeconds(now, maxClockSkewSeconds)
    })

    const finish = (began_at: Timestamp.Timestamp, outcome: Outcome, rows: number) =>
      Effect.gen(function*() {
        const { withTransaction } = yield* Lease
        const finished_at = yield* Timestamp.now
        yield* withTransaction(sql`
          INSERT INTO audit_verification ${sql.insert({ id: 1, claimed_at: began_at, finished_at, outcome, rows })}
          ON CONFLICT (id) DO UPDATE SET claimed_at = excluded.claimed_at, finished_at = excluded.finished_at,
            outcome = excluded.outcome, rows = excluded.rows`)
        verifications.inc({ outcome })
        rowsVerified.set(rows)
      })

    const verify = Effect.gen(function*() {
      const verification = Option.getOrNull(yield* verifyLog(read, keys))
      // this process inserted audit_head, or found it, when it started
      const problem = verification === null ? { kind: "head", detail: "audit_head is gone" } : verification.problem
      if (problem !== null) {
        yield* Effect.logError(
          `the audit log does not verify: ${problem.detail} (${problem.kind}); run svc audit verify for details`
        )
      }
      return { outcome: problem === null ? "clean" : "failed", rows: verification?.rows ?? 0 } as const
    })

    const verifyWhenDue = Effect.gen(function*() {
      if (!(yield* isDue)) return // another replica finished between the check and the lease
      const beganAt = yield* Timestamp.now
      const { outcome, rows } = yield* Effect.catchAllCause(verify, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(
            Effect.logError("the audit log could not be verified", cause),
            { outcome: "error", rows: 0 } as const
          ))
      yield* finish(beganAt, outcome, rows)
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

    return { tick } as const
  })
}) {
  static readonly layer = this.Default

  static readonly layerLoop = Layer.unwrapEffect(
    Effect.map(Settings, ({ auditChainVerifyEnabled }) =>
      auditChainVerifyEnabled
        ? Layer.scopedDiscard(Effect.gen(function*() {
          const loops = yield* Loops
          const verifier = yield* AuditVerifier
          yield* loops.every("audit verifier", "1 minute", verifier.tick())
        })).pipe(Layer.provide(AuditVerifier.layer))
        : Layer.empty)
  )
}
