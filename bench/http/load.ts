import { connect, type Socket } from "node:net"
import { cpuSecondsOf } from "../cpu.ts"

export interface Request {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly token: string
  readonly body?: string
}

export interface Load {
  readonly requests: number
  readonly seconds: number
  /** CPU time of the server's process, all its threads. */
  readonly cpuSeconds: number
}

const encodeRequest = ({ body = "", method, path, token }: Request): string =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n` +
  (method === "GET"
    ? "\r\n"
    : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

const opened = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    socket.once("connect", () => resolve(socket)).once("error", reject)
  })

/** Sends requests over one connection, the next when the response to the last is there, until `goOn` says no. */
const exchange = (socket: Socket, next: () => string, goOn: () => boolean) =>
  new Promise<number>((resolve, reject) => {
    let requests = 0
    let remaining = 0
    let head = ""
    socket.on("error", reject).on("data", (chunk: Buffer) => {
      if (remaining === 0) {
        head += chunk.toString("latin1")
        const end = head.indexOf("\r\n\r\n")
        if (end < 0) return
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
        if (!head.startsWith("HTTP/1.1 20") || length === undefined) return reject(new Error(head))
        remaining = Number(length) - (head.length - end - 4)
        head = ""
      } else remaining -= chunk.length
      if (remaining > 0) return
      requests++
      if (goOn()) socket.write(next())
      else resolve(requests)
    })
    socket.write(next())
  })

/**
 * Requests by plain sockets, which cost the client less than an HTTP client would: it shares two cores with the server, and
 * one that is busier than the server would hide what the server costs.
 */
export const load = async (
  server: { readonly port: number; readonly pid: number },
  connections: number,
  seconds: number,
  requestOf: (index: number) => Request
): Promise<Load> => {
  const sockets = await Promise.all(Array.from({ length: connections }, () => opened(server.port)))
  let index = 0
  const [began, cpuBefore] = [performance.now(), cpuSecondsOf(server.pid)]
  const counts = await Promise.all(
    sockets.map((socket) =>
      exchange(socket, () => encodeRequest(requestOf(index++)), () => performance.now() - began < seconds * 1000)
    )
  )
  const [elapsed, cpuAfter] = [(performance.now() - began) / 1000, cpuSecondsOf(server.pid)]
  for (const socket of sockets) socket.destroy()
  return { requests: counts.reduce((sum, count) => sum + count, 0), seconds: elapsed, cpuSeconds: cpuAfter - cpuBefore }
}
