import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { Person } from "../../domain/Actor.ts"
import { NotFound } from "../../domain/Errors.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { type ChangePassword, textsOf, type UserDetail } from "../../domain/User.ts"
import { Audit } from "../Audit.ts"
import { currentSession } from "../CurrentActor.ts"
import { Hints, orDieOnSql } from "../Database.ts"
import { Notices } from "../Mail/Notices.ts"
import { MfaAtLogin } from "../Mfa/AtLogin.ts"
import { Passwords } from "../Users/Passwords.ts"
import { UsersRepo } from "../Users/Repo.ts"
import { SessionOpening } from "./Opening.ts"
import { OwnPassword } from "./OwnPassword.ts"
import { hasEnded, SessionsRepo } from "./Repo.ts"

const found = Option.match({
  onNone: () => new NotFound({ resource: "user" }),
  onSome: (user: UserDetail) => Effect.succeed(user)
})

/** One's own new password, which needs the old one. */
export class PasswordChange extends Effect.Service<PasswordChange>()("svc/PasswordChange", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SessionsRepo
    const users = yield* UsersRepo
    const passwords = yield* Passwords
    const notices = yield* Notices
    const audit = yield* Audit
    const hints = yield* Hints
    const mfa = yield* MfaAtLogin
    const ownPassword = yield* OwnPassword
    const opening = yield* SessionOpening

    const replaced = Effect.fnUntraced(function*(person: Person, sessionId: string, passwordHash: string, isFresh: boolean) {
      const now = yield* Timestamp.now
      const user = yield* Effect.flatMap(users.lockedById(person.user_id), found)
      // hashing took a while: what ended this session meanwhile, or made it owe a factor, stands
      const asking = yield* repo.replace(sessionId, now)
      if (Option.isNone(asking)) return yield* hasEnded
      const standing = yield* mfa.standing(user.id)
      const factor = asking.value.factor || !standing.enrolled
      const workingKeys = yield* users.setPassword(user.id, passwordHash, now)
      yield* repo.revokeAll(user.id, now, null)
      const proof = { remember: asking.value.remember, factor, fresh: isFresh && factor }
      const { opened } = yield* opening.open(user, standing, proof, person)
      yield* notices.tell("password_changed", user.email, person, workingKeys)
      yield* audit.record({ action: "user.password_changed", target_type: "user", target_id: user.id })
      return opened
    }, sql.withTransaction)

    /** Changes the caller's password. Every session of theirs ends, and this browser gets a new one. */
    const changePassword = Effect.fn("Sessions.changePassword")(function*(input: ChangePassword) {
      const { person, session, session_id } = yield* currentSession
      yield* ownPassword.prove(input.current_password)
      const user = yield* Effect.flatMap(users.byId(person.user_id), found)
      const passwordHash = yield* passwords.hashNew({
        password: input.new_password,
        field: "new_password",
        about: textsOf(user)
      })
      const isFresh = session.is_fresh || !session.enrolled
      const opened = yield* replaced(person, session_id, passwordHash, isFresh)
      yield* hints.publish("access", person.user_id)
      return opened
    }, orDieOnSql)

    return { changePassword } as const
  })
}) {
  static readonly layer = this.Default
}
