import { Effect } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"

/** A TCP relay to the Redis of the tests that can be disconnected and joined again. */
export const cable = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets = new Set<Socket>()
    const join = (near: Socket) => {
      const far = connect(6379, "127.0.0.1")
      for (const [one, other] of [[near, far], [far, near]] as const) {
        sockets.add(one)
        one.pipe(other)
        one.on("error", () => other.destroy()).on("close", () => {
          sockets.delete(one)
          other.destroy()
        })
      }
    }
    let server: Server | undefined
    const listen = (port: number) =>
      new Promise<number>((resolve) => {
        const newServer = createServer(join)
        server = newServer
        newServer.listen(port, "127.0.0.1", () => {
          const address = newServer.address()
          resolve(typeof address === "object" && address !== null ? address.port : 0)
        })
      })
    const disconnect = () =>
      new Promise<void>((resolve) => {
        server?.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
    const port = await listen(0)
    return { port, disconnect: Effect.promise(disconnect), mend: Effect.promise(() => listen(port)) }
  }),
  ({ disconnect }) => disconnect
)
