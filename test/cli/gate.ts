import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { portOf } from "../ports.ts"

/** A way to the brain that can be shut: then what is open is cut, and what comes is turned away. */
export const gate = (target: string) =>
  Effect.gen(function*() {
    const open = new Set<Socket>()
    let isShut = false
    const { hostname, port } = new URL(target)
    const server = createServer((client) => {
      if (isShut) return client.destroy()
      const brain = connect({ host: hostname, port: Number(port) })
      for (const socket of [client, brain]) {
        open.add(socket)
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
        for (const socket of open) socket.destroy()
        open.clear()
      },
      reopen: () => {
        isShut = false
      }
    }
  })
