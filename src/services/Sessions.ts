import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { type Person, type Source, system } from "../domain/Actor.ts"
import { Forbidden, NotFound, Unauthenticated } from "../domain/Errors.ts"
import type { LoggedIn, Login, Session } from "../domain/Session.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { type ChangePassword, emailKey, textsOf, type UserDetail } from "../domain/User.ts"
import { Audit } from "./Audit.ts"
import { CurrentActor, currentPerson, currentSession } from "./CurrentActor.ts"
import { Hints, orDieOnSql } from "./Database.ts"
import * as Ids from "./Ids.ts"
import { inSlots } from "./Sessions/AnswerTime.ts"
import { SessionsRepo } from "./Sessions/Repo.ts"
import { Settings } from "./Settings.ts"
import { Passwords } from "./Users/Passwords.ts"
import { type Credentials, UsersRepo } from "./Users/Repo.ts"

/** A session as its browser needs it: the secret of the cookie, and how long the cookie may live. */
export interface SessionCookie {
  readonly token: string
  readonly maxAgeSeconds: number
}

export interface Opened extends SessionCookie {
  readonly answer: LoggedIn
}

/** A login as it arrives: from where, and with which session's token in the cookie, if any. */
export interface Attempt extends Login {
  readonly source: Source
  readonly token: string | undefined
}

/** One answer for a wrong address, a wrong password, an inactive and a locked account. */
const refused = new Unauthenticated({ code: "login_failed", detail: "The e-mail address or the password is wrong." })

const hasEnded = new Unauthenticated({ detail: "This session has ended. Sign in again." })

const found = Option.match({
  onNone: () => new NotFound({ resource: "user" }),
  onSome: (user: UserDetail) => Effect.succeed(user)
})

const wrongPassword = new Forbidden({ code: "wrong_password", detail: "The current password is wrong." })

export class Sessions extends Effect.Service<Sessions>()("svc/Sessions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SessionsRepo
    const users = yield* UsersRepo
    const passwords = yield* Passwords
    const audit = yield* Audit
    const hints = yield* Hints
    const settings = yield* Settings

    const open = Effect.fnUntraced(function*(user: UserDetail, remember: boolean, source: Source) {
      const now = yield* Timestamp.now
      const maxAgeSeconds = remember ? settings.sessionRememberMeLifetime : settings.sessionAbsoluteLifetime
      const token = yield* Ids.secret
      const id = yield* Ids.next
      yield* repo.insert({
        id,
        user_id: user.id,
        token_hash: Ids.hashSecret(token),
        remember_me: remember ? 1 : 0,
        issued_at: now,
        last_seen_at: now,
        expires_at: Timestamp.addSeconds(now, maxAgeSeconds),
        ip_at_issue: source.source_ip ?? "",
        user_agent_at_issue: source.user_agent
      })
      const answer: LoggedIn = { user, mfa_required: false, mfa_enrollment_required: false, mfa_enrollment_deadline: null }
      const actor: Person = {
        kind: "person",
        user_id: user.id,
        email: user.email,
        is_admin: user.is_admin,
        roles: new Map(),
        via: { kind: "session", session_id: id },
        ...source
      }
      return { opened: { token, maxAgeSeconds, answer } satisfies Opened, actor, id }
    })

    /** Counts a wrong password of an account, which may lock it. */
    const countFailure = Effect.fnUntraced(function*(userId: string, source: Source) {
      const now = yield* Timestamp.now
      const lockUntil = Timestamp.addSeconds(now, settings.loginLockoutDuration)
      const locked = yield* users.countFailure(userId, now, settings.loginLockoutThreshold, lockUntil)
      yield* audit.record({
        action: locked ? "auth.account_locked" : "auth.login_failed",
        target_type: "user",
        target_id: userId,
        outcome: "deny",
        result: "failure",
        source
      })
    }, sql.withTransaction)

    /** The session, unless the account is locked or inactive or has another password by now. */
    const openChecked = Effect.fnUntraced(function*(known: Credentials, newHash: string, input: Attempt) {
      const now = yield* Timestamp.now
      const user = yield* users.countSuccess({ ...known, newHash, now })
      if (Option.isNone(user)) return null
      const { actor, id, opened } = yield* open(user.value, input.remember_me, input.source)
      const replaced = input.token === undefined ? null : yield* repo.revokeToken(Ids.hashSecret(input.token), now)
      yield* audit.record({
        action: "auth.login",
        target_type: "session",
        target_id: id,
        metadata: replaced === null ? {} : { replaced_session_id: replaced.id }
      }).pipe(Effect.provideService(CurrentActor, actor))
      return { opened, replaced }
    }, sql.withTransaction)

    const attempt = Effect.fnUntraced(function*(input: Attempt) {
      const known = yield* users.credentials(emailKey(input.email))
      const stored = Option.match(known, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
      const right = yield* passwords.verifyLogin(stored, input.password)
      if (Option.isNone(known)) return yield* refused
      if (!right) {
        yield* countFailure(known.value.id, input.source)
        return yield* refused
      }
      const { password_hash } = known.value
      const newHash = passwords.isOutdated(password_hash) ? yield* passwords.hash(input.password) : password_hash
      const checked = yield* openChecked(known.value, newHash, input)
      if (checked === null) return yield* refused
      if (checked.replaced !== null) yield* hints.publish("access", checked.replaced.user_id)
      return checked.opened
    })

    /**
     * Signs in. Whatever is wrong, the answer and its time are the same: it comes after SVC_LOGIN_MIN_DURATION_MS, or,
     * where many wait for their turn, a multiple of it, so that it does not tell whether a failure was written down.
     * From SVC_LOGIN_LOCKOUT_THRESHOLD wrong passwords since the last success on, the account is locked for a while,
     * for the right password too. The session that the browser had ends with a success.
     */
    const login = Effect.fn("Sessions.login")((input: Attempt) =>
      attempt(input).pipe(
        passwords.admitLogin,
        Effect.provideService(CurrentActor, system("login")),
        (answer) => inSlots(answer, settings.loginMinDuration)
      ), orDieOnSql)

    /**
     * Gives the caller's session a new token in place, at each rise of what it may do: the old token is worth nothing
     * from the commit on, and id and lifetimes stay. Of the transaction it is called in, if any.
     */
    const rotate = Effect.fn("Sessions.rotate")(function*() {
      const { session_id } = yield* currentSession
      const now = yield* Timestamp.now
      const token = yield* Ids.secret
      const expiresAt = yield* repo.setToken(session_id, Ids.hashSecret(token), now)
      if (Option.isNone(expiresAt)) return yield* hasEnded
      const maxAgeSeconds = Math.ceil((Timestamp.toEpochMillis(expiresAt.value) - Timestamp.toEpochMillis(now)) / 1000)
      return { token, maxAgeSeconds } satisfies SessionCookie
    }, orDieOnSql)

    const revoked = Effect.fnUntraced(function*(userId: string, id: string, action: string) {
      const ended = yield* repo.revoke(userId, id, yield* Timestamp.now)
      if (ended) yield* audit.record({ action, target_type: "session", target_id: id })
      return ended
    }, sql.withTransaction)

    /** Ends the caller's own session. */
    const logout = Effect.fn("Sessions.logout")(function*() {
      const { person, session_id } = yield* currentSession
      yield* revoked(person.user_id, session_id, "auth.logout")
      yield* hints.publish("access", person.user_id)
    }, orDieOnSql)

    /** The caller's sessions that still work, newest first. */
    const list = Effect.fn("Sessions.list")(function*() {
      const { person, session_id } = yield* currentSession
      const now = yield* Timestamp.now
      const rows = yield* repo.active(person.user_id, now, Timestamp.addSeconds(now, -settings.sessionIdleTimeout))
      return rows.map((row): Session => ({ ...row, is_current: row.id === session_id }))
    }, orDieOnSql)

    /** Ends one of the caller's sessions; false when it had ended before. */
    const revoke = Effect.fn("Sessions.revoke")(function*(id: string) {
      const { user_id } = yield* currentPerson
      if (!(yield* repo.exists(user_id, id))) return yield* new NotFound({ resource: "session" })
      const ended = yield* revoked(user_id, id, "auth.session_revoked")
      yield* hints.publish("access", user_id)
      return ended
    }, orDieOnSql)

    const othersRevoked = Effect.fnUntraced(function*(person: Person, sessionId: string) {
      const ended = yield* repo.revokeAll(person.user_id, yield* Timestamp.now, sessionId)
      if (ended > 0) {
        yield* audit.record({
          action: "auth.sessions_revoked",
          target_type: "user",
          target_id: person.user_id,
          metadata: { sessions: ended }
        })
      }
      return ended > 0
    }, sql.withTransaction)

    /** Ends all of the caller's sessions but this one; false when there was no other. */
    const revokeOthers = Effect.fn("Sessions.revokeOthers")(function*() {
      const { person, session_id } = yield* currentSession
      const ended = yield* othersRevoked(person, session_id)
      yield* hints.publish("access", person.user_id)
      return ended
    }, orDieOnSql)

    const replaced = Effect.fnUntraced(function*(person: Person, passwordHash: string, remember: boolean) {
      const now = yield* Timestamp.now
      const user = yield* Effect.flatMap(users.lockedById(person.user_id), found)
      yield* users.setPassword(user.id, passwordHash, now)
      yield* repo.revokeAll(user.id, now, null)
      const { opened } = yield* open(user, remember, person)
      yield* audit.record({ action: "user.password_changed", target_type: "user", target_id: user.id })
      return opened
    }, sql.withTransaction)

    /**
     * Changes the caller's password. Every session of theirs ends, and this browser gets a new one. A wrong current
     * password counts as a failed login, so that a stolen session cannot be used to guess it.
     */
    const changePassword = Effect.fn("Sessions.changePassword")(function*(input: ChangePassword) {
      const { person, session_id } = yield* currentSession
      const known = yield* users.unlockedCredentials(person.user_id, yield* Timestamp.now)
      const stored = Option.match(known, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
      if (!(yield* passwords.verify(stored, input.current_password))) {
        yield* countFailure(person.user_id, person)
        return yield* wrongPassword
      }
      const user = yield* Effect.flatMap(users.byId(person.user_id), found)
      const passwordHash = yield* passwords.hashNew({
        password: input.new_password,
        field: "new_password",
        about: textsOf(user)
      })
      const opened = yield* replaced(person, passwordHash, yield* repo.isRemembered(session_id))
      yield* hints.publish("access", person.user_id)
      return opened
    }, orDieOnSql)

    return { login, logout, rotate, list, revoke, revokeOthers, changePassword } as const
  })
}) {
  static readonly layer = this.Default
}
