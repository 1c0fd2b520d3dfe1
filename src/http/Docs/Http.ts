import { HttpLayerRouter, HttpServerRequest, HttpServerResponse, OpenApi } from "@effect/platform"
import { Effect, Fiber } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, gzip } from "node:zlib"
import { RateLimited } from "../../domain/Errors.ts"
import { RateLimits } from "../../services/RateLimits.ts"
import { Settings } from "../../services/Settings.ts"
import { Setup } from "../../services/Setup.ts"
import { respondWithPage } from "../Html/HtmlPage.ts"
import { clientAddressOf, parseProxies } from "../middleware/RequestAddress.ts"
import { DocumentedApi } from "./Document.ts"
import { homePage, setupPendingPage } from "./HomePage.ts"
import { renderReference } from "./ReferencePage.ts"

/** The brain's bare address: where things are. */
export const rootRoutes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const setup = yield* Setup
  yield* router.add(
    "GET",
    "/",
    Effect.map(setup.isFirstBoot, (isFirst) => respondWithPage(isFirst ? setupPendingPage : homePage))
  )
}))

/** A text that stays the same while the program runs, with its tag and its compressed forms. */
const compressText = (text: string) =>
  Effect.promise(async () => ({
    etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`,
    plain: Buffer.from(text),
    br: await promisify(brotliCompress)(text),
    gzip: await promisify(gzip)(text)
  }))

type CompressedText = Effect.Effect.Success<ReturnType<typeof compressText>>

/** A browser asks again each time, and gets 304 while the program is the same. */
const respond = (
  { etag, plain, ...compressed }: CompressedText,
  { headers }: HttpServerRequest.HttpServerRequest,
  contentType: string,
  policy: Readonly<Record<string, string>>
) => {
  const always = { ...policy, etag, "cache-control": "no-cache", vary: "accept-encoding" }
  if (headers["if-none-match"]?.split(/\s*,\s*/).some((known) => known.replace(/^W\//, "") === etag)) {
    return HttpServerResponse.empty({ status: 304, headers: always })
  }
  const accepted = (headers["accept-encoding"] ?? "").split(",").filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim())
  const coding = accepted.includes("br") ? "br" : accepted.includes("gzip") ? "gzip" : null
  return HttpServerResponse.uint8Array(coding === null ? plain : compressed[coding], {
    contentType,
    headers: { ...always, ...(coding !== null && { "content-encoding": coding }) }
  })
}

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
  // in a fiber of its own: an interrupt of the first request would be kept as the answer to all
  const cacheOnce = <A>(work: Effect.Effect<A>) =>
    Effect.map(Effect.cached(work), (cachedEffect) => Effect.flatMap(Effect.forkDaemon(cachedEffect), Fiber.join))
  const document = yield* cacheOnce(Effect.suspend(() => compressText(JSON.stringify(OpenApi.fromApi(DocumentedApi)))))
  const page = yield* cacheOnce(Effect.suspend(() => {
    const { html, policy } = renderReference(OpenApi.fromApi(DocumentedApi))
    return Effect.map(compressText(html), (prepared) => ({ prepared, policy: { "content-security-policy": policy } }))
  }))

  yield* router.add(
    "GET",
    "/api/v1/openapi.json",
    Effect.flatMap(
      takeRateLimit,
      (request) => Effect.map(document, (prepared) => respond(prepared, request, "application/json", {}))
    )
  )
  yield* router.add(
    "GET",
    "/api/v1/docs",
    Effect.flatMap(
      takeRateLimit,
      (request) =>
        Effect.map(page, ({ policy, prepared }) => respond(prepared, request, "text/html; charset=utf-8", policy))
    )
  )
}))
