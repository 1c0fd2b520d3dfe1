import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { portOf } from "../ports.ts"

/** A proxy to the brain that can be shut: then it closes open connections, and refuses new ones. */
export const gate = (target: string) =>
  Effect.gen(function*() {
    const openSockets = new Set<Socket>()
    let isShut = false
    const { hostname, port } = new URL(target)
    const server = createServer((client) => {
      if (isShut) return client.destroy()
      const brain = connect({ host: hostname, port: Number(port) })
      for (const socket of [client, brain]) {
        openSockets.add(socket)
        socket.on("error", () => {}).on("close", () => {
          client.destroy()
          brain.destroy()
        })
      }
      client.pipe(brain).pipe(client)
    })
    const own = yield* portOf(server)
    return {
      url: `http://127.0.0.1:${own}`,
      shut: () => {
        isShut = true
        for (const socket of openSockets) socket.destroy()
        openSockets.clear()
      },
      reopen: () => {
        isShut = false
      }
    }
  })
