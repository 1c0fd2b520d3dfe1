import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Metrics } from "../services/Metrics.ts"

/** Once our side of a connection has ended, its client has 2 s to end the other side. */
const lingerMillis = 2000

// One function each for all sockets: 10 000 agents would pay for closures of their own.

/** An `error` without a listener ends the process. The socket's `close` follows, and `errored` still has the error. */
function onError(this: Socket): void {}

function onFinish(this: Socket): void {
  const timer = setTimeout(() => this.destroy(), lingerMillis)
  this.once("close", () => clearTimeout(timer))
}

/** A closed set: it labels a metric. */
const reasons: Readonly<Record<string, string>> = { ECONNRESET: "reset", EPIPE: "reset", ETIMEDOUT: "timeout" }

const reasonOf = ({ errored }: Socket): string => {
  if (errored === null) return "ended"
  return "code" in errored && typeof errored.code === "string" ? reasons[errored.code] ?? "error" : "error"
}

/**
 * Every connection of the server from its first moment, whatever becomes of it: its `error` is listened to (Node's own
 * listener goes with an upgrade), it does not stay half-closed, and it is counted.
 */
export const watchConnections = (server: Server, { connections, connectionsClosed }: Metrics): void => {
  function onClose(this: Socket): void {
    connections.dec()
    connectionsClosed.inc({ reason: reasonOf(this) })
  }
  server.on("connection", (socket: Socket) => {
    connections.inc()
    socket.on("error", onError).once("finish", onFinish).once("close", onClose)
  })
}
