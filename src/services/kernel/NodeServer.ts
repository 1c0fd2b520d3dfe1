import { Context, type Effect } from "effect"
import { type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { Problem } from "../../domain/kernel/Problem.ts"

/**
 * The raw HTTP server under the routes, for the agents' WebSockets. `awaitClosing` completes when the program stops;
 * live streams, long-polls and sockets must end their requests then.
 */
export class NodeServer extends Context.Tag("svc/NodeServer")<NodeServer, {
  readonly server: Server
  readonly awaitClosing: Effect.Effect<void>
  /** Starts closing and drains; the server's layer calls it. */
  readonly close: Effect.Effect<void>
}>() {}

/** A complete HTTP response as text, for a socket that no route serves. It closes the connection. */
export const rawResponse = (problem: Problem): string => {
  const body = JSON.stringify(problem)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\n` +
    `Content-Type: application/problem+json\r\nX-Request-Id: ${problem.request_id}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** How long a client may take to read a final response. */
const responseTimeoutMillis = 2000

/** Responds to a request for an upgrade, and destroys its socket: `end` alone leaves the other half open for ever. */
export const refuseUpgrade = (socket: Duplex, problem: Problem): void => {
  const timer = setTimeout(() => socket.destroy(), responseTimeoutMillis)
  socket.once("close", () => clearTimeout(timer))
  socket.end(rawResponse(problem), () => socket.destroy())
}
