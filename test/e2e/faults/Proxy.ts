import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"
import { portOf } from "../../ports.ts"

/** A TCP connection on its way through a proxy. */
interface Link {
  readonly client: Socket
  readonly server: Socket
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** A TCP proxy that closes connections, and delays or drops data. */
export class Proxy {
  private readonly links = new Set<Link>()
  private refusing = false
  /** What clients send is read and forgotten. */
  private losing = false
  /** What clients send waits. */
  private delayed: Array<() => void> | null = null
  private trap: { readonly pattern: RegExp; readonly caught: () => void } | null = null
  private readonly pausedData = new Map<Link, Array<Buffer>>()

  constructor(private target: Address) {}

  readonly accept = (client: Socket): void => {
    if (this.refusing) {
      client.destroy()
      return
    }
    const server = connect(this.target)
    const link = { client, server }
    this.links.add(link)
    // what one side had written before it ended still gets to the other one
    for (const [socket, other] of [[client, server], [server, client]] as const) {
      socket.on("error", () => {}).on("close", () => {
        this.links.delete(link)
        this.pausedData.delete(link)
        other.end()
      })
    }
    client.on("data", (data) => {
      if (this.losing) return
      const pass = () => server.write(data)
      if (this.delayed !== null) {
        this.delayed.push(pass)
        return
      }
      if (this.trap?.pattern.test(data.toString("latin1")) === true) {
        this.pausedData.set(link, [])
        this.trap.caught()
        this.trap = null
      }
      pass()
    })
    server.on("data", (data) => {
      const waiting = this.pausedData.get(link)
      if (waiting === undefined) client.write(data)
      else waiting.push(data)
    })
  }

  /** Closes all connections. */
  drop(): void {
    for (const { client, server } of this.links) {
      client.destroy()
      server.destroy()
    }
  }

  /** Resets all connections. */
  reset(): void {
    for (const { client, server } of this.links) {
      client.resetAndDestroy()
      server.resetAndDestroy()
    }
  }

  /** Further connections reach this address. */
  turnTo(target: Address): void {
    this.target = target
  }

  refuse(refusing: boolean): void {
    this.refusing = refusing
  }

  lose(losing: boolean): void {
    this.losing = losing
  }

  delay(delaying: boolean): void {
    const waiting = this.delayed ?? []
    this.delayed = delaying ? waiting : null
    if (!delaying) { for (const pass of waiting) pass() }
  }

  /** Resolves when a client has sent text that matches; the response to it, and all behind it, waits for `release`. */
  catch(pattern: RegExp): Promise<void> {
    return new Promise((caught) => {
      this.trap = { pattern, caught }
    })
  }

  release(): void {
    for (const [link, waiting] of this.pausedData) for (const data of waiting) link.client.write(data)
    this.pausedData.clear()
  }
}

/** A proxy to this address, closed with the scope, and the port it listens on. */
export const proxyTo = (target: Address) =>
  Effect.gen(function*() {
    const proxy = yield* Effect.acquireRelease(
      Effect.sync(() => new Proxy(target)),
      (proxy) => Effect.sync(() => proxy.drop())
    )
    return { proxy, port: yield* portOf(createServer(proxy.accept)) }
  })
