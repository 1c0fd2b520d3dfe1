import { HttpApiBuilder, HttpLayerRouter, HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Context, Effect, FiberRef, HashMap, Layer } from "effect"
import { isCountedRead, isHeavyRead } from "../domain/kernel/Access.ts"
import { CurrentActor, CurrentAgent, CurrentProject } from "../services/kernel/CurrentActor.ts"
import { ResponseBudget } from "../services/kernel/ResponseBudget.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { accessRules } from "./AccessRules.ts"
import { countBytes } from "./CountBytes.ts"
import { Authorize, type Grant } from "./middleware/Authorize.ts"
import { readBody } from "./middleware/Body.ts"
import * as IdempotencyKey from "./middleware/IdempotencyKey.ts"
import { noteRoute } from "./RoutePatterns.ts"

/** Provides the request with its body, and what the handlers of its group are given (`Groups.ts`). */
const provideGrant = <A, E, R>(
  handler: Effect.Effect<A, E, R>,
  request: HttpServerRequest.HttpServerRequest,
  { actor, agent, project }: Grant
): Effect.Effect<A, E, R> =>
  Effect.mapInputContext(handler, (context: Context.Context<R>) => {
    // one copy for all: `Context.add` copies the context each time
    const services = new Map(context.unsafeMap)
    services.set(HttpServerRequest.HttpServerRequest.key, request).set(CurrentActor.key, actor)
    if (project !== null) services.set(CurrentProject.key, project)
    if (agent !== null) services.set(CurrentAgent.key, agent)
    return Context.unsafeMake(services)
  })

/** A log line's fields and those of the grant: `user_id` when signed in, `agent_id` of an agent, `project_id` under a project. */
const withLogFields = (
  fields: HashMap.HashMap<string, unknown>,
  { actor, agent, project }: Grant
): HashMap.HashMap<string, unknown> => {
  const withUser = actor.kind === "person" ? HashMap.set(fields, "user_id", actor.user_id) : fields
  const withAgent = agent === null ? withUser : HashMap.set(withUser, "agent_id", agent.agent_id)
  const projectId = project?.id ?? agent?.project_id
  return projectId === undefined ? withAgent : HashMap.set(withAgent, "project_id", projectId)
}

/** The response to a refused read is delayed by this: a client that repeats it at once would take the process from others. */
const refusalPause = "1 second"

/** After a body that took longer than 1 s access is checked again. */
const recheckAfterNanos = 1_000_000_000n

/**
 * Puts the API's endpoints on the router, each behind its declared access. `HttpLayerRouter.addHttpApi` would encode
 * failures itself, before `ProblemResponse.ts` can.
 */
export const apiRoutes = HttpApiBuilder.Router.unwrap(Effect.fnUntraced(function*(api) {
  const router = yield* HttpLayerRouter.HttpRouter
  const authorize = yield* Authorize
  const idempotent = yield* IdempotencyKey.make
  const settings = yield* Settings
  const reads = yield* ResponseBudget
  const clock = yield* Effect.clock
  for (const route of api.routes) {
    const endpoint = `${route.method} ${route.path}`
    const rule = accessRules.get(endpoint)
    if (rule === undefined) return yield* Effect.dieMessage(`${endpoint} is not part of the API`)
    const handler = Effect.flatMap(route.handler, HttpServerRespondable.toResponse)
    const guardedHandler = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { params } = yield* HttpRouter.RouteContext
      noteRoute(request, route.path)
      const initialGrant = yield* authorize.grant(rule, request, params, endpoint)
      // until the request ends, so that a defect's line in Request.ts has them too
      yield* FiberRef.update(FiberRef.currentLogAnnotations, (known) => withLogFields(known, initialGrant))
      const startNanos = clock.unsafeCurrentTimeNanos()
      const requestWithBody = yield* readBody(
        request,
        rule.bodyLimit ?? settings.maxPayloadSizeBytes,
        rule.form === true
      )
      // a client that holds the last byte back must not keep permissions that were revoked since
      const isSlow = initialGrant.actor.kind === "person" &&
        clock.unsafeCurrentTimeNanos() - startNanos > recheckAfterNanos
      const grant = isSlow ? yield* authorize.recheckGrant(rule, request, params) : initialGrant
      const respond = provideGrant(idempotent(endpoint, rule, grant, handler), requestWithBody, grant)
      if (!isCountedRead(rule) || grant.actor.kind !== "person") return yield* respond
      const admission = yield* reads.admit(grant.actor, isHeavyRead(rule, request.url)).pipe(
        Effect.tapError(() => Effect.sleep(refusalPause))
      )
      return countBytes(yield* respond, admission)
    })
    // HttpApi has no HEAD endpoints, which is the one method that the router's type leaves out
    yield* router.add(route.method as "GET", route.path, guardedHandler, { uninterruptible: route.uninterruptible })
  }
}, Layer.effectDiscard))
