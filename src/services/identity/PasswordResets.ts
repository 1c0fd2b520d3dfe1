import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Redacted } from "effect"
import type { ConfirmPasswordReset, PasswordResetConfirmed } from "../../domain/identity/PasswordReset.ts"
import { normalizeEmail, personalTextsOf, type UserDetail } from "../../domain/identity/User.ts"
import { type RequestSource, system } from "../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, NotFound } from "../../domain/kernel/Errors.ts"
import type { UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Mail } from "../kernel/Mail.ts"
import { Notices } from "../kernel/Mail/Notices.ts"
import { passwordResetMessage } from "../kernel/Mail/Templates.ts"
import { publicUrlOf } from "../kernel/PublicUrl.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { PasswordResetsRepo } from "./PasswordResets/Repo.ts"
import { Passwords } from "./Passwords.ts"
import { LoginPlaces } from "./Sessions/LoginPlaces.ts"
import { SessionsRepo } from "./SessionsRepo.ts"
import { UsersRepo } from "./UsersRepo.ts"

/** Lifetime of a link (interface, Limits). */
const lifetimeSeconds = 1800

/** Maximum number of valid links per account; further requests send no mail, so that they cannot fill a mailbox. */
const maxLinks = 3

/** The same response for a token that is wrong, used, expired, or of an inactive account. */
const resetTokenInvalid = new Forbidden({
  code: "reset_token_invalid",
  detail: "This link is not valid, was used, or has expired. Ask for a new one."
})

const userInactive = new Conflict({ code: "user_inactive", detail: "The user is not active. Make them active first." })

const withResetActor = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.provideService(self, CurrentActor, system("password reset"))

/**
 * Resets a forgotten password by a link, which is mailed or printed by `svc auth reset-link`. The link sets a new
 * password but does not sign in: the second factor is still required.
 */
export class PasswordResets extends Effect.Service<PasswordResets>()("svc/PasswordResets", {
  // The life of a link: requested, created, mailed and used, each a short step over the same services.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PasswordResetsRepo
    const users = yield* UsersRepo
    const sessions = yield* SessionsRepo
    const passwords = yield* Passwords
    const mail = yield* Mail
    const notices = yield* Notices
    const audit = yield* Audit
    const hints = yield* Hints
    const settings = yield* Settings
    const places = yield* LoginPlaces

    /**
     * Stores the request only: the same single row for known and unknown addresses, so neither response nor time reveals
     * which it is. `processRequests` does the rest. Does nothing when mail is disabled.
     */
    const request = Effect.fn("PasswordResets.request")(function*(email: string, { source_ip }: RequestSource) {
      if (!mail.isEnabled) return
      yield* repo.insertRequest({
        id: yield* Ids.next,
        email_key: normalizeEmail(email),
        source_ip,
        created_at: yield* Timestamp.now
      })
    }, orDieOnSql)

    /** Call it in a transaction. */
    const createLink = Effect.fnUntraced(function*(user: UserDetail) {
      const now = yield* Timestamp.now
      const token = yield* Ids.secret
      const expires_at = Timestamp.addSeconds(now, lifetimeSeconds)
      yield* repo.insert({
        id: yield* Ids.next,
        user_id: user.id,
        token_hash: Ids.hashSecret(token),
        created_at: now,
        expires_at
      })
      return { link: `${publicUrlOf(settings)}/reset-password?token=${token}`, expires_at }
    })

    const recordIssued = (user: UserDetail, byMail: boolean, source: RequestSource) =>
      audit.record(auditEntry("auth.password_reset_issued", "user", user.id, { metadata: { by_mail: byMail }, source }))

    /** The user of an address, whose row is locked until the transaction ends. */
    const findByEmailKeyForUpdate = (key: string) =>
      Effect.flatMap(
        users.findByEmailKey(key),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: ({ id }) => users.findByIdForUpdate(id)
        })
      )

    const processNextRequest = Effect.gen(function*() {
      const resetRequest = yield* repo.consumeRequest
      if (Option.isNone(resetRequest)) return false
      const { email_key, source_ip } = resetRequest.value
      const user = Option.getOrNull(yield* findByEmailKeyForUpdate(email_key))
      if (user === null || !user.is_active) return true
      if ((yield* repo.countByUser(user.id, yield* Timestamp.now)) >= maxLinks) return true
      const { expires_at, link } = yield* createLink(user)
      yield* mail.enqueue(
        passwordResetMessage({ to: user.email, source_ip, url: publicUrlOf(settings), link, expires_at }),
        expires_at
      )
      yield* recordIssued(user, true, { source_ip, user_agent: null })
      return true
    }).pipe(sql.withTransaction)

    /** Mails a link for each stored request whose address has an active account. */
    const processRequests: Effect.Effect<void> = Effect.gen(function*() {
      if (!(yield* repo.hasRequests)) return
      yield* Effect.repeat(processNextRequest, { while: (more) => more })
    }).pipe(withResetActor, Effect.withSpan("PasswordResets.processRequests"), orDieOnSql)

    /** Creates a link for the command line; the user's earlier links become invalid. */
    const link = Effect.fn("PasswordResets.link")(function*(email: string) {
      const user = yield* Effect.flatMap(
        findByEmailKeyForUpdate(normalizeEmail(email)),
        orFail(new NotFound({ resource: "user" }))
      )
      if (!user.is_active) return yield* userInactive
      yield* repo.deleteByUser(user.id)
      const resetLink = yield* createLink(user)
      yield* recordIssued(user, false, { source_ip: null, user_agent: null })
      return { ...resetLink, email: user.email }
    }, inTransaction(sql))

    const resetPassword = Effect.fnUntraced(
      function*(userId: UserId, tokenHash: string, passwordHash: string, source: RequestSource) {
        const now = yield* Timestamp.now
        // locks the user before the links, as everywhere, so two links of one user are used one after the other
        const user = yield* users.findByIdForUpdate(userId)
        if (Option.isNone(user) || !user.value.is_active) return yield* resetTokenInvalid
        if (!(yield* repo.consume(tokenHash, now))) return yield* resetTokenInvalid
        const working_api_keys = yield* users.setPassword(userId, passwordHash, now)
        yield* places.recordAddress(userId, source, now) // guesses from elsewhere cannot lock the owner out before the sign-in
        yield* sessions.revokeAll(userId, now, null)
        yield* notices.enqueue("password_reset", user.value.email, source, working_api_keys)
        yield* hints.publish("access", userId)
        yield* audit.record(auditEntry("user.password_changed", "user", userId, {
          metadata: { by_reset: true },
          source
        }))
        return working_api_keys
      },
      sql.withTransaction
    )

    /**
     * Sets the password by the link's token. Revokes all sessions and links of the user, and unlocks the account.
     * Returns how many of the user's API keys remain valid.
     */
    const confirm = Effect.fn("PasswordResets.confirm")(
      function*({ new_password, token }: ConfirmPasswordReset, source: RequestSource) {
        const tokenHash = Ids.hashSecret(Redacted.value(token))
        const userId = yield* Effect.flatMap(
          repo.findUserId(tokenHash, yield* Timestamp.now),
          orFail(resetTokenInvalid)
        )
        const user = yield* Effect.flatMap(users.findById(userId), orFail(resetTokenInvalid))
        const password = { password: new_password, field: "new_password", about: personalTextsOf(user) }
        const working_api_keys = yield* withResetActor(
          resetPassword(userId, tokenHash, yield* passwords.hashNew(password), source)
        )
        return { success: true, working_api_keys } satisfies PasswordResetConfirmed
      },
      orDieOnSql
    )

    return { request, processRequests, link, confirm } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    LoginPlaces.layer,
    Mail.layer,
    Notices.layer,
    PasswordResetsRepo.layer,
    Passwords.layer,
    SessionsRepo.layer,
    UsersRepo.layer
  ]))

  /** Runs once a second, where mail is enabled. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const resets = yield* PasswordResets
    const mail = yield* Mail
    if (mail.isEnabled) yield* loops.every("password resets", "1 second", resets.processRequests)
  })).pipe(Layer.provide([this.layer, Mail.layer]))
}
