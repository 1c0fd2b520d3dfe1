import type { HttpServerRequest } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { isUtf8 } from "node:buffer"
import { BadRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed } from "../../domain/Errors.ts"
import { yieldToEventLoop } from "../../services/EventLoop.ts"

/** As deep as an agent's frame may nest: what is taken can be sent on. */
const maxDepth = 128

/** Characters of a body that is looked at in several turns of the event loop. */
const yieldAboveLength = 1024 * 1024

/** Fields of a body: more than any has, so that naming those that there are not costs nothing. */
const maxFields = 100

/** The closing ones of the last two are two characters on. */
const [QUOTE, BACKSLASH, SQUARE, CURLY] = [34, 92, 91, 123]

const jsonType = /^application\/json\s*(;|$)/i

const malformedJson = new BadRequest({ code: "malformed_json", detail: "The request body is not valid JSON." })

/**
 * The body's bytes, at most `limit` of them. Instead of the platform's reader, which ends the connection on a body
 * that is too large: here the rest is read and dropped, so that the sender gets to see the answer.
 */
const readBytes = (request: HttpServerRequest.HttpServerRequest, limit: number): Effect.Effect<Buffer, PayloadTooLarge> => {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers
  if (length === undefined && encoding === undefined) return Effect.succeed(Buffer.alloc(0))
  if (Number(length) > limit) return Effect.fail(new PayloadTooLarge({ limit }))
  return Effect.async((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const chunks: Array<Buffer> = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) return void chunks.push(chunk)
      source.off("data", onData).resume()
      resume(Effect.fail(new PayloadTooLarge({ limit })))
    }
    source.on("data", onData).once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
  })
}

/**
 * The member of the outermost object that nests too deep, or null. Before anything parses the text: JSON.parse
 * takes seconds for the four million arrays that fit into the largest body.
 */
const findTooDeepMember = (text: string): string | null => {
  let depth = 0
  let key = ""
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      const start = at++
      for (; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++
      if (depth === 1) key = text.slice(start + 1, at)
    } else if (character === CURLY || character === SQUARE) {
      if (++depth > maxDepth) return key
    } else if (character === CURLY + 2 || character === SQUARE + 2) depth--
  }
  return null
}

/** What is wrong in a JSON value wherever it may be, and `path` then leads there; or null. */
const findFlaw = (value: unknown, path: Array<string>): string | null => {
  if (typeof value === "string") return value.isWellFormed() ? null : "must not contain a lone surrogate"
  if (typeof value === "number") return Number.isFinite(value) ? null : "must be within the range of a 64-bit float"
  if (typeof value !== "object" || value === null) return null
  for (const [key, member] of Object.entries(value)) {
    path.push(key)
    const flaw = findFlaw(key, path) ?? findFlaw(member, path)
    if (flaw !== null) return flaw
    path.pop()
  }
  return null
}

/** The value of a JSON text that does not nest too deep; null for no text at all. */
const parseJson = (text: string): Effect.Effect<unknown, BadRequest | ValidationFailed> => {
  if (text === "") return Effect.succeed(null)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Effect.fail(malformedJson)
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > maxFields) {
    return Effect.fail(ValidationFailed.at("", `must have at most ${maxFields} fields`))
  }
  const path: Array<string> = []
  const flaw = findFlaw(value, path)
  return flaw === null ? Effect.succeed(value) : Effect.fail(ValidationFailed.at(path.join("."), flaw))
}

/**
 * The request with its body read and looked at once, for whoever asks for its text or JSON later: at most `limit`
 * bytes of UTF-8 JSON without anything that no field may hold.
 */
export const readBody = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, limit: number) {
  const bytes = yield* readBytes(request, limit)
  const type = request.headers["content-type"]
  if (bytes.length > 0 && type !== undefined && !jsonType.test(type)) {
    return yield* new UnsupportedMediaType({ detail: "Send the request body as application/json." })
  }
  if (!isUtf8(bytes)) return yield* malformedJson
  const text = bytes.toString("utf8")
  const rest = bytes.length > yieldAboveLength ? yieldToEventLoop : Effect.void
  yield* rest
  const tooDeepMember = findTooDeepMember(text)
  if (tooDeepMember !== null) return yield* ValidationFailed.at(tooDeepMember, `must not nest deeper than ${maxDepth} arrays and objects`)
  yield* rest
  const json = yield* parseJson(text)
  // every other property is the request's own
  const requestWithBody: HttpServerRequest.HttpServerRequest = Object.create(request, {
    text: { value: Effect.succeed(text) },
    json: { value: Effect.succeed(json) }
  })
  return requestWithBody
})
