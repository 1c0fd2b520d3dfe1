import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Email, type UserDetail } from "../../../domain/identity/User.ts"
import type { RequestSource } from "../../../domain/kernel/Actor.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { Notices } from "../../kernel/Mail/Notices.ts"
import { isUniqueViolation } from "../../kernel/sql/Database.ts"
import { PasswordResetsRepo } from "../PasswordResets/Repo.ts"
import { UsersRepo } from "../UsersRepo.ts"

const isEmail = Schema.is(Email)

export const makeFollowAddress = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const users = yield* UsersRepo
  const resets = yield* PasswordResetsRepo
  const notices = yield* Notices
  const audit = yield* Audit

  /**
   * Gives the user the verified address that the provider has now, in the sign-in's transaction, if the former address came
   * from there too: `former` is what the provider gave before. An address that the user has here for themselves stays, and
   * no user gets the address of another one.
   */
  return Effect.fnUntraced(
    function*(user: UserDetail, former: string | null, address: string | null, source: RequestSource) {
      if (address === null || address === user.email || user.email !== former || !isEmail(address)) return user
      // a transaction of its own, since PostgreSQL ends one in which a statement failed
      const changed = yield* sql.withTransaction(users.setEmail(user.id, address, yield* Timestamp.now)).pipe(
        Effect.catchIf(isUniqueViolation, () => Effect.succeedNone)
      )
      if (Option.isNone(changed)) {
        yield* Effect.annotateLogs(
          Effect.logWarning(
            "a user's address changed at the sign-in provider, and another user has the new one here"
          ),
          { user_id: user.id }
        )
        return user
      }
      yield* resets.deleteByUser(user.id) // their links went to the former address
      yield* notices.enqueue("email_changed", user.email, source)
      yield* audit.record(auditEntry("user.email_changed", "user", user.id, {
        metadata: { from: user.email, to: address, by: "oidc" }
      }))
      return changed.value
    }
  )
})
