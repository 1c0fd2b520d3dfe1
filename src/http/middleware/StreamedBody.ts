import { HttpBody, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, Exit, Stream } from "effect"

/**
 * A body that fails in the middle closes its connection, so that the client sees an aborted response. The platform would
 * end the body as if it were whole, and clients would keep half a file. The log gets the cause, with the fields of the
 * request that `annotate` adds.
 */
export const destroyOnFailure = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  annotate: (line: Effect.Effect<void>) => Effect.Effect<void>
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream") return response
  const stream = Stream.ensuringWith(body.stream, (exit) =>
    Exit.isSuccess(exit) ? Effect.void : Effect.zipRight(
      Cause.isInterruptedOnly(exit.cause)
        ? Effect.void
        : annotate(Effect.logError("a response was cut off: its body failed", exit.cause)),
      Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).destroy())
    ))
  return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
}
