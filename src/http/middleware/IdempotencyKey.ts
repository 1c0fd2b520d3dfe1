import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Cause, Effect, Exit } from "effect"
import type { AccessRule } from "../../domain/kernel/Access.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import { Idempotency, type IdempotentRequest } from "../../services/kernel/Idempotency.ts"
import type { Grant } from "./Authorize.ts"

const keyPattern = /^[\x21-\x7e]{1,200}$/

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): string | null => {
  if (body._tag === "Raw" && typeof body.body === "string") return body.body
  return body._tag === "Uint8Array" ? Buffer.from(body.body).toString("utf8") : null
}

const replay = (status: number, body: string) =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: { "idempotency-replayed": "true" }
  })

/**
 * Honours the `Idempotency-Key` header on an endpoint that creates: the same key and body get the first response
 * again, for 24 hours and within project, person and route.
 *
 * A failure that the caller caused releases the key. After a defect the outcome is unknown, so the key stays taken.
 */
export const make = Effect.map(Idempotency, (idempotency) => {
  const runAndStore = <E, R>(
    rule: AccessRule,
    request: IdempotentRequest,
    handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    Effect.onExit(handler, (exit) => {
      if (Exit.isSuccess(exit)) {
        return idempotency.complete(request, exit.value.status, rule.creates === "secret" ? null : textOf(exit.value))
      }
      return Cause.isFailure(exit.cause) ? idempotency.release(request) : Effect.void
    })

  return <E, R>(
    route: string,
    rule: AccessRule,
    { actor, project }: Grant,
    handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => {
    if (rule.creates === undefined || actor.kind !== "person") return handler
    return Effect.gen(function*() {
      const { headers, text } = yield* HttpServerRequest.HttpServerRequest
      const key = headers["idempotency-key"]
      if (key === undefined) return yield* handler
      if (!keyPattern.test(key)) {
        return yield* ValidationFailed.at("Idempotency-Key", "must be 1 to 200 printable characters without spaces")
      }
      const request: IdempotentRequest = {
        projectId: project?.id ?? null,
        userId: actor.user_id,
        route,
        key,
        body: yield* text
      }
      const storedResponse = yield* idempotency.reserve(request)
      return storedResponse === null
        ? yield* runAndStore(rule, request, handler)
        : replay(storedResponse.status, storedResponse.body)
    })
  }
})
