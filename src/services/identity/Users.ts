import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, type Redacted } from "effect"
import {
  type CreateUser,
  makeUser,
  type Me,
  normalizeEmail,
  personalTextsOf,
  type UpdateProfile,
  type UpdateUser,
  type UserDetail
} from "../../domain/identity/User.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeChange } from "../approvalGate/Subject.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Notices } from "../kernel/Mail/Notices.ts"
import { Removal } from "../kernel/Removal.ts"
import { Hints, inTransaction, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { EscalationPolicy } from "./ApiKeys/EscalationPolicy.ts"
import { Passwords } from "./Passwords.ts"
import { ProjectsRepo } from "./Projects/Repo.ts"
import { SessionsRepo } from "./SessionsRepo.ts"
import { changedFields, UsersRepo } from "./UsersRepo.ts"

const promoteInstead = new Conflict({
  code: "promote_instead",
  detail: "A project of this brain wants approvals, so a new global admin waits for a second person. Create the user " +
    "without is_admin first, then change the user."
})

const emailTaken = new Conflict({ code: "email_taken", detail: "There is already a user with this e-mail address." })

const lastAdmin = new Conflict({
  code: "last_admin",
  detail: "This is the last active global admin. Make another user a global admin first."
})

const orNotFound = orFail(new NotFound({ resource: "user" }))

export class Users extends Effect.Service<Users>()("svc/Users", {
  // Ten short methods over the same services, which share the lookup of the user and the rules about admins.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* UsersRepo
    const sessions = yield* SessionsRepo
    const passwords = yield* Passwords
    const notices = yield* Notices
    const escalation = yield* EscalationPolicy
    const gate = yield* ApprovalGate
    const projects = yield* ProjectsRepo
    const removal = yield* Removal
    const audit = yield* Audit
    const hints = yield* Hints

    /** Newest first. */
    const list = Effect.fn("Users.list")(repo.list, orDieOnSql)

    const get = Effect.fn("Users.get")((id: UserId) => Effect.flatMap(repo.findById(id), orNotFound), orDieOnSql)

    const getByEmail = Effect.fn("Users.getByEmail")(
      (email: string) => Effect.flatMap(repo.findByEmailKey(normalizeEmail(email)), orNotFound),
      orDieOnSql
    )

    /** A request that waits is stored, and a first password must not be. */
    const checkNewAdmin = Effect.gen(function*() {
      yield* escalation.requireGlobalAdmin
      const actor = yield* CurrentActor
      if (actor.kind === "person" && Option.isSome(yield* projects.findWithApprovals(null))) {
        return yield* promoteInstead
      }
    })

    const create = Effect.fn("Users.create")(function*({ password, ...input }: CreateUser) {
      if (input.is_admin) yield* checkNewAdmin
      const passwordHash = yield* passwords.hashNew({ password, field: "password", about: personalTextsOf(input) })
      const user = makeUser({ ...input, id: yield* Ids.nextOf(UserId) }, yield* Timestamp.now)
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* repo.insert(user, normalizeEmail(user.email), passwordHash).pipe(
          Effect.catchIf(isUniqueViolation, () => emailTaken)
        )
        yield* audit.record(auditEntry("user.created", "user", user.id, {
          metadata: { email: user.email, is_admin: user.is_admin }
        }))
      }))
      return user
    }, orDieOnSql)

    /** Fails when this is the only active admin. Locks the other active admins until the transaction ends. */
    const requireAnotherAdmin = (userId: UserId) =>
      Effect.flatMap(
        repo.lockActiveAdmins,
        (admins) => admins.some((id) => id !== userId) || !admins.includes(userId) ? Effect.void : lastAdmin
      )

    /** Where a project wants approvals, another person agrees to each new decider. */
    const checkApproval = Effect.fnUntraced(function*(user: UserDetail, updated: UserDetail, body: UpdateUser) {
      const isPromoted = updated.is_admin && !user.is_admin
      const isActivated = updated.is_active && !user.is_active
      const now = updated.updated_at
      const governed = isPromoted || (isActivated && updated.is_admin)
        ? yield* projects.findWithApprovals(null)
        : isActivated
        ? yield* projects.findWithApprovals(user.id)
        : Option.none()
      if (Option.isSome(governed)) {
        const { email, is_active, is_admin } = user
        const verb = isPromoted ? `Make ${email} a global admin` : `Activate the account of ${email}, who decides`
        yield* gate.check({
          kind: "user_update",
          request: { user_id: user.id, body },
          summary: verb,
          subject: Effect.succeed(makeChange(
            { email, is_admin, is_active },
            { email, is_admin: updated.is_admin, is_active: updated.is_active }
          ))
        }, () => true).pipe(Effect.provideService(CurrentProject, governed.value))
      }
      if (isPromoted) yield* repo.setSince(user.id, { admin_since: now })
      if (isActivated) yield* repo.setSince(user.id, { account_since: now })
    })

    /** Changes the given fields. A user who becomes inactive is signed out everywhere, and their keys stop working. */
    const update = Effect.fn("Users.update")(
      function*(id: UserId, changes: UpdateUser) {
        const changed = changedFields(changes)
        if (changed.is_admin === false || changed.is_active === false) yield* requireAnotherAdmin(id)
        const user = yield* Effect.flatMap(repo.findByIdForUpdate(id), orNotFound)
        if (user.is_admin || changed.is_admin === true) yield* escalation.requireGlobalAdmin
        const updated: UserDetail = { ...user, ...changed, updated_at: yield* Timestamp.now }
        yield* checkApproval(user, updated, changes)
        yield* repo.update(updated)
        if (changed.is_active === false) yield* sessions.revokeAll(id, updated.updated_at, null)
        yield* hints.publish("access", id)
        yield* audit.record(auditEntry("user.updated", "user", id, { metadata: { fields: Object.keys(changed) } }))
        return updated
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    /** Deletes the user with their sessions, keys and memberships. The audit log keeps their actions. */
    const remove = Effect.fn("Users.remove")(function*(id: UserId) {
      yield* requireAnotherAdmin(id)
      const user = yield* Effect.flatMap(repo.findByIdForUpdate(id), orNotFound)
      if (user.is_admin) yield* escalation.requireGlobalAdmin
      yield* removal.ofUser(id)
      yield* repo.delete(id)
      yield* hints.publish("access", id)
      yield* audit.record(auditEntry("user.deleted", "user", id, { metadata: { email: user.email } }))
    }, inTransaction(sql))

    /** A new password lets the caller sign in as that user, so a key must hold everything that the user can do. */
    const requireAuthorityOver = Effect.fnUntraced(function*(user: UserDetail) {
      if (user.is_admin) yield* escalation.requireGlobalAdmin
      const memberships = yield* repo.listMemberships(user.id)
      yield* Effect.forEach(memberships, ({ project_id, role }) => escalation.requireRoleGrant(project_id, role), {
        discard: true
      })
    })

    /**
     * Sets a user's password, unlocks the account, and revokes their sessions except the caller's own. Returns how many
     * of the user's API keys remain valid.
     */
    const setPassword = Effect.fn("Users.setPassword")(function*(id: UserId, password: Redacted.Redacted) {
      const personalTexts = personalTextsOf(yield* get(id))
      const passwordHash = yield* passwords.hashNew({ password, field: "new_password", about: personalTexts })
      const actor = yield* CurrentActor
      const ownSessionId = actor.kind === "person" && actor.user_id === id && actor.via.kind === "session"
        ? actor.via.session_id
        : null
      return yield* sql.withTransaction(Effect.gen(function*() {
        const now = yield* Timestamp.now
        const user = yield* Effect.flatMap(repo.findByIdForUpdate(id), orNotFound)
        yield* requireAuthorityOver(user)
        const workingKeys = yield* repo.setPassword(id, passwordHash, now)
        // the other person could sign in as the user, and approve what they asked for themselves
        if (actor.kind === "person" && actor.user_id !== id) yield* repo.setSince(id, { account_since: now })
        yield* sessions.revokeAll(id, now, ownSessionId)
        yield* notices.enqueue(ownSessionId === null ? "password_set" : "password_changed", user.email, {
          source_ip: null
        }, workingKeys)
        yield* hints.publish("access", id)
        yield* audit.record(auditEntry("user.password_changed", "user", id))
        return workingKeys
      }))
    }, orDieOnSql)

    /** The operator of the brain's machine says that the account is another person's, who may approve at once. */
    const vouch = Effect.fn("Users.vouch")(function*(id: UserId) {
      const user = yield* Effect.flatMap(repo.findByIdForUpdate(id), orNotFound)
      yield* repo.setSince(id, { vouched_at: yield* Timestamp.now })
      yield* audit.record(auditEntry("user.vouched", "user", id, { metadata: { email: user.email } }))
    }, inTransaction(sql))

    const meOf = Effect.fnUntraced(function*(user: UserDetail) {
      const { via } = yield* currentPerson
      const memberships = yield* repo.listMemberships(user.id)
      const boundProjectId = via.kind === "api_key" ? via.project_id : null
      return {
        ...user,
        memberships: boundProjectId === null
          ? memberships
          : memberships.filter(({ project_id }) => project_id === boundProjectId)
      } satisfies Me
    })

    /** The caller with their memberships; a bound API key sees only the membership of its project. */
    const me = Effect.fn("Users.me")(function*() {
      const { user_id } = yield* currentPerson
      return yield* meOf(yield* get(user_id))
    }, orDieOnSql)

    const updateMe = Effect.fn("Users.updateMe")(function*(changes: UpdateProfile) {
      const { user_id } = yield* currentPerson
      return yield* meOf(yield* update(user_id, changes))
    }, orDieOnSql)

    return { list, get, getByEmail, create, update, remove, setPassword, vouch, me, updateMe } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    ApprovalGate.layer,
    EscalationPolicy.layer,
    Notices.layer,
    Passwords.layer,
    ProjectsRepo.layer,
    SessionsRepo.layer,
    UsersRepo.layer
  ]))
}
