import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, gzip } from "node:zlib"

/** Bytes that stay the same while the program runs, with their entity tag and compressed forms (RFC 9110, 8.8.3 and 8.4). */
export interface PreparedFile {
  readonly etag: string
  readonly plain: Uint8Array
  readonly br: Uint8Array | null
  readonly gzip: Uint8Array | null
}

export const entityTagOf = (content: Uint8Array | string): string =>
  `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`

export const compressText = (text: string): Effect.Effect<PreparedFile> =>
  Effect.promise(async () => ({
    etag: entityTagOf(text),
    plain: Buffer.from(text),
    br: await promisify(brotliCompress)(text),
    gzip: await promisify(gzip)(text)
  }))

const codings = ["br", "gzip"] as const

/** Responds with the file in the best coding that the client accepts, or 304 while the client has it. */
export const respondWithFile = (
  file: PreparedFile,
  { headers }: HttpServerRequest.HttpServerRequest,
  contentType: string,
  own: Readonly<Record<string, string>> = {}
) => {
  const accepted = (headers["accept-encoding"] ?? "").split(",").filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim())
  const coding = codings.find((one) => file[one] !== null && accepted.includes(one))
  // each coding is a representation with a tag of its own (RFC 9110, 8.8.3.3)
  const etag = coding === undefined ? file.etag : file.etag.replace(/"$/, `-${coding}"`)
  const always = { "cache-control": "no-cache", vary: "accept-encoding", ...own, etag }
  // a tag of any coding: the content is the same
  const isKnown = (tag: string) => tag.replace(/^W\//, "").replace(/-(br|gzip)"$/, "\"") === file.etag
  if (headers["if-none-match"]?.split(/\s*,\s*/).some(isKnown)) {
    return HttpServerResponse.empty({ status: 304, headers: always })
  }
  return HttpServerResponse.uint8Array((coding && file[coding]) ?? file.plain, {
    contentType,
    headers: { ...always, ...(coding !== undefined && { "content-encoding": coding }) }
  })
}
