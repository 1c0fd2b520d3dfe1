import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Health } from "../../../services/operations/Health.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"

const alive = Effect.succeed(respondWithJsonText("{\"status\":\"ok\"}"))

const makeReady = Effect.map(
  Health,
  (health) =>
    Effect.map(
      health.readiness,
      (readiness) => HttpServerResponse.unsafeJson(readiness, { status: readiness.status === "ready" ? 200 : 503 })
    )
)

const HealthHttp = implementGroup("health", function*(handlers) {
  const ready = yield* makeReady
  return handlers.handle("alive", () => alive).handle("ready", () => ready)
})

const SystemHttp = implementGroup("system", function*(handlers) {
  const health = yield* Health
  return handlers
    .handle("system", () => health.systemInfo())
    .handle(
      "deep",
      () =>
        Effect.map(
          health.deepHealth(),
          (deep) => HttpServerResponse.unsafeJson(deep, { status: deep.status === "failed" ? 503 : 200 })
        )
    )
})

export const layer = Layer.mergeAll(HealthHttp, SystemHttp)

/** The two public ones at the root as well, where load balancers poll. */
export const rootRoutes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  yield* router.add("GET", "/health", alive)
  yield* router.add("GET", "/health/ready", yield* makeReady)
}))
