import { Effect, type Scope } from "effect"
import { Server as HttpServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"

const listening = (server: Server): Effect.Effect<number> =>
  Effect.async((resume) => {
    // it listens on TCP, so its address is one of these
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/** Lets the server listen on a free port of 127.0.0.1 until the scope ends; returns the port. */
export const portOf = (server: Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(listening(server), () =>
    Effect.sync(() => {
      server.close()
      if (server instanceof HttpServer) server.closeAllConnections()
    }))

/** A port on which nothing listens now. */
export const freePort: Effect.Effect<number> = Effect.suspend(() => {
  const server = createServer()
  return Effect.tap(
    listening(server),
    () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
  )
})
