import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type ChangePassword, personalTextsOf } from "../../../domain/identity/User.ts"
import type { Person } from "../../../domain/kernel/Actor.ts"
import { NotFound } from "../../../domain/kernel/Errors.ts"
import type { SessionId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { currentSession } from "../../kernel/CurrentActor.ts"
import { Notices } from "../../kernel/Mail/Notices.ts"
import { Hints, orDieOnSql } from "../../kernel/sql/Database.ts"
import { orFail } from "../../kernel/sql/Rows.ts"
import { Passwords } from "../Passwords.ts"
import { sessionEnded, SessionsRepo } from "../SessionsRepo.ts"
import { UsersRepo } from "../UsersRepo.ts"
import { SessionCreation } from "./Creation.ts"
import { CurrentPassword } from "./CurrentPassword.ts"
import { MfaLogin } from "./SecondFactor.ts"

const orNotFound = orFail(new NotFound({ resource: "user" }))

/** Changes the caller's own password, which requires the current one. */
export const makeChangePassword = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* SessionsRepo
  const users = yield* UsersRepo
  const passwords = yield* Passwords
  const notices = yield* Notices
  const audit = yield* Audit
  const hints = yield* Hints
  const mfa = yield* MfaLogin
  const currentPassword = yield* CurrentPassword
  const sessionOpening = yield* SessionCreation

  const replaceSessions = Effect.fnUntraced(
    function*(person: Person, sessionId: SessionId, passwordHash: string, isFresh: boolean) {
      const now = yield* Timestamp.now
      const user = yield* Effect.flatMap(users.findByIdForUpdate(person.user_id), orNotFound)
      // reads the session again: it may have been revoked or restricted while the password was hashed
      const former = yield* Effect.flatMap(repo.revokeReturning(sessionId, now), orFail(sessionEnded))
      const mfaState = yield* mfa.getState(user.id)
      const factor = former.factor || !mfaState.enrolled
      const workingKeys = yield* users.setPassword(user.id, passwordHash, now)
      yield* repo.revokeAll(user.id, now, null)
      // the new session is the old one's: it ends with the same sign-in at the provider
      const { provider, remember } = former
      const proof = { remember, factor, fresh: isFresh && factor, provider }
      const { opened } = yield* sessionOpening.open(user, mfaState, proof, person)
      yield* notices.enqueue("password_changed", user.email, person, workingKeys)
      yield* hints.publish("access", user.id)
      yield* audit.record(auditEntry("user.password_changed", "user", user.id))
      return opened
    },
    sql.withTransaction
  )

  /** Changes the caller's password, revokes all of their sessions, and opens a new one for this browser. */
  return Effect.fn("Sessions.changePassword")(function*(input: ChangePassword) {
    const { person, session, session_id } = yield* currentSession
    yield* currentPassword.verify(input.current_password)
    const user = yield* Effect.flatMap(users.findById(person.user_id), orNotFound)
    const passwordHash = yield* passwords.hashNew({
      password: input.new_password,
      field: "new_password",
      about: personalTextsOf(user)
    })
    const isFresh = session.is_fresh || !session.enrolled
    return yield* replaceSessions(person, session_id, passwordHash, isFresh)
  }, orDieOnSql)
})
