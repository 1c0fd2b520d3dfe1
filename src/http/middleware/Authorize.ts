import type { HttpServerRequest } from "@effect/platform"
import { Effect, type Layer, Option } from "effect"
import { type AccessRule, type Bucket, isRole, isUserBucket } from "../../domain/kernel/Access.ts"
import {
  type Actor,
  type ApiKeyCredential,
  hasScope,
  type Person,
  type SessionCredential,
  system
} from "../../domain/kernel/Actor.ts"
import { Forbidden, NotFound, RateLimited, Unauthenticated } from "../../domain/kernel/Errors.ts"
import { acceptsAddress, type Project } from "../../domain/kernel/Project.ts"
import { isStorable } from "../../domain/kernel/Text.ts"
import { Agents } from "../../services/agents/Agents.ts"
import { type Denial, Denials } from "../../services/audit/Denials.ts"
import type { Authenticated, Authentication } from "../../services/identity/Authentication.ts"
import {
  type AgentIdentity,
  CurrentActor,
  isBoundTo,
  requireRole,
  requireStepUp
} from "../../services/kernel/CurrentActor.ts"
import * as Ids from "../../services/kernel/Ids.ts"
import { RateLimits } from "../../services/kernel/RateLimits.ts"
import type { Settings } from "../../services/kernel/Settings.ts"
import { tracedFn } from "../../services/kernel/TracedFn.ts"
import { Cookies } from "./Cookies.ts"
import { csrfFailed, makeCsrfChecks } from "./Csrf.ts"
import { makeRequestPersons } from "./RequestPersons.ts"

/** What an endpoint's access rule granted to this request. */
export interface Grant {
  readonly actor: Actor
  readonly project: Project | null
  readonly agent: AgentIdentity | null
}

type Params = Readonly<Record<string, string | undefined>>

const signInRequired = new Unauthenticated({ detail: "Sign in, or send an API key as `Authorization: Bearer svk_…`." })

const httpsRequired = new Forbidden({
  code: "https_required",
  detail:
    "Sign-in requires HTTPS. Open the brain at its https address, which its operator names in SVC_PUBLIC_URL, or set " +
    "SVC_ENVIRONMENT=development for a local trial."
})

const globalAdminRequired = new Forbidden({ detail: "Only a global admin can do this." })

/** The only 429 with `Retry-After` (interface, Errors). */
const activityLimited = new RateLimited({
  detail: "This is over the activity feed limit (60/min per worker). Wait a minute, and ask less often.",
  retry_after: 60
})

const makeRateLimited = (bucket: Bucket): RateLimited =>
  bucket === "activity"
    ? activityLimited
    : new RateLimited({ detail: "Too many requests of this kind from your address. Wait a while." })

const addressNotAllowed = new Forbidden({
  code: "address_not_allowed",
  detail: "This API key may not be used from your address. Its owner can change allowed_cidrs."
})

const projectAddressNotAllowed = new Forbidden({
  code: "address_not_allowed",
  detail: "The project may not be used from your address. Its admins can change allowed_cidrs."
})

const boundKey = new Forbidden({
  code: "scope_missing",
  detail: "This API key is bound to a project, and this concerns the whole brain. Use a key without a project."
})

/** Codes for a missing role or scope. The other codes of Forbidden are about how or from where the caller calls. */
const permissionCodes: ReadonlySet<string> = new Set(["forbidden", "scope_missing"])

const mfaRequired = new Unauthenticated({
  code: "mfa_required",
  detail: "The second factor is pending. Send a code of your authenticator app with POST /auth/mfa/verify."
})

/** Refuses a restricted session: its second factor is pending, or its user is past the deadline to enrol one. */
const checkSessionState = (rule: AccessRule, { overdue_since, factor_pending }: SessionCredential) => {
  if (factor_pending && rule.allowsPendingFactor !== true) return mfaRequired
  if (overdue_since === null || rule.allowsRestrictedSession === true) return Effect.void
  return new Forbidden({
    code: "mfa_enrollment_required",
    detail: "The deadline to enrol a second factor has passed. Enrol one with POST /auth/mfa/enroll-start to continue.",
    details: { deadline: overdue_since }
  })
}

/** A user past the enrolment deadline cannot step up, and need not sign in again to enrol (interface, MFA enforcement). */
const isRestricted = ({ via }: Person): boolean => via.kind === "session" && via.overdue_since !== null

/** Runs before the user's bucket is charged: a stolen key must not use it up. */
const checkAddress = ({ via }: Person) =>
  via.kind === "session" || via.is_address_allowed ? Effect.void : addressNotAllowed

const checkApiKey = (rule: AccessRule, key: ApiKeyCredential) => {
  if (rule.caller === "session") {
    return new Forbidden({ detail: "An API key cannot do this. Sign in with a browser." })
  }
  if (rule.scope !== undefined && !hasScope(key, rule.scope)) {
    return new Forbidden({ code: "scope_missing", detail: `The API key lacks the scope ${rule.scope}.` })
  }
  return rule.unboundKey === true && key.project_id !== null ? boundKey : Effect.void
}

/** A path id that is not a UUID names nothing: 404, not 422 (task ids are the engines' and may be any text). */
const checkPathIds = (params: Params) => {
  const unknown = Object.entries(params).find(([name, value = ""]) =>
    name.endsWith("_id") && name !== "task_id" ? !Ids.isUuid(value) : !isStorable(value)
  )
  if (unknown === undefined) return Effect.void
  const [name] = unknown
  return new NotFound({ resource: name === "slug" ? "project" : name.replace(/_id$/, "") })
}

/** The project of the path, if the actor has the role that the rule needs. */
const getProject = Effect.fnUntraced(function*(rule: AccessRule, authenticated: Authenticated) {
  const { isMember, person: actor, project } = authenticated
  if (project === null || !isMember || !isBoundTo(actor, project.id)) {
    return yield* new NotFound({ resource: "project" })
  }
  if (!acceptsAddress(project, actor.source_ip)) return yield* projectAddressNotAllowed
  // checked after the lookup, so that non-members get 404
  if (rule.caller === "global_admin" && !actor.is_admin) return yield* globalAdminRequired
  if (isRole(rule.caller)) yield* Effect.provideService(requireRole(project.id, rule.caller), CurrentActor, actor)
  return project
})

/**
 * Enforces an endpoint's declared rule on a request: rate bucket, credential, second factor, CSRF, scope, the project of
 * the path, role, and step-up. The only place where access is decided.
 */
export class Authorize extends Effect.Service<Authorize>()("svc/http/Authorize", {
  effect: Effect.gen(function*() {
    const agents = yield* Agents
    const denials = yield* Denials
    const limits = yield* RateLimits
    const cookies = yield* Cookies
    const { checkCsrf, isCrossSite } = yield* makeCsrfChecks
    const { addressOf, browserOf, findPerson, findSession, sourceOf } = yield* makeRequestPersons

    /** The actor of a public endpoint: the session's person, with the CSRF check, or the system. */
    const resolveActor = Effect.fnUntraced(function*(rule: AccessRule, request: HttpServerRequest.HttpServerRequest) {
      const found = yield* findSession(request, true, null)
      if (Option.isNone(found)) return system("public")
      const { person } = found.value
      if (person.via.kind === "session") yield* checkSessionState(rule, person.via)
      yield* checkCsrf(request)
      return person
    })

    /** Checks a signed-in person or an API key against the rule, and finds the project of the path. */
    const authorizePerson = Effect.fnUntraced(function*(
      rule: AccessRule,
      request: HttpServerRequest.HttpServerRequest,
      params: Params,
      authenticated: Authenticated
    ) {
      const actor = authenticated.person
      if (actor.via.kind === "session") {
        yield* checkSessionState(rule, actor.via)
        if (rule.mutates === true) yield* checkCsrf(request)
      }
      if (actor.via.kind === "api_key") yield* checkApiKey(rule, actor.via)
      if (rule.caller === "global_admin" && !actor.is_admin && params.slug === undefined) {
        return yield* globalAdminRequired
      }
      yield* checkPathIds(params)
      const project = params.slug === undefined ? null : yield* getProject(rule, authenticated)
      if (rule.stepUp === true && !isRestricted(actor)) yield* Effect.provideService(requireStepUp, CurrentActor, actor)
      return { actor, project, agent: null } satisfies Grant
    })

    /** Logs each refusal. Refusals of destructive endpoints, and keys from a foreign address, are also audited. */
    const recordRefusal = Effect.fnUntraced(function*(rule: AccessRule, denial: Denial) {
      const { actor: { source_ip, user_id, via }, code, endpoint } = denial
      const key = via.kind === "api_key" ? { api_key_id: via.api_key_id } : {}
      yield* Effect.logInfo("access was refused").pipe(
        Effect.annotateLogs({ endpoint, code, user_id, ...key, source_ip })
      )
      const isAudited = code === addressNotAllowed.code || (rule.destructive === true && permissionCodes.has(code))
      if (isAudited) yield* denials.record(denial)
    })

    const grant = tracedFn("Authorize.grant")(function*(
      rule: AccessRule,
      request: HttpServerRequest.HttpServerRequest,
      params: Params,
      endpoint: string
    ) {
      const address = addressOf(request)
      const isPerUser = rule.bucket !== undefined && isUserBucket(rule.bucket)
      if (rule.bucket !== undefined && !isPerUser && !(yield* limits.takeForAddress(rule.bucket, address))) {
        return yield* makeRateLimited(rule.bucket)
      }
      if (rule.caller === "public") {
        if (rule.requiresHttps === true && !cookies.isConfidential(request)) return yield* httpsRequired
        // a sign-in sent by another site's page is an attack too (login CSRF)
        if (rule.mutates === true && isCrossSite(request)) return yield* csrfFailed
        const actor = rule.allowsSession === true ? yield* resolveActor(rule, request) : system("public")
        return { actor, project: null, agent: null } satisfies Grant
      }
      if (rule.caller === "agent") {
        const agent = yield* agents.authenticate(request.headers["authorization"]).pipe(
          Effect.annotateLogs({ client: address, transport: "longpoll" })
        )
        return { actor: system("agent"), project: null, agent } satisfies Grant
      }
      const found = yield* findPerson(request, true, params.slug)
      if (Option.isNone(found)) return yield* signInRequired
      const { isMember, person: actor, project } = found.value
      const project_id = project !== null && isMember && isBoundTo(actor, project.id) ? project.id : null
      return yield* Effect.gen(function*() {
        yield* checkAddress(actor)
        if (rule.bucket !== undefined && isPerUser && !(yield* limits.take(rule.bucket, actor.user_id))) {
          return yield* makeRateLimited(rule.bucket)
        }
        return yield* authorizePerson(rule, request, params, found.value)
      }).pipe(
        Effect.tapErrorTag(
          "Forbidden",
          ({ code }) => recordRefusal(rule, { actor, endpoint, params, project_id, code })
        )
      )
    })

    /**
     * Checks a person's access again during a long request, and fails once it has ended. It does not count as a use of the
     * credential: a page that stays open must not keep a session from expiring.
     */
    const recheckGrant = Effect.fn("Authorize.recheckGrant")(function*(
      rule: AccessRule,
      request: HttpServerRequest.HttpServerRequest,
      params: Params
    ) {
      const found = yield* findPerson(request, false, params.slug)
      if (Option.isNone(found)) return yield* signInRequired
      yield* checkAddress(found.value.person)
      return yield* authorizePerson(rule, request, params, found.value)
    })

    return { grant, recheckGrant, sourceOf, browserOf } as const
  })
}) {
  static readonly layer: Layer.Layer<
    Authorize,
    never,
    Agents | Authentication | Denials | RateLimits | Settings | Cookies
  > = this.Default
}
