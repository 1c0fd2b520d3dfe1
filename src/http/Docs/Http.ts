import { HttpLayerRouter, HttpServerRequest, OpenApi } from "@effect/platform"
import { Effect, Fiber } from "effect"
import { RateLimited } from "../../domain/kernel/Errors.ts"
import { RateLimits } from "../../services/kernel/RateLimits.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { clientAddressOf, parseProxies } from "../middleware/RequestAddress.ts"
import { compressText, respondWithFile } from "../PreparedFile.ts"
import { DocumentedApi } from "./Document.ts"
import { renderReference } from "./ReferencePage.ts"

/** `/api/v1/openapi.json` (3.1) and the API page, both made from the definition at the first request. */
export const routes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const limits = yield* RateLimits
  const settings = yield* Settings
  const proxies = parseProxies(settings.trustedProxies)

  const takeRateLimit = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (yield* limits.takeForAddress("docs", clientAddressOf(request, proxies))) return request
    return yield* new RateLimited({ detail: "The API documents may be fetched 10 times a minute." })
  })
  // in a fiber of its own: an interrupt of the first request would be kept as the result of all
  const cacheOnce = <A>(work: Effect.Effect<A>) =>
    Effect.map(Effect.cached(work), (cachedEffect) => Effect.flatMap(Effect.forkDaemon(cachedEffect), Fiber.join))
  const document = yield* cacheOnce(Effect.suspend(() => compressText(JSON.stringify(OpenApi.fromApi(DocumentedApi)))))
  const page = yield* cacheOnce(Effect.suspend(() => {
    const { html, policy } = renderReference(OpenApi.fromApi(DocumentedApi))
    return Effect.map(compressText(html), (file) => ({ prepared: file, policy: { "content-security-policy": policy } }))
  }))

  yield* router.add(
    "GET",
    "/api/v1/openapi.json",
    Effect.flatMap(
      takeRateLimit,
      (request) => Effect.map(document, (file) => respondWithFile(file, request, "application/json"))
    )
  )
  yield* router.add(
    "GET",
    "/api/v1/docs",
    Effect.flatMap(
      takeRateLimit,
      (request) =>
        Effect.map(
          page,
          ({ policy, prepared: file }) => respondWithFile(file, request, "text/html; charset=utf-8", policy)
        )
    )
  )
}))
