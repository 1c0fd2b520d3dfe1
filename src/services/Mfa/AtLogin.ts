import { Effect, Option } from "effect"
import { type Enrollment, type EnforcementPolicy, enrollmentOf, isOverdue } from "../../domain/Mfa.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { Entry } from "../Audit.ts"
import { Settings, type SettingsShape } from "../Settings.ts"
import { TrustedDevicesRepo } from "../TrustedDevices/Repo.ts"
import { MfaRepo } from "./Repo.ts"

export const policyOf = (settings: SettingsShape): EnforcementPolicy => ({
  for_admins: settings.mfaEnforceForAdmins,
  for_all: settings.mfaEnforceForAll,
  grace_days: settings.mfaEnrollmentGraceDays
})

/** What a user's second factor means for a session that is being opened. */
export interface Standing {
  readonly enrolled: boolean
  readonly enrollment: Enrollment
}

/** What a login finds out besides. */
export interface AtLogin extends Standing {
  /** A browser that the user trusts: it stands for the factor. */
  readonly is_trusted: boolean
  /** For the audit log, in the login's own transaction. */
  readonly entries: ReadonlyArray<Entry>
}

/** What a login has to know of the second factor, and what it starts: the grace to enrol in (interface, MFA enforcement). */
export class MfaAtLogin extends Effect.Service<MfaAtLogin>()("svc/MfaAtLogin", {
  effect: Effect.gen(function*() {
    const repo = yield* MfaRepo
    const devices = yield* TrustedDevicesRepo
    const policy = policyOf(yield* Settings)

    const known = Effect.fnUntraced(function*(userId: string) {
      const row = yield* repo.lockedByUser(userId)
      return yield* Option.match(row, { onNone: () => Effect.dieMessage("the user is gone"), onSome: Effect.succeed })
    })

    /** Of the transaction it is called in. */
    const standing = Effect.fnUntraced(function*(userId: string) {
      const row = yield* known(userId)
      const enrolled = row.mfa_enrolled_at !== null
      const started_at = row.mfa_enforcement_started_at
      return { enrolled, enrollment: enrollmentOf(policy, { is_admin: row.is_admin === 1, enrolled, started_at }) } satisfies Standing
    })

    /** The same at a login: the user's first one under the policy begins their grace. */
    const login = Effect.fnUntraced(function*(userId: string, deviceToken: string | null) {
      const now = yield* Timestamp.now
      const before = yield* standing(userId)
      const is_trusted = before.enrolled && deviceToken !== null && (yield* devices.use(userId, deviceToken, now))
      if (!before.enrollment.required) return { ...before, is_trusted, entries: [] } satisfies AtLogin
      const isFirst = before.enrollment.deadline === null && (yield* repo.startEnforcement(userId, now))
      const { enrolled, enrollment } = yield* standing(userId)
      const details = { target_type: "user", target_id: userId, metadata: { deadline: enrollment.deadline } }
      const started: ReadonlyArray<Entry> = isFirst ? [{ action: "auth.mfa_enforcement_grace_started", ...details }] : []
      const blocked: ReadonlyArray<Entry> = isOverdue(enrollment, now)
        ? [{ action: "auth.mfa_enforcement_blocked", outcome: "deny", ...details }]
        : []
      return { enrolled, enrollment, is_trusted, entries: [...started, ...blocked] } satisfies AtLogin
    })

    return { standing, login } as const
  })
}) {
  static readonly layer = this.Default
}
