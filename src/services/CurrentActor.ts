import { Context, Effect, type Redacted } from "effect"
import { includesRole, type Role } from "../domain/Access.ts"
import type { Actor, Person, SessionCredential } from "../domain/Actor.ts"
import { Forbidden } from "../domain/Errors.ts"
import type { Project } from "../domain/Project.ts"

/** Who acts. HTTP provides it per request; the CLI and an embedding application provide `Actor.system`. */
export class CurrentActor extends Context.Tag("svc/CurrentActor")<CurrentActor, Actor>() {}

/** The person who acts. For what is somebody's own (sessions, keys, profile): the program itself has none of these. */
export const currentPerson: Effect.Effect<Person, never, CurrentActor> = Effect.flatMap(CurrentActor, (actor) =>
  actor.kind === "person" ? Effect.succeed(actor) : Effect.dieMessage("only a person has this"))

/** The person who acts and the session they do it by; behind endpoints that only sessions may call. */
export const currentSession: Effect.Effect<
  { readonly person: Person; readonly session: SessionCredential; readonly session_id: string },
  never,
  CurrentActor
> = Effect.flatMap(currentPerson, (person) =>
  person.via.kind === "session"
    ? Effect.succeed({ person, session: person.via, session_id: person.via.session_id })
    : Effect.dieMessage("only a signed-in browser has this"))

/** The project of the path, which the actor may see; the only way for a project handler to get its project. */
export class CurrentProject extends Context.Tag("svc/CurrentProject")<CurrentProject, Project>() {}

/** The agent that a token belongs to, and the key that signs its frames (32 raw bytes). */
export interface AgentIdentity {
  readonly agent_id: string
  readonly project_id: string
  readonly name: string
  readonly key: Redacted.Redacted<Buffer>
}

/** The agent whose token came with the request; behind the endpoints that are for agents. */
export class CurrentAgent extends Context.Tag("svc/CurrentAgent")<CurrentAgent, AgentIdentity>() {}

/** What the actor may do in a project: null for nothing at all. A global admin is admin everywhere. */
export const roleIn = (actor: Actor, projectId: string): Role | null => {
  if (actor.kind === "system") return "admin"
  if (actor.via.kind === "api_key" && actor.via.project_id !== null && actor.via.project_id !== projectId) return null
  return actor.is_admin ? "admin" : actor.roles.get(projectId) ?? null
}

/**
 * Fails with Forbidden when a browser's session was not proven lately: by a login, or by a code or (where there is no
 * second factor) the password since. API keys follow what they were given. An endpoint declares it as `stepUp`; this is
 * for rules that depend on more than the endpoint.
 */
export const requireStepUp: Effect.Effect<void, Forbidden, CurrentActor> = Effect.flatMap(CurrentActor, (actor) => {
  if (actor.kind === "system" || actor.via.kind === "api_key" || actor.via.is_fresh) return Effect.void
  const instruction = actor.via.enrolled
    ? "Give a code of your authenticator app (POST /auth/mfa/verify), then try again."
    : "Give your password (POST /auth/reauthenticate) or sign in anew, then try again."
  return new Forbidden({
    code: "mfa_reverify_required",
    detail: `This needs to know again that it is you. ${instruction}`,
    details: { by: actor.via.enrolled ? "code" : "password" }
  })
})

/** Fails with Forbidden unless the actor has at least this role; for rules that depend on more than the endpoint. */
export const requireRole = Effect.fnUntraced(function*(projectId: string, required: Role) {
  const held = roleIn(yield* CurrentActor, projectId)
  if (held === null || !includesRole(held, required)) {
    return yield* new Forbidden({ detail: `This needs the role ${required} in the project.` })
  }
})
