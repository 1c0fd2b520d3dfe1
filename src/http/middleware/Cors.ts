import { type Headers, type HttpServerRequest, HttpServerResponse } from "@effect/platform"

/** What pages of other sites may do (SVC_CORS_ORIGINS): nothing, but for the origins that are named, letter for letter. */
const isAllowedOrigin = (origins: ReadonlyArray<string>, headers: Headers.Headers): boolean =>
  headers["origin"] !== undefined && origins.includes(headers["origin"])

/** A browser's question before a request. */
export const isPreflight = (
  origins: ReadonlyArray<string>,
  { headers, method }: HttpServerRequest.HttpServerRequest
): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined && isAllowedOrigin(origins, headers)

export const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers":
      "authorization, content-type, idempotency-key, last-event-id, x-csrf-token, x-request-id",
    "access-control-max-age": "600"
  }
})

/** What an answer to this request carries; `*` never, since cookies may come along. */
export const headersFor = (
  origins: ReadonlyArray<string>,
  headers: Headers.Headers
): Readonly<Record<string, string>> =>
  origins.length === 0
    ? {}
    : {
      vary: "Origin",
      ...(isAllowedOrigin(origins, headers) && {
        "access-control-allow-origin": headers["origin"],
        "access-control-allow-credentials": "true",
        "access-control-expose-headers":
          "Idempotency-Replayed, Link, Retry-After, X-Request-Id, X-SVC-Limit-Applied, X-SVC-Next-Cursor, X-SVC-Truncated"
      })
    }
