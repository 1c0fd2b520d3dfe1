import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import type { MfaPolicy as Policy, MfaPolicyUpdate } from "../../domain/identity/Mfa.ts"
import { Conflict } from "../../domain/kernel/Errors.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit } from "../audit/Audit.ts"
import { currentPerson } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { firstRowOf } from "../kernel/sql/Rows.ts"
import { MfaRepo } from "./MfaRepo.ts"
import { policyOf } from "./Sessions/SecondFactor.ts"
import { mfaNotEnrolled } from "./TrustedDevices.ts"

const requiredBySetting = new Conflict({
  code: "mfa_required_by_setting",
  detail:
    "SVC_MFA_ENFORCE_FOR_ALL=true requires a second factor of everyone. Change that setting and restart the brain."
})

const firstRow = firstRowOf(Schema.Struct({
  required_for_all: BooleanColumn,
  active_users: Schema.Int,
  active_users_without: Schema.Int
}))

/**
 * Who must have a second factor: everyone, if the setting or the stored policy says so. Sessions read both at each
 * request (`Authentication`).
 */
export class MfaPolicy extends Effect.Service<MfaPolicy>()("svc/MfaPolicy", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const mfa = yield* MfaRepo
    const audit = yield* Audit
    const settings = yield* Settings

    /** From the writer: a change returns what it stored. */
    const select = firstRow(
      sql`SELECT COALESCE((SELECT required_for_all FROM mfa_policy), 0) AS required_for_all,
          COUNT(*) AS active_users,
          COUNT(CASE WHEN mfa_enrolled_at IS NULL THEN 1 END) AS active_users_without
        FROM users WHERE is_active = 1`
    )

    const get = Effect.fn("MfaPolicy.get")(function*() {
      const row = yield* Effect.flatMap(select, Effect.orDie) // an aggregate without groups has a row
      const { for_admins, for_all, grace_days } = policyOf(settings, row.required_for_all)
      return {
        required_for_all: for_all,
        required_by_setting: settings.mfaEnforceForAll,
        required_for_admins: for_all || for_admins,
        grace_days,
        active_users: row.active_users,
        active_users_without: row.active_users_without
      } satisfies Policy
    }, orDieOnSql)

    /** Whoever requires a second factor has one, so that a global admin who can sign in remains. */
    const set = Effect.fn("MfaPolicy.set")(function*({ required_for_all }: MfaPolicyUpdate) {
      if (settings.mfaEnforceForAll && !required_for_all) return yield* requiredBySetting
      const { user_id } = yield* currentPerson
      if (required_for_all && !(yield* mfa.isEnrolled(user_id))) return yield* mfaNotEnrolled
      const before = yield* get()
      if (required_for_all && !before.required_for_all) yield* mfa.beginGraceAnew(before.required_for_admins)
      const value = required_for_all ? 1 : 0
      yield* sql`INSERT INTO mfa_policy (id, required_for_all, updated_at) VALUES (1, ${value}, ${yield* Timestamp
        .now})
        ON CONFLICT (id) DO UPDATE SET required_for_all = excluded.required_for_all, updated_at = excluded.updated_at`
      const policy = yield* get()
      yield* audit.record({
        action: "auth.mfa_policy_changed",
        target_type: "system",
        metadata: { required_for_all }
      })
      return policy
    }, inTransaction(sql))

    return { get, set } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(MfaRepo.layer))
}
