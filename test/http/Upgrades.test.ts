import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createConnection, type Socket } from "node:net"
import { promisify } from "node:util"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { baseUrl, freshKey, serverOn } from "../brain.ts"
import { until } from "../until.ts"

const run = promisify(execFile)

/** Longer than one packet by its white space. */
const body = JSON.stringify({ slug: "h2c", name: "h2c" }).padEnd(4000)

/** A connection that collects what the server says; closed with the scope. */
const talk = Effect.flatMap(baseUrl, (base) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<{ readonly socket: Socket; readonly text: () => string }>((resolve) => {
        let text = ""
        const socket = createConnection({ host: "127.0.0.1", port: Number(new URL(base).port), allowHalfOpen: true })
        socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => {})
        socket.once("connect", () => resolve({ socket, text: () => text }))
      })
    ),
    ({ socket }) => Effect.sync(() => socket.destroy())
  ))

const h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

layer(serverOn("SQLite"), { excludeTestServices: true })((it) => {
  describe("a wish for another protocol than WebSocket is not heard", () => {
    it.scoped(
      "and its body is read: of known length, in chunks, in many packets, again and again on one connection",
      () =>
        Effect.gen(function*() {
          const { token } = yield* freshKey({ isAdmin: true })
          const { socket, text } = yield* talk
          const post = (slug: string, framing: string) =>
            `POST /api/v1/projects HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${h2c}Content-Type: application/json\r\n${framing}\r\n`
              .replace("$slug", slug)
          const json = (slug: string) => body.replace("\"h2c\"", `"${slug}"`)
          const awaitResponses = (count: number) =>
            until(Effect.sync(() => statuses(text()).length), (seen) => seen >= count)

          socket.write(post("one", `Content-Length: ${json("one").length}\r\n`) + json("one"))
          yield* awaitResponses(1)

          socket.write(post("two", `Content-Length: ${json("two").length}\r\n`))
          for (let start = 0; start < json("two").length; start += 1000) {
            yield* Effect.sleep("5 millis") // else it may go in one packet
            socket.write(json("two").slice(start, start + 1000))
          }
          yield* awaitResponses(2)

          socket.write(post("three", "Transfer-Encoding: chunked\r\n"))
          for (let start = 0; start < json("three").length; start += 1000) {
            const part = json("three").slice(start, start + 1000)
            yield* Effect.sleep("5 millis")
            socket.write(`${part.length.toString(16)}\r\n${part}\r\n`)
          }
          socket.write("0\r\n\r\n")
          yield* awaitResponses(3)

          socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`)
          yield* awaitResponses(4)
          assert.deepStrictEqual(statuses(text()), [201, 201, 201, 200], text())
        }).pipe(Effect.scoped)
    )

    it.scoped("and a WebSocket on a path that is not there gets a response, and its connection ended", () =>
      Effect.gen(function*() {
        const { socket, text } = yield* talk
        let ended = false
        socket.on("end", () => (ended = true))
        socket.write("GET /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        yield* until(Effect.sync(() => ended), (seen) => seen)
        assert.deepStrictEqual(statuses(text()), [404], text())
      }))

    it.scoped("curl --http2 posts as curl does", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const base = yield* baseUrl
        const flags = [
          "-sS",
          "-w",
          "\n%{http_code} %{http_version} %{num_connects}",
          "-H",
          "content-type: application/json",
          "-H",
          `authorization: Bearer ${token}`
        ]
        const { stdout } = yield* Effect.promise(() =>
          run("curl", ["--http2", ...flags, "-d", body.replace("\"h2c\"", "\"curl\""), `${base}/api/v1/projects`])
        )
        assert.match(stdout, /\n201 1\.1 1$/)
      }))

    it.scoped("nor is one for a WebSocket where the API has none", () =>
      Effect.gen(function*() {
        const { socket, text } = yield* talk
        const ask =
          "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        socket.write(ask)
        yield* until(Effect.sync(() => statuses(text()).length), (seen) => seen === 1)
        socket.write(ask)
        yield* until(Effect.sync(() => statuses(text()).length), (seen) => seen === 2)
        assert.deepStrictEqual(statuses(text()), [200, 200])
      }))
  })

  describe("an upgrade that is refused", () => {
    for (const path of ["/ws/agent", "/elsewhere"]) {
      it.scoped(`at ${path} ends its connection, whatever the client does`, () =>
        Effect.gen(function*() {
          const { connections } = yield* Metrics
          const readOpenCount = Effect.promise(async () => (await connections.get()).values[0]?.value ?? 0)
          const before = yield* readOpenCount
          const clients = yield* Effect.all(Array.from({ length: 20 }, () => talk), { concurrency: 20 })
          for (const { socket } of clients) {
            socket.write(
              `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
            )
          }
          yield* until(Effect.sync(() => clients.every(({ text }) => statuses(text()).length === 1)), (all) => all)
          yield* until(readOpenCount, (count) => count <= before) // no client has ended its side
        }))
    }
  })
})
