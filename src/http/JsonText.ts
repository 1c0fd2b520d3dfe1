import { HttpServerResponse } from "@effect/platform"

/**
 * A response of JSON text, which goes to the socket in one write with the headers. The platform's `text` and `json` encode it
 * to bytes first, and Node sends those in a write of their own.
 */
export const respondWithJsonText = (text: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.raw(text, { status, contentType: "application/json", contentLength: Buffer.byteLength(text) })
