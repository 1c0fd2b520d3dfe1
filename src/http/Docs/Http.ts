import { HttpLayerRouter, HttpServerRequest, OpenApi } from "@effect/platform"
import { Effect, Fiber } from "effect"
import { RateLimited } from "../../domain/kernel/Errors.ts"
import { RateLimits } from "../../services/kernel/RateLimits.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { clientAddressOf, parseProxies } from "../middleware/RequestAddress.ts"
import { compressText, respondWithFile } from "../PreparedFile.ts"
import { DocumentedApi } from "./Document.ts"
import { renderReference } from "./ReferencePage.ts"

const renderDocument = () => [JSON.stringify(OpenApi.fromApi(DocumentedApi)), {}] as const

const renderDocumentPage = () => {
  const { html, policy } = renderReference(OpenApi.fromApi(DocumentedApi))
  return [html, { "content-security-policy": policy }] as const
}

/** `/api/v1/openapi.json` (3.1) and the API page, both made from the definition at the first request. */
export const routes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const limits = yield* RateLimits
  const settings = yield* Settings
  const proxies = parseProxies(settings.trustedProxies)

  const addFile = Effect.fnUntraced(function*(
    path: `/${string}`,
    contentType: string,
    render: () => readonly [text: string, headers: Readonly<Record<string, string>>]
  ) {
    const prepareOnce = yield* Effect.cached(Effect.suspend(() => {
      const [text, headers] = render()
      return Effect.map(compressText(text), (file) => ({ file, headers }))
    }))
    const respond = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!(yield* limits.takeForAddress("docs", clientAddressOf(request, proxies)))) {
        return yield* new RateLimited({ detail: "The API documents may be fetched 10 times a minute." })
      }
      // in a fiber of its own: an interrupt of the first request would be kept as the result of all
      const { file, headers } = yield* Fiber.join(yield* Effect.forkDaemon(prepareOnce))
      return respondWithFile(file, request, contentType, headers)
    })
    yield* router.add("GET", path, respond)
  })
  yield* addFile("/api/v1/openapi.json", "application/json", renderDocument)
  yield* addFile("/api/v1/docs", "text/html; charset=utf-8", renderDocumentPage)
}))
