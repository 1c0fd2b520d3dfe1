import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Redacted } from "effect"
import { Conflict, Forbidden, NotFound } from "../domain/Errors.ts"
import { type CompleteEnrollment, type DisableMfa, enrollmentOf, type MfaStatus, type VerifyMfa } from "../domain/Mfa.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { Audit, type Entry } from "./Audit.ts"
import { CurrentActor, currentPerson, currentSession } from "./CurrentActor.ts"
import { Hints, orDieOnSql } from "./Database.ts"
import { Vault } from "./Keys.ts"
import { Notices } from "./Mail/Notices.ts"
import { policyOf } from "./Mfa/AtLogin.ts"
import { newRecoveryCodes, newSecret, stepOf } from "./Mfa/Codes.ts"
import { MfaRepo, type MfaRow } from "./Mfa/Repo.ts"
import { Sessions } from "./Sessions.ts"
import { OwnPassword } from "./Sessions/OwnPassword.ts"
import { SessionsRepo } from "./Sessions/Repo.ts"
import { Settings } from "./Settings.ts"
import { notEnrolled, TrustedDevices } from "./TrustedDevices.ts"
import { TrustedDevicesRepo } from "./TrustedDevices/Repo.ts"

/** A code that was right, and spent by that. */
interface Spent {
  readonly used_recovery_code: boolean
  readonly remaining_recovery_codes: number
}

/** How long a secret waits for its first code, in seconds. */
const enrollmentSeconds = 600

const alreadyEnrolled = new Conflict({ code: "mfa_enrolled", detail: "You have a second factor already. Disable it first to enrol another." })

const nothingPending = new Conflict({
  code: "mfa_enrollment_expired",
  detail: "No enrolment is under way, or it took longer than ten minutes. Begin again with POST /auth/mfa/enroll-start."
})

const wrongCode = new Forbidden({
  code: "wrong_code",
  detail: "The code is wrong, or was used before. Wait for the next one, and check the clock of the device that shows it."
})

const locked = new Forbidden({
  code: "mfa_locked",
  detail: "Too many wrong codes. For a while no code of this account is accepted; try again later."
})

const isLocked = ({ mfa_locked_until }: MfaRow, now: string): boolean => mfa_locked_until !== null && mfa_locked_until > now

/** The second factor: codes of an authenticator app, ten recovery codes, browsers that are trusted. */
export class Mfa extends Effect.Service<Mfa>()("svc/Mfa", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MfaRepo
    const sessions = yield* Sessions
    const ownPassword = yield* OwnPassword
    const sessionsRepo = yield* SessionsRepo
    const devices = yield* TrustedDevices
    const devicesRepo = yield* TrustedDevicesRepo
    const notices = yield* Notices
    const audit = yield* Audit
    const hints = yield* Hints
    const vault = yield* Vault
    const settings = yield* Settings
    const policy = policyOf(settings)

    const unseal = (userId: string, sealed: string) =>
      // the keys were checked at start, so this is damage in the database
      Effect.orDie(vault.open("users.mfa_secret", userId, sealed))

    const step = Effect.fnUntraced(function*(userId: string, sealed: string, code: string) {
      return stepOf(yield* unseal(userId, sealed), code, yield* Clock.currentTimeMillis)
    })

    const status = Effect.fn("Mfa.status")(function*() {
      const { user_id } = yield* currentPerson
      const row = yield* Effect.flatten(repo.statusOf(user_id)).pipe(Effect.catchTag("NoSuchElementException", () =>
        new NotFound({ resource: "user" })))
      const enrolled = row.mfa_enrolled_at !== null
      const started_at = row.mfa_enforcement_started_at
      const { deadline, required } = enrollmentOf(policy, { is_admin: row.is_admin === 1, enrolled, started_at })
      return {
        enrolled,
        enrolled_at: row.mfa_enrolled_at,
        remaining_recovery_codes: row.codes,
        enrollment_required: required,
        enrollment_deadline: deadline
      } satisfies MfaStatus
    }, orDieOnSql)

    /** A new secret for the caller's app. It counts once a code of it was given; starting again replaces it. */
    const enrollStart = Effect.fn("Mfa.enrollStart")(
      function*() {
        const { email, user_id } = yield* currentPerson
        const { secret, url } = newSecret(email)
        const sealed = yield* vault.seal("users.mfa_secret", user_id, secret)
        if (!(yield* repo.setPending(user_id, sealed, yield* Timestamp.now))) return yield* alreadyEnrolled
        yield* audit.record({ action: "auth.mfa_enrollment_started", target_type: "user", target_id: user_id })
        return { secret_base32: secret, provisioning_url: url }
      },
      sql.withTransaction,
      orDieOnSql
    )

    /** The caller's session has given all there is to give: another token, and a fresh step-up. */
    const raised = Effect.fnUntraced(function*(sessionId: string) {
      yield* sessionsRepo.setProven(sessionId, yield* Timestamp.now)
      return yield* sessions.rotate()
    })

    /** For whatever goes on by the sessions of before, such as live streams: their right is asked anew. */
    const tellSessions = Effect.flatMap(currentPerson, ({ user_id }) => hints.publish("access", user_id))

    /** Spends a code of the person's, of the transaction it is called in; none when it is wrong or was spent before. */
    const spent = Effect.fnUntraced(function*(userId: string, code: string) {
      const now = yield* Timestamp.now
      const row = Option.getOrUndefined(yield* repo.lockedByUser(userId))
      if (row === undefined || row.mfa_secret === null) return yield* notEnrolled
      if (isLocked(row, now)) return yield* locked
      const at = yield* step(userId, row.mfa_secret, code)
      const right = at === null ? yield* repo.spendRecoveryCode(userId, code) : yield* repo.spendStep(userId, at)
      if (!right) return Option.none<Spent>()
      yield* repo.countRight(userId)
      return Option.some<Spent>({ used_recovery_code: at === null, remaining_recovery_codes: yield* repo.recoveryCodesLeft(userId) })
    })

    /** Counts a wrong code; from SVC_LOGIN_LOCKOUT_THRESHOLD since the last right one on, none is taken for a while. */
    const countWrong = Effect.fnUntraced(function*(userId: string) {
      const now = yield* Timestamp.now
      const lockUntil = Timestamp.addSeconds(now, settings.loginLockoutDuration)
      const locks = yield* repo.countWrong(userId, settings.loginLockoutThreshold, lockUntil)
      yield* audit.record({
        action: locks ? "auth.mfa_locked" : "auth.mfa_failed",
        target_type: "user",
        target_id: userId,
        outcome: "deny",
        result: "failure"
      })
    })

    /**
     * Does `work` with what `look` makes of a code, in one transaction: both or neither. A wrong code, which is none, is
     * looked at and counted in one transaction as well, so that guesses at the same time are no more than guesses one after
     * the other.
     */
    const counting = <A, B, E, R, E2, R2>(
      look: (userId: string) => Effect.Effect<Option.Option<A>, E, R>,
      work: (right: A) => Effect.Effect<B, E2, R2>
    ) =>
      Effect.gen(function*() {
        const { user_id } = yield* currentPerson
        const done = yield* sql.withTransaction(Effect.gen(function*() {
          const right = yield* look(user_id)
          if (Option.isSome(right)) return Option.some(yield* work(right.value))
          yield* countWrong(user_id)
          return Option.none<B>()
        }))
        return Option.isSome(done) ? done.value : yield* wrongCode
      })

    /** Does `work` in one transaction with the end of the code. */
    const withCode = <A, E, R>(code: Redacted.Redacted, work: (spent: Spent) => Effect.Effect<A, E, R>) =>
      counting((userId) => spent(userId, Redacted.value(code)), work)

    /** The time step of a code of the secret that waits for one, of the transaction it is called in; none when it is wrong. */
    const proven = Effect.fnUntraced(function*(userId: string, code: string) {
      const now = yield* Timestamp.now
      const row = Option.getOrUndefined(yield* repo.lockedByUser(userId))
      if (row !== undefined && row.mfa_enrolled_at !== null) return yield* alreadyEnrolled
      if (row === undefined || row.mfa_pending_secret === null || row.mfa_pending_at === null) return yield* nothingPending
      if (Timestamp.addSeconds(row.mfa_pending_at, enrollmentSeconds) <= now) return yield* nothingPending
      if (isLocked(row, now)) return yield* locked
      return Option.fromNullable(yield* step(userId, row.mfa_pending_secret, code))
    })

    /** The first code of the new secret makes it the second factor. The caller's other sessions owe it from now on. */
    const enrollComplete = Effect.fn("Mfa.enrollComplete")(function*(input: CompleteEnrollment) {
      const { person, session_id } = yield* currentSession
      const done = yield* counting((userId) => proven(userId, Redacted.value(input.code)), (at) =>
        Effect.gen(function*() {
          const codes = newRecoveryCodes()
          yield* repo.enroll(person.user_id, at, yield* Timestamp.now)
          yield* repo.setRecoveryCodes(person.user_id, codes)
          yield* sessionsRepo.forgetFactor(person.user_id, session_id)
          const cookie = yield* raised(session_id)
          yield* notices.tell("factor_enrolled", person.email, person)
          yield* audit.record({ action: "auth.mfa_enrolled", target_type: "user", target_id: person.user_id })
          return { cookie, answer: { recovery_codes: codes } }
        }))
      yield* tellSessions
      return done
    }, orDieOnSql)

    /** Gives the second factor: pays what the session owes, and is a step-up. `device`: the browser's cookie. */
    const verify = Effect.fn("Mfa.verify")(function*(input: VerifyMfa, device: string | null) {
      const { person, session_id } = yield* currentSession
      return yield* withCode(input.code, (used) =>
        Effect.gen(function*() {
          const actor = yield* CurrentActor
          const cookie = yield* raised(session_id)
          const trusted = input.remember_device ? yield* devices.trust(person, device) : null
          const { used_recovery_code } = used
          if (used_recovery_code) yield* notices.tell("recovery_code_used", person.email, person)
          const metadata = { used_recovery_code }
          const verified: Entry = { action: "auth.mfa_verified", target_type: "session", target_id: session_id, metadata }
          const entries = trusted === null ? [verified] : [verified, trusted.entry]
          yield* audit.recordAll(entries.map((entry) => ({ actor, entry })))
          return { cookie, device: trusted?.cookie ?? null, answer: { ok: true, ...used } }
        }))
    }, orDieOnSql)

    /** Takes the caller's second factor away, with what hangs on it. Sessions that still owe it end. */
    const disable = Effect.fn("Mfa.disable")(function*(input: DisableMfa) {
      const { person, session, session_id } = yield* currentSession
      if (!session.enrolled) return yield* notEnrolled
      yield* ownPassword.prove(input.password)
      const done = yield* withCode(input.code, ({ used_recovery_code }) =>
        Effect.gen(function*() {
          const now = yield* Timestamp.now
          const cookie = yield* raised(session_id)
          yield* repo.clear(person.user_id)
          yield* devicesRepo.revokeAll(person.user_id, now)
          yield* sessionsRepo.revokeOwing(person.user_id, now)
          yield* notices.tell("factor_disabled", person.email, person)
          yield* audit.record({ action: "auth.mfa_disabled", target_type: "user", target_id: person.user_id })
          return { cookie, answer: { ok: true, used_recovery_code, remaining_recovery_codes: null } }
        }))
      yield* tellSessions
      return done
    }, orDieOnSql)

    /** Ten new recovery codes; the ones before are worth nothing. */
    const regenerate = Effect.fn("Mfa.regenerate")(
      function*() {
        const { person, session } = yield* currentSession
        // under the user's lock: of two at once the later codes are the only ones
        const row = yield* repo.lockedByUser(person.user_id)
        if (!session.enrolled || Option.isNone(row) || row.value.mfa_enrolled_at === null) return yield* notEnrolled
        const codes = newRecoveryCodes()
        yield* repo.setRecoveryCodes(person.user_id, codes)
        yield* notices.tell("recovery_codes_replaced", person.email, person)
        yield* audit.record({ action: "auth.mfa_recovery_codes_regenerated", target_type: "user", target_id: person.user_id })
        return { recovery_codes: codes }
      },
      sql.withTransaction,
      orDieOnSql
    )

    return { status, enrollStart, enrollComplete, verify, disable, regenerate } as const
  })
}) {
  static readonly layer = this.Default
}
