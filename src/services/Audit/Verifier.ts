import { SqlClient } from "@effect/sql"
import { Cause, Clock, Effect, Layer, Option } from "effect"
import { Counter, Gauge } from "prom-client"
import * as Timestamp from "../../domain/Timestamp.ts"
import { orDieOnSql, Reader } from "../Database.ts"
import { Keys } from "../Keys.ts"
import { Loops } from "../Loops.ts"
import { Metrics } from "../Metrics.ts"
import { Settings } from "../Settings.ts"
import { verifyLog } from "./Verify.ts"

/** A verification that says nothing for so long has died with its process, and another replica takes over. */
const claimTimeoutSeconds = 600

/** How often a verification says that it is still there. */
const heartbeatSeconds = 60

type Outcome = "clean" | "failed" | "error"

/** Verifies all rows from time to time, once in a cluster; for SVC_AUDIT_CHAIN_VERIFY_ENABLED. */
export class AuditVerifier extends Effect.Service<AuditVerifier>()("svc/AuditVerifier", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const keys = yield* Keys
    const settings = yield* Settings
    const { registry } = yield* Metrics
    const registers = [registry] // they are there only while the verifier is
    const verifications = new Counter({
      name: "svc_audit_chain_verifications_total",
      help: "Verifications of the audit log, by outcome",
      labelNames: ["outcome"],
      registers
    })
    const rowsVerified = new Gauge({ name: "svc_audit_chain_rows_verified", help: "Rows that the last verification found intact", registers })
    for (const outcome of ["clean", "failed", "error"]) verifications.inc({ outcome }, 0)

    /** Takes the turn when it is due and nobody else has it: whoever changes the row verifies. */
    const claim = Effect.gen(function*() {
      const now = yield* Timestamp.now
      const dueBefore = Timestamp.addSeconds(now, -settings.auditChainVerifyInterval)
      const staleBefore = Timestamp.addSeconds(now, -claimTimeoutSeconds)
      const futureLimit = Timestamp.addSeconds(now, claimTimeoutSeconds) // not ours: nobody shall put us off with a date
      const claimedRows = yield* sql`
        INSERT INTO audit_verification AS v (id, claimed_at) VALUES (1, ${now})
        ON CONFLICT (id) DO UPDATE SET claimed_at = ${now}, finished_at = NULL
        WHERE v.finished_at < ${dueBefore} OR (v.finished_at IS NULL AND v.claimed_at < ${staleBefore})
          OR v.finished_at > ${futureLimit} OR v.claimed_at > ${futureLimit} RETURNING id`
      return claimedRows.length > 0
    })

    const renewClaim = Effect.asVoid(Effect.flatMap(Timestamp.now, (now) =>
      sql`UPDATE audit_verification SET claimed_at = ${now} WHERE id = 1 AND finished_at IS NULL`))

    const finish = (outcome: Outcome, rows: number) =>
      Effect.gen(function*() {
        verifications.inc({ outcome })
        rowsVerified.set(rows)
        const finished_at = yield* Timestamp.now
        yield* sql`UPDATE audit_verification SET finished_at = ${finished_at}, outcome = ${outcome}, rows = ${rows} WHERE id = 1`
      })

    const verify = Effect.gen(function*() {
      let renewedAt = yield* Clock.currentTimeMillis
      const afterSlice = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now - renewedAt < heartbeatSeconds * 1000) return Effect.void
        renewedAt = now
        return renewClaim
      })
      const verification = Option.getOrNull(yield* verifyLog(read, keys, { afterSlice: Effect.orDie(afterSlice) }))
      // this process made audit_head, or found it, when it started
      const problem = verification === null ? { kind: "head", detail: "audit_head is gone" } : verification.problem
      if (problem !== null) {
        yield* Effect.logError(`the audit log does not verify: ${problem.detail} (${problem.kind}); svc audit verify says more`)
      }
      yield* finish(problem === null ? "clean" : "failed", verification?.rows ?? 0)
    })

    /** Verifies when it is due. What goes wrong is logged and counted, and nothing else ends because of it. */
    const tick = Effect.fn("AuditVerifier.tick")(function*() {
      if (!(yield* claim)) return
      yield* Effect.catchAllCause(verify, (cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause)
          : Effect.zipRight(Effect.logError("the audit log could not be verified", cause), finish("error", 0)))
    }, Effect.annotateLogs("logger", "audit verifier"), orDieOnSql)

    return { tick } as const
  })
}) {
  static readonly layer = this.Default

  static readonly loop = Layer.unwrapEffect(Effect.map(Settings, ({ auditChainVerifyEnabled }) =>
    auditChainVerifyEnabled
      ? Layer.scopedDiscard(Effect.gen(function*() {
        const loops = yield* Loops
        const verifier = yield* AuditVerifier
        yield* loops.every("audit verifier", "1 minute", verifier.tick())
      })).pipe(Layer.provide(AuditVerifier.layer))
      : Layer.empty))
}
