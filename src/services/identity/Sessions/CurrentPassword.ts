import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, type Redacted } from "effect"
import type { RequestSource } from "../../../domain/kernel/Actor.ts"
import { Forbidden } from "../../../domain/kernel/Errors.ts"
import type { UserId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { currentPerson } from "../../kernel/CurrentActor.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { Passwords } from "../Passwords.ts"
import { UsersRepo } from "../UsersRepo.ts"
import { LoginPlaces } from "./LoginPlaces.ts"

const wrongPassword = new Forbidden({ code: "wrong_password", detail: "The current password is wrong." })

/** Verifies the password of a signed-in user again. */
export class CurrentPassword extends Effect.Service<CurrentPassword>()("svc/CurrentPassword", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* UsersRepo
    const passwords = yield* Passwords
    const audit = yield* Audit
    const settings = yield* Settings
    const places = yield* LoginPlaces

    /** Counts a wrong password from a place that the account knows, or from elsewhere (null), which may lock either. */
    const countFailure = Effect.fnUntraced(function*(userId: UserId, source: RequestSource, place: string | null) {
      const now = yield* Timestamp.now
      const lockUntil = Timestamp.addSeconds(now, settings.loginLockoutDuration)
      const threshold = settings.loginLockoutThreshold
      const isNowLocked = yield* place === null
        ? users.countFailure(userId, now, threshold, lockUntil)
        : places.countFailure(userId, place, { now, threshold, lockUntil })
      yield* audit.record(auditEntry(isNowLocked ? "auth.account_locked" : "auth.login_failed", "user", userId, {
        outcome: "deny",
        result: "failure",
        ...(isNowLocked && { metadata: { locked: place ?? "all other places" } }),
        source
      }))
    }, sql.withTransaction)

    const isLocked = Effect.fnUntraced(function*(userId: UserId, place: string | null) {
      const now = yield* Timestamp.now
      return yield* place === null ? users.isLocked(userId, now) : places.isLocked(userId, place, now)
    })

    /**
     * Fails unless it is the caller's password. A wrong one counts as a failed login, so a stolen session cannot be
     * used to guess it. Concurrent guesses fail too once one of them has locked the account.
     */
    const verify = Effect.fn("CurrentPassword.verify")(function*(password: Redacted.Redacted) {
      const person = yield* currentPerson
      const place = yield* places.find(person.user_id, person, null, yield* Timestamp.now)
      const credentials = (yield* isLocked(person.user_id, place))
        ? Option.none()
        : yield* users.findCredentialsById(person.user_id)
      const storedHash = Option.match(credentials, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
      const isCorrect = yield* passwords.verify(storedHash, password)
      if (
        isCorrect && Option.isSome(credentials) &&
        (yield* users.hasValidCredentials(credentials.value)) && !(yield* isLocked(person.user_id, place))
      ) return
      yield* countFailure(person.user_id, person, place)
      return yield* wrongPassword
    }, orDieOnSql)

    return { countFailure, verify } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([LoginPlaces.layer, Passwords.layer, UsersRepo.layer]))
}
