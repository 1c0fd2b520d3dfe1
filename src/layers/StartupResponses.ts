import { Effect, MutableRef } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Unavailable } from "../domain/kernel/Errors.ts"
import { problemOf } from "../domain/kernel/Problem.ts"
import { securityHeaders } from "../http/middleware/Request.ts"
import * as Ids from "../services/kernel/Ids.ts"
import type { StartupReason } from "../services/kernel/Startup.ts"

const livenessPaths = new Set(["/health", "/api/v1/health"])
const readinessPaths = new Set(["/health/ready", "/api/v1/health/ready"])

const startupFailures: Readonly<Record<StartupReason, Unavailable>> = {
  starting: new Unavailable({ detail: "The brain is starting. Send the request again in a moment." }),
  database: new Unavailable({
    detail: "The brain waits for its database, which does not answer. Send the request again later."
  })
}

/** Responds to every request until the routes are served: `/health` with 200, everything else with 503. */
export const respondWhileStarting = (
  server: Server,
  waiting: MutableRef.MutableRef<StartupReason>
): Effect.Effect<void> =>
  Effect.map(Effect.clock, (clock) => {
    const respond = (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url?.split("?", 1)[0] ?? ""
      const reason = MutableRef.get(waiting)
      const requestId = Ids.uuidv7(clock.unsafeCurrentTimeMillis())
      const [status, type, body] = livenessPaths.has(path)
        ? [200, "application/json", { status: "ok" }] as const
        : readinessPaths.has(path)
        ? [503, "application/json", { status: "unready", reason }] as const
        : [503, "application/problem+json", problemOf(startupFailures[reason], requestId)] as const
      response.writeHead(status, {
        ...securityHeaders,
        "content-type": type,
        "x-request-id": requestId,
        ...(status === 503 && { "retry-after": "1" })
      })
      response.end(JSON.stringify(body))
    }
    server.on("request", respond)
    server.on("newListener", (event) => {
      if (event === "request") server.off("request", respond)
    })
  })
