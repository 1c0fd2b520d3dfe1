import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import {
  type CanonicalText,
  type JsonNode,
  JsonObject,
  parse,
  ParseFailure,
  toCanonicalText
} from "../domain/kernel/CanonicalJson.ts"
import { ValidationFailed } from "../domain/kernel/Errors.ts"

const parseFailureMessages = {
  syntax: "must be JSON",
  too_deep: "must not nest deeper than 128 arrays and objects",
  lone_surrogate: "must not contain a lone surrogate",
  number_overflow: "must not contain a number beyond the range of a 64-bit float"
} as const

/**
 * The body with every digit that the caller wrote: as numbers of JavaScript, `12345678901234567890` and `1.0` would
 * reach a task as others. Call it after the payload was decoded, which has read the body.
 */
export const readExactBody = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<JsonNode, ValidationFailed> =>
  Effect.flatMap(Effect.orDie(request.text), (body) => {
    const node = parse(body)
    return node instanceof ParseFailure
      ? ValidationFailed.at("", parseFailureMessages[node.reason])
      : Effect.succeed(node)
  })

/** The text of an object's member; null where it has none. */
export const exactMember = (node: JsonNode, name: string): CanonicalText | null => {
  const value = node instanceof JsonObject ? node.get(name) : undefined
  return value === undefined ? null : toCanonicalText(value)
}
