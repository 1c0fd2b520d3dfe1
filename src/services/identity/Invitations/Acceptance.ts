import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Layer, Option, Redacted } from "effect"
import type { AcceptInvitation, InvitationAccepted, InvitationPreview } from "../../../domain/identity/Invitation.ts"
import { makeUser, personalTextsOf } from "../../../domain/identity/User.ts"
import { type RequestSource, system } from "../../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, type Issue, ValidationFailed } from "../../../domain/kernel/Errors.ts"
import { MembershipId, UserId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { CurrentActor } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Hints, isUniqueViolation, orDieOnSql } from "../../kernel/sql/Database.ts"
import { orFail } from "../../kernel/sql/Rows.ts"
import { MembershipsRepo } from "../Memberships/Repo.ts"
import { Passwords } from "../Passwords.ts"
import { type Browser, type CreatedSession, firstSignIn, SessionCreation } from "../Sessions/Creation.ts"
import { UsersRepo } from "../UsersRepo.ts"
import { InvitationsRepo, type OpenInvitation } from "./Repo.ts"

/** The same response for a token that is wrong, used, revoked or expired, or whose inviter lost the right to invite. */
const invitationInvalid = new Forbidden({
  code: "invitation_invalid",
  detail: "This invitation is not valid, was used or revoked, or has expired. Ask for a new one."
})

const signInFirst = new Conflict({
  code: "sign_in_first",
  detail: "There is an account with the invited address. Sign in with it, then accept the invitation."
})

const wrongAccount = new Forbidden({
  code: "wrong_account",
  detail: "The invitation is for another account than the one you are signed in with. Sign in with that one first."
})

const alreadyMember = new Conflict({ code: "already_member", detail: "You are a member of this project already." })

const acceptanceEntries =
  ({ id, project_id, role }: OpenInvitation, userId: UserId, source: RequestSource) => (membershipId: MembershipId) => [
    auditEntry("membership.granted", "membership", membershipId, {
      project_id,
      metadata: { user_id: userId, role, invitation_id: id },
      source
    }),
    auditEntry("invitation.accepted", "invitation", id, { project_id, metadata: { user_id: userId }, source })
  ]

const requireNewUserFields = Effect.fnUntraced(function*({ display_name, password }: AcceptInvitation) {
  if (display_name !== undefined && password !== undefined) return { display_name, password }
  const missing = { display_name, password }
  const issues = Object.entries(missing).filter(([, value]) => value === undefined)
    .map(([path]): Issue => ({ path, message: "is missing: there is no account with the invited address yet" }))
  return yield* new ValidationFailed({ issues })
})

/** Previews and accepts an invitation for the holder of its token. */
export class InvitationAcceptance extends Effect.Service<InvitationAcceptance>()("svc/InvitationAcceptance", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* InvitationsRepo
    const users = yield* UsersRepo
    const memberships = yield* MembershipsRepo
    const passwords = yield* Passwords
    const sessions = yield* SessionCreation
    const { passwordLogin } = yield* Settings
    const audit = yield* Audit
    const hints = yield* Hints

    const getOpenByToken = Effect.fnUntraced(function*(token: Redacted.Redacted) {
      const invitation = yield* repo.findOpen(Ids.hashSecret(Redacted.value(token)), yield* Timestamp.now)
      return yield* orFail(invitationInvalid)(invitation)
    })

    const preview = Effect.fn("InvitationAcceptance.preview")(function*(token: Redacted.Redacted) {
      const { email, expires_at, project_name, project_slug, role } = yield* getOpenByToken(token)
      return { email, role, project_slug, project_name, expires_at } satisfies InvitationPreview
    }, orDieOnSql)

    /** Consumes the invitation, runs `first`, creates the membership and runs `last`, all in one transaction. */
    const acceptInvitation = Effect.fnUntraced(function*<A>(
      { id, project_id, role }: OpenInvitation,
      userId: UserId,
      { first, last }: {
        readonly first: Effect.Effect<unknown, Conflict>
        readonly last: (membershipId: MembershipId) => Effect.Effect<A, SqlError.SqlError>
      }
    ) {
      const now = yield* Timestamp.now
      if (!(yield* repo.markAccepted(id, now))) return yield* invitationInvalid
      yield* first
      const membershipId = yield* Ids.nextOf(MembershipId)
      yield* memberships.insert({ id: membershipId, user_id: userId, project_id, role, created_at: now }).pipe(
        Effect.catchIf(isUniqueViolation, () => alreadyMember)
      )
      yield* hints.publish("access", userId)
      return yield* last(membershipId)
    }, sql.withTransaction)

    /** Adds the existing account of the address, which must be the signed-in one. */
    const acceptAsExistingUser = Effect.fnUntraced(
      function*(invitation: OpenInvitation, userId: UserId, source: RequestSource) {
        const actor = yield* CurrentActor
        if (actor.kind !== "person") return yield* signInFirst
        if (actor.user_id !== userId) return yield* wrongAccount
        yield* acceptInvitation(invitation, userId, {
          first: Effect.void,
          last: (membershipId) =>
            audit.recordAll(
              acceptanceEntries(invitation, userId, source)(membershipId).map((entry) => ({ actor, entry }))
            )
        })
        return { user_id: userId, session: null }
      }
    )

    /** Creates an account for an address that has none, and signs the browser in where members have passwords. */
    const acceptAsNewUser = Effect.fnUntraced(
      function*(invitation: OpenInvitation, input: AcceptInvitation, browser: Browser) {
        const { display_name, password } = yield* requireNewUserFields(input)
        const { email, email_key } = invitation
        const passwordHash = yield* passwords.hashNew({
          password,
          field: "password",
          about: personalTextsOf({ email, display_name })
        })
        const now = yield* Timestamp.now
        const signsIn = passwordLogin === "all"
        const created = makeUser({ id: yield* Ids.nextOf(UserId), email, display_name }, now)
        const user = { ...created, last_login_at: signsIn ? now : null }
        const { source } = browser
        const userCreated = auditEntry("user.created", "user", user.id, {
          metadata: { email, is_admin: false, invitation_id: invitation.id },
          source
        })
        const session = yield* acceptInvitation(invitation, user.id, {
          first: users.insert(user, email_key, passwordHash).pipe(
            Effect.catchIf(isUniqueViolation, () => signInFirst),
            orDieOnSql
          ),
          last: (membershipId): Effect.Effect<CreatedSession | null, SqlError.SqlError> => {
            const entries = [userCreated, ...acceptanceEntries(invitation, user.id, source)(membershipId)]
            const earlier = entries.map((entry) => ({ actor: system("invitation"), entry }))
            return signsIn
              ? sessions.begin(user, { ...firstSignIn(browser, "invitation"), earlier })
              : Effect.as(audit.recordAll(earlier), null)
          }
        })
        return { user_id: user.id, session }
      }
    )

    /**
     * Accepts for the signed-in account of the invited address, or creates an account when the address has none. Only
     * the holder of the token learns whether the address has an account. `session`: that of a new account.
     */
    const accept = Effect.fn("InvitationAcceptance.accept")(function*(input: AcceptInvitation, browser: Browser) {
      const invitation = yield* getOpenByToken(input.token)
      const account = yield* users.findByEmailKey(invitation.email_key)
      const { session, user_id } = Option.isSome(account)
        ? yield* acceptAsExistingUser(invitation, account.value.id, browser.source)
        : yield* acceptAsNewUser(invitation, input, browser)
      const { project_slug, role } = invitation
      return { accepted: { user_id, project_slug, role } satisfies InvitationAccepted, session }
    }, orDieOnSql)

    return { preview, accept } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    InvitationsRepo.layer,
    MembershipsRepo.layer,
    Passwords.layer,
    SessionCreation.layer,
    UsersRepo.layer
  ]))
}
