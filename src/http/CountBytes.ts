import { HttpBody, HttpServerResponse } from "@effect/platform"
import { Effect, Stream } from "effect"
import { type Admission, reservedBytes } from "../services/kernel/ResponseBudget.ts"
import { bodyBytesOf } from "./middleware/Pieces.ts"

/**
 * Counts the bytes of an admitted read's response. Of a streamed one each slice waits for its turn, and is read once the
 * connection took the last one.
 */
export const countBytes = (
  response: HttpServerResponse.HttpServerResponse,
  { awaitTurn, note, setBytes }: Admission
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Stream") {
    setBytes(body.contentLength ?? bodyBytesOf(response)?.length ?? 0)
    return response
  }
  const slices = Stream.unwrapScoped(
    Effect.map(Stream.toPull(body.stream), (pull) =>
      Stream.repeatEffectChunkOption(
        Effect.tap(Effect.zipRight(awaitTurn, pull), (slice) =>
          Effect.sync(() => {
            let bytes = 0
            for (const part of slice) bytes += part.length
            note(bytes)
            setBytes(Math.max(bytes, reservedBytes))
          }))
      ))
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(slices, body.contentType, body.contentLength))
}
