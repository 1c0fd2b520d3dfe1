/**
 * The cost of a message between a WebSocket and the code that handles it: `ws` callbacks, as the gateway uses them, beside
 * @effect/platform's Socket with one consumer fiber (`queue`) and with an effect for each message (`effects`). All three
 * answer each message and share one `ws` server; the client is another process. Blocks alternate; the medians count.
 * `held_kib_…` is what the process has taken of an agent that floods it for 2 s while the session handles nothing.
 * One line of JSON: messages/s and CPU time a message, over 1 and 20 sockets.
 * Run: npm run bench bench/sockets.ts [messages=60000] [blocks=5]
 */
import { Socket } from "@effect/platform"
import { Effect, Queue } from "effect"
import { execFile, spawn } from "node:child_process"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { type WebSocket, WebSocketServer } from "ws"
import { SocketReader } from "../src/gateway/SocketReader.ts"
import { bundled } from "./bundled.ts"
import { median } from "./percentile.ts"
import { numbersOf, report } from "./run.ts"

const maxPayload = 1024 * 1024
const floodMillis = 2000
const ack = Buffer.from(JSON.stringify({ v: 2, type: "event_batch_ack", payload: "x".repeat(150) }))

type Serve = (ws: WebSocket) => void

/** The assertion is the one of the platform's own server: a `ws` socket has the browser's interface. */
const socketOf = (ws: WebSocket) =>
  Socket.fromWebSocket(
    Effect.acquireRelease(Effect.succeed(ws as unknown as globalThis.WebSocket), () => Effect.sync(() => ws.close()))
  )

const run = (effect: Effect.Effect<unknown, Socket.SocketError>): void => {
  Effect.runFork(Effect.ignore(effect))
}

const servers: Readonly<Record<string, Serve>> = {
  callbacks: (ws) => ws.on("message", () => ws.send(ack)),
  queue: (ws) =>
    run(Effect.scoped(Effect.gen(function*() {
      const socket = yield* socketOf(ws)
      const write = yield* socket.writer
      const inbox = yield* Queue.unbounded<string | Uint8Array>()
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(inbox.take, () => write(ack))))
      yield* socket.runRaw((data) => void inbox.unsafeOffer(data))
    }))),
  effects: (ws) =>
    run(Effect.scoped(Effect.gen(function*() {
      const socket = yield* socketOf(ws)
      const write = yield* socket.writer
      yield* socket.runRaw(() => write(ack))
    })))
}

/** Servers that handle nothing, and count the bytes that their process took from the socket. */
let heldBytes = 0
const mute: Readonly<Record<string, Serve>> = {
  callbacks: (ws) => {
    const reader: SocketReader = new SocketReader(ws, () => reader.pause(), () => {})
    ws.on("message", (data: Buffer) => {
      heldBytes += data.length
      reader.receive(data)
    })
  },
  queue: (ws) =>
    run(Effect.flatMap(socketOf(ws), (socket) =>
      socket.runRaw((data) => {
        heldBytes += data.length
      })))
}

/** A `ws` server on a free port, and its URL. */
const listening = (serve: Serve) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
      const wss = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false })
      const server = createServer()
      server.on("upgrade", (request, socket, head) => wss.handleUpgrade(request, socket, head, serve))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : undefined
        resume(Effect.succeed({ url: `ws://127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const { blocks, messages } = numbersOf("sockets", { messages: 60_000, blocks: 5 })

report(Effect.gen(function*() {
  const client = yield* bundled("sockets/client")

  const block = (serve: Serve, sockets: number) =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* listening(serve)
      const cpuBefore = process.cpuUsage()
      const seconds = yield* Effect.async<number>((resume) => {
        execFile(
          process.execPath,
          [client, url, "echo", String(sockets), String(messages / sockets)],
          (error, stdout) => resume(error === null ? Effect.succeed(Number(stdout)) : Effect.die(error))
        )
      })
      const { system, user } = process.cpuUsage(cpuBefore)
      return { rate: messages / seconds, micros: (user + system) / messages }
    }))

  const held = (serve: Serve) =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* listening(serve)
      heldBytes = 0
      const child = spawn(process.execPath, [client, url, "flood", "1"], { stdio: "inherit" })
      yield* Effect.promise(() => sleep(floodMillis))
      child.kill("SIGKILL")
      return Math.round(heldBytes / 1024)
    }))

  const result: Record<string, number> = {}
  for (const sockets of [1, 20]) {
    const outcomes = Object.entries(servers).map(([name, serve]) => ({
      name,
      serve,
      rates: Array<number>(),
      micros: Array<number>()
    }))
    for (let at = 0; at <= blocks; at++) {
      for (const { micros, rates, serve } of outcomes) {
        const outcome = yield* block(serve, sockets)
        if (at === 0) continue // warm-up
        rates.push(outcome.rate)
        micros.push(outcome.micros)
      }
    }
    for (const { micros, name, rates } of outcomes) {
      result[`${name}_${sockets}_s`] = Math.round(median(rates))
      result[`${name}_${sockets}_cpu_us`] = Number(median(micros).toFixed(1))
    }
  }
  for (const [name, serve] of Object.entries(mute)) result[`held_kib_${name}`] = yield* held(serve)
  return { bench: "sockets", ...result }
}))
