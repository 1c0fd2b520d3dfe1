import { Effect, Layer, Option } from "effect"
import {
  type EnforcementPolicy,
  type EnrollmentRequirement,
  findEnrollmentRequirement,
  isOverdue
} from "../../../domain/identity/Mfa.ts"
import type { UserId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { AuditEntry } from "../../audit/Audit.ts"
import { Settings, type SettingsShape } from "../../kernel/Settings.ts"
import { MfaRepo } from "../MfaRepo.ts"
import { TrustedDevicesRepo } from "../TrustedDevicesRepo.ts"

/** The settings' policy, and the stored one, which can only add to it (`MfaPolicy`). */
export const policyOf = (settings: SettingsShape, isStoredForAll: boolean): EnforcementPolicy => ({
  for_admins: settings.mfaEnforceForAdmins,
  for_all: settings.mfaEnforceForAll || isStoredForAll,
  grace_days: settings.mfaEnrollmentGraceDays
})

/** The state of a user's second factor when a session is opened. */
export interface MfaState {
  readonly enrolled: boolean
  readonly enrollment: EnrollmentRequirement
}

/** Additional results at a login. */
export interface MfaLoginState extends MfaState {
  /** The user trusts this browser, so it counts as the second factor. */
  readonly is_trusted: boolean
  /** Audit entries for the login's transaction. */
  readonly entries: ReadonlyArray<AuditEntry>
}

/**
 * The second factor at a login, including the start of the grace period for enrollment (interface, MFA enforcement).
 */
export class MfaLogin extends Effect.Service<MfaLogin>()("svc/MfaLogin", {
  effect: Effect.gen(function*() {
    const repo = yield* MfaRepo
    const devices = yield* TrustedDevicesRepo
    const settings = yield* Settings

    const getRowForUpdate = Effect.fnUntraced(function*(userId: UserId) {
      const row = yield* repo.findByUserForUpdate(userId)
      return yield* Option.match(row, { onNone: () => Effect.dieMessage("the user is gone"), onSome: Effect.succeed })
    })

    /** Runs in the caller's transaction. */
    const getState = Effect.fnUntraced(function*(userId: UserId) {
      const row = yield* getRowForUpdate(userId)
      const enrolled = row.mfa_enrolled_at !== null
      const started_at = row.mfa_enforcement_started_at
      return {
        enrolled,
        enrollment: findEnrollmentRequirement(policyOf(settings, row.required_for_all), {
          is_admin: row.is_admin,
          enrolled,
          started_at
        })
      } satisfies MfaState
    })

    /** The state at a login. The user's first login under the policy starts their grace period. */
    const beginLogin = Effect.fnUntraced(function*(userId: UserId, deviceToken: string | null) {
      const now = yield* Timestamp.now
      const before = yield* getState(userId)
      const is_trusted = before.enrolled && deviceToken !== null && (yield* devices.markSeen(userId, deviceToken, now))
      if (!before.enrollment.required) return { ...before, is_trusted, entries: [] } satisfies MfaLoginState
      const isFirst = before.enrollment.deadline === null && (yield* repo.startEnforcement(userId, now))
      const { enrolled, enrollment } = yield* getState(userId)
      const details = { target_type: "user", target_id: userId, metadata: { deadline: enrollment.deadline } }
      const startedEntries: ReadonlyArray<AuditEntry> = isFirst
        ? [{ action: "auth.mfa_enforcement_grace_started", ...details }]
        : []
      const blockedEntries: ReadonlyArray<AuditEntry> = isOverdue(enrollment, now)
        ? [{ action: "auth.mfa_enforcement_blocked", outcome: "deny", ...details }]
        : []
      return {
        enrolled,
        enrollment,
        is_trusted,
        entries: [...startedEntries, ...blockedEntries]
      } satisfies MfaLoginState
    })

    return { getState, beginLogin } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([MfaRepo.layer, TrustedDevicesRepo.layer]))
}
