import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Deferred, Effect, Layer, MutableRef, Schedule, Scope } from "effect"
import { createServer, type Server } from "node:http"
import { NodeServer } from "../services/kernel/NodeServer.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { Startup, type StartupReason } from "../services/kernel/Startup.ts"
import { respondToClientErrors } from "./ClientErrors.ts"
import { watchConnections } from "./Connections.ts"
import { respondWhileStarting } from "./StartupResponses.ts"
import { UpgradeRequest } from "./UpgradeRequest.ts"

const drainTimeout = "5 seconds"
/** A connection without traffic for this long is closed, such as one whose client stopped reading. Upgraded connections are exempt. */
const idleTimeoutMillis = 300_000

/** A connection that was kept alive is closed once its last request has its response. */
const closeIdle = (server: Server) =>
  Effect.repeat(Effect.sync(() => server.closeIdleConnections()), Schedule.spaced("50 millis"))

/** Stops accepting, waits for open requests up to `drainTimeout`, then closes the rest. */
const drain = (server: Server) =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
  }).pipe(
    Effect.raceFirst(Effect.zipRight(closeIdle(server), Effect.never)),
    Effect.interruptible,
    Effect.timeoutOption(drainTimeout),
    Effect.zipRight(Effect.sync(() => server.closeAllConnections()))
  )

/** Bytes of a request's URL and headers. 500 ids in a query, the most of the contract, are 20 KiB; Node's default is 16. */
const maxHeaderSize = 32 * 1024

const layerServer = Layer.scopedContext(Effect.gen(function*() {
  const closed = yield* Deferred.make<void>()
  const server = createServer({ IncomingMessage: UpgradeRequest, keepAliveTimeout: 65_000, maxHeaderSize })
  server.timeout = idleTimeoutMillis
  yield* watchConnections(server)
  yield* respondToClientErrors(server)
  const waiting = MutableRef.make<StartupReason>("starting")
  yield* respondWhileStarting(server, waiting)
  const close = Effect.zipRight(Deferred.succeed(closed, void 0), drain(server))
  return Context.make(NodeServer, { server, awaitClosing: Deferred.await(closed), close }).pipe(
    Context.add(Startup, waiting)
  )
}))

/**
 * Wraps the server, so that requests start with an empty context: adding a service to a context copies the whole
 * context (`http/ImplementGroup.ts`). Routes take their services when they are built.
 */
const withEmptyContext = (server: HttpServer.HttpServer): HttpServer.HttpServer =>
  HttpServer.make({
    address: server.address,
    serve: (app, middleware) =>
      Effect.mapInputContext(
        middleware === undefined ? server.serve(app) : server.serve(app, middleware),
        (all: Context.Context<Scope.Scope>) => Context.pick(Scope.Scope)(all)
      )
  })

const layerListen = Layer.unwrapEffect(
  Effect.map(Effect.all([Settings, NodeServer]), ([{ host, port }, { server }]) =>
    Layer.map(
      NodeHttpServer.layer(() => server, { host, port }),
      (context) =>
        Context.add(context, HttpServer.HttpServer, withEmptyContext(Context.get(context, HttpServer.HttpServer)))
    ))
)

/** Drains before the platform's own finalizer runs, which would wait for ever for a live stream. */
const layerDrain = Layer.scopedDiscard(Effect.flatMap(NodeServer, ({ close }) => Effect.addFinalizer(() => close)))

/** The listening server on the settings' host and port. It responds with 503 until routes are served. */
export const layer = layerDrain.pipe(Layer.provideMerge(layerListen), Layer.provideMerge(layerServer))
