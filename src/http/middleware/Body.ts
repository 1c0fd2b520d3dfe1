import { type HttpServerRequest, UrlParams } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { isUtf8 } from "node:buffer"
import { BadRequest, PayloadTooLarge, UnsupportedMediaType, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { yieldToEventLoop } from "../../services/kernel/concurrency/EventLoop.ts"

/** The nesting limit of agents' frames: every accepted body can be sent to an agent. */
const maxDepth = 128

/** Longer bodies, in bytes, are checked in several turns of the event loop. */
const yieldAboveLength = 1024 * 1024

/** More fields than any body has. The limit bounds the cost of listing unknown fields. */
const maxFields = 100

/** Code units. A closing bracket is its opening one plus two. */
const [QUOTE, BACKSLASH, SQUARE, CURLY] = [34, 92, 91, 123]

const jsonType = /^application\/json\s*(;|$)/i
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

const malformedJson = new BadRequest({ code: "malformed_json", detail: "The request body is not valid JSON." })

const tooManyFields = ValidationFailed.at("", `must have at most ${maxFields} fields`)

const hasBody = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** The request with these as its text, JSON and form; every other property is the request's own. */
const withBody = (
  request: HttpServerRequest.HttpServerRequest,
  text: string,
  json: unknown,
  form: UrlParams.UrlParams = UrlParams.empty
): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    text: { value: Effect.succeed(text) },
    json: { value: Effect.succeed(json) },
    urlParamsBody: { value: Effect.succeed(form) }
  })

/**
 * The body's bytes, at most `limit`. The platform's reader ends the connection on a body that is too large. This one
 * reads and drops the rest, so that the sender receives the 413.
 */
const readBytes = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Buffer, PayloadTooLarge> => {
  if (Number(request.headers["content-length"]) > limit) return Effect.fail(new PayloadTooLarge({ limit }))
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
 * The member of the outermost object that nests too deep, or null. It runs before JSON.parse, which takes seconds for
 * the four million nested arrays that fit into the largest body.
 */
const findTooDeepMember = (text: string): string | null => {
  let depth = 0
  let key = ""
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === QUOTE) {
      const start = index++
      for (; index < text.length && text.charCodeAt(index) !== QUOTE; index++) {
        if (text.charCodeAt(index) === BACKSLASH) index++
      }
      if (depth === 1) key = text.slice(start + 1, index)
    } else if (character === CURLY || character === SQUARE) {
      if (++depth > maxDepth) return key
    } else if (character === CURLY + 2 || character === SQUARE + 2) depth--
  }
  return null
}

/** The first flaw in a JSON value at any depth, or null. `path` then leads to it. */
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

/** Parses a JSON text whose nesting was checked; an empty text is null. */
const parseJson = (text: string): Effect.Effect<unknown, BadRequest | ValidationFailed> => {
  if (text === "") return Effect.succeed(null)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Effect.fail(malformedJson)
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > maxFields) {
    return Effect.fail(tooManyFields)
  }
  const path: Array<string> = []
  const flaw = findFlaw(value, path)
  return flaw === null ? Effect.succeed(value) : Effect.fail(ValidationFailed.at(path.join("."), flaw))
}

/** The request with its form. Bytes that are no UTF-8, also percent-encoded ones, become U+FFFD (WHATWG URL, 5.1). */
const readForm = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, bytes: Buffer) {
  if (bytes.length > 0 && !formType.test(request.headers["content-type"] ?? "")) {
    return yield* new UnsupportedMediaType({ detail: "Send the request body as application/x-www-form-urlencoded." })
  }
  const text = bytes.toString("utf8")
  const form = UrlParams.fromInput(new URLSearchParams(text))
  if (form.length > maxFields) return yield* tooManyFields
  return withBody(request, text, null, form)
})

/**
 * Reads and checks the body once; later readers of its text, JSON or form get the result. It is at most `limit` bytes of
 * UTF-8 JSON, without values that no field may hold; or a form, where the endpoint takes one instead (`isForm`).
 */
export const readBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  isForm: boolean
) {
  // no handler of a GET asks for its body, and the changed request would cost 10 µs
  if (!hasBody(request)) return request.method === "GET" ? request : withBody(request, "", null)
  const bytes = yield* readBytes(request, limit)
  if (isForm) return yield* readForm(request, bytes)
  const type = request.headers["content-type"]
  if (bytes.length > 0 && type !== undefined && !jsonType.test(type)) {
    return yield* new UnsupportedMediaType({ detail: "Send the request body as application/json." })
  }
  if (!isUtf8(bytes)) return yield* malformedJson
  const text = bytes.toString("utf8")
  const rest = bytes.length > yieldAboveLength ? yieldToEventLoop : Effect.void
  yield* rest
  const tooDeepMember = findTooDeepMember(text)
  if (tooDeepMember !== null) {
    return yield* ValidationFailed.at(tooDeepMember, `must not nest deeper than ${maxDepth} arrays and objects`)
  }
  yield* rest
  const json = yield* parseJson(text)
  return withBody(request, text, json)
})
