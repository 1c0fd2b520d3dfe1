import { HttpLayerRouter, HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Context, Effect, type Fiber, FiberRef, HashMap, LogLevel, Option, Tracer } from "effect"
import { BadRequest, MethodNotAllowed } from "../../domain/kernel/Errors.ts"
import { AllowedHosts } from "../../services/kernel/AllowedHosts.ts"
import * as Ids from "../../services/kernel/Ids.ts"
import { Metrics } from "../../services/kernel/Metrics.ts"
import { publicUrlOf } from "../../services/kernel/PublicUrl.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import * as ProblemResponse from "../ProblemResponse.ts"
import { methodsOf, routeOf } from "../RoutePatterns.ts"
import * as Cors from "./Cors.ts"
import { writeInPieces } from "./Pieces.ts"
import { awaitPrevious } from "./Pipelining.ts"
import { makeSlowReaders } from "./SlowReaders.ts"
import { destroyOnFailure } from "./StreamedBody.ts"

/** Headers of every response: no caching, framing, sniffing or referrer, and no access to the device. */
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

/** After a visit over https, browsers do not use plain http for a year. */
const hstsHeader = { "strict-transport-security": "max-age=31536000" }

/** Every path of the brain begins with one of these. */
const roots = ["/api/v1", "/health", "/metrics", "/setup", "/reset-password", "/invitation", "/ws/agent"]

/** Load balancers call these by IP address, and their responses contain nothing secret. */
const hostCheckExemptPaths = new Set(["/health", "/health/ready", "/api/v1/health", "/api/v1/health/ready"])

/** The path as the router reads it: without origin and doubled slashes, decoded, in lower case. Null: it cannot be decoded. */
const routedPath = (url: string): string | null => {
  const [path = ""] = url.replace(/^https?:\/\/.*?\//, "/").split(/[?;#]/, 1)
  try {
    return decodeURI(path.replace(/\/+/g, "/")).toLowerCase()
  } catch {
    return null
  }
}

/** Whether the path is one of the brain's, in any spelling; true if it cannot be decoded. */
export const isBrainPath = (url: string): boolean => {
  const path = routedPath(url)
  return path === null || roots.some((root) => path === root || path.startsWith(`${root}/`))
}

/**
 * Around every route. It checks the Host header, takes the request id from X-Request-Id or makes one, and puts it and the
 * trace id into each log line. It logs one line a request at debug level, adds the headers above and those of CORS, counts
 * the request, and turns every failure into a problem document.
 */
const makeMiddleware = (isCovered: (url: string) => boolean) =>
  HttpLayerRouter.middleware(
    Effect.gen(function*() {
      const hosts = yield* AllowedHosts
      const settings = yield* Settings
      const clock = yield* Effect.clock
      const metrics = yield* Metrics
      const watchReader = yield* makeSlowReaders
      const fixedHeaders = { ...securityHeaders, ...(publicUrlOf(settings).startsWith("https:") && hstsHeader) }

      const refusalOf = (request: HttpServerRequest.HttpServerRequest) => {
        if (hostCheckExemptPaths.has(pathOf(request.url))) return null
        const { rawHeaders, socket } = NodeHttpServerRequest.toIncomingMessage(request)
        return hosts.check({ hosts: hostHeadersOf(rawHeaders), target: request.url, localAddress: socket.localAddress })
      }

      /** Labels are route patterns. Requests without a route share one label, because clients choose paths and methods. */
      const count = (request: HttpServerRequest.HttpServerRequest, status: number, seconds: number) => {
        const route = routeOf(request)
        const labels = route === null ? { method: "other", route: "other" } : { method: request.method, route }
        metrics.httpRequests.inc({ ...labels, status })
        metrics.httpSeconds.observe(labels, seconds)
      }

      // One effect around the route, with plain code before and after it. As fifteen effects it took half of the time of
      // `/health` (bench/http.ts).
      const respondWith = (app: Effect.Effect<HttpServerResponse.HttpServerResponse, HttpLayerRouter.unhandled>) =>
        Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse, HttpLayerRouter.unhandled>((fiber) => {
          const request = Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest)
          const startNanos = clock.unsafeCurrentTimeNanos()
          const span = currentSpanOf(fiber.currentContext)
          if (span !== null) redactSpan(span, request)
          const requestId = Ids.requestIdFrom(request.headers["x-request-id"], clock.unsafeCurrentTimeMillis())
          const hostRefusal = refusalOf(request)
          const cors = hostRefusal === null ? Cors.headersFor(settings.corsOrigins, request.headers) : {}

          const finish = (response: HttpServerResponse.HttpServerResponse) => {
            const seconds = Number(clock.unsafeCurrentTimeNanos() - startNanos) / 1e9
            count(request, response.status, seconds)
            if (response.body._tag !== "Empty") watchReader(NodeHttpServerRequest.toServerResponse(request))
            const finalResponse = destroyOnFailure(
              request,
              withHeaders(writeInPieces(response), {
                ...fixedHeaders,
                ...response.headers,
                ...Cors.withVaryOf(response.headers, cors),
                "x-request-id": requestId
              }),
              Effect.locally(FiberRef.currentLogAnnotations, fiber.getFiberRef(FiberRef.currentLogAnnotations))
            )
            return isLoggingRequests(fiber)
              ? Effect.as(logRequest(request, response.status, seconds), finalResponse)
              : Effect.succeed(finalResponse)
          }
          const respondToFailure = (cause: Cause.Cause<HttpLayerRouter.unhandled>) => {
            if (Cause.isInterruptedOnly(cause)) {
              count(request, clientClosedRequestStatus, Number(clock.unsafeCurrentTimeNanos() - startNanos) / 1e9)
              return Effect.failCause(cause)
            }
            const unroutedFailure = isRouteMissing(cause) ? findUnroutedFailure(request) : null
            return unroutedFailure !== null
              ? finish(ProblemResponse.fromFailure(unroutedFailure, requestId))
              : Effect.flatMap(ProblemResponse.fromCause(cause, requestId), finish)
          }
          const respond = hostRefusal !== null
            ? finish(ProblemResponse.fromFailure(hostRefusal, requestId))
            : Cors.isPreflight(settings.corsOrigins, request)
            ? finish(Cors.preflight)
            : Effect.matchCauseEffect(app, { onFailure: respondToFailure, onSuccess: finish })
          const traceId = traceIdOf(span, request)
          const annotations = HashMap.set(fiber.getFiberRef(FiberRef.currentLogAnnotations), "request_id", requestId)
          return Effect.locally(
            respond,
            FiberRef.currentLogAnnotations,
            traceId === null ? annotations : HashMap.set(annotations, "trace_id", traceId)
          )
        })

      return (app) => {
        const respond = respondWith(app)
        return Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse, HttpLayerRouter.unhandled>((fiber) => {
          const request = Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest)
          if (!isCovered(request.url)) return app
          const previous = awaitPrevious(request)
          return previous === null ? respond : Effect.zipRight(previous, respond)
        })
      }
    }),
    { global: true }
  )

/** The response with these headers, whose names are in lower case. `setHeaders` checks each name again, which takes 8 µs. */
const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Readonly<Record<string, string | undefined>>
): HttpServerResponse.HttpServerResponse =>
  Object.assign(Object.create(Object.getPrototypeOf(response)), response, { headers })

/** Every Host header of a request: `headers` keeps the first only, and `headersDistinct` would copy all the others too. */
const hostHeadersOf = (rawHeaders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const hosts: Array<string> = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = [rawHeaders[index], rawHeaders[index + 1]]
    if (name.length === 4 && name.toLowerCase() === "host") hosts.push(value)
  }
  return hosts
}

/** Requests are logged at debug level only. Below it the line and its annotations are not built. */
const isLoggingRequests = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)

const logRequest = ({ method, url }: HttpServerRequest.HttpServerRequest, status: number, seconds: number) =>
  Effect.logDebug(`${method} ${pathOf(url)} ${status}`).pipe(
    Effect.annotateLogs({ status, duration_ms: Math.round(seconds * 1e5) / 100 })
  )

/** The span of the request, if spans are made. */
const currentSpanOf = (context: Context.Context<never>): Tracer.Span | null => {
  const span = Option.getOrNull(Context.getOption(context, Tracer.ParentSpan))
  return span?._tag === "Span" ? span : null
}

/** The trace id of the request's span; while tracing is off, the client's; null for neither. */
const traceIdOf = (span: Tracer.Span | null, { headers }: HttpServerRequest.HttpServerRequest): string | null => {
  if (span !== null && traceIdPattern.test(span.traceId)) return span.traceId
  if (headers["traceparent"] === undefined) return null
  return Option.getOrNull(Option.map(HttpTraceContext.w3c(headers), ({ traceId }) => traceId))
}

/** Excludes the id of disabled spans (`noop`), and any other text that a client sends in a B3 header. */
const traceIdPattern = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i

/** nginx and the platform's span use this status for a client that disconnected before the response. */
const clientClosedRequestStatus = 499

/** A span must not hold these. Nor the query, which may contain a setup token or search terms. */
const redactedHeaders = ["referer", "x-csrf-token"]

/** Redacts attributes of the platform's span that the platform does not know to be secret. */
const redactSpan = (span: Tracer.Span, request: HttpServerRequest.HttpServerRequest): void => {
  span.attribute("url.full", pathOf(request.url))
  if (request.url.includes("?")) span.attribute("url.query", "<redacted>")
  for (const name of redactedHeaders) {
    if (name in request.headers) span.attribute(`http.request.header.${name}`, "<redacted>")
  }
}

/** For a server of the brain alone: unknown paths get a problem document too. */
export const layer = makeMiddleware(() => true)

/** For a router shared with another application, whose routes keep their own form. */
export const layerShared = makeMiddleware(isBrainPath)

const isRouteMissing = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return typeof error === "object" && error !== null && "_tag" in error && error._tag === "RouteNotFound"
}

/** Why no route matched, if the path is one of the API's: 405 with `Allow`, or 400 for a malformed path. */
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

/** The query stays out of the log: it may contain search terms. */
const pathOf = (url: string): string => url.split("?", 1)[0] ?? url
