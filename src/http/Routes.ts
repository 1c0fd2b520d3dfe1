import { HttpApiBuilder, HttpLayerRouter, HttpRouter, HttpServerRequest, HttpServerRespondable } from "@effect/platform"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { Settings } from "../services/Settings.ts"
import { Authenticated, FromAgent, InProject } from "./Access.ts"
import { Authorize, type Grant } from "./middleware/Authorize.ts"
import { withBody } from "./middleware/Body.ts"
import * as Idempotent from "./middleware/Idempotent.ts"
import { rules } from "./Rules.ts"

/** What the route granted; only the two middleware layers below read it. */
class Granted extends Context.Tag("svc/http/Granted")<Granted, Grant>() {}

const granted = Effect.flatMap(Effect.serviceOption(Granted), Option.match({
  onNone: () => Effect.dieMessage("a handler ran outside its route"),
  onSome: Effect.succeed
}))

/** What handlers of `Authenticated` and `InProject` groups are given. */
export const accessLayer = Layer.mergeAll(
  Layer.succeed(Authenticated, Effect.map(granted, (grant) => grant.actor)),
  Layer.succeed(
    FromAgent,
    Effect.flatMap(granted, ({ agent }) =>
      agent === null ? Effect.dieMessage("an endpoint for agents whose access lets others in") : Effect.succeed(agent))
  ),
  Layer.succeed(
    InProject,
    Effect.flatMap(granted, ({ project }) =>
      project === null ? Effect.dieMessage("a project endpoint without {slug} in its path") : Effect.succeed(project))
  )
)

/** What the grant tells a log line: `user_id` when signed in, `agent_id` of an agent, `project_id` under a project. */
const known = ({ actor, agent, project }: Grant): Readonly<Record<string, string>> => ({
  ...(actor.kind === "person" && { user_id: actor.user_id }),
  ...(agent !== null && { agent_id: agent.agent_id, project_id: agent.project_id }),
  ...(project !== null && { project_id: project.id })
})

/**
 * Puts the API's endpoints on the router, each behind its declared access. Instead of
 * `HttpLayerRouter.addHttpApi`, which would turn failures into JSON of its own form before `Problem.ts` sees them.
 */
export const apiRoutes = HttpApiBuilder.Router.unwrap(Effect.fnUntraced(function*(api) {
  const router = yield* HttpLayerRouter.HttpRouter
  const authorize = yield* Authorize
  const idempotent = yield* Idempotent.make
  const settings = yield* Settings
  for (const route of api.routes) {
    const endpoint = `${route.method} ${route.path}`
    const rule = rules.get(endpoint)
    if (rule === undefined) return yield* Effect.dieMessage(`${endpoint} is not part of the API`)
    const guarded = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { params } = yield* HttpRouter.RouteContext
      const first = yield* authorize.grant(rule, request, params, endpoint)
      yield* Effect.annotateLogsScoped(known(first)) // the request's scope: a defect's line in Request.ts has them too
      const [took, read] = yield* Effect.timed(withBody(request, rule.bodyLimit ?? settings.maxPayloadSizeBytes))
      // who holds the last byte back must not keep rights that ended meanwhile
      const isSlow = first.actor.kind === "person" && Duration.greaterThan(took, "1 second")
      const grant = isSlow ? yield* authorize.stillGranted(rule, request, params) : first
      const answer = Effect.flatMap(
        Effect.provideService(route.handler, Granted, grant),
        HttpServerRespondable.toResponse
      )
      return yield* idempotent(endpoint, rule, grant, answer).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, read)
      )
    })
    // HttpApi has no HEAD endpoints, which is the one method that the router's type leaves out
    yield* router.add(route.method as "GET", route.path, guarded, { uninterruptible: route.uninterruptible })
  }
}, Layer.effectDiscard))

