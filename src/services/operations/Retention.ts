import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { idempotencyRetentionSeconds } from "../../domain/kernel/Idempotency.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit } from "../audit/Audit.ts"
import { pruneAudit } from "../audit/Prune.ts"
import { placeLifetimeSeconds } from "../identity/Sessions/LoginPlaces.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices } from "../kernel/sql/Dialect.ts"

/** Deletes expired rows of identity and the audit log, in slices. Several replicas may do it at the same time. */
export class Retention extends Effect.Service<Retention>()("svc/Retention", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const audit = yield* Audit
    const keys = yield* Keys
    const settings = yield* Settings

    const prune = (table: string, key: string, where: Statement.Fragment) => deleteInSlices(sql, { table, key, where })

    /**
     * Deletes ended sessions, trusted devices and API keys, addresses of former sign-ins, used `Idempotency-Key`s, expired links and invitations,
     * expired mail, logout tokens, leases, and audit rows where a retention is set.
     */
    const sweep = Effect.fn("Retention.sweep")(function*() {
      const now = yield* Timestamp.now
      const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
      const sessionCutoff = ago(settings.sessionsRetentionDays * Timestamp.secondsPerDay)
      yield* prune("sessions", "id", sql`expires_at < ${sessionCutoff} OR revoked_at < ${sessionCutoff}`)
      yield* prune("trusted_devices", "id", sql`expires_at < ${sessionCutoff} OR revoked_at < ${sessionCutoff}`)
      yield* prune("login_places", "user_id, place", sql`seen_at < ${ago(placeLifetimeSeconds)}`)
      const endedKeys = ago(settings.apiKeysRetentionDays * Timestamp.secondsPerDay)
      yield* prune("api_keys", "id", sql`expires_at < ${endedKeys} OR revoked_at < ${endedKeys}`)
      const oldApprovals = ago(settings.approvalsRetentionDays * Timestamp.secondsPerDay)
      yield* prune("approvals", "id", sql`created_at < ${oldApprovals} AND status <> 'pending'`)
      yield* prune("idempotency_keys", "scope", sql`created_at < ${ago(idempotencyRetentionSeconds)}`)
      yield* prune("oidc_logout_tokens", "id", sql`expires_at < ${now}`)
      yield* prune("setup_tokens", "id", sql`expires_at < ${now}`)
      yield* prune("password_resets", "id", sql`expires_at < ${now}`)
      yield* prune("password_reset_requests", "id", sql`created_at < ${ago(3600)}`)
      yield* prune(
        "invitations",
        "id",
        sql`expires_at < ${ago(settings.invitationsRetentionDays * Timestamp.secondsPerDay)}`
      )
      yield* prune("mail_outbox", "id", sql`expires_at < ${ago(Timestamp.secondsPerDay)}`) // where mail is configured, its loop has given it up by then
      yield* prune("setup_attempts", "id", sql`attempted_at < ${ago(Timestamp.secondsPerDay)}`)
      yield* prune("leases", "fence", sql`expires_at < ${Timestamp.toEpochMillis(ago(Timestamp.secondsPerDay))}`) // of processes that were killed
      if (settings.auditRetentionDays > 0) {
        const cutoff = ago(settings.auditRetentionDays * Timestamp.secondsPerDay)
        yield* pruneAudit(({ occurred_at }) => occurred_at < cutoff).pipe(
          Effect.catchTag("PrunedConcurrently", () => Effect.void), // another replica does it
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.provideService(Reader, read),
          Effect.provideService(Audit, audit),
          Effect.provideService(Keys, keys),
          Effect.provideService(CurrentActor, system("retention"))
        )
      }
    }, orDieOnSql)

    return { sweep } as const
  })
}) {
  static readonly layer = this.Default

  /** Once an hour. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const retention = yield* Retention
    yield* loops.upkeep("retention", "1 hour", retention.sweep())
  })).pipe(Layer.provide(this.layer))
}
