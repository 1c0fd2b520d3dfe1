import { Effect } from "effect"
import { connect as connectTcp, createServer } from "node:net"
import { connect } from "node:tls"
import { portOf } from "../../ports.ts"

/** The address that the tests' clients connect from, so that a proxy at 127.0.0.1 is another machine than they are. */
export const clientAddress = "127.0.0.5"

/**
 * A plain port in front of an https server: what connects to it reaches the server over TLS, with its certificate
 * checked. So the tests' clients, which take no certificate of an authority, speak to a real https proxy.
 */
export const tlsTunnel = (port: number, authority: Effect.Effect<string>) =>
  Effect.gen(function*() {
    const ca = yield* authority
    const server = createServer((client) => {
      const socket = connectTcp({ host: "127.0.0.1", port, localAddress: clientAddress })
      socket.on("error", () => client.destroy())
      const proxy = connect({ socket, servername: "localhost", ca, ALPNProtocols: ["http/1.1"] })
      client.pipe(proxy).pipe(client)
      for (const [socket, other] of [[client, proxy], [proxy, client]] as const) {
        socket.on("error", () => other.destroy())
      }
    })
    return { url: `http://localhost:${yield* portOf(server)}`, ca }
  })
