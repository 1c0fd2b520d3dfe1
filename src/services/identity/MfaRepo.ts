import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { UserId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import * as Ids from "../kernel/Ids.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate } from "../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, hasRows, isLocked } from "../kernel/sql/Rows.ts"

/** A user's second factor; the secrets are sealed. */
export const MfaRow = Schema.Struct({
  is_admin: BooleanColumn,
  mfa_secret: Schema.NullOr(Schema.String),
  mfa_enrolled_at: Schema.NullOr(Timestamp),
  mfa_locked_until: Schema.NullOr(Timestamp),
  mfa_pending_secret: Schema.NullOr(Schema.String),
  mfa_pending_at: Schema.NullOr(Timestamp),
  mfa_enforcement_started_at: Schema.NullOr(Timestamp),
  /** The stored policy (`MfaPolicy`). */
  required_for_all: BooleanColumn
})
export type MfaRow = typeof MfaRow.Type

const firstRow = firstRowOf(MfaRow)
const firstStatus = firstRowOf(Schema.Struct({
  ...MfaRow.pick("is_admin", "mfa_enforcement_started_at", "mfa_enrolled_at", "required_for_all").fields,
  codes: Schema.Int
}))

export class MfaRepo extends Effect.Service<MfaRepo>()("svc/MfaRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const requiredForAll = sql.literal("COALESCE((SELECT required_for_all FROM mfa_policy), 0) AS required_for_all")

    return {
      /** Locks the user's row until the transaction ends. */
      findByUserForUpdate: (userId: UserId) =>
        firstRow(
          sql`SELECT is_admin, mfa_secret, mfa_enrolled_at, mfa_locked_until, mfa_pending_secret, mfa_pending_at,
              mfa_enforcement_started_at, ${requiredForAll}
            FROM users WHERE id = ${userId} ${forUpdate(sql)}`
        ),
      isEnrolled: (userId: UserId) =>
        hasRows(sql`SELECT 1 FROM users WHERE id = ${userId} AND mfa_enrolled_at IS NOT NULL`),
      /** Stores the pending secret; false when the user has a second factor already. */
      setPendingSecret: (userId: UserId, sealed: string, now: string) =>
        hasRows(sql`UPDATE users SET mfa_pending_secret = ${sealed}, mfa_pending_at = ${now}
            WHERE id = ${userId} AND mfa_enrolled_at IS NULL RETURNING id`),
      /** Makes the pending secret the second factor; `step` is the time step of the confirming code. */
      enroll: (userId: UserId, step: number, now: string) =>
        sql`UPDATE users SET mfa_secret = mfa_pending_secret, mfa_enrolled_at = ${now}, mfa_last_step = ${step},
            mfa_failed_codes = 0, mfa_locked_until = NULL, mfa_pending_secret = NULL, mfa_pending_at = NULL
          WHERE id = ${userId}`,
      /**
       * Consumes the code of a time step, once over all replicas; false when this or a later step was consumed before.
       */
      consumeStep: (userId: UserId, step: number) =>
        hasRows(sql`UPDATE users SET mfa_last_step = ${step}
            WHERE id = ${userId} AND mfa_enrolled_at IS NOT NULL AND mfa_last_step < ${step} RETURNING id`),
      /** Consumes a recovery code; false when there is no such unused code. */
      consumeRecoveryCode: (userId: UserId, code: string) =>
        hasRows(sql`DELETE FROM mfa_recovery_codes WHERE user_id = ${userId} AND code_hash = ${Ids.hashSecret(code)}
            RETURNING user_id`),
      resetFailures: (userId: UserId) =>
        sql`UPDATE users SET mfa_failed_codes = 0, mfa_locked_until = NULL WHERE id = ${userId}`,
      /**
       * Counts a wrong code; the `threshold`th in a row locks until `lockUntil`. True when the codes are locked now.
       */
      countFailure: (userId: UserId, threshold: number, lockUntil: string) =>
        isLocked(
          sql`UPDATE users SET mfa_failed_codes = mfa_failed_codes + 1,
              mfa_locked_until = CASE WHEN mfa_failed_codes + 1 >= ${threshold} THEN ${lockUntil} ELSE NULL END
            WHERE id = ${userId}
            RETURNING CASE WHEN mfa_locked_until IS NULL THEN 0 ELSE 1 END AS locked`
        ),
      /** Starts the user's grace period; false when it started before. */
      startEnforcement: (userId: UserId, now: string) =>
        hasRows(sql`UPDATE users SET mfa_enforcement_started_at = ${now}
            WHERE id = ${userId} AND mfa_enforcement_started_at IS NULL RETURNING id`),
      /**
       * The grace periods of those who had to enrol nothing until now begin at their next sign-in, also if they began
       * under an earlier requirement.
       */
      beginGraceAnew: (exceptAdmins: boolean) =>
        sql`UPDATE users SET mfa_enforcement_started_at = NULL
          WHERE mfa_enforcement_started_at IS NOT NULL AND mfa_enrolled_at IS NULL
            AND ${exceptAdmins ? sql`is_admin = 0` : sql`1 = 1`}`,
      countRecoveryCodes: (userId: UserId) =>
        countOf(sql`SELECT count(*) AS n FROM mfa_recovery_codes WHERE user_id = ${userId}`),
      replaceRecoveryCodes: (userId: UserId, codes: ReadonlyArray<string>) =>
        Effect.zipRight(
          sql`DELETE FROM mfa_recovery_codes WHERE user_id = ${userId}`,
          sql`INSERT INTO mfa_recovery_codes ${
            sql.insert(codes.map((code) => ({ user_id: userId, code_hash: Ids.hashSecret(code) })))
          }`
        ),
      /** Deletes the factor, pending or not, but not the start of the grace period; false when there was none. */
      clear: (userId: UserId) =>
        Effect.zipRight(
          sql`DELETE FROM mfa_recovery_codes WHERE user_id = ${userId}`,
          hasRows(
            sql`UPDATE users SET mfa_secret = NULL, mfa_enrolled_at = NULL, mfa_failed_codes = 0, mfa_locked_until = NULL,
                mfa_pending_secret = NULL, mfa_pending_at = NULL
              WHERE id = ${userId} AND (mfa_enrolled_at IS NOT NULL OR mfa_pending_secret IS NOT NULL) RETURNING id`
          )
        ),
      /** A plain read, for status pages. */
      findStatus: (userId: UserId) =>
        firstStatus(
          read`SELECT is_admin, mfa_enrolled_at, mfa_enforcement_started_at, ${requiredForAll},
              (SELECT count(*) FROM mfa_recovery_codes WHERE user_id = users.id) AS codes
            FROM users WHERE id = ${userId}`
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
