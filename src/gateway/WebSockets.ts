import { Clock, type Duration, Effect, FiberSet, Layer } from "effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { type Failure, Unavailable } from "../domain/kernel/Errors.ts"
import { clientAddress, parseProxies } from "../domain/kernel/net/ClientAddress.ts"
import { problemOf } from "../domain/kernel/Problem.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import { Agents } from "../services/agents/Agents.ts"
import { Presence } from "../services/agents/Presence.ts"
import { AllowedHosts } from "../services/kernel/AllowedHosts.ts"
import { Loops } from "../services/kernel/concurrency/Loops.ts"
import * as Ids from "../services/kernel/Ids.ts"
import { Metrics } from "../services/kernel/Metrics.ts"
import { NodeServer, refuseUpgrade } from "../services/kernel/NodeServer.ts"
import { RateLimits } from "../services/kernel/RateLimits.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { DenseFrames } from "./DenseFrames.ts"
import { Receiver } from "./Receiver.ts"
import { Refusals } from "./Refusals.ts"
import { SessionRegistry } from "./SessionRegistry.ts"
import { closeCode, closeSocket } from "./SocketClose.ts"
import { type ConnectionContext, SocketConnection } from "./SocketConnection.ts"
import { type GatewayContext, SocketSession } from "./SocketSession.ts"

export const agentSocketPath = "/ws/agent"

/** At shutdown: the time for acks of committed events and for results of commands, and for peers to return the close frame. */
const drainTimeout = "2 seconds"
const closeTimeout = "2500 millis"

const temporarilyUnavailable = new Unavailable({
  detail: "The brain cannot admit an agent now. Connect again in a moment."
})

/** Responds to a refused upgrade and closes the connection. */
const reject = (request: IncomingMessage, socket: Duplex, failure: Failure) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) =>
      refuseUpgrade(socket, problemOf(failure, Ids.requestIdFrom(request.headersDistinct["x-request-id"]?.[0], now)))
  )

/**
 * Newer versions of Node pass a stream around the server's socket. A function here, because a closure would keep the
 * request in memory.
 */
function ignoreSocketError(): void {} // the stream destroys itself and emits `close`

const makeGateway = (fork: GatewayContext["fork"], isDraining: () => boolean) =>
  Effect.gen(function*() {
    let dueSessions: Array<SocketSession> = []
    const sendDueAcks = () => {
      const now = dueSessions
      dueSessions = []
      for (const session of now) session.sendAcks()
    }
    const gateway: GatewayContext = {
      clock: yield* Effect.clock,
      receiver: yield* Receiver,
      refusals: yield* Refusals,
      denseFrames: yield* DenseFrames,
      sessions: yield* SessionRegistry,
      fork,
      scheduleAcks: (session) => {
        if (dueSessions.length === 0) setImmediate(sendDueAcks)
        dueSessions.push(session)
      },
      blockedSessions: new Set(),
      isDraining
    }
    return gateway
  })

/** Lets blocked sessions offer their batches again while the ingest has room. Returns what ends it. */
const retryBlockedSessions = ({ blockedSessions, receiver }: GatewayContext) =>
  receiver.ingest.onCapacity(() => {
    const turn = Array.from(blockedSessions) // a session whose batch is refused again goes to the end
    for (const session of turn) {
      blockedSessions.delete(session)
      if (session.retryBatch()) continue
      blockedSessions.add(session)
      return
    }
  })

/** Pings quiet sessions, and terminates connections that are open only on our side. */
const checkQuietSessions = (sessions: SessionRegistry, heartbeatSeconds: number, offlineAfterSeconds: number) => {
  const pingAfterMillis = heartbeatSeconds * 2000
  const terminateAfterMillis = Math.max(heartbeatSeconds * 4000, offlineAfterSeconds * 1000) + 30_000
  return Effect.map(Clock.currentTimeMillis, (now) => {
    for (const session of socketSessions(sessions)) {
      const quiet = session.isPaused ? 0 : now - session.lastActivityAt
      if (quiet > terminateAfterMillis) session.terminate()
      else if (quiet > pingAfterMillis) session.ping()
    }
  })
}

// Only the wait is interruptible, inside the time limit: SIGTERM interrupts the fiber that runs the finalizers, and an
// interruptible region of that fiber ends at once.
const waitUntil = (done: () => boolean, limit: Duration.DurationInput) =>
  Effect.repeat(Effect.sleep("20 millis"), { until: done }).pipe(Effect.interruptible, Effect.timeoutOption(limit))

/**
 * The agents' WebSocket, `/ws/agent` on the HTTP server. It replaces the server's upgrade listeners, because the
 * platform's accept messages of 100 MiB and have no setting for it. Upgrades to other paths go to the listeners that
 * were there before.
 */
export const layer = Layer.scopedDiscard(Effect.gen(function*() {
  const { close, server } = yield* NodeServer
  const settings = yield* Settings
  const agents = yield* Agents
  const hosts = yield* AllowedHosts
  const limits = yield* RateLimits
  const loops = yield* Loops
  const metrics = yield* Metrics
  const presence = yield* Presence
  const sessions = yield* SessionRegistry
  const fork = yield* FiberSet.makeRuntime<never>()
  const proxies = parseProxies(settings.trustedProxies)
  const openSockets = new Set<WebSocket>()
  let draining = false

  const gateway = yield* makeGateway((effect) => fork(effect), () => draining)
  const context: ConnectionContext = {
    gateway,
    presence,
    heartbeatSeconds: settings.agentHeartbeat
  }
  const stopRetrying = retryBlockedSessions(gateway)

  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    autoPong: false, // a session sends pongs in the order of its frames
    clientTracking: false
  })
  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer, onOpen: (ws: WebSocket) => void) => {
    if (socket.destroyed) return
    wss.handleUpgrade(request, socket, head, (ws) => {
      openSockets.add(ws)
      ws.once("close", () => openSockets.delete(ws))
      onOpen(ws)
    })
  }

  const admit = Effect.fnUntraced(function*(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const forwarded = request.headers["x-forwarded-for"]
    const address = clientAddress(
      request.socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
      proxies
    )
    if (!(yield* limits.takeForAddress("agent", address))) {
      metrics.framesRefused.inc({ reason: "too_many_connects" })
      return accept(request, socket, head, (ws) => {
        ws.on("error", () => {}) // the socket is closing: its errors do not matter
        closeSocket(ws, closeCode.tooManyConnects, "too many connects from your address in the last minute")
      })
    }
    const identity = yield* agents.authenticate(request.headers.authorization).pipe(
      Effect.annotateLogs({ client: address, transport: "websocket" })
    )
    accept(request, socket, head, (ws) => new SocketConnection(ws, socket, identity, context).serve())
  })

  const otherListeners = server.listeners("upgrade")
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split("?", 1)[0] !== agentSocketPath) {
      // listeners of `upgrade` have these parameters
      for (const other of otherListeners) other.call(server, request, socket, head)
      return
    }
    socket.on("error", ignoreSocketError)
    const refusal = hosts.check({
      hosts: request.headersDistinct.host ?? [],
      target: request.url,
      localAddress: request.socket.localAddress
    })
    const admitted: Effect.Effect<void, Failure> = refusal ??
      (draining ? temporarilyUnavailable : admit(request, socket, head))
    fork(admitted.pipe(
      Effect.tapDefect((cause) => Effect.logWarning("could not admit an agent", cause)),
      Effect.catchAllDefect(() => temporarilyUnavailable),
      Effect.catchAll((failure) => reject(request, socket, failure))
    ))
  }
  server.removeAllListeners("upgrade")
  server.on("upgrade", onUpgrade)

  yield* loops.every(
    "agents quiet",
    `${settings.agentHeartbeat} seconds`,
    checkQuietSessions(sessions, settings.agentHeartbeat, settings.agentOfflineAfter)
  )

  const shutDown = Effect.gen(function*() {
    draining = true
    sessions.stopRouting()
    server.off("upgrade", onUpgrade)
    const isPending = (session: SocketSession) => session.isBusy || session.awaitsResult
    yield* waitUntil(() => !socketSessions(sessions).some(isPending), drainTimeout)
    stopRetrying()
    for (const session of socketSessions(sessions)) session.closeWith(closeCode.restart, "the brain restarts")
    for (const ws of openSockets) closeSocket(ws, closeCode.restart, "the brain restarts")
    yield* waitUntil(() => openSockets.size === 0, closeTimeout)
    for (const ws of openSockets) ws.terminate()
  })
  // in parallel with the end of polls and other requests: one after the other could exceed the time of a shutdown
  yield* Effect.addFinalizer(() => Effect.all([shutDown, close], { concurrency: 2 }))
}))

const socketSessions = (sessions: SessionRegistry): ReadonlyArray<SocketSession> =>
  sessions.listAll().filter((session) => session instanceof SocketSession)
