import { Effect } from "effect"
import {
  type CanonicalText,
  type JsonNode,
  JsonObject,
  parse,
  ParseFailure,
  toCanonicalText
} from "../../domain/CanonicalJson.ts"
import type { RetryTask, RetryTaskRequest } from "../../domain/Command/Requests.ts"
import { ValidationFailed } from "../../domain/Errors.ts"

const parseFailureMessages = {
  syntax: "must be JSON",
  too_deep: "must not nest deeper than 128 arrays and objects",
  lone_surrogate: "must not contain a lone surrogate",
  number_overflow: "must not contain a number beyond the range of a 64-bit float"
} as const

/**
 * A retry with its overrides taken from the text of the body: as numbers of JavaScript, `12345678901234567890` and
 * `1.0` would reach the task as others.
 */
export const withOverrides = (
  request: typeof RetryTaskRequest.Type,
  body: string
): Effect.Effect<RetryTask, ValidationFailed> => {
  if (request.override_args === null) return Effect.succeed({ ...request, override_args: null, override_kwargs: null })
  const node = parse(body)
  if (node instanceof ParseFailure) return ValidationFailed.at("", parseFailureMessages[node.reason])
  return Effect.succeed({
    ...request,
    override_args: spliceMember(node, "override_args"),
    override_kwargs: spliceMember(node, "override_kwargs")
  })
}

/** The schema has found the member before. */
const spliceMember = (node: JsonNode, name: string): CanonicalText | null => {
  const value = node instanceof JsonObject ? node.get(name) : undefined
  return value === undefined ? null : toCanonicalText(value)
}
