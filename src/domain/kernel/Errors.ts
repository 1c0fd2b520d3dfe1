import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { type CodeOf, codeSchema } from "./ErrorCodes.ts"

/**
 * Every failure that a caller can cause, and nothing else: whatever is not one of these is a defect (500).
 *
 * One class per thing a caller can act on. `code` is the stable snake_case member of the problem document
 * (`ErrorCodes.ts` has them all); `detail` is one plain sentence: what happened and what to do next.
 * The HTTP status is an annotation. `Problem.ts` and `http/ProblemSchema.ts` read it.
 */

/** One offending place of a request: a dotted path (`limit`, `filter.task_ids.0`) and what is wrong there. */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Issue = typeof Issue.Type

/** 400: the body is not JSON in UTF-8, or the URL cannot be decoded. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", {
  code: Schema.optionalWith(codeSchema(400), { default: () => "bad_request" }),
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 400 })) {}

/** 401: no credential, or one that is not valid (any more); `mfa_required`: the second factor is pending. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  code: Schema.optionalWith(codeSchema(401), { default: () => "unauthenticated" }),
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 401 })) {}

/** 403: known, but not allowed: role, scope, CSRF, step-up. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  code: Schema.optionalWith(codeSchema(403), { default: () => "forbidden" }),
  detail: Schema.String,
  details: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { default: () => ({}) })
}, HttpApiSchema.annotations({ status: 403 })) {}

/** 404: no such thing here, or it belongs to a project the caller cannot see. `resource` names the kind. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  resource: Schema.String
}, HttpApiSchema.annotations({ status: 404 })) {
  get code() {
    return "not_found" as const
  }
  get detail() {
    return `No such ${this.resource}.`
  }
}

/** 405: the path exists, but not with this method. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allowed: Schema.Array(Schema.String)
}, HttpApiSchema.annotations({ status: 405 })) {
  get code() {
    return "method_not_allowed" as const
  }
  get detail() {
    return `This path answers ${this.allowed.join(", ")} only.`
  }
}

// the cast: codeOf's reason, and an application around the brain may refuse a deletion with a code of its own
const conflictCode = Schema.String as unknown as Schema.Schema<CodeOf<409> | (string & {}), string>

/** 409: the request contradicts what is stored (a taken slug, a reused idempotency key, the last admin). */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  code: Schema.optionalWith(conflictCode, { default: () => "conflict" }),
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 409 })) {}

/** 410: this operation is gone for good; `detail` names its replacement. */
export class Gone extends Schema.TaggedError<Gone>()("Gone", {
  code: codeSchema(410),
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 410 })) {}

/** 413: the body is larger than the endpoint's declared limit, in bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  limit: Schema.Number
}, HttpApiSchema.annotations({ status: 413 })) {
  get code() {
    return "payload_too_large" as const
  }
  get detail() {
    return `The request body is larger than ${this.limit} bytes.`
  }
}

/** 415: the body's content type is not JSON, or not a form where the endpoint takes one. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 415 })) {
  get code() {
    return "unsupported_media_type" as const
  }
}

/** 422: fields out of type, range or size; `issues` names each. */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>()("ValidationFailed", {
  issues: Schema.Array(Issue)
}, HttpApiSchema.annotations({ status: 422 })) {
  get code() {
    return "validation_failed" as const
  }
  get detail() {
    return this.issues.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  }
  static at(path: string, message: string) {
    return new ValidationFailed({ issues: [{ path, message }] })
  }
}

/** 429: too many requests of this kind from this address or user. `retry_after` in seconds, where the contract has it. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  detail: Schema.String,
  retry_after: Schema.optional(Schema.Number)
}, HttpApiSchema.annotations({ status: 429 })) {
  get code() {
    return "rate_limited" as const
  }
}

/** 426: the path is a WebSocket, and the request does not ask for one. */
export class UpgradeRequired extends Schema.TaggedError<UpgradeRequired>()("UpgradeRequired", {
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 426 })) {
  get code() {
    return "upgrade_required" as const
  }
}

/** 503: the brain cannot serve requests now (starting, database away); the same request will work later. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  code: Schema.optionalWith(codeSchema(503), { default: () => "unavailable" }),
  detail: Schema.String
}, HttpApiSchema.annotations({ status: 503 })) {}

/** The closed set, declared once on the whole API. */
export const failureClasses = [
  BadRequest,
  Unauthenticated,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  Conflict,
  Gone,
  PayloadTooLarge,
  UnsupportedMediaType,
  ValidationFailed,
  UpgradeRequired,
  RateLimited,
  Unavailable
] as const

export type Failure = InstanceType<(typeof failureClasses)[number]>
