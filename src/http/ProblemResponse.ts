import { HttpApiError, HttpServerError, HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Option } from "effect"
import {
  type Failure,
  failureClasses,
  type Issue,
  NotFound,
  Unavailable,
  ValidationFailed
} from "../domain/kernel/Errors.ts"
import { makeProblem, type Problem, problemOf } from "../domain/kernel/Problem.ts"
import { HeadForged } from "../services/audit/ChainWriter.ts"
import { LogContradicted } from "../services/audit/CommittedHead.ts"
import { isUnavailable } from "../services/kernel/sql/Database.ts"

/** The only place that turns failures and defects into responses: `application/problem+json`, never HTML. */
const isFailure = (error: unknown): error is Failure => failureClasses.some((failure) => error instanceof failure)

/** Unknown fields are listed, at most this many. */
const maxIssues = 20

/** Effect's message about a wrong type ends with the value, which may be a secret. */
const removeValue = (message: string): string => message.replace(/, actual [^]*$/, "")

/** One issue a path. A union gives one message for each of its members; `undefined` and `null` among them are left out. */
const issuesOf = (parseIssues: HttpApiError.HttpApiDecodeError["issues"]): ReadonlyArray<Issue> => {
  const messages = new Map<string, Array<string>>()
  for (const { message, path } of parseIssues) {
    const place = path.map(String).join(".")
    const known = messages.get(place)
    if (known === undefined && messages.size === maxIssues) break
    messages.set(place, [...(known ?? []), removeValue(message)])
  }
  return Array.from(messages).flatMap(([path, all]) => {
    const specific = all.filter((message) => message !== "Expected undefined" && message !== "Expected null")
    const deeper = [...messages.keys()].some((place) => place.startsWith(`${path}.`))
    if (specific.length === 0 && deeper) return []
    return [{ path, message: truncateMessage(joinMessages(specific.length > 0 ? specific : all)) }]
  })
}

const literal = /^Expected ("[^"]*")$/

/** For a union of literals, the literals; for anything else each message. */
const joinMessages = (messages: ReadonlyArray<string>): string => {
  const words = messages.map((message) => literal.exec(message)?.[1])
  return words.length > 1 && !words.includes(undefined) ? `must be one of ${words.join(", ")}` : messages.join("; or ")
}

/** A message may contain the name of a field, which may be long. */
const truncateMessage = (
  message: string
): string => (message.length <= 500 ? message : `${message.slice(0, 500).toWellFormed()}…`)

/** The failure behind an error, or none for a defect. */
const failureOf = (error: unknown): Option.Option<Failure> => {
  if (isFailure(error)) return Option.some(error)
  if (error instanceof HttpApiError.HttpApiDecodeError) {
    return Option.some(new ValidationFailed({ issues: issuesOf(error.issues) }))
  }
  if (error instanceof HttpServerError.RouteNotFound) return Option.some(new NotFound({ resource: "path" }))
  if (isUnavailable(error)) {
    return Option.some(new Unavailable({ detail: "The database does not answer. Try again in a moment." }))
  }
  if (error instanceof LogContradicted) {
    return Option.some(
      refuseChange(`${error.message}. Put the right database back, or accept this one with svc audit fork-cleanup.`)
    )
  }
  if (error instanceof HeadForged) return Option.some(refuseChange(`${error.message}.`))
  return Option.none()
}

/** Reads are served, and changes are refused until a person decides (docs/audit.md, When the log is contradicted). */
const refuseChange = (why: string) =>
  new Unavailable({ code: "audit_log_contradicted", detail: `Nothing can be changed: ${why}` })

const respond = (body: Problem, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), {
    status: body.status,
    contentType: "application/problem+json",
    headers
  })

const headersOf = (failure: Failure): Readonly<Record<string, string>> => {
  if (failure._tag === "MethodNotAllowed") return { allow: failure.allowed.join(", ") }
  if (failure._tag === "UpgradeRequired") return { upgrade: "websocket", connection: "upgrade" }
  if (failure._tag === "RateLimited" && failure.retry_after !== undefined) {
    return { "retry-after": String(failure.retry_after) }
  }
  return {}
}

export const fromFailure = (failure: Failure, requestId: string): HttpServerResponse.HttpServerResponse =>
  respond(problemOf(failure, requestId), headersOf(failure))

/** The response to any cause. A defect is 500 without inner text, and is logged here once with its cause. */
export const fromCause = (cause: Cause.Cause<unknown>, requestId: string) => {
  const failure = failureOf(Cause.squash(cause))
  if (Option.isSome(failure)) return Effect.succeed(fromFailure(failure.value, requestId))
  const detail = "The brain failed to answer this request. Its log has the cause under this request_id."
  return Effect.as(
    Effect.logError("a request ended with a defect", cause),
    respond(makeProblem(500, { code: "internal_error", detail }, requestId))
  )
}
