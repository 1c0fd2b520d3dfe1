import { HttpApiBuilder, HttpLayerRouter, HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Context, Effect, FiberRef, HashMap, Layer, Option } from "effect"
import { Settings } from "../services/Settings.ts"
import { Authenticated, FromAgent, InProject } from "./Access.ts"
import { accessRules } from "./AccessRules.ts"
import { Authorize, type Grant } from "./middleware/Authorize.ts"
import { readBody } from "./middleware/Body.ts"
import * as IdempotencyKey from "./middleware/IdempotencyKey.ts"

/** What the route granted; only the two middleware layers below read it. */
class CurrentGrant extends Context.Tag("svc/http/Granted")<CurrentGrant, Grant>() {}

const currentGrant = Effect.flatMap(
  Effect.serviceOption(CurrentGrant),
  Option.match({
    onNone: () => Effect.dieMessage("a handler ran outside its route"),
    onSome: Effect.succeed
  })
)

/** What handlers of `Authenticated` and `InProject` groups are given. */
export const layerAccess = Layer.mergeAll(
  Layer.succeed(Authenticated, Effect.map(currentGrant, (grant) => grant.actor)),
  Layer.succeed(
    FromAgent,
    Effect.flatMap(
      currentGrant,
      ({ agent }) =>
        agent === null ? Effect.dieMessage("an endpoint for agents whose access lets others in") : Effect.succeed(agent)
    )
  ),
  Layer.succeed(
    InProject,
    Effect.flatMap(
      currentGrant,
      ({ project }) =>
        project === null ? Effect.dieMessage("a project endpoint without {slug} in its path") : Effect.succeed(project)
    )
  )
)

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

/** After a body that took longer than 1 s access is checked again. */
const recheckAfterNanos = 1_000_000_000n

/**
 * Puts the API's endpoints on the router, each behind its declared access. Instead of
 * `HttpLayerRouter.addHttpApi`, which would turn failures into JSON of its own form before `Problem.ts` sees them.
 */
export const apiRoutes = HttpApiBuilder.Router.unwrap(Effect.fnUntraced(function*(api) {
  const router = yield* HttpLayerRouter.HttpRouter
  const authorize = yield* Authorize
  const idempotent = yield* IdempotencyKey.make
  const settings = yield* Settings
  const clock = yield* Effect.clock
  for (const route of api.routes) {
    const endpoint = `${route.method} ${route.path}`
    const rule = accessRules.get(endpoint)
    if (rule === undefined) return yield* Effect.dieMessage(`${endpoint} is not part of the API`)
    const guardedHandler = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { params } = yield* HttpRouter.RouteContext
      const initialGrant = yield* authorize.grant(rule, request, params, endpoint)
      // until the request ends, so that a defect's line in Request.ts has them too
      yield* FiberRef.update(FiberRef.currentLogAnnotations, (known) => withLogFields(known, initialGrant))
      const startNanos = clock.unsafeCurrentTimeNanos()
      const requestWithBody = yield* readBody(request, rule.bodyLimit ?? settings.maxPayloadSizeBytes)
      // a client that holds the last byte back must not keep rights that have ended since
      const isSlow = initialGrant.actor.kind === "person" &&
        clock.unsafeCurrentTimeNanos() - startNanos > recheckAfterNanos
      const grant = isSlow ? yield* authorize.recheckGrant(rule, request, params) : initialGrant
      const answer = Effect.flatMap(
        Effect.provideService(route.handler, CurrentGrant, grant),
        HttpServerRespondable.toResponse
      )
      return yield* idempotent(endpoint, rule, grant, answer).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, requestWithBody)
      )
    })
    // HttpApi has no HEAD endpoints, which is the one method that the router's type leaves out
    yield* router.add(route.method as "GET", route.path, guardedHandler, { uninterruptible: route.uninterruptible })
  }
}, Layer.effectDiscard))
