import { Effect, FiberSet } from "effect"
import { readFileSync } from "node:fs"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { isInRanges, parseAddress, parseCidrs } from "../domain/kernel/net/Cidr.ts"
import { clientKey, parseProxies } from "../domain/kernel/net/ClientAddress.ts"
import { Metrics } from "../services/kernel/Metrics.ts"
import { Settings } from "../services/kernel/Settings.ts"

/** Once our side of a connection has ended, its client has 2 s to end the other side. */
const lingerMillis = 2000
/** Refused connections are logged once in this time, for all addresses together. */
const logEveryMillis = 60_000

// Shared listener functions: closures per socket would cost memory with 10 000 agents.

/** An `error` without a listener ends the process. The socket's `close` follows, and `errored` still has the error. */
function ignoreError(this: Socket): void {}

function destroyAfterLinger(this: Socket): void {
  const timer = setTimeout(() => this.destroy(), lingerMillis)
  this.once("close", () => clearTimeout(timer))
}

/** A closed set: it labels a metric. */
const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "timeout",
  ESLOWREADER: "slow_reader"
}

const reasonOf = ({ errored }: Socket): string => {
  if (errored === null) return "ended"
  return "code" in errored && typeof errored.code === "string" ? reasons[errored.code] ?? "error" : "error"
}

/** Local programs, and a local proxy that is missing in SVC_TRUSTED_PROXIES, connect from these. */
const loopbackRanges = parseCidrs(["127.0.0.1", "::1"])

/** How many files, and so connections, this process may open; null where only a native call knows (not Linux). */
export const openFilesLimit: Effect.Effect<number | null> = Effect.try(() => readFileSync("/proc/self/limits", "utf8"))
  .pipe(
    Effect.map((limits) => Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? NaN)),
    Effect.map((soft) => (Number.isNaN(soft) ? null : soft)),
    Effect.orElseSucceed(() => null)
  )

/** Counts the connections of each address, at most `max`. */
class AddressCounts {
  private readonly open = new Map<string, number>()

  constructor(private readonly max: number) {}

  take(address: string): boolean {
    const count = this.open.get(address) ?? 0
    if (count >= this.max) return false
    this.open.set(address, count + 1)
    return true
  }

  release(address: string): void {
    const count = this.open.get(address) ?? 0
    if (count > 1) this.open.set(address, count - 1)
    else this.open.delete(address)
  }
}

/**
 * Watches every connection of the server from its first moment. It listens to `error` (an upgrade removes Node's own
 * listener), ends half-closed connections, and counts connections in all and per address.
 */
export const watchConnections = (server: Server) =>
  Effect.gen(function*() {
    const { connections, connectionsClosed } = yield* Metrics
    const { connectionsPerAddress, trustedProxies } = yield* Settings
    const fork = yield* FiberSet.makeRuntime<never>()
    const clock = yield* Effect.clock
    const unlimited = [...loopbackRanges, ...parseProxies(trustedProxies)]
    const maxPerAddress = Math.min(
      connectionsPerAddress === 0 ? Infinity : connectionsPerAddress,
      Math.floor(((yield* openFilesLimit) ?? Infinity) / 2)
    )
    const addresses = new AddressCounts(maxPerAddress)
    let loggedAt = -Infinity

    /** What the connection counts as; null where there is no limit. Node keeps the address of a socket that has ended. */
    const keyOf = (
      { remoteAddress = "" }: Socket
    ): string | null => (isInRanges(parseAddress(remoteAddress), unlimited) ? null : clientKey(remoteAddress))

    function onClose(this: Socket): void {
      connections.dec()
      connectionsClosed.inc({ reason: reasonOf(this) })
      const key = keyOf(this)
      if (key !== null) addresses.release(key)
    }

    const refuse = (socket: Socket, key: string): void => {
      socket.on("error", ignoreError).destroy()
      connectionsClosed.inc({ reason: "too_many" })
      const now = clock.unsafeCurrentTimeMillis()
      if (now - loggedAt < logEveryMillis) return
      loggedAt = now
      fork(
        Effect.logWarning(
          `${key} has ${maxPerAddress} connections, and further ones are closed (SVC_CONNECTIONS_PER_ADDRESS, ulimit -n)`
        )
      )
    }

    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket)
      if (key !== null && !addresses.take(key)) return refuse(socket, key)
      connections.inc()
      socket.on("error", ignoreError).once("finish", destroyAfterLinger).once("close", onClose)
    })
    // such as an accept that fails for want of files; the layer that listens reports a failure to listen
    server.once("listening", () =>
      server.on("error", (error) => void fork(Effect.logWarning("the server could not accept a connection", error))))
  })
