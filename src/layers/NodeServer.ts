import { NodeHttpServer } from "@effect/platform-node"
import { Context, Deferred, Effect, Layer, MutableRef, Schedule } from "effect"
import { createServer, type Server } from "node:http"
import { NodeServer } from "../services/NodeServer.ts"
import { Settings } from "../services/Settings.ts"
import { Startup, type StartupReason } from "../services/Startup.ts"
import { answerClientErrors } from "./ClientErrors.ts"
import { watchConnections } from "./Connections.ts"
import { answerWhileStarting } from "./StartupResponses.ts"
import { UpgradeRequest } from "./UpgradeRequest.ts"

const drainTimeout = "5 seconds"
/** A connection on which no byte moves for so long is closed, such as one whose client reads no further. An upgrade ends this. */
const idleTimeoutMillis = 300_000

/** A connection that was kept alive is closed once its last request is answered. */
const closeIdle = (server: Server) =>
  Effect.repeat(Effect.sync(() => server.closeIdleConnections()), Schedule.spaced("50 millis"))

/** Stops accepting, waits for the open requests for a while, then cuts what is left. */
const drain = (server: Server) =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
  }).pipe(
    Effect.raceFirst(Effect.zipRight(closeIdle(server), Effect.never)),
    Effect.interruptible,
    Effect.timeoutOption(drainTimeout),
    Effect.zipRight(Effect.sync(() => server.closeAllConnections()))
  )

const layerServer = Layer.scopedContext(Effect.gen(function*() {
  const closed = yield* Deferred.make<void>()
  const server = createServer({ IncomingMessage: UpgradeRequest, keepAliveTimeout: 65_000 })
  server.timeout = idleTimeoutMillis
  yield* watchConnections(server)
  yield* answerClientErrors(server)
  const waiting = MutableRef.make<StartupReason>("starting")
  yield* answerWhileStarting(server, waiting)
  const close = Effect.zipRight(Deferred.succeed(closed, void 0), drain(server))
  return Context.make(NodeServer, { server, awaitClosing: Deferred.await(closed), close }).pipe(Context.add(Startup, waiting))
}))

const layerListen = Layer.unwrapEffect(Effect.map(Effect.all([Settings, NodeServer]), ([{ host, port }, { server }]) =>
  NodeHttpServer.layer(() => server, { host, port })))

/** Ends before `listening` does, whose own finalizer would wait for ever for a live stream. */
const layerDrain = Layer.scopedDiscard(Effect.flatMap(NodeServer, ({ close }) => Effect.addFinalizer(() => close)))

/** The listening server on the settings' host and port. It answers 503 until routes are served. */
export const layer = layerDrain.pipe(Layer.provideMerge(layerListen), Layer.provideMerge(layerServer))
