import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { Role } from "../domain/Access.ts"
import { Conflict, NotFound, ValidationFailed } from "../domain/Errors.ts"
import type { GrantMembership, Membership } from "../domain/Membership.ts"
import type { Project } from "../domain/Project.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { KeyReach } from "./ApiKeys/Reach.ts"
import { Audit } from "./Audit.ts"
import { Hints, isUniqueViolation, orDieOnSql } from "./Database.ts"
import * as Ids from "./Ids.ts"
import { MembershipsRepo } from "./Memberships/Repo.ts"
import { UsersRepo } from "./Users/Repo.ts"

const alreadyMember = new Conflict({
  code: "already_member",
  detail: "The user is a member of this project already. Change the role of that membership."
})

const gone = new NotFound({ resource: "membership" })

const found = Option.match({
  onNone: () => gone,
  onSome: (membership: Membership) => Effect.succeed(membership)
})

/**
 * Who may do what in a project. A project may be without an admin of its own: global admins are admins everywhere.
 * Each change is told to whoever holds rights in memory, by a hint on `access` with the user's id.
 */
export class Memberships extends Effect.Service<Memberships>()("svc/Memberships", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MembershipsRepo
    const users = yield* UsersRepo
    const reach = yield* KeyReach
    const audit = yield* Audit
    const hints = yield* Hints

    const record = (action: string, membership: Membership) =>
      audit.record({
        action,
        target_type: "membership",
        target_id: membership.id,
        project_id: membership.project_id,
        metadata: { user_id: membership.user_id, role: membership.role }
      })

    const tellAccess = (membership: Membership) => hints.publish("access", membership.user_id)

    /** Newest first. */
    const list = Effect.fn("Memberships.list")((project: Project) => repo.list(project.id), orDieOnSql)

    const granted = Effect.fnUntraced(function*(project: Project, { role, user_id }: GrantMembership) {
      yield* reach.requireRoleToGive(project.id, role)
      const user = yield* users.lockedById(user_id)
      if (Option.isNone(user)) return yield* ValidationFailed.at("user_id", "there is no such user")
      const id = yield* Ids.next
      const created_at = yield* Timestamp.now
      yield* repo.insert({ id, user_id, project_id: project.id, role, created_at }).pipe(
        Effect.catchIf(isUniqueViolation, () => alreadyMember)
      )
      const membership = yield* Effect.flatMap(repo.byId(project.id, id), found)
      yield* record("membership.granted", membership)
      return membership
    }, sql.withTransaction)

    const grant = Effect.fn("Memberships.grant")(
      (project: Project, input: GrantMembership) => Effect.tap(granted(project, input), tellAccess),
      orDieOnSql
    )

    const roleSet = Effect.fnUntraced(function*(project: Project, id: string, role: Role) {
      yield* reach.requireRoleToGive(project.id, role)
      const membership: Membership = { ...(yield* Effect.flatMap(repo.byId(project.id, id), found)), role }
      if (!(yield* repo.setRole(id, role))) return yield* gone
      yield* record("membership.updated", membership)
      return membership
    }, sql.withTransaction)

    const setRole = Effect.fn("Memberships.setRole")(
      (project: Project, id: string, role: Role) => Effect.tap(roleSet(project, id, role), tellAccess),
      orDieOnSql
    )

    const removed = Effect.fnUntraced(function*(project: Project, id: string) {
      const membership = yield* Effect.flatMap(repo.byId(project.id, id), found)
      if (!(yield* repo.delete(id))) return yield* gone
      yield* record("membership.revoked", membership)
      return membership
    }, sql.withTransaction)

    const remove = Effect.fn("Memberships.remove")(
      (project: Project, id: string) => Effect.asVoid(Effect.tap(removed(project, id), tellAccess)),
      orDieOnSql
    )

    return { list, grant, setRole, remove } as const
  })
}) {
  static readonly layer = this.Default
}
