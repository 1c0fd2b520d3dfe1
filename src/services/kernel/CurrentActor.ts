import { Context, Effect, type Redacted } from "effect"
import { includesRole, type Role } from "../../domain/kernel/Access.ts"
import type { Actor, Person, SessionCredential } from "../../domain/kernel/Actor.ts"
import { Forbidden } from "../../domain/kernel/Errors.ts"
import type { AgentId, ProjectId, SessionId } from "../../domain/kernel/Id.ts"
import type { Project } from "../../domain/kernel/Project.ts"

/**
 * The actor of the current operation. HTTP provides it per request; the CLI and embedding applications provide
 * `Actor.system`.
 */
export class CurrentActor extends Context.Tag("svc/CurrentActor")<CurrentActor, Actor>() {}

/** The acting person, for resources that belong to a user (sessions, keys, profile); dies for the program itself. */
export const currentPerson: Effect.Effect<Person, never, CurrentActor> = Effect.flatMap(
  CurrentActor,
  (actor) => actor.kind === "person" ? Effect.succeed(actor) : Effect.dieMessage("only a person has this")
)

/** The acting person and their session; only behind endpoints that require a session. */
export const currentSession: Effect.Effect<
  { readonly person: Person; readonly session: SessionCredential; readonly session_id: SessionId },
  never,
  CurrentActor
> = Effect.flatMap(currentPerson, (person) =>
  person.via.kind === "session"
    ? Effect.succeed({ person, session: person.via, session_id: person.via.session_id })
    : Effect.dieMessage("only a signed-in browser has this"))

/** The project of the request's path, visible to the actor. Project handlers get their project from nowhere else. */
export class CurrentProject extends Context.Tag("svc/CurrentProject")<CurrentProject, Project>() {}

/** The agent that a token belongs to, and the key that signs its frames (32 raw bytes). */
export interface AgentIdentity {
  readonly agent_id: AgentId
  readonly project_id: ProjectId
  readonly name: string
  readonly key: Redacted.Redacted<Buffer>
}

/** The agent whose token the request carries; only behind endpoints for agents. */
export class CurrentAgent extends Context.Tag("svc/CurrentAgent")<CurrentAgent, AgentIdentity>() {}

/** Whether the credential reaches the project: a session all, an API key all or the one it is bound to. */
export const isBoundTo = ({ via }: Person, projectId: ProjectId): boolean =>
  via.kind === "session" || via.project_id === null || via.project_id === projectId

/** The actor's role in a project; null: no access. A global admin is admin in all projects that accept the address. */
export const roleIn = (actor: Actor, projectId: ProjectId): Role | null => {
  if (actor.kind === "system") return "admin"
  if (!isBoundTo(actor, projectId) || actor.refused_projects.has(projectId)) return null
  return actor.is_admin ? "admin" : actor.roles.get(projectId) ?? null
}

/** Only these projects, or all but these. */
export type ProjectView = { readonly only: ReadonlyArray<ProjectId> } | { readonly except: ReadonlyArray<ProjectId> }

/** The projects that the actor sees in lists across projects: a bound API key only its own, independent of its owner. */
export const visibleProjects = (actor: Actor): ProjectView => {
  if (actor.kind === "system") return { except: [] }
  const { is_admin, refused_projects, roles, via } = actor
  if (via.kind === "api_key" && via.project_id !== null) {
    return { only: roleIn(actor, via.project_id) === null ? [] : [via.project_id] }
  }
  return is_admin ? { except: [...refused_projects] } : { only: [...roles.keys()] }
}

/**
 * Fails with Forbidden when a browser session has no recent proof: a login, a code, or the password where the user has
 * no second factor. API keys pass: their scopes limit them. Endpoints declare `stepUp`; call this for rules that depend
 * on more than the endpoint.
 */
export const requireStepUp: Effect.Effect<void, Forbidden, CurrentActor> = Effect.flatMap(CurrentActor, (actor) => {
  if (actor.kind === "system" || actor.via.kind === "api_key" || actor.via.is_fresh) return Effect.void
  const instruction = actor.via.enrolled
    ? "Give a code of your authenticator app (POST /auth/mfa/verify), then try again."
    : "Give your password (POST /auth/reauthenticate) or sign in again, then repeat the request."
  return new Forbidden({
    code: "mfa_reverify_required",
    detail: `This operation requires a recent sign-in. ${instruction}`,
    details: { by: actor.via.enrolled ? "code" : "password" }
  })
})

/** Fails with Forbidden unless the actor has at least this role. For rules that depend on more than the endpoint. */
export const requireRole = Effect.fnUntraced(function*(projectId: ProjectId, required: Role) {
  const actualRole = roleIn(yield* CurrentActor, projectId)
  if (actualRole === null || !includesRole(actualRole, required)) {
    return yield* new Forbidden({ detail: `This needs the role ${required} in the project.` })
  }
})

/** Whether the actor sees arguments and results of the current project's tasks and schedules (`payload_role`). */
export const canReadPayload: Effect.Effect<boolean, never, CurrentActor | CurrentProject> = Effect.gen(function*() {
  const { id, payload_role } = yield* CurrentProject
  const role = roleIn(yield* CurrentActor, id)
  return role !== null && includesRole(role, payload_role)
})
