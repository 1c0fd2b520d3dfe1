import type { HttpServerRequest } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import type { Socket } from "node:net"

/**
 * Requests of a connection that may wait behind its current one. A connection that sends more is closed; its client sends
 * those again that got no response (RFC 9112, 9.3.2).
 */
const maxWaiting = 32

/** What waits on a connection: each ends its wait with an interruption. One listener for all of a connection. */
const waitingBySocket = new WeakMap<Socket, Set<() => void>>()

const waitingOn = (socket: Socket): Set<() => void> => {
  const known = waitingBySocket.get(socket)
  if (known !== undefined) return known
  const waiting = new Set<() => void>()
  waitingBySocket.set(socket, waiting)
  socket.once("close", () => waiting.forEach((interrupt) => interrupt()))
  return waiting
}

/**
 * Waits until all earlier requests of the connection have their responses; null for a request that is first. Node handles
 * pipelined requests at once and keeps their responses in memory until their turn comes.
 */
export const awaitPrevious = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> | null => {
  const incoming = NodeHttpServerRequest.toIncomingMessage(request)
  if ("upgrade" in incoming && incoming.upgrade === true) return null // its response would take the socket from the upgrade
  const response = NodeHttpServerRequest.toServerResponse(request)
  if (response.socket !== null) return null
  const { socket } = incoming
  const waiting = waitingOn(socket)
  if (socket.destroyed || waiting.size >= maxWaiting) {
    socket.destroy()
    return Effect.interrupt
  }
  return Effect.async<void>((resume) => {
    // Node does not close the response of a connection that ends before its turn
    const interrupt = () => resume(Effect.interrupt)
    const onTurn = () => {
      waiting.delete(interrupt)
      resume(Effect.void)
    }
    waiting.add(interrupt)
    response.once("socket", onTurn)
    return Effect.sync(() => {
      waiting.delete(interrupt)
      response.off("socket", onTurn)
    })
  })
}
