import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { encodeHelloFrame } from "../../src/protocol/Hello.ts"
import { event, helloPayload } from "../agent.ts"
import { until } from "../until.ts"
import { adminKey, type BrainProcess, siteOf } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { attack, endings, inParallel, type Prepare, received, splitPoints } from "./hostile/Attack.ts"

interface Target {
  readonly bytes: Buffer
  readonly prepare?: Prepare
}

/** A request as it goes over the wire. */
const head = (line: string, headers: Readonly<Record<string, string>> = {}, body: Buffer | string = ""): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        `${line} HTTP/1.1`,
        "Host: 127.0.0.1",
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        "",
        ""
      ].join("\r\n")
    ),
    Buffer.from(body)
  ])

const withLength = (line: string, headers: Readonly<Record<string, string>>, body: string) =>
  head(
    line,
    { "Content-Type": "application/json", ...headers, "Content-Length": String(Buffer.byteLength(body)) },
    body
  )

/** A masked WebSocket message in one frame. */
const message = (data: Buffer, opcode = 2): Buffer => {
  const mask = randomBytes(4)
  const length = data.length < 126
    ? Buffer.from([0x80 | data.length])
    : Buffer.from([0x80 | 126, data.length >> 8, data.length & 255])
  return Buffer.concat([
    Buffer.from([0x80 | opcode]),
    length,
    mask,
    data.map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  ])
}

const upgrade = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  head(`GET ${path}`, {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers
  })

const h2c = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA" }
const login = JSON.stringify({ email: "nobody@example.com", password: "x".repeat(40) })
const hello = () =>
  message(Buffer.from(encodeHelloFrame("hello_1", helloPayload() as Parameters<typeof encodeHelloFrame>[1]))) // as in test/agent.ts
const unsigned = () =>
  message(Buffer.from(JSON.stringify({ v: 2, type: "event_batch", id: "ev_1", payload: { events: [event()] } })))

/** Every kind of path, and every stage of it that bytes of a client lead to. */
const targets = (agentToken: string, key: string): Readonly<Record<string, Target>> => {
  const agent = { Authorization: `Bearer ${agentToken}` }
  const person = { Authorization: `Bearer ${key}` }
  const session = { ...agent, "X-SVC-Session-Nonce": "n".repeat(22) }
  const upgraded: Prepare = async (socket) => {
    socket.write(upgrade("/ws/agent", agent))
    await received(socket, /101 Switching/)
  }
  const greeted: Prepare = async (socket) => {
    await upgraded(socket)
    socket.write(hello())
    await received(socket, /hello_ack/)
  }
  const prepareAnswered: Prepare = async (socket) => {
    socket.write(head("GET /health"))
    await received(socket, /"ok"/)
  }
  return {
    "a plain request": { bytes: head("GET /api/v1/health") },
    "an upgrade to an unknown protocol": { bytes: head("GET /api/v1/health", { Connection: "Upgrade", Upgrade: "x" }) },
    "an upgrade to HTTP/2, with a body": { bytes: withLength("POST /api/v1/auth/login", h2c, login) },
    "HTTP/2 without asking": { bytes: Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0") },
    "a tunnel": { bytes: head("CONNECT 127.0.0.1:22") },
    "a WebSocket on a path of the API": { bytes: upgrade("/api/v1/health") },
    "a WebSocket on no path": { bytes: upgrade("/elsewhere") },
    "an agent's WebSocket without a token": { bytes: upgrade("/ws/agent") },
    "an agent's WebSocket with a wrong token": { bytes: upgrade("/ws/agent", { Authorization: "Bearer sva_wrong" }) },
    "an agent's WebSocket with a wrong key": { bytes: upgrade("/ws/agent", { ...agent, "Sec-WebSocket-Key": "?" }) },
    "an agent's upgrade": { bytes: upgrade("/ws/agent", agent) },
    "an agent's hello": { prepare: upgraded, bytes: hello() },
    "what is no hello": { prepare: upgraded, bytes: message(Buffer.from("{}")) },
    "an agent's frame": { prepare: greeted, bytes: unsigned() },
    "an agent's ping and close": {
      prepare: greeted,
      bytes: Buffer.concat([message(Buffer.from("?"), 9), message(Buffer.from([3, 232]), 8)])
    },
    "an agent's frame that breaks the protocol": { prepare: greeted, bytes: Buffer.from([0xff, 0xff, 0xff, 0xff]) },
    "a long-poll": { bytes: head("GET /api/v1/agent/commands?wait=1&max_frames=1", session) },
    "a long-poll's push": {
      bytes: withLength("POST /api/v1/agent/events", session, JSON.stringify({ frames: ["{}"] }))
    },
    "a live stream": { bytes: head("GET /api/v1/projects/default/stream", person) },
    "a request on a connection that was kept": {
      prepare: prepareAnswered,
      bytes: head("GET /api/v1/projects", person)
    },
    "two requests at once": { bytes: Buffer.concat([head("GET /api/v1/projects", person), head("GET /health/ready")]) },
    "a body": { bytes: withLength("POST /api/v1/auth/login", {}, login) },
    "a body in chunks": {
      bytes: head(
        "POST /api/v1/auth/login",
        { "Content-Type": "application/json", "Transfer-Encoding": "chunked" },
        `10\r\n${login.slice(0, 16)}\r\n4\r\n${login.slice(16, 20)}\r\n0\r\n\r\n`
      )
    },
    "a body that waits to be asked for": {
      bytes: withLength("POST /api/v1/auth/login", { Expect: "100-continue" }, login)
    },
    "a long response": { bytes: head("GET /api/v1/openapi.json") },
    "what is no HTTP": { bytes: randomBytes(64) }
  }
}

/** The samples of one metric, by their labels as they are written. */
const samples = (text: string, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [, labels, value] = new RegExp(`^${name}(?:\\{(.*)\\})? (.+)$`).exec(line) ?? []
      return value === undefined ? [] : [[labels ?? "", Number(value)]]
    })
  )

const metricsOf = (brain: BrainProcess, home: string) => {
  const token = readFileSync(join(home, "metrics.token"), "utf8").trim()
  return Effect.promise(() =>
    fetch(`${brain.url}/metrics`, { headers: { authorization: `Bearer ${token}` } }).then((response) => response.text())
  )
}

/** Every ending at each byte takes three times as long as one ending at each byte in turn. */
const isThorough = process.env.SVC_HOSTILE_SOCKETS === "all"

describe("clients that leave in every bad way", () => {
  it.scopedLive(
    "end no program: reset, half-close and close without reading, at each byte of each stage",
    () =>
      Effect.gen(function*() {
        const site = yield* siteOf(inject("program"))
        const brain = yield* site.brain
        const home = site.env.SVC_HOME ?? ""
        const key = yield* adminKey(brain)
        const { json } = yield* callAt(brain, key)("POST", "/projects/default/agents", { name: "agent" })
        const port = Number(new URL(brain.url).port)
        const alive = Effect.promise(() => fetch(`${brain.url}/health`).then(({ status }) => status, () => 0))
        let connections = 0
        for (const [name, { bytes, prepare }] of Object.entries(targets(String(json.token), key))) {
          const attacks = endings.flatMap((ending, endingIndex) => [
            ...splitPoints(bytes.length, prepare === undefined ? 250 : 60)
              .filter((_, index) => isThorough || index % endings.length === endingIndex)
              .map((length) => ({ ending, length, awaitsResponse: false })),
            { ending, length: bytes.length, awaitsResponse: false },
            { ending, length: bytes.length, awaitsResponse: true }
          ])
          connections += attacks.length
          yield* Effect.promise(() =>
            inParallel(attacks.map(({ awaitsResponse, ending, length }) => () =>
              attack({
                port,
                ...(prepare === undefined ? {} : { prepare }),
                bytes: bytes.subarray(0, length),
                ending,
                awaitsResponse
              })
                .catch((error: unknown) => {
                  throw new Error(`${name}, ${ending} after ${length} bytes: ${String(error)}`)
                })
            ))
          )
          assert.strictEqual(yield* alive, 200, `${name}: ${brain.log()}`)
        }
        console.log(`${connections} connections ended badly`)

        const metrics = yield* until(
          metricsOf(brain, home),
          (text) => (samples(text, "svc_http_connections")[""] ?? Infinity) < 10
        )
        const closed = samples(metrics, "svc_http_connections_closed_total")
        assert.isAtLeast(closed["reason=\"reset\""] ?? 0, connections / 10)
        assert.isAtLeast(Object.values(closed).reduce((sum, count) => sum + count, 0), connections)
        assert.notInclude(brain.log(), "Unhandled")
        assert.strictEqual(yield* brain.stop, 0)
      })
  )
})
