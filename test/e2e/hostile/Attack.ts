import { connect, type Socket } from "node:net"

/** How a client leaves: with RST, with its own side ended only, or with bytes of the server that it never read (RST too). */
export const endings = ["reset", "half-close", "close unread"] as const
export type Ending = (typeof endings)[number]

/** What a client does up to the bytes under attack, such as a handshake. Rejects when the connection ends before. */
export type Prepare = (socket: Socket) => Promise<void>

export interface Attack {
  readonly port: number
  readonly prepare?: Prepare
  readonly bytes: Buffer
  readonly ending: Ending
  /** Waits for the first bytes of a response before it leaves. */
  readonly awaitsResponse: boolean
}

const delay = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once("close", () => resolve())
  })

let clients = 0

/** Loopback addresses in turn, so that no rate limit by address responds instead of what is under attack. */
const nextAddress = (): string => `127.1.${(clients >> 7) & 127}.${(clients++ & 127) + 1}`

export const dialRaw = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress: nextAddress(), noDelay: true })
    socket.once("connect", () => resolve(socket)).once("error", reject)
    socket.on("error", () => {}) // tests check what the server does on the server's side
  })

/** Resolves when the socket has received text that matches; rejects when it ends before. */
export const received = (socket: Socket, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1")
      if (!pattern.test(text)) return
      socket.off("data", onData).pause()
      resolve(text)
    }
    socket.on("data", onData).resume().once("close", () => reject(new Error(`the connection ended after: ${text}`)))
  })

/** One connection from its begin to its bad end. */
export const attack = async ({ awaitsResponse, bytes, ending, port, prepare }: Attack): Promise<void> => {
  const socket = await dialRaw(port)
  await prepare?.(socket)
  if (bytes.length > 0) socket.write(bytes)
  if (awaitsResponse) await Promise.race([received(socket, /[^]/).catch(() => {}), closed(socket)])
  else await delay(bytes.length % 4) // in the middle of what the server does with it, or behind
  if (ending === "reset") socket.resetAndDestroy()
  else if (ending === "close unread") {
    socket.pause()
    await delay(1)
    socket.destroy()
  } else {
    socket.resume().end()
    await Promise.race([closed(socket), delay(30)])
    socket.destroy()
  }
  await closed(socket)
}

/** Runs the tasks, some at a time. */
export const inParallel = async (tasks: ReadonlyArray<() => Promise<void>>, width = 64): Promise<void> => {
  let next = 0
  const lane = async () => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) await task()
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** After how many of the bytes a client leaves: each one of a short text, `most` places of a long one, and all. */
export const splitPoints = (length: number, most: number): ReadonlyArray<number> => {
  const step = Math.max(1, Math.ceil(length / most))
  return [...new Set([...Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step), length])]
}
