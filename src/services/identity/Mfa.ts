import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import {
  type CompleteEnrollment,
  type DisableMfa,
  findEnrollmentRequirement,
  type MfaStatus,
  type VerifyMfa
} from "../../domain/identity/Mfa.ts"
import { Conflict, Forbidden, NotFound } from "../../domain/kernel/Errors.ts"
import type { SessionId, UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, currentSession } from "../kernel/CurrentActor.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Notices } from "../kernel/Mail/Notices.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { findTimeStep, newRecoveryCodes, newTotpSecret } from "./Mfa/Codes.ts"
import { MfaRepo, type MfaRow } from "./MfaRepo.ts"
import { Sessions } from "./Sessions.ts"
import { CurrentPassword } from "./Sessions/CurrentPassword.ts"
import { policyOf } from "./Sessions/SecondFactor.ts"
import { SessionsRepo } from "./SessionsRepo.ts"
import { mfaNotEnrolled, TrustedDevices } from "./TrustedDevices.ts"
import { TrustedDevicesRepo } from "./TrustedDevicesRepo.ts"

/** The result of a valid code, which is consumed. */
interface ConsumedCode {
  readonly used_recovery_code: boolean
  readonly remaining_recovery_codes: number
}

/** How long a pending secret can be confirmed by its first code, in seconds. */
const enrollmentSeconds = 600

const alreadyEnrolled = new Conflict({
  code: "mfa_enrolled",
  detail: "You have a second factor already. Disable it first to enrol another."
})

const noPendingEnrollment = new Conflict({
  code: "mfa_enrollment_expired",
  detail: "No enrolment is under way, or it took longer than ten minutes. Begin again with POST /auth/mfa/enroll-start."
})

const wrongCode = new Forbidden({
  code: "wrong_code",
  detail:
    "The code is wrong, or was used before. Wait for the next one, and check the clock of the device that shows it."
})

const mfaLocked = new Forbidden({
  code: "mfa_locked",
  detail:
    "Too many wrong codes. No code of this account is accepted until the lock ends (SVC_LOGIN_LOCKOUT_DURATION_SECONDS)."
})

const isLocked = ({ mfa_locked_until }: MfaRow, now: string): boolean =>
  mfa_locked_until !== null && mfa_locked_until > now

/** The second factor: codes of an authenticator app, ten recovery codes, and trusted browsers. */
export class Mfa extends Effect.Service<Mfa>()("svc/Mfa", {
  // Six short methods over the same services; four of them share the counted attempt at a code.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MfaRepo
    const sessions = yield* Sessions
    const currentPassword = yield* CurrentPassword
    const sessionsRepo = yield* SessionsRepo
    const devices = yield* TrustedDevices
    const devicesRepo = yield* TrustedDevicesRepo
    const notices = yield* Notices
    const audit = yield* Audit
    const hints = yield* Hints
    const vault = yield* Vault
    const settings = yield* Settings

    const openSecret = (userId: UserId, sealed: string) =>
      // the keys were verified at start, so the database is damaged
      Effect.orDie(vault.open("users.mfa_secret", userId, sealed))

    const findStep = Effect.fnUntraced(function*(userId: UserId, sealed: string, code: string) {
      return findTimeStep(yield* openSecret(userId, sealed), code, yield* Clock.currentTimeMillis)
    })

    const status = Effect.fn("Mfa.status")(function*() {
      const { user_id } = yield* currentPerson
      const row = yield* Effect.flatMap(repo.findStatus(user_id), orFail(new NotFound({ resource: "user" })))
      const enrolled = row.mfa_enrolled_at !== null
      const started_at = row.mfa_enforcement_started_at
      const { deadline, required } = findEnrollmentRequirement(policyOf(settings, row.required_for_all), {
        is_admin: row.is_admin,
        enrolled,
        started_at
      })
      return {
        enrolled,
        enrolled_at: row.mfa_enrolled_at,
        remaining_recovery_codes: row.codes,
        enrollment_required: required,
        enrollment_deadline: deadline
      } satisfies MfaStatus
    }, orDieOnSql)

    /**
     * Creates a pending secret for the caller's app. Its first code completes the enrollment; another start replaces
     * it.
     */
    const startEnrollment = Effect.fn("Mfa.startEnrollment")(function*() {
      const { email, user_id } = yield* currentPerson
      const { secret, url } = newTotpSecret(email)
      const sealed = yield* vault.seal("users.mfa_secret", user_id, secret)
      if (!(yield* repo.setPendingSecret(user_id, sealed, yield* Timestamp.now))) return yield* alreadyEnrolled
      yield* audit.record(auditEntry("auth.mfa_enrollment_started", "user", user_id))
      return { secret_base32: secret, provisioning_url: url }
    }, inTransaction(sql))

    /** Marks the caller's session as fully authenticated: it gets a new token and a fresh step-up. */
    const upgradeSession = Effect.fnUntraced(function*(sessionId: SessionId) {
      yield* sessionsRepo.setProven(sessionId, yield* Timestamp.now)
      return yield* sessions.rotate()
    })

    /** Makes what runs under the user's sessions, such as live streams, verify its access again. */
    const publishAccessChange = (userId: UserId) => hints.publish("access", userId)

    /** Consumes a code of the user in the caller's transaction; none when it is wrong or was used before. */
    const consumeCode = Effect.fnUntraced(function*(userId: UserId, code: string) {
      const now = yield* Timestamp.now
      const row = Option.getOrUndefined(yield* repo.findByUserForUpdate(userId))
      if (row === undefined || row.mfa_secret === null) return yield* mfaNotEnrolled
      if (isLocked(row, now)) return yield* mfaLocked
      const step = yield* findStep(userId, row.mfa_secret, code)
      const isRight = step === null
        ? yield* repo.consumeRecoveryCode(userId, code)
        : yield* repo.consumeStep(userId, step)
      if (!isRight) return Option.none<ConsumedCode>()
      yield* repo.resetFailures(userId)
      return Option.some<ConsumedCode>({
        used_recovery_code: step === null,
        remaining_recovery_codes: yield* repo.countRecoveryCodes(userId)
      })
    })

    /**
     * Counts a wrong code. After SVC_LOGIN_LOCKOUT_THRESHOLD in a row, no code is accepted for
     * SVC_LOGIN_LOCKOUT_DURATION_SECONDS.
     */
    const countFailure = Effect.fnUntraced(function*(userId: UserId) {
      const now = yield* Timestamp.now
      const lockUntil = Timestamp.addSeconds(now, settings.loginLockoutDuration)
      const isNowLocked = yield* repo.countFailure(userId, settings.loginLockoutThreshold, lockUntil)
      yield* audit.record(auditEntry(isNowLocked ? "auth.mfa_locked" : "auth.mfa_failed", "user", userId, {
        outcome: "deny",
        result: "failure"
      }))
    })

    /**
     * Runs `checkCode`, then `work` with its result, in one transaction. A wrong code (none) is checked and counted in
     * one transaction too, so concurrent guesses count like consecutive ones.
     */
    const withCodeAttempt = <A, B, E, R, E2, R2>(
      checkCode: (userId: UserId) => Effect.Effect<Option.Option<A>, E, R>,
      work: (right: A) => Effect.Effect<B, E2, R2>
    ) =>
      Effect.gen(function*() {
        const { user_id } = yield* currentPerson
        const result = yield* sql.withTransaction(Effect.gen(function*() {
          const right = yield* checkCode(user_id)
          if (Option.isSome(right)) return Option.some(yield* work(right.value))
          yield* countFailure(user_id)
          return Option.none<B>()
        }))
        return Option.isSome(result) ? result.value : yield* wrongCode
      })

    /** Consumes the code and runs `work` in one transaction. */
    const withConsumedCode = <A, E, R>(
      code: Redacted.Redacted,
      work: (spent: ConsumedCode) => Effect.Effect<A, E, R>
    ) => withCodeAttempt((userId) => consumeCode(userId, Redacted.value(code)), work)

    /** The time step of a code of the pending secret, in the caller's transaction; none when the code is wrong. */
    const checkPendingCode = Effect.fnUntraced(function*(userId: UserId, code: string) {
      const now = yield* Timestamp.now
      const row = Option.getOrUndefined(yield* repo.findByUserForUpdate(userId))
      if (row !== undefined && row.mfa_enrolled_at !== null) return yield* alreadyEnrolled
      if (row === undefined || row.mfa_pending_secret === null || row.mfa_pending_at === null) {
        return yield* noPendingEnrollment
      }
      if (Timestamp.addSeconds(row.mfa_pending_at, enrollmentSeconds) <= now) return yield* noPendingEnrollment
      if (isLocked(row, now)) return yield* mfaLocked
      return Option.fromNullable(yield* findStep(userId, row.mfa_pending_secret, code))
    })

    /**
     * Confirms the pending secret by its first code. The caller's other sessions become restricted until they give a
     * code.
     */
    const completeEnrollment = Effect.fn("Mfa.completeEnrollment")(function*(input: CompleteEnrollment) {
      const { person, session_id } = yield* currentSession
      return yield* withCodeAttempt(
        (userId) => checkPendingCode(userId, Redacted.value(input.code)),
        (step) =>
          Effect.gen(function*() {
            const codes = newRecoveryCodes()
            yield* repo.enroll(person.user_id, step, yield* Timestamp.now)
            yield* repo.replaceRecoveryCodes(person.user_id, codes)
            yield* sessionsRepo.clearFactors(person.user_id, session_id)
            const cookie = yield* upgradeSession(session_id)
            yield* notices.enqueue("factor_enrolled", person.email, person)
            yield* publishAccessChange(person.user_id)
            yield* audit.record(auditEntry("auth.mfa_enrolled", "user", person.user_id))
            return { cookie, result: { recovery_codes: codes } }
          })
      )
    }, orDieOnSql)

    /**
     * Verifies the second factor: lifts the session's restriction, and is a step-up. `device`: the browser's cookie.
     */
    const verify = Effect.fn("Mfa.verify")(function*(input: VerifyMfa, device: string | null) {
      const { person, session_id } = yield* currentSession
      return yield* withConsumedCode(input.code, (used) =>
        Effect.gen(function*() {
          const actor = yield* CurrentActor
          const cookie = yield* upgradeSession(session_id)
          const deviceCookie = input.remember_device ? yield* devices.trust(person, device) : null
          const { used_recovery_code } = used
          if (used_recovery_code) yield* notices.enqueue("recovery_code_used", person.email, person)
          const metadata = { used_recovery_code }
          const verified = auditEntry("auth.mfa_verified", "session", session_id, { metadata })
          const entries = deviceCookie === null ? [verified] : [verified, deviceCookie.entry]
          yield* audit.recordAll(entries.map((entry) => ({ actor, entry })))
          return { cookie, device: deviceCookie?.cookie ?? null, result: { ok: true, ...used } }
        }))
    }, orDieOnSql)

    /** Removes the caller's second factor with its codes and trusted browsers. Restricted sessions are revoked. */
    const disable = Effect.fn("Mfa.disable")(function*(input: DisableMfa) {
      const { person, session, session_id } = yield* currentSession
      if (!session.enrolled) return yield* mfaNotEnrolled
      yield* currentPassword.verify(input.password)
      return yield* withConsumedCode(input.code, ({ used_recovery_code }) =>
        Effect.gen(function*() {
          const now = yield* Timestamp.now
          const cookie = yield* upgradeSession(session_id)
          yield* repo.clear(person.user_id)
          yield* devicesRepo.revokeAll(person.user_id, now)
          yield* sessionsRepo.revokePendingFactor(person.user_id, now)
          yield* notices.enqueue("factor_disabled", person.email, person)
          yield* publishAccessChange(person.user_id)
          yield* audit.record(auditEntry("auth.mfa_disabled", "user", person.user_id))
          return { cookie, result: { ok: true, used_recovery_code, remaining_recovery_codes: null } }
        }))
    }, orDieOnSql)

    /** Replaces the recovery codes by ten new ones. */
    const regenerateRecoveryCodes = Effect.fn("Mfa.regenerateRecoveryCodes")(function*() {
      const { person, session } = yield* currentSession
      // under the user's lock: of two concurrent calls only the later codes remain
      const row = yield* repo.findByUserForUpdate(person.user_id)
      if (!session.enrolled || Option.isNone(row) || row.value.mfa_enrolled_at === null) return yield* mfaNotEnrolled
      const codes = newRecoveryCodes()
      yield* repo.replaceRecoveryCodes(person.user_id, codes)
      yield* notices.enqueue("recovery_codes_replaced", person.email, person)
      yield* audit.record(auditEntry("auth.mfa_recovery_codes_regenerated", "user", person.user_id))
      return { recovery_codes: codes }
    }, inTransaction(sql))

    return { status, startEnrollment, completeEnrollment, verify, disable, regenerateRecoveryCodes } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    CurrentPassword.layer,
    MfaRepo.layer,
    Notices.layer,
    Sessions.layer,
    SessionsRepo.layer,
    TrustedDevices.layer,
    TrustedDevicesRepo.layer
  ]))
}
