import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Cause, Effect } from "effect"
import { BadRequest, MethodNotAllowed } from "../../domain/Errors.ts"
import * as Ids from "../../services/Ids.ts"
import * as Problem from "../Problem.ts"
import { methodsOf } from "../Methods.ts"

/** Headers of every answer: nothing is cached, framed, sniffed or referred on. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** What the brain serves begins with one of these. */
const roots = ["/api/v1", "/health", "/metrics", "/setup", "/reset-password", "/invitation", "/ws/agent"]

const isOfBrain = (path: string): boolean => roots.some((root) => path === root || path.startsWith(`${root}/`))

/**
 * Around every route: a request id (taken from X-Request-Id when it is plain, else new), the id in each log line,
 * one line a request at debug level, the headers above, and every failure as a problem document.
 */
const around = (covers: (path: string) => boolean) => HttpLayerRouter.middleware(
  (app) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!covers(pathOf(request.url))) return yield* app
      const requestId = yield* Ids.ofRequest(request.headers["x-request-id"])
      const answer = app.pipe(
        Effect.catchAllCause((cause) => {
          const why = isRouteMissing(cause) ? unrouted(request) : null
          return Cause.isInterruptedOnly(cause)
            ? Effect.failCause(cause)
            : why !== null
            ? Effect.succeed(Problem.ofFailure(why, requestId))
            : Problem.ofCause(cause, requestId)
        }),
        Effect.map((response) =>
          HttpServerResponse.setHeaders(response, { ...headers, ...response.headers, "x-request-id": requestId })
        ),
        Effect.tap((response) => Effect.logDebug(`${request.method} ${pathOf(request.url)} ${response.status}`))
      )
      return yield* Effect.annotateLogs(answer, "request_id", requestId)
    }),
  { global: true }
)

/** For a server that is the brain's alone: also what no route takes is answered in its form. */
export const layer = around(() => true)

/** For a router that another application's routes are on too, which keep their own form. */
export const layerShared = around(isOfBrain)

const isRouteMissing = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return typeof error === "object" && error !== null && "_tag" in error && error._tag === "RouteNotFound"
}

/** What is wrong with a request that no route took, if its path is one of the API's. */
const unrouted = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const allowed = methodsOf(url)
  if (allowed.length === 0) return null
  if (!allowed.includes(method)) return new MethodNotAllowed({ allowed })
  return isDecodable(pathOf(url)) ? null : new BadRequest({ detail: "The path is not valid percent-encoded UTF-8." })
}

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** The query stays out of the log: it may hold what people search for. */
const pathOf = (url: string): string => url.split("?", 1)[0] ?? url
