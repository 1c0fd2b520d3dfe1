import { HttpBody, HttpServerResponse } from "@effect/platform"
import { Chunk, Option, Stream } from "effect"

/**
 * The most bytes of a response that are written at once. The next piece is written when the connection has taken the last, so
 * that a slow reader is distinguished from one that takes nothing.
 */
export const pieceBytes = 64 * 1024

const pieces = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfoldChunk(0, (offset) =>
    offset >= bytes.length
      ? Option.none()
      : Option.some([Chunk.of(bytes.subarray(offset, offset + pieceBytes)), offset + pieceBytes]))

/** The bytes of a body that is in memory as a whole; null for any other. */
export const bodyBytesOf = ({ body }: HttpServerResponse.HttpServerResponse): string | Uint8Array | null => {
  if (body._tag === "Uint8Array") return body.body
  return body._tag === "Raw" && typeof body.body === "string" ? body.body : null
}

/** The response, its body written piece by piece if it is larger than one. */
export const writeInPieces = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  const whole = bodyBytesOf(response)
  if (whole !== null) {
    if (whole.length <= pieceBytes) return response // a text of more bytes than that is a few pieces at once
    const bytes = typeof whole === "string" ? Buffer.from(whole) : whole
    return HttpServerResponse.setBody(response, HttpBody.stream(pieces(bytes), body.contentType, bytes.length))
  }
  if (body._tag !== "Stream") return response
  const stream = Stream.flatMap(body.stream, (bytes) => bytes.length <= pieceBytes ? Stream.make(bytes) : pieces(bytes))
  return HttpServerResponse.setBody(response, HttpBody.stream(stream, body.contentType, body.contentLength))
}
