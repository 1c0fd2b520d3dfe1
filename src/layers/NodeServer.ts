import { NodeHttpServer } from "@effect/platform-node"
import { Deferred, Effect, Layer, Schedule } from "effect"
import { createServer, type Server } from "node:http"
import { Metrics } from "../services/Metrics.ts"
import { NodeServer } from "../services/NodeServer.ts"
import { Settings } from "../services/Settings.ts"
import { answerClientErrors } from "./ClientErrors.ts"
import { watchConnections } from "./Connections.ts"
import { Request } from "./Upgrades.ts"

const grace = "5 seconds"

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
    Effect.timeoutOption(grace),
    Effect.zipRight(Effect.sync(() => server.closeAllConnections()))
  )

const raw = Layer.scoped(NodeServer, Effect.gen(function*() {
  const closed = yield* Deferred.make<void>()
  const server = createServer({ IncomingMessage: Request, keepAliveTimeout: 65_000 })
  watchConnections(server, yield* Metrics)
  yield* answerClientErrors(server)
  return { server, closing: Deferred.await(closed), close: Effect.zipRight(Deferred.succeed(closed, void 0), drain(server)) }
}))

const listening = Layer.unwrapEffect(Effect.map(Effect.all([Settings, NodeServer]), ([{ host, port }, { server }]) =>
  NodeHttpServer.layer(() => server, { host, port })))

/** Ends before `listening` does, whose own finalizer would wait for ever for a live stream. */
const draining = Layer.scopedDiscard(Effect.flatMap(NodeServer, ({ close }) => Effect.addFinalizer(() => close)))

/** The listening server on the settings' host and port. */
export const layer = draining.pipe(Layer.provideMerge(listening), Layer.provideMerge(raw))
