import { SqlClient } from "@effect/sql"
import { type Clock, Effect, Layer, Option } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { Audit } from "../../../src/services/audit/Audit.ts"
import { Checkpoints } from "../../../src/services/audit/Checkpoints.ts"
import { verifyLog } from "../../../src/services/audit/Verify.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { Settings, type SettingsShape } from "../../../src/services/kernel/Settings.ts"
import { type Engine, settingsOn } from "../../databases.ts"
import { auditLog } from "./layer.ts"

/** The audit log over a fresh database of this engine. */
export const auditOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  auditLog.pipe(Layer.provideMerge(settingsOn(engine, overrides)), Layer.orDie)

/** Appends so many rows in one transaction. */
export const append = (rows: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const entries = Array.from({ length: rows }, (_, n) => ({
      actor: system("test"),
      entry: { action: "test.done", target_type: "test", target_id: `target "${n}" é`, metadata: { n } }
    }))
    yield* sql.withTransaction(audit.recordAll(entries))
  }).pipe(Effect.orDie)

/** Deletes the rows after `seq`, as an attacker with the database can. */
export const truncateLog = (seq: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.zipRight(
      sql`DELETE FROM audit_log WHERE seq > ${seq}`,
      sql`UPDATE audit_head SET (seq, row_hash, prev_row_hmac, row_hmac, occurred_at) =
        (SELECT seq, row_hash, prev_row_hmac, row_hmac, occurred_at FROM audit_log WHERE seq = ${seq}) WHERE id = 1`
    ))

/** Another process on the same database and settings: it remembers nothing. Without loops. */
export const anotherProcess = (overrides: Partial<SettingsShape> = {}) =>
  Layer.fresh(Checkpoints.layer.pipe(Layer.provideMerge(Audit.layer))).pipe(
    Layer.provide(Layer.effect(Settings, Effect.map(Settings, (settings) => ({ ...settings, ...overrides }))))
  )

export const verification = Effect.gen(function*() {
  return Option.getOrThrow(yield* verifyLog(yield* SqlClient.SqlClient, yield* Keys))
})

/** Runs an effect while the wall clock is so many seconds ahead. */
export const later = (seconds: number) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.clock, (clock) =>
    Effect.withClock(
      work,
      Object.assign(Object.create(clock) as Clock.Clock, { // the rest is the clock's own
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + seconds * 1000,
        currentTimeMillis: Effect.sync(() => clock.unsafeCurrentTimeMillis() + seconds * 1000)
      })
    ))

/** The result of an effect in a transaction that is then rolled back. */
export const rollBack = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.flip(sql.withTransaction(Effect.flatMap(work, (found) => Effect.fail({ found }))))
  ).pipe(
    Effect.map((error) => (typeof error === "object" && error !== null && "found" in error ? error.found : undefined))
  )
