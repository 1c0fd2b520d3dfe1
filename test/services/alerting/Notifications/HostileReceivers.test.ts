import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { createSecureContext, TLSSocket } from "node:tls"
import type { Project } from "../../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { Deliveries } from "../../../../src/services/alerting/Deliveries.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { selfSigned } from "../../../e2e/tls.ts"
import { type Files, makePki, type Pki } from "../../../grpc/pki.ts"
import { portOf } from "../../../ports.ts"
import { until } from "../../../until.ts"
import { insertChannel, notificationOf } from "./notifications.ts"

const head = (...lines: ReadonlyArray<string>) => `HTTP/1.1 ${lines.join("\r\n")}\r\n\r\n`

const resetAfter = (text: string) => (socket: Socket, raw: Socket) =>
  void socket.write(text, () => raw.resetAndDestroy())

/** Writes until the other side is gone. */
const flood = (begin: string, more: string) => (socket: Socket) => {
  const write = () => {
    while (!socket.destroyed && socket.write(more));
  }
  socket.on("drain", write).write(begin)
  write()
}

/** Writes a little at a time until the other side is gone. */
const drip = (begin: string, more: string) => (socket: Socket) => {
  socket.write(begin)
  const timer = setInterval(() => socket.write(more), 200)
  socket.on("close", () => clearInterval(timer))
}

/** `raw`: the connection below TLS, which alone can be reset. */
type Manner = (socket: Socket, raw: Socket) => void

/** What a receiver does with a request, and what the attempt's record says of it. */
const manners: Readonly<Record<string, readonly [does: Manner, code: number | null, error: RegExp | null]>> = {
  "resets before it responds": [
    (_socket, raw) => void raw.resetAndDestroy(),
    null,
    /^the connection was reset \(ECONNRESET\)$/
  ],
  "resets within the status line": [resetAfter("HTTP/1.1 20"), null, /^the connection was (reset|closed)/],
  "resets within the head": [resetAfter("HTTP/1.1 200 OK\r\nContent-Len"), null, /^the connection was (reset|closed)/],
  "ends without a response": [(socket) => void socket.end(), null, /^the connection was closed before an answer/],
  "ends within the head": [
    (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Len"),
    null,
    /^(the connection was closed before an answer|its answer is not valid HTTP)/
  ],
  "never responds": [() => {}, null, /^there was no answer in time$/],
  "drips its head": [drip("HTTP/1.1 200 OK\r\n", "x: y\r\n"), null, /^(there was no answer in time|the headers)/],
  "sends a head without end": [
    flood("HTTP/1.1 200 OK\r\n", `x: ${"y".repeat(1000)}\r\n`),
    null,
    /^the headers of its answer are too large/
  ],
  "sends no end of one header": [flood("HTTP/1.1 200 OK\r\nx: ", "y".repeat(1000)), null, /^the headers of its/],
  "responds with no HTTP": [
    (socket) => void socket.end("what?\r\n\r\n"),
    null,
    /^its answer is not valid HTTP \(HTTPParserError\)$/
  ],
  "responds with SMTP": [
    (socket) => void socket.end("220 mail.example ESMTP\r\n"),
    null,
    /^its answer is not valid HTTP/
  ],
  "switches protocols": [
    (socket) => void socket.end(head("101 Switching Protocols", "Connection: Upgrade", "Upgrade: x")),
    null,
    /\(UND_ERR_/
  ],
  "gives two lengths": [
    (socket) => void socket.end(`${head("200 OK", "Content-Length: 1", "Content-Length: 2")}ok`),
    null,
    /^its answer is not valid HTTP/
  ],
  "fails, and resets within the body": [
    resetAfter(`${head("500 Oh", "Content-Length: 100")}{`),
    500,
    /^it answered 500$/
  ],
  "accepts, and resets within the body": [resetAfter(`${head("200 OK", "Content-Length: 100")}{`), 200, null],
  "accepts, and ends within a chunk": [
    (socket) => void socket.end(`${head("200 OK", "Transfer-Encoding: chunked")}ff\r\n{`),
    200,
    null
  ],
  "accepts, and sends an invalid chunk": [
    (socket) => void socket.end(`${head("200 OK", "Transfer-Encoding: chunked")}wrong\r\n`),
    200,
    null
  ],
  "accepts with a body without end": [flood(head("200 OK"), "x".repeat(1000)), 200, null],
  "accepts with chunks without end": [
    flood(head("200 OK", "Transfer-Encoding: chunked"), "a\r\n0123456789\r\n"),
    200,
    null
  ],
  "accepts, and drips its body": [drip(head("200 OK", "Content-Length: 100000"), "x"), 200, null],
  "redirects": [
    (socket) => void socket.end(head("308 Permanent Redirect", "Location: /accepts", "Content-Length: 0")),
    308,
    /^it answered 308, and redirects are not followed$/
  ],
  "redirects into the network": [
    (socket) => void socket.end(head("302 Found", "Location: http://169.254.169.254/", "Content-Length: 0")),
    302,
    /^it answered 302, and redirects are not followed$/
  ],
  "accepts": [(socket) => void socket.end(head("204 No Content")), 204, null]
}

/** A TLS server that treats each request by its path, `/0`, `/1`, … in the order of the manners. */
const hostileServer = (does: ReadonlyArray<Manner>, { cert, key }: Files) =>
  Effect.gen(function*() {
    const open = new Set<Socket>()
    const written: Array<number> = []
    const secureContext = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) })
    const server = createServer((raw) => {
      open.add(raw.on("error", () => {}).on("close", () => open.delete(raw)))
      const socket = new TLSSocket(raw, { isServer: true, secureContext }).on("error", () => {})
      socket.once("data", (data: Buffer) => {
        const index = Number(/^POST \/(\d+) /.exec(data.toString("latin1"))?.[1])
        raw.on("close", () => written[index] = raw.bytesWritten)
        does[index]?.(socket, raw)
      })
    })
    return { port: yield* portOf(server), open, written }
  })

class Site extends Context.Tag("test/Site")<Site, Pki>() {}

const world = Layer.unwrapScoped(Effect.map(makePki, (pki) =>
  Layer.merge(
    Layer.succeed(Site, pki),
    brainOn("SQLite", { outboundAllowCidrs: ["127.0.0.1:*"], outboundCaFile: pki.authority.cert })
  )))

interface Row {
  readonly status: string
  readonly response_code: number | null
  readonly error: string | null
  readonly due_at: Timestamp.Timestamp | null
  readonly started_at: Timestamp.Timestamp
  readonly duration_ms: number
}

/** Enqueues one message to a channel with this URL; returns the delivery's id. */
const enqueue = (project: Project, url: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const deliveries = yield* Deliveries
    const channel = yield* insertChannel({ projectId: project.id, url })
    const row = { project_id: project.id, user_id: null, subscription_id: null, channel }
    const notification = yield* notificationOf()
    const [id] = yield* sql.withTransaction(deliveries.enqueue([{ ...row, notification }]))
    return id ?? assert.fail()
  })

/** The delivery and its first attempt, once there is one. */
const attemptOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    until(
      sql<Row>`SELECT d.status, d.due_at, a.response_code, a.error, a.started_at, a.duration_ms
        FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id WHERE d.id = ${id}`,
      (rows) => rows.length > 0
    )).pipe(Effect.map(([row]) => row ?? assert.fail()))

/** The same, and no second attempt. */
const attemptOnce = (id: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const row = yield* attemptOf(id)
    yield* sql`UPDATE channels SET is_active = 0 WHERE id = (SELECT channel_id FROM deliveries WHERE id = ${id})`
    return row
  })

describe("receivers over HTTPS that misbehave", () => {
  layer(world, { excludeTestServices: true })((it) => {
    it.scoped("each attempt says what happened, and leaves no connection and no backlog of bytes", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const all = Object.entries(manners)
        const receiver = yield* hostileServer(all.map(([, [does]]) => does), (yield* Site).brain)
        const ids = yield* Effect.forEach(all, (_, at) => enqueue(project, `https://127.0.0.1:${receiver.port}/${at}`))
        const rows = yield* Effect.forEach(ids, attemptOnce, { concurrency: "unbounded" })
        for (const [at, [name, [, code, error]]] of all.entries()) {
          const row = rows[at]
          assert.strictEqual(row?.response_code, code, `${name}: ${row?.error}`)
          if (error === null) assert.isNull(row?.error, name)
          else assert.match(row?.error ?? "", error, name)
          assert.strictEqual(row?.status, error === null ? "sent" : "pending", name)
        }
        yield* until(Effect.sync(() => receiver.open.size), (size) => size === 0)
        // what lies in the buffers of two sockets, and not what the receiver would have sent
        for (const [at, [name]] of all.entries()) assert.isBelow(receiver.written[at] ?? 0, 32 * 1024 * 1024, name)
      }))

    it.scoped("each fault of TLS has its own error, before a byte of the message is sent", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const pki = yield* Site
        const faults: ReadonlyArray<readonly [files: Files, error: RegExp]> = [
          [yield* pki.authority.expiredServer("127.0.0.1"), /^its certificate has expired \(CERT_HAS_EXPIRED\)$/],
          [yield* pki.authority.server("other.example"), /^its certificate is for another name \(/],
          [yield* pki.otherAuthority.server("127.0.0.1"), /^its certificate is of an unknown authority \(/],
          [yield* selfSigned, /^its certificate is signed by itself \(/],
          [pki.otherAuthority, /^its certificate is not one of a server \(/]
        ]
        for (const [files, error] of faults) {
          let requests = 0
          const receiver = yield* hostileServer([() => requests++], files)
          const row = yield* attemptOf(yield* enqueue(project, `https://127.0.0.1:${receiver.port}/0`))
          assert.match(row.error ?? "", error)
          assert.strictEqual(requests, 0)
        }
        const plain = yield* portOf(createServer((socket) => {
          socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\n\r\n")
        }))
        const row = yield* attemptOf(yield* enqueue(project, `https://127.0.0.1:${plain}/`))
        assert.match(row.error ?? "", /^it does not speak TLS/)
      }))

    it.scoped("a Retry-After moves the next attempt, whatever its form, by a day at most", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { brain } = yield* Site
        const date = (seconds: number) => () => new Date(Date.now() + seconds * 1000).toUTCString()
        const waits: ReadonlyArray<readonly [header: () => string, seconds: number]> = [
          [() => "30", 30],
          [date(120), 120],
          [() => "0", 5],
          [() => "-1", 5],
          [date(-3600), 5],
          [() => "soon", 5],
          [() => "1e9", 5],
          [() => "999999999999", 86_400],
          [() => "9".repeat(400), 86_400],
          [date(10 * 365 * 86_400), 86_400]
        ]
        for (const status of ["429 Too Many Requests", "503 Service Unavailable"]) {
          for (const [header, seconds] of waits) {
            const respond: Manner = (socket) =>
              void socket.end(head(status, `Retry-After: ${header()}`, "Content-Length: 0"))
            const { port } = yield* hostileServer([respond], brain) // one each: after 429 a target gets nothing
            const { due_at, duration_ms, error, started_at } = yield* attemptOf(
              yield* enqueue(project, `https://127.0.0.1:${port}/0`)
            )
            const wait = (Timestamp.toEpochMillis(due_at ?? started_at) - Timestamp.toEpochMillis(started_at)) / 1000
            // dates are in whole seconds; the first delay is 5 s and a fifth at most
            assert.isAtLeast(wait, seconds - 2, `${status} ${header()}: ${error}`)
            assert.isAtMost(wait, Math.max(seconds, 6) + duration_ms / 1000 + 5, `${status} ${header()}`)
          }
        }
      }))
  })
})
