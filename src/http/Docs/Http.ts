import { HttpLayerRouter, HttpServerRequest, HttpServerResponse, OpenApi } from "@effect/platform"
import { Effect, Fiber, Layer } from "effect"
import { RateLimited } from "../../domain/Errors.ts"
import { RateLimits } from "../../services/RateLimits.ts"
import { Settings } from "../../services/Settings.ts"
import { addressOf, parseProxies } from "../middleware/Client.ts"
import { documented } from "./Document.ts"

const page = "/api/v1/docs"

/** The page brings its script and style with it and calls nothing but this server. */
const pagePolicy = "default-src 'self'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Who opens the brain's bare address is led to the page. */
export const rootRoutes = HttpLayerRouter.add("GET", "/", HttpServerResponse.redirect(page))

/**
 * `/api/v1/openapi.json` (3.1) and the API page, both made from the definition at the first request: the page's
 * script alone is 3 MB that most processes never need.
 */
export const routes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const limits = yield* RateLimits
  const settings = yield* Settings
  const proxies = parseProxies(settings.trustedProxies)

  const limited = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!(yield* limits.takeFrom("docs", addressOf(request, proxies)))) {
      return yield* new RateLimited({ detail: "The API documents may be fetched 10 times a minute." })
    }
  })
  const document = yield* Effect.cached(Effect.sync(() => JSON.stringify(OpenApi.fromApi(documented))))
  const made = yield* Effect.cached(Effect.gen(function*() {
    const { layerHttpLayerRouter } = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
    // the package renders the page only as a route, so it gets a router of its own to put it on
    const inner = yield* HttpLayerRouter.make
    yield* Effect.scoped(Layer.build(layerHttpLayerRouter({ api: documented, path: page }))).pipe(
      Effect.provideService(HttpLayerRouter.HttpRouter, inner)
    )
    return yield* inner.asHttpEffect()
  }))
  // in a fiber of its own: who opens the page first may leave meanwhile, and that end would be kept as the answer to all
  const scalar = Effect.flatMap(Effect.forkDaemon(made), Fiber.join)

  yield* router.add("GET", "/api/v1/openapi.json", Effect.zipRight(
    limited,
    Effect.map(document, (text) => HttpServerResponse.text(text, { contentType: "application/json" }))
  ))
  yield* router.add("GET", page, Effect.zipRight(
    limited,
    Effect.map(scalar, HttpServerResponse.setHeader("content-security-policy", pagePolicy))
  ))
}))
