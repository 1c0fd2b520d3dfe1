import { HttpServer } from "@effect/platform"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Schedule } from "effect"
import { connect, type Socket } from "node:net"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { insertTasks, storedTask } from "../tasks.ts"
import { until } from "../until.ts"

const port = Effect.map(HttpServer.HttpServer, ({ address }) => address._tag === "TcpAddress" ? address.port : 0)

/** A connection that sends this text and reads only what `read` reads. */
const dial = (text: string) =>
  Effect.flatMap(port, (port) =>
    Effect.acquireRelease(
      Effect.async<Socket>((resume) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(text)
          resume(Effect.succeed(socket))
        })
        socket.on("error", () => {}).pause()
      }),
      (socket) => Effect.sync(() => socket.destroy())
    ))

const get = (path: string, token: string, headers = "") =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`

/** The response has begun, so it counts for its user. */
const waitForBytes = (socket: Socket) =>
  until(
    Effect.sync(() => {
      socket.read(0) // asks for bytes and takes none
      return socket.readableLength
    }),
    (length) => length > 0
  )

/** All that the connection receives until it ends. */
const readAll = (socket: Socket) =>
  Effect.async<string>((resume) => {
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk))).once("close", () => resume(Effect.succeed(text))).resume()
  })

/** An export of them is 25 MB: loopback connections hold up to 10 MB that the client has not read. */
const tasks = 100
const kwargs = JSON.stringify({ blob: "x".repeat(250_000) })

/** A reader of a project that has much. */
const reader = Effect.gen(function*() {
  const project = yield* freshProject()
  const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
  const now = yield* Clock.currentTimeMillis
  for (let start = 0; start < tasks; start += 20) {
    yield* insertTasks(
      Array.from({ length: 20 }, (_, index) => storedTask(project.id, now - start - index, { kwargs }))
    )
  }
  return { path: `/projects/${project.slug}/tasks`, token }
})

describe.each(laneEngines)("responses that are not read, on %s", (engine) => {
  layer(serverOn(engine, { heavyReads: 2, slowReaderSeconds: 3600 }), { excludeTestServices: true })((it) => {
    it.scoped("delay their reader's further heavy reads, and no other reader's", () =>
      Effect.gen(function*() {
        const { path, token } = yield* reader
        const begins: Array<string> = []
        const sockets = yield* Effect.replicateEffect(dial(get(`${path}?format=json`, token)), 30)
        for (const socket of sockets) socket.once("readable", () => begins.push(String(socket.read(12))))
        yield* until(Effect.sync(() => begins.length), (count) => count === 14)
        // two are in flight and not taken, and sixteen wait
        const refusals = begins.filter((begin) => begin === "HTTP/1.1 429")
        assert.strictEqual(refusals.length, 12)
        const { headers, json } = yield* request("GET", `${path}?limit=101`, { token })
        assert.strictEqual(json.code, "rate_limited")
        assert.include(json.detail, "SVC_HEAVY_READS")
        assert.isNull(headers.get("retry-after"))
        assert.strictEqual((yield* request("GET", `${path}?limit=100`, { token })).status, 200)
        const other = yield* reader
        assert.strictEqual((yield* request("GET", `${other.path}?limit=500`, other)).status, 200)
      }))

    it.scoped("a page that is read in slices is the page that is read at once", () =>
      Effect.gen(function*() {
        const { path, token } = yield* reader
        const ids: Array<string> = []
        for (let query = "?limit=500"; query !== "";) {
          const { json } = yield* request("GET", `${path}${query}`, { token })
          ids.push(...json.items.map(({ id }: { readonly id: string }) => id))
          query = json.next_cursor === null ? "" : `?limit=500&cursor=${json.next_cursor}`
        }
        assert.strictEqual(ids.length, tasks)
        assert.deepStrictEqual(ids, [...new Set(ids)].sort().reverse())
      }))

    it.scoped("pipelined requests get their responses one after the other, up to 32 behind the current one", () =>
      Effect.gen(function*() {
        const { path, token } = yield* reader
        const light = get(`${path}?limit=1`, token)
        const withinLimit = yield* dial(light.repeat(32) + get(`${path}?limit=1`, token, "Connection: close\r\n"))
        const responses = yield* readAll(withinLimit)
        assert.strictEqual(responses.match(/HTTP\/1\.1 200 /g)?.length, 33)
        const many = yield* dial(light.repeat(200))
        const truncated = yield* readAll(many)
        assert.isAtMost(truncated.match(/HTTP\/1\.1 200 /g)?.length ?? 0, 33)
        assert.strictEqual((yield* request("GET", `${path}?limit=1`, { token })).status, 200)
      }))
  })

  // the one heavy read of its user is in flight, so the next one gets its response only after its end
  layer(serverOn(engine, { heavyReads: 1, slowReaderSeconds: 2 }), { excludeTestServices: true })((it) => {
    const assertTruncated = (socket: Socket) =>
      Effect.map(readAll(socket), (text) => {
        assert.include(text, " 200 OK\r\n") // the first byte may have been taken
        assert.isFalse(text.endsWith("\r\n0\r\n\r\n"), "the export was cut off")
      })

    it.scoped("end with their connection, which frees what they held", () =>
      Effect.gen(function*() {
        const { path, token } = yield* reader
        const unread = yield* dial(get(`${path}?format=json`, token))
        yield* waitForBytes(unread)
        assert.strictEqual((yield* request("GET", `${path}?limit=500`, { token })).status, 200)
        yield* assertTruncated(unread)
      }))

    it.scoped("a byte now and then is not reading", () =>
      Effect.gen(function*() {
        const { path, token } = yield* reader
        const socket = yield* dial(get(`${path}?format=json`, token))
        yield* waitForBytes(socket)
        // Node reads a piece of 64 KiB ahead, so a byte is taken from that
        const sip = yield* Effect.fork(Effect.repeat(
          Effect.sync(() => socket.read(1)),
          Schedule.spaced("500 millis")
        ))
        assert.strictEqual((yield* request("GET", `${path}?limit=500`, { token })).status, 200)
        yield* Fiber.interrupt(sip)
        yield* assertTruncated(socket)
      }))
  })
})
