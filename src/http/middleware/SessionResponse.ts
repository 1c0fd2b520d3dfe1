import { HttpServerResponse } from "@effect/platform"
import { Effect, type Schema } from "effect"
import type { SessionCookie } from "../../services/identity/Sessions/Creation.ts"
import { Cookies } from "./Cookies.ts"

/** A response that also signs the browser in, with the two cookies of a new session; null: it does not. */
export const makeSessionResponse = <A, I>(schema: Schema.Schema<A, I>, status = 200) => {
  const toJson = HttpServerResponse.schemaJson(schema)
  return Effect.map(
    Cookies,
    ({ setSession }) => (body: A, session: SessionCookie | null) =>
      toJson(body, { status }).pipe(
        Effect.map(session === null ? (response) => response : setSession(session.token, session.maxAgeSeconds)),
        Effect.orDie
      )
  )
}
