import { HttpLayerRouter, HttpServerRequest, HttpServerResponse, HttpTraceContext } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, Option } from "effect"
import { BadRequest, MethodNotAllowed } from "../../domain/Errors.ts"
import { AllowedHosts } from "../../services/AllowedHosts.ts"
import * as Ids from "../../services/Ids.ts"
import { Metrics } from "../../services/Metrics.ts"
import { publicUrlOf } from "../../services/PublicUrl.ts"
import { Settings } from "../../services/Settings.ts"
import * as ProblemResponse from "../ProblemResponse.ts"
import { methodsOf, routeOf } from "../RoutePatterns.ts"
import * as Cors from "./Cors.ts"

/** Headers of every answer: nothing is cached, framed, sniffed or referred on, and a page may use nothing of the device. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** Once people reach the brain over https, their browsers never try plain http again for a year. */
const hstsHeader = { "strict-transport-security": "max-age=31536000" }

/** What the brain serves begins with one of these. */
const roots = ["/api/v1", "/health", "/metrics", "/setup", "/reset-password", "/invitation", "/ws/agent"]

/** A balancer asks these by address, and they tell nothing. */
const hostCheckExemptPaths = new Set(["/health", "/health/ready", "/api/v1/health", "/api/v1/health/ready"])

/** The path as the router reads it, which takes no notice of an origin, of doubled slashes, case and encoding; null: it finds nothing. */
const routedPath = (url: string): string | null => {
  const [path = ""] = url.replace(/^https?:\/\/.*?\//, "/").split(/[?;#]/, 1)
  try {
    return decodeURI(path.replace(/\/+/g, "/")).toLowerCase()
  } catch {
    return null
  }
}

/** Whether the brain serves it, however it is written; also what cannot be read. */
export const isBrainPath = (url: string): boolean => {
  const path = routedPath(url)
  return path === null || roots.some((root) => path === root || path.startsWith(`${root}/`))
}

/**
 * Around every route: the Host header is one of ours; a request id (taken from X-Request-Id when it is plain, else
 * new), this id and that of the trace in each log line, one line a request at debug level, the headers above, what a configured other site
 * needs, and every failure as a problem document.
 */
const makeMiddleware = (isCovered: (url: string) => boolean) => HttpLayerRouter.middleware(
  Effect.gen(function*() {
    const hosts = yield* AllowedHosts
    const settings = yield* Settings
    const clock = yield* Effect.clock
    const metrics = yield* Metrics
    const fixedHeaders = { ...securityHeaders, ...(publicUrlOf(settings).startsWith("https:") && hstsHeader) }

    const refusalOf = (request: HttpServerRequest.HttpServerRequest) => {
      if (hostCheckExemptPaths.has(pathOf(request.url))) return null
      const { headersDistinct, socket } = NodeHttpServerRequest.toIncomingMessage(request)
      return hosts.check({ hosts: headersDistinct.host ?? [], target: request.url, localAddress: socket.localAddress })
    }

    /** Labels are route patterns, and those of requests without a route are one: clients choose paths and methods. */
    const count = ({ method, url }: HttpServerRequest.HttpServerRequest, status: number, seconds: number) => {
      const route = routeOf(method, url)
      const labels = route === null ? { method: "other", route: "other" } : { method, route }
      metrics.httpRequests.inc({ ...labels, status })
      metrics.httpSeconds.observe(labels, seconds)
    }

    return (app) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!isCovered(request.url)) return yield* app
        const startNanos = clock.unsafeCurrentTimeNanos()
        const seconds = () => Number(clock.unsafeCurrentTimeNanos() - startNanos) / 1e9
        yield* redactSpan(request)
        const requestId = yield* Ids.requestIdFrom(request.headers["x-request-id"])
        const hostRefusal = refusalOf(request)
        const cors = hostRefusal === null ? Cors.headersFor(settings.corsOrigins, request.headers) : {}
        const handler = hostRefusal !== null
          ? Effect.succeed(ProblemResponse.fromFailure(hostRefusal, requestId))
          : Cors.isPreflight(settings.corsOrigins, request)
          ? Effect.succeed(Cors.preflight)
          : app
        const answer = handler.pipe(
          Effect.catchAllCause((cause) => {
            const unroutedFailure = isRouteMissing(cause) ? findUnroutedFailure(request) : null
            return Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : unroutedFailure !== null
              ? Effect.succeed(ProblemResponse.fromFailure(unroutedFailure, requestId))
              : ProblemResponse.fromCause(cause, requestId)
          }),
          Effect.map((response) =>
            HttpServerResponse.setHeaders(response, { ...fixedHeaders, ...response.headers, ...cors, "x-request-id": requestId })
          ),
          Effect.tap((response) => {
            const elapsedSeconds = seconds()
            count(request, response.status, elapsedSeconds)
            return Effect.logDebug(`${request.method} ${pathOf(request.url)} ${response.status}`).pipe(
              Effect.annotateLogs({ status: response.status, duration_ms: Math.round(elapsedSeconds * 1e5) / 100 })
            )
          }),
          Effect.onInterrupt(() => Effect.sync(() => count(request, clientClosedRequestStatus, seconds())))
        )
        const traceId = yield* traceIdOf(request)
        return yield* Effect.annotateLogs(answer, { request_id: requestId, ...(traceId !== null && { trace_id: traceId }) })
      })
  }),
  { global: true }
)

/** The trace of the request's span, else, while no spans are made, the client's; null: neither. */
const traceIdOf = ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<string | null> =>
  Effect.map(Effect.option(Effect.currentSpan), (span) =>
    Option.getOrNull(
      Option.map(span, ({ traceId }) => traceId).pipe(
        Option.filter((traceId) => traceIdPattern.test(traceId)),
        Option.orElse(() => Option.map(HttpTraceContext.w3c(headers), ({ traceId }) => traceId))
      )
    ))

/** Not that of spans that are not made (`noop`), nor whatever text a client sends in a B3 header. */
const traceIdPattern = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i

/** The status of nginx, and of the platform's span, for a request whose client did not wait for the answer. */
const clientClosedRequestStatus = 499

/** What a trace must not hold of a request: the query may have a setup token or what people search for in it. */
const redactedHeaders = ["referer", "x-csrf-token"]

/** Takes out of the span, which the platform made before, what it does not know to be secret. */
const redactSpan = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(Effect.option(Effect.currentSpan), Option.map((span) => {
    span.attribute("url.full", pathOf(request.url))
    if (request.url.includes("?")) span.attribute("url.query", "<redacted>")
    for (const name of redactedHeaders) if (name in request.headers) span.attribute(`http.request.header.${name}`, "<redacted>")
  }))

/** For a server that is the brain's alone: also what no route takes is answered in its form. */
export const layer = makeMiddleware(() => true)

/** For a router that another application's routes are on too, which keep their own form. */
export const layerShared = makeMiddleware(isBrainPath)

const isRouteMissing = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return typeof error === "object" && error !== null && "_tag" in error && error._tag === "RouteNotFound"
}

/** What is wrong with a request that no route took, if its path is one of the API's. */
const findUnroutedFailure = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
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
