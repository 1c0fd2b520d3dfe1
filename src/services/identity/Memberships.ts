import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { GrantMembership, Membership } from "../../domain/identity/Membership.ts"
import type { Role } from "../../domain/kernel/Access.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { MembershipId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeChange, makeNew, type Subject } from "../approvalGate/Subject.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Removal } from "../kernel/Removal.ts"
import { Hints, inTransaction, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { EscalationPolicy } from "./ApiKeys/EscalationPolicy.ts"
import { MembershipsRepo } from "./Memberships/Repo.ts"
import { UsersRepo } from "./UsersRepo.ts"

const alreadyMember = new Conflict({
  code: "already_member",
  detail: "The user is a member of this project already. Change the role of that membership."
})

const membershipNotFound = new NotFound({ resource: "membership" })

const orNotFound = orFail(membershipNotFound)

/**
 * The roles of users in projects. A project may have no admin of its own: global admins are admins everywhere. Each
 * change publishes the user's id on `access`, for streams and caches that hold the user's access.
 */
export class Memberships extends Effect.Service<Memberships>()("svc/Memberships", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MembershipsRepo
    const users = yield* UsersRepo
    const escalation = yield* EscalationPolicy
    const gate = yield* ApprovalGate
    const audit = yield* Audit
    const hints = yield* Hints
    const removal = yield* Removal

    /** Publishes the change of the user's access and records it, last in the caller's transaction. */
    const recordChange = (action: string, membership: Membership) =>
      Effect.zipRight(
        hints.publish("access", membership.user_id),
        audit.record({
          action,
          target_type: "membership",
          target_id: membership.id,
          project_id: membership.project_id,
          metadata: { user_id: membership.user_id, role: membership.role }
        })
      )

    /** Where there is a policy, another person agrees to each new decider. */
    const checkApproval = (
      role: Role,
      email: string,
      { subject, ...operation }: {
        readonly kind: "membership_grant" | "membership_role"
        readonly request: unknown
        readonly subject: Subject
      }
    ) =>
      gate.check(
        { ...operation, summary: `Make ${email} an admin of the project`, subject: Effect.succeed(subject) },
        () => role === "admin"
      )

    /** Newest first. */
    const list = Effect.fn("Memberships.list")(
      () => Effect.flatMap(CurrentProject, ({ id }) => repo.list(id)),
      orDieOnSql
    )

    const grant = Effect.fn("Memberships.grant")(
      function*({ role, user_id }: GrantMembership) {
        const project = yield* CurrentProject
        yield* escalation.requireRoleGrant(project.id, role)
        const user = yield* users.findByIdForUpdate(user_id)
        if (Option.isNone(user)) return yield* ValidationFailed.at("user_id", "there is no such user")
        const { email } = user.value
        yield* checkApproval(role, email, {
          kind: "membership_grant",
          request: { role, user_id },
          subject: makeNew({ user_id, email, role })
        })
        const id = yield* Ids.nextOf(MembershipId)
        const created_at = yield* Timestamp.now
        yield* repo.insert({ id, user_id, project_id: project.id, role, created_at }).pipe(
          Effect.catchIf(isUniqueViolation, () => alreadyMember)
        )
        const membership = yield* Effect.flatMap(repo.findById(project.id, id), orNotFound)
        yield* recordChange("membership.granted", membership)
        return membership
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    const setRole = Effect.fn("Memberships.setRole")(
      function*(id: MembershipId, role: Role) {
        const project = yield* CurrentProject
        yield* escalation.requireRoleGrant(project.id, role)
        const before = yield* Effect.flatMap(repo.findById(project.id, id), orNotFound)
        const membership: Membership = { ...before, role }
        if (before.role !== role) {
          const { user_email: email, user_id } = before
          yield* checkApproval(role, email, {
            kind: "membership_role",
            request: { membership_id: id, role },
            subject: makeChange({ user_id, email, role: before.role }, { user_id, email, role })
          })
        }
        if (!(yield* repo.setRole(id, role, yield* Timestamp.now))) return yield* membershipNotFound
        yield* recordChange("membership.updated", membership)
        return membership
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    const remove = Effect.fn("Memberships.remove")(function*(id: MembershipId) {
      const project = yield* CurrentProject
      const membership = yield* Effect.flatMap(repo.findById(project.id, id), orNotFound)
      if (!(yield* repo.delete(id))) return yield* membershipNotFound
      yield* removal.ofMembership(project.id, membership.user_id)
      yield* recordChange("membership.revoked", membership)
    }, inTransaction(sql))

    return { list, grant, setRole, remove } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    ApprovalGate.layer,
    EscalationPolicy.layer,
    MembershipsRepo.layer,
    UsersRepo.layer
  ]))
}
