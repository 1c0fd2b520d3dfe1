import { HttpApiBuilder, HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import { Health } from "../../services/Health.ts"
import { Api } from "../Api.ts"

const alive = Effect.succeed(HttpServerResponse.unsafeJson({ status: "ok" }))

const ready = Effect.flatMap(Health, (health) =>
  Effect.map(health.readiness, (readiness) =>
    HttpServerResponse.unsafeJson(readiness, { status: readiness.status === "ready" ? 200 : 503 })))

const HealthHttp = HttpApiBuilder.group(Api, "health", (handlers) =>
  handlers.handle("alive", () => alive).handle("ready", () => ready))

const SystemHttp = HttpApiBuilder.group(Api, "system", Effect.fnUntraced(function*(handlers) {
  const health = yield* Health
  return handlers
    .handle("system", () => health.systemInfo())
    .handle("deep", () =>
      Effect.map(health.deepHealth(), (deep) => HttpServerResponse.unsafeJson(deep, { status: deep.status === "failed" ? 503 : 200 })))
}))

export const layer = Layer.mergeAll(HealthHttp, SystemHttp)

/** The two public ones at the root as well, where load balancers look. */
export const rootRoutes = Layer.mergeAll(
  HttpLayerRouter.add("GET", "/health", alive),
  HttpLayerRouter.add("GET", "/health/ready", ready)
)
