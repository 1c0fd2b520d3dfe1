import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { describeBody, describeField } from "./Describe.ts"
import { allCodes } from "./ErrorCodes.ts"
import type { Failure, failureClasses } from "./Errors.ts"

/** The form of every failure on the wire: RFC 9457 with the house's members `code`, `details` and `request_id`. */
export const Problem = Schema.Struct({
  type: describeField(Schema.String, "Always `about:blank`: `code` names the kind.", "about:blank"),
  title: describeField(Schema.String, "The status in words.", "Not found"),
  status: describeField(Schema.Int.annotations({ jsonSchema: { type: "integer" } }), "The HTTP status.", 404),
  detail: describeField(
    Schema.String,
    "What happened and what to do next, in a sentence for people.",
    "No such project."
  ),
  code: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: allCodes } }),
    "What happened, for programs. A code never changes its meaning; new ones may be added.",
    "not_found"
  ),
  details: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "More about some codes: `issues`, `limit`, `resource`, `deadline`.",
    { resource: "project" }
  ),
  request_id: describeField(
    Schema.String,
    "The request's id in the brain's log; also the header `X-Request-Id`.",
    "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
  )
}).annotations(describeBody("Problem", "Every failure has this form (RFC 9457)."))
export type Problem = typeof Problem.Type

const titles: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  410: "Gone",
  408: "Request timeout",
  413: "Payload too large",
  415: "Unsupported media type",
  422: "Validation failed",
  426: "Upgrade required",
  429: "Too many requests",
  431: "Request head too large",
  500: "Internal error",
  503: "Not available now"
}

/** What a failure holds beyond code and detail. */
const detailsOf = (failure: Failure): Readonly<Record<string, unknown>> => {
  switch (failure._tag) {
    case "Forbidden":
      return failure.details
    case "ValidationFailed":
      return { issues: failure.issues }
    case "NotFound":
      return { resource: failure.resource }
    case "MethodNotAllowed":
      return { allowed: failure.allowed }
    case "PayloadTooLarge":
      return { limit: failure.limit }
    default:
      return {}
  }
}

export const makeProblem = (
  status: number,
  fields: { readonly code: string; readonly detail: string; readonly details?: Readonly<Record<string, unknown>> },
  requestId: string
): Problem => ({
  type: "about:blank",
  title: titles[status] ?? "Failed",
  status,
  detail: fields.detail,
  code: fields.code,
  details: fields.details ?? {},
  request_id: requestId
})

type FailureClass = (typeof failureClasses)[number]

const statusOfClass = (failure: FailureClass): number => HttpApiSchema.getStatusError(failure)

export const problemOf = (failure: Failure, requestId: string): Problem =>
  // a failure's constructor is its class, which carries the status
  makeProblem(statusOfClass(failure.constructor as FailureClass), {
    code: failure.code,
    detail: failure.detail,
    details: detailsOf(failure)
  }, requestId)
