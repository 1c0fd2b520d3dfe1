import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { Login, Reauthenticate, Session } from "../../domain/identity/Session.ts"
import { normalizeEmail } from "../../domain/identity/User.ts"
import { system } from "../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, NotFound, Unauthenticated } from "../../domain/kernel/Errors.ts"
import type { SessionId, UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, currentSession } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Notices } from "../kernel/Mail/Notices.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { Passwords } from "./Passwords.ts"
import { type Browser, type SessionCookie, SessionCreation } from "./Sessions/Creation.ts"
import { CurrentPassword } from "./Sessions/CurrentPassword.ts"
import { LoginPlaces } from "./Sessions/LoginPlaces.ts"
import { makeChangePassword } from "./Sessions/PasswordChange.ts"
import { padToMultiple } from "./Sessions/ResponseTime.ts"
import { MfaLogin } from "./Sessions/SecondFactor.ts"
import { sessionEnded, SessionsRepo } from "./SessionsRepo.ts"
import { type LoginCredentials, UsersRepo } from "./UsersRepo.ts"

/** A login as it arrives. */
export interface LoginAttempt extends Login, Browser {}

/** The same response for a wrong address, a wrong password, an inactive and a locked account. */
const loginFailed = new Unauthenticated({
  code: "login_failed",
  detail: "The e-mail address or the password is wrong."
})

/** Only who knows the password learns this. */
const passwordLoginDisabled = new Forbidden({
  code: "password_login_disabled",
  detail: "Only global admins sign in with a password here. Sign in through your organisation's provider."
})

const codeRequired = new Conflict({
  code: "mfa_enrolled",
  detail: "You have a second factor: give a code of it, with POST /auth/mfa/verify."
})

export class Sessions extends Effect.Service<Sessions>()("svc/Sessions", {
  // Eight short methods over the same services; a login is the two steps above `login`.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SessionsRepo
    const users = yield* UsersRepo
    const passwords = yield* Passwords
    const audit = yield* Audit
    const hints = yield* Hints
    const settings = yield* Settings
    const mfa = yield* MfaLogin
    const currentPassword = yield* CurrentPassword
    const places = yield* LoginPlaces
    const sessionOpening = yield* SessionCreation
    const changePassword = yield* makeChangePassword

    /** Opens the session; null when the account is locked or inactive, or its password has changed since. */
    const openSession = Effect.fnUntraced(
      function*(credentials: LoginCredentials, newHash: string, input: LoginAttempt, place: string | null) {
        const now = yield* Timestamp.now
        if (place !== null) {
          yield* users.findByIdForUpdate(credentials.id) // locks the user before the place, as a new password does
          if (yield* places.isLocked(credentials.id, place, now)) return null
        }
        const user = yield* users.recordLogin({ ...credentials, newHash, now, isPlaceKnown: place !== null })
        if (Option.isNone(user)) return null
        if (place !== null) yield* places.reset(credentials.id, place)
        if (settings.passwordLogin === "global_admins" && !user.value.is_admin) return yield* passwordLoginDisabled
        const { device, remember_me: remember, source, token } = input
        const signIn = { source, token, device, remember, fresh: true, provider: null, metadata: {} }
        return yield* sessionOpening.begin(user.value, signIn)
      },
      sql.withTransaction
    )

    const attemptLogin = Effect.fnUntraced(function*(input: LoginAttempt) {
      const credentials = yield* users.findCredentials(normalizeEmail(input.email))
      const storedHash = Option.match(credentials, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
      const isCorrect = yield* passwords.verifyLogin(storedHash, input.password)
      if (Option.isNone(credentials)) {
        // the address is not logged: it may be a password typed into the wrong field
        yield* Effect.logInfo("a login failed: no account has the address").pipe(
          Effect.annotateLogs({ source_ip: input.source.source_ip })
        )
        return yield* loginFailed
      }
      const { id } = credentials.value
      const place = yield* places.find(id, input.source, input.device, yield* Timestamp.now)
      if (!isCorrect) {
        yield* currentPassword.countFailure(id, input.source, place)
        return yield* loginFailed
      }
      const newHash = yield* passwords.rehashAtLogin(credentials.value.password_hash, input.password)
      const session = yield* openSession(credentials.value, newHash, input, place)
      if (session !== null) return session
      yield* currentPassword.countFailure(id, input.source, place)
      return yield* loginFailed
    })

    /**
     * Signs in. All failures have the same response and time: SVC_LOGIN_MIN_DURATION_MS, or a multiple of it when logins
     * queue, so the time does not reveal whether a failure was recorded. SVC_LOGIN_LOCKOUT_THRESHOLD wrong passwords
     * since the last success lock the account for a while, for the right password too; a place that the account knows has a
     * lock of its own. A success revokes the browser's
     * former session. A user with a second factor gets a restricted session, unless the browser is trusted.
     */
    const login = Effect.fn("Sessions.login")((input: LoginAttempt) =>
      attemptLogin(input).pipe(
        passwords.admitLogin,
        Effect.provideService(CurrentActor, system("login")),
        (attempt) => padToMultiple(attempt, settings.loginMinDuration)
      ), orDieOnSql)

    /**
     * Replaces the token of the caller's session; call it whenever the session gains access. The old token is invalid
     * from the commit on; id and lifetimes stay. Runs in the caller's transaction, if there is one.
     */
    const rotate = Effect.fn("Sessions.rotate")(function*() {
      const { session_id } = yield* currentSession
      const now = yield* Timestamp.now
      const token = yield* Ids.secret
      const expiresAt = yield* Effect.flatMap(
        repo.setToken(session_id, Ids.hashSecret(token), now),
        orFail(sessionEnded)
      )
      const maxAgeSeconds = Math.ceil((Timestamp.toEpochMillis(expiresAt) - Timestamp.toEpochMillis(now)) / 1000)
      return { token, maxAgeSeconds } satisfies SessionCookie
    }, orDieOnSql)

    const revokeSession = Effect.fnUntraced(function*(userId: UserId, id: SessionId, action: string) {
      if (!(yield* repo.revoke(userId, id, yield* Timestamp.now))) return false
      yield* hints.publish("access", userId)
      yield* audit.record({ action, target_type: "session", target_id: id })
      return true
    }, sql.withTransaction)

    /** Revokes the caller's own session. */
    const logout = Effect.fn("Sessions.logout")(function*() {
      const { person, session_id } = yield* currentSession
      yield* revokeSession(person.user_id, session_id, "auth.logout")
    }, orDieOnSql)

    /** The caller's active sessions, newest first; 500 at most. */
    const list = Effect.fn("Sessions.list")(function*() {
      const { person, session_id } = yield* currentSession
      const now = yield* Timestamp.now
      const rows = yield* repo.listActive(person.user_id, now, Timestamp.addSeconds(now, -settings.sessionIdleTimeout))
      return rows.map((row): Session => ({ ...row, is_current: row.id === session_id }))
    }, orDieOnSql)

    /** Revokes one of the caller's sessions; false when it was revoked or expired before. */
    const revoke = Effect.fn("Sessions.revoke")(function*(id: SessionId) {
      const { user_id } = yield* currentPerson
      if (!(yield* repo.exists(user_id, id))) return yield* new NotFound({ resource: "session" })
      return yield* revokeSession(user_id, id, "auth.session_revoked")
    }, orDieOnSql)

    /** Revokes all of the caller's sessions but this one; false when there was no other. */
    const revokeOthers = Effect.fn("Sessions.revokeOthers")(function*() {
      const { person, session_id } = yield* currentSession
      const sessions = yield* repo.revokeAll(person.user_id, yield* Timestamp.now, session_id)
      if (sessions === 0) return false
      yield* hints.publish("access", person.user_id)
      yield* audit.record(auditEntry("auth.sessions_revoked", "user", person.user_id, { metadata: { sessions } }))
      return true
    }, inTransaction(sql))

    /** A step-up by password, for users without a second factor. */
    const reauthenticate = Effect.fn("Sessions.reauthenticate")(function*(input: Reauthenticate) {
      const { person, session, session_id } = yield* currentSession
      if (session.enrolled) return yield* codeRequired
      yield* currentPassword.verify(input.password)
      return yield* sql.withTransaction(Effect.gen(function*() {
        if ((yield* mfa.getState(person.user_id)).enrolled) return yield* codeRequired // enrolled while the password was verified
        yield* repo.setProven(session_id, yield* Timestamp.now)
        const cookie = yield* rotate()
        yield* audit.record(auditEntry("auth.reauthenticated", "session", session_id))
        return cookie
      }))
    }, orDieOnSql)

    return { login, logout, rotate, list, revoke, revokeOthers, reauthenticate, changePassword } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    CurrentPassword.layer,
    LoginPlaces.layer,
    MfaLogin.layer,
    Notices.layer,
    Passwords.layer,
    SessionCreation.layer,
    SessionsRepo.layer,
    UsersRepo.layer
  ]))
}
