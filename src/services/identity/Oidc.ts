import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import type { OidcStatus } from "../../domain/identity/Oidc.ts"
import { Email, makeUser, normalizeEmail } from "../../domain/identity/User.ts"
import { type RequestSource, system } from "../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, NotFound } from "../../domain/kernel/Errors.ts"
import { OidcIdentityId, UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, currentSession } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import * as Cipher from "../kernel/keys/Cipher.ts"
import { getSealingKey, Keys } from "../kernel/keys/Keys.ts"
import { Notices } from "../kernel/Mail/Notices.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, isUniqueViolation, orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { Authentication } from "./Authentication.ts"
import { Memberships } from "./Memberships.ts"
import { MembershipsRepo } from "./Memberships/Repo.ts"
import { makeFollowAddress } from "./Oidc/FollowAddress.ts"
import { makeGroupMemberships } from "./Oidc/GroupMemberships.ts"
import { makeOidcIdentitiesRepo } from "./Oidc/IdentitiesRepo.ts"
import { LogoutTokensRepo } from "./Oidc/LogoutTokensRepo.ts"
import { Attempt, OidcProvider, type ProviderAccount, ProviderRefused } from "./Oidc/Provider.ts"
import { PasswordResetsRepo } from "./PasswordResets/Repo.ts"
import { ProjectsRepo } from "./Projects/Repo.ts"
import { SessionCreation } from "./Sessions/Creation.ts"
import { UsersRepo } from "./UsersRepo.ts"

/** The provider's response, as the browser's callback request carries it. */
export interface ProviderCallback {
  /** The value of the browser's cookie, as `begin` made it. */
  readonly attempt: string | undefined
  /** The query of the request, with its question mark. */
  readonly search: string
  readonly source: RequestSource
  /** The tokens of the browser's session, and of its being trusted. */
  readonly token: string | undefined
  readonly device: string | null
}

/** The associated data of the cookie, so that no other sealed text can be one. */
const cookiePurpose = "cookie of a sign-in"

const AttemptText = Schema.parseJson(Attempt)
const encodeAttempt = Schema.encodeSync(AttemptText)
const decodeAttempt = Schema.decodeUnknownOption(AttemptText)
const isEmail = Schema.is(Email)

const signInRefused = new Forbidden({
  code: "oidc_refused",
  detail: "The sign-in through the provider did not succeed, or took longer than ten minutes. Sign in again."
})

const notLinked = new Forbidden({
  code: "oidc_not_linked",
  detail:
    "No account here is linked to yours at the provider. If you have one, sign in with its password and link it; " +
    "else ask an admin for an account."
})

const alreadyLinked = new Conflict({
  code: "oidc_already_linked",
  detail: "This account of the provider is linked to a user already. Unlink it there first."
})

const lastSignInMethod = new Conflict({
  code: "last_sign_in_method",
  detail: "You have no password, so you could not sign in without this link. Set a password first."
})

/**
 * Sign-in through an OpenID Connect provider (docs/oidc.md). An account is found by issuer and subject, never by its
 * address: a person who controls an address at the provider must not take over the account with that address here.
 */
export class Oidc extends Effect.Service<Oidc>()("svc/Oidc", {
  // The steps of a sign-in and of a link, in the order in which `complete` takes them.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const read = yield* Reader
    const { secret } = yield* Keys
    const provider = yield* OidcProvider
    const identities = yield* makeOidcIdentitiesRepo
    const logoutTokens = yield* LogoutTokensRepo
    const groups = yield* makeGroupMemberships
    const users = yield* UsersRepo
    const sessions = yield* SessionCreation
    const authentication = yield* Authentication
    const followAddress = yield* makeFollowAddress
    const audit = yield* Audit

    const status: OidcStatus = {
      enabled: provider.isConfigured,
      provider: provider.isConfigured ? new URL(settings.oidcIssuer).host : null,
      password_login: settings.passwordLogin
    }

    /**
     * Where to send the browser, and the text that its cookie keeps until it comes back. It is encrypted and authenticated
     * by the active key of SVC_SECRET_KEY: another person's cookie in the browser, or a changed one, is refused.
     */
    const begin = Effect.fn("Oidc.begin")(
      function*(request: Pick<Attempt, "fresh" | "link_session" | "return_to">) {
        const { attempt, url } = yield* provider.begin(request)
        const key = yield* getSealingKey(read, secret)
        return { cookie: Cipher.seal(key, cookiePurpose, encodeAttempt(attempt)), url }
      },
      orDieOnSql
    )

    /** The same for a link of the caller's account; only the same session can complete it. */
    const beginLink = Effect.fn("Oidc.beginLink")(function*(return_to: string, token: string) {
      yield* currentSession
      return yield* begin({ return_to, fresh: false, link_session: Ids.hashSecret(token) })
    })

    const insertIdentity = Effect.fnUntraced(function*(userId: UserId, { email, issuer, subject }: ProviderAccount) {
      const id = yield* Ids.nextOf(OidcIdentityId)
      const created_at = yield* Timestamp.now
      yield* identities.insert({ id, user_id: userId, issuer, subject, email, created_at, last_used_at: null })
      return id
    })

    const recordLink = (
      action: string,
      id: OidcIdentityId,
      { issuer, subject }: Pick<ProviderAccount, "issuer" | "subject">
    ) => audit.record({ action, target_type: "oidc_identity", target_id: id, metadata: { issuer, subject } })

    /** Creates an account without a password, if the provider verified its address and its groups give a role. */
    const createUser = Effect.fnUntraced(function*(account: ProviderAccount) {
      const roles = yield* groups.listRoles(account.groups ?? [])
      if (roles.length === 0 || account.email === null || !isEmail(account.email)) return yield* notLinked
      const user = makeUser({
        id: yield* Ids.nextOf(UserId),
        email: account.email,
        display_name: account.name?.slice(0, 200).toWellFormed() ?? null
      }, yield* Timestamp.now)
      // an account with this address exists: only its owner, signed in, may link it
      yield* users.insert(user, normalizeEmail(user.email), "").pipe(
        Effect.catchIf(isUniqueViolation, () => notLinked)
      )
      const id = yield* insertIdentity(user.id, account)
      yield* audit.record(auditEntry("user.created", "user", user.id, {
        metadata: { email: user.email, is_admin: false, by: "oidc" }
      }))
      yield* recordLink("auth.oidc_linked", id, account)
      return user.id
    })

    /** The active user behind the provider's account, created if need be, with the memberships that the groups give. */
    const resolveUser = Effect.fnUntraced(function*(account: ProviderAccount, callback: ProviderCallback) {
      const identity = yield* identities.find(account.issuer, account.subject)
      const userId = Option.isSome(identity) ? identity.value.user_id : yield* createUser(account)
      const now = yield* Timestamp.now
      const user = yield* users.recordOidcLogin(userId, now)
      if (Option.isNone(user)) return yield* notLinked
      if (account.groups !== null) yield* groups.synchronize(userId, account.groups)
      if (Option.isNone(identity)) return user.value
      yield* identities.markUsed(identity.value.id, account.email, now)
      return yield* followAddress(user.value, identity.value.email, account.email, callback.source)
    })

    /** Whether groups should give roles, and the provider does not say which groups the person is in. */
    const lacksGroups = (account: ProviderAccount) => settings.oidcGroupRoles.length > 0 && account.groups === null

    const signIn = Effect.fnUntraced(function*(account: ProviderAccount, attempt: Attempt, callback: ProviderCallback) {
      if (yield* logoutTokens.hasEnded(account, account.issued_at)) {
        return yield* new ProviderRefused({ why: "the provider ended the sign-in before its session began" })
      }
      const user = yield* resolveUser(account, callback)
      if (lacksGroups(account)) {
        yield* Effect.annotateLogs(
          Effect.logWarning("the sign-in provider sent no list of groups, so the user's roles remain (docs/oidc.md)"),
          { user_id: user.id, claim: settings.oidcGroupsClaim }
        )
      }
      return yield* sessions.begin(user, {
        source: callback.source,
        token: callback.token,
        device: callback.device,
        remember: false,
        fresh: attempt.fresh,
        provider: account,
        metadata: {
          via: "oidc",
          issuer: account.issuer,
          ...(lacksGroups(account) && { groups: "missing" })
        }
      })
    }, sql.withTransaction)

    const link = Effect.fnUntraced(
      function*(account: ProviderAccount, callback: ProviderCallback, linkSession: string) {
        const { token } = callback
        if (token === undefined || Ids.hashSecret(token) !== linkSession) return yield* signInRefused
        const found = yield* authentication.findBySession(token, callback.source, true, null)
        if (Option.isNone(found)) return yield* signInRefused
        const { person } = found.value
        yield* sql.withTransaction(Effect.gen(function*() {
          const id = yield* insertIdentity(person.user_id, account).pipe(
            Effect.catchIf(isUniqueViolation, () => alreadyLinked)
          )
          yield* recordLink("auth.oidc_linked", id, account)
        })).pipe(Effect.provideService(CurrentActor, person))
      }
    )

    const readAttempt = Effect.fnUntraced(function*(text: string | undefined) {
      const attempt = decodeAttempt(text === undefined ? null : Cipher.open(secret, cookiePurpose, text))
      if (Option.isNone(attempt) || attempt.value.expires_at <= Timestamp.toEpochMillis(yield* Timestamp.now)) {
        return yield* signInRefused
      }
      return attempt.value
    })

    /**
     * Completes a sign-in or a link: the new session, null for a link, and where to send the browser. The provider's
     * refusal is logged with its reason; the caller learns only that there is one.
     */
    const complete = Effect.fn("Oidc.complete")(
      function*(callback: ProviderCallback) {
        const attempt = yield* readAttempt(callback.attempt)
        const account = yield* provider.complete(attempt, callback.search)
        const { link_session, return_to } = attempt
        if (link_session !== null) {
          yield* link(account, callback, link_session)
          return { session: null, return_to }
        }
        return { session: yield* signIn(account, attempt, callback), return_to }
      },
      Effect.catchTag(
        "ProviderRefused",
        ({ why }) => Effect.zipRight(Effect.logInfo("a sign-in through the provider failed", { why }), signInRefused)
      ),
      Effect.provideService(CurrentActor, system("oidc")),
      orDieOnSql
    )

    const list = Effect.fn("Oidc.list")(
      () =>
        Effect.flatMap(
          currentPerson,
          ({ user_id }) =>
            Effect.map(identities.listOf(user_id), (rows) => rows.map(({ user_id: _, ...identity }) => identity))
        ),
      orDieOnSql
    )

    const unlink = Effect.fn("Oidc.unlink")(function*(id: OidcIdentityId) {
      const { user_id } = yield* currentPerson
      yield* users.findByIdForUpdate(user_id)
      const identity = (yield* identities.listOf(user_id)).find((row) => row.id === id)
      if (identity === undefined) return yield* new NotFound({ resource: "link" })
      if (!(yield* identities.hasOtherSignIn(user_id, id))) return yield* lastSignInMethod
      yield* identities.delete(user_id, id)
      yield* recordLink("auth.oidc_unlinked", id, identity)
    }, inTransaction(sql))

    return { status, begin, beginLink, complete, list, unlink, logoutUrl: provider.logoutUrl } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    Authentication.layer,
    LogoutTokensRepo.layer,
    Memberships.layer,
    MembershipsRepo.layer,
    Notices.layer,
    OidcProvider.layer,
    PasswordResetsRepo.layer,
    ProjectsRepo.layer,
    SessionCreation.layer,
    UsersRepo.layer
  ]))
}
