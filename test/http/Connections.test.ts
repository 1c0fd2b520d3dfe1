import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { get } from "node:http"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { inject } from "vitest"
import { baseUrl, serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { freePort } from "../ports.ts"
import { until } from "../until.ts"

/** A client at this address that sends the text and never ends its side; closed with the scope. */
const client = (port: number, localAddress: string, text: string): Effect.Effect<Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<Socket>((resume) => {
      const socket = connect({ host: "127.0.0.1", port, localAddress, allowHalfOpen: true }, () => {
        socket.write(text)
        resume(Effect.succeed(socket))
      })
      socket.on("error", () => resume(Effect.succeed(socket))).resume()
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const clients = (count: number, port: number, localAddress: string, text = "") =>
  Effect.all(Array.from({ length: count }, () => client(port, localAddress, text)), { concurrency: 50 })

/** The status of `/health` as a client at this address sees it; 0 without a response. */
const statusAt = (port: number, localAddress: string) =>
  Effect.async<number>((resume) => {
    get({ host: "127.0.0.1", port, localAddress, path: "/health", agent: false }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    }).on("error", () => resume(Effect.succeed(0)))
  })

const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded
const countOpen = (sockets: ReadonlyArray<Socket>) => Effect.sync(() => sockets.filter(isOpen).length)

describe("connections of one address", () => {
  it.scopedLive(
    "are limited, but not those of this machine and of trusted proxies; those that end make way",
    () =>
      Effect.gen(function*() {
        const port = yield* Effect.map(baseUrl, (base) => Number(new URL(base).port))
        const local = yield* clients(12, port, "127.0.0.1")
        const proxied = yield* clients(12, port, "127.0.0.3")
        const others = yield* clients(12, port, "127.0.0.2")
        yield* until(countOpen(others), (openCount) => openCount === 5)
        assert.deepStrictEqual([yield* countOpen(local), yield* countOpen(proxied)], [12, 12])

        for (const socket of others) socket.destroy()
        yield* until(statusAt(port, "127.0.0.2"), (status) => status === 200)
      }).pipe(Effect.provide(serverOn("SQLite", { connectionsPerAddress: 5, trustedProxies: ["127.0.0.3"] })))
  )

  for (
    const [what, text, countsAsOpen] of [
      ["that say nothing", "", true],
      [
        "that ask for a WebSocket without a token",
        "GET /ws/agent HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        false
      ],
      [
        "that never end their request",
        "POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
        true
      ]
    ] as const
  ) {
    it.scopedLive(`${what} do not take all files of a process that may open 256`, () =>
      Effect.gen(function*() {
        const home = yield* temporaryHome
        const port = yield* freePort
        const base = `http://127.0.0.1:${port}`
        const program = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn("sh", [
              "-c",
              "ulimit -n 256; exec \"$0\" \"$@\"",
              process.execPath,
              inject("program"),
              "serve",
              "--port",
              String(port)
            ], {
              env: { PATH: process.env.PATH ?? "", SVC_HOME: home },
              stdio: "ignore"
            })
          ),
          (program) => Effect.sync(() => program.kill("SIGKILL"))
        )
        const ask = (path: string, headers: Record<string, string> = {}) =>
          Effect.promise(() =>
            fetch(`${base}${path}`, { headers: { connection: "close", ...headers } }).then(
              async (response) => ({ status: response.status, text: await response.text() }),
              () => null
            )
          )
        const isReady = until(ask("/health/ready"), (response) => response?.status === 200)
        yield* isReady
        const token = readFileSync(join(home, "metrics.token"), "utf8").trim()
        const attackers = yield* clients(400, port, "127.0.0.2", text)
        for (let round = 0; round < 10; round++) assert.strictEqual((yield* ask("/health/ready"))?.status, 200)
        const metrics = yield* ask("/metrics", { authorization: `Bearer ${token}` })
        const refusedCount = Number(/reason="too_many"\} (\d+)/.exec(metrics?.text ?? "")?.[1] ?? 0)
        if (countsAsOpen) assert.isAtLeast(refusedCount, 400 - 128) // half of the files are the address's
        assert.strictEqual(program.exitCode, null)
        for (const socket of attackers) socket.destroy()
        yield* isReady
      }))
  }
})
