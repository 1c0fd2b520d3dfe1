import { type Headers, type HttpServerRequest, HttpServerResponse } from "@effect/platform"

/** Allows cross-origin requests from SVC_CORS_ORIGINS (exact match) only. */
const isAllowedOrigin = (origins: ReadonlyArray<string>, headers: Headers.Headers): boolean =>
  headers["origin"] !== undefined && origins.includes(headers["origin"])

/** Whether the request is a preflight of an allowed origin. */
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

/** The CORS headers of a response. A cache must compare what the response itself varies by, too. */
export const withVaryOf = (
  response: Headers.Headers,
  cors: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => {
  const vary = response["vary"]
  return vary === undefined || cors["vary"] === undefined ? cors : { ...cors, vary: `${vary}, ${cors["vary"]}` }
}

/** CORS response headers. Never `*`, because requests carry cookies. */
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
