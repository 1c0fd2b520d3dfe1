import { Effect } from "effect"
import type { Role, Scope } from "../../../domain/kernel/Access.ts"
import type { ApiKeyCredential } from "../../../domain/kernel/Actor.ts"
import { Forbidden } from "../../../domain/kernel/Errors.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { CurrentActor, requireRole } from "../../kernel/CurrentActor.ts"
import { Scopes } from "./Scopes.ts"

const refuse = Effect.fnUntraced(function*(key: ApiKeyCredential, detail: string) {
  yield* Effect.logWarning("an API key tried to exceed its own permissions").pipe(
    Effect.annotateLogs({ api_key_id: key.api_key_id, detail })
  )
  return yield* new Forbidden({ code: "scope_missing", detail })
})

/**
 * An API key cannot grant more than it holds itself (the escalation rule of Kubernetes' RBAC). Otherwise a key
 * with `users:write` could set a global admin's password, sign in, and do everything. Sessions and the program
 * itself are limited by their role alone.
 */
export class EscalationPolicy extends Effect.Service<EscalationPolicy>()("svc/EscalationPolicy", {
  effect: Effect.gen(function*() {
    const { by_role } = yield* Scopes

    /** Required to create, change or sign in as a global admin: all scopes, and no binding to a project. */
    const requireGlobalAdmin = Effect.gen(function*() {
      const actor = yield* CurrentActor
      if (actor.kind === "system" || actor.via.kind === "session") return
      if (actor.via.project_id !== null) {
        return yield* refuse(
          actor.via,
          "An API key that is bound to a project can neither create nor change a global admin."
        )
      }
      if (!actor.via.scopes.has("admin:*")) {
        return yield* refuse(
          actor.via,
          "This API key lacks the scope admin:*, so it can neither create nor change a global admin."
        )
      }
    })

    /** Required to grant a role in a project: the role itself, and for a key each scope that the role can use. */
    const requireRoleGrant = Effect.fnUntraced(function*(projectId: ProjectId, role: Role) {
      yield* requireRole(projectId, role)
      const actor = yield* CurrentActor
      if (actor.kind === "system" || actor.via.kind === "session" || actor.via.scopes.has("admin:*")) return
      const { scopes } = actor.via
      const missing = by_role[role].filter((scope: Scope) => !scopes.has(scope))
      if (missing.length === 0) return
      return yield* refuse(
        actor.via,
        `An API key gives a role only if it holds every scope of that role. For ${role} this one lacks ${
          missing.join(", ")
        }.`
      )
    })

    return { requireGlobalAdmin, requireRoleGrant } as const
  })
}) {
  static readonly layer = this.Default
}
