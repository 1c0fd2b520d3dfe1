import { Effect } from "effect"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Code } from "../domain/kernel/ErrorCodes.ts"
import { makeProblem } from "../domain/kernel/Problem.ts"
import * as Ids from "../services/kernel/Ids.ts"
import { rawResponse } from "../services/kernel/NodeServer.ts"

interface Refusal {
  readonly status: number
  readonly code: Code
  readonly detail: string
}

const notHttp: Refusal = { status: 400, code: "bad_request", detail: "This is not an HTTP request that can be read." }

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "request_head_too_large",
    detail: "The URL and the headers together are too long."
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: "payload_too_large",
    detail: "The chunk extensions are too long."
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: "request_timeout", detail: "The request did not arrive in time." }
}

/** What may still arrive after the response, so that a sender in the middle of its request gets to read it. */
const lingerLimits = { bytes: 8 * 1024 * 1024, milliseconds: 2000 }

/** Sends a problem document for what Node cannot parse as a request, and ends the connection. */
export const respondToClientErrors = (server: Server): Effect.Effect<void> =>
  Effect.map(Effect.clock, (clock) => {
    server.on("clientError", (error: Error & { readonly code?: string }, duplex: Duplex) => {
      const socket = duplex as Socket // of a server on TCP, as this one is
      if (
        socket.writableEnded
          ? socket.bytesRead > lingerLimits.bytes
          : !socket.writable || error.code === "ECONNRESET"
      ) {
        socket.destroy()
        return
      }
      if (socket.writableEnded) return
      socket.setTimeout(lingerLimits.milliseconds, () => socket.destroy())
      const refusal = refusals[error.code ?? ""] ?? notHttp
      socket.end(rawResponse(makeProblem(refusal.status, refusal, Ids.uuidv7(clock.unsafeCurrentTimeMillis()))))
    })
  })
