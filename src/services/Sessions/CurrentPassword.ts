import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, type Redacted } from "effect"
import type { RequestSource } from "../../domain/Actor.ts"
import { Forbidden } from "../../domain/Errors.ts"
import type { UserId } from "../../domain/Id.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import { currentPerson } from "../CurrentActor.ts"
import { orDieOnSql } from "../Database.ts"
import { Settings } from "../Settings.ts"
import { Passwords } from "../Users/Passwords.ts"
import { UsersRepo } from "../Users/Repo.ts"

const wrongPassword = new Forbidden({ code: "wrong_password", detail: "The current password is wrong." })

/** Verifies the password of a signed-in user again. */
export class CurrentPassword extends Effect.Service<CurrentPassword>()("svc/CurrentPassword", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* UsersRepo
    const passwords = yield* Passwords
    const audit = yield* Audit
    const settings = yield* Settings

    /** Counts a wrong password of an account, which may lock it. */
    const countFailure = Effect.fnUntraced(function*(userId: UserId, source: RequestSource) {
      const now = yield* Timestamp.now
      const lockUntil = Timestamp.addSeconds(now, settings.loginLockoutDuration)
      const isNowLocked = yield* users.countFailure(userId, now, settings.loginLockoutThreshold, lockUntil)
      yield* audit.record({
        action: isNowLocked ? "auth.account_locked" : "auth.login_failed",
        target_type: "user",
        target_id: userId,
        outcome: "deny",
        result: "failure",
        source
      })
    }, sql.withTransaction)

    /**
     * Fails unless it is the caller's password. A wrong one counts as a failed login, so a stolen session cannot be
     * used to guess it. Concurrent guesses fail too once one of them has locked the account.
     */
    const verify = Effect.fn("CurrentPassword.verify")(function*(password: Redacted.Redacted) {
      const person = yield* currentPerson
      const credentials = yield* users.findUnlockedCredentials(person.user_id, yield* Timestamp.now)
      const storedHash = Option.match(credentials, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
      const isCorrect = yield* passwords.verify(storedHash, password)
      if (
        isCorrect && Option.isSome(credentials) &&
        (yield* users.hasValidCredentials(credentials.value, yield* Timestamp.now))
      ) return
      yield* countFailure(person.user_id, person)
      return yield* wrongPassword
    }, orDieOnSql)

    return { countFailure, verify } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([Passwords.layer, UsersRepo.layer]))
}
