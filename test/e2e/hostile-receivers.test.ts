import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import { inject } from "vitest"
import { portOf } from "../ports.ts"
import { until } from "../until.ts"
import { adminKey, siteOf } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { siteBehind } from "./faults/Site.ts"

const resetAfter = (text: string) => (socket: Socket) => {
  socket.once("data", () => socket.write(text, () => socket.resetAndDestroy()))
}

/** What a receiver does to who connects. */
const manners: Readonly<Record<string, (socket: Socket) => void>> = {
  "resets at once": (socket) => void socket.resetAndDestroy(),
  "ends at once": (socket) => void socket.end(),
  "resets after the request's first bytes": resetAfter(""),
  "resets within the status line": resetAfter("HTTP/1.1 20"),
  "resets within the head": resetAfter("HTTP/1.1 200 OK\r\nContent-Len"),
  "resets within the body": resetAfter("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
  "resets within a chunk": resetAfter("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"),
  "ends within the body": (socket) =>
    void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")),
  "responds with no HTTP": (socket) => void socket.once("data", () => socket.end("what?\r\n\r\n")),
  "switches protocols unasked": (socket) =>
    void socket.once(
      "data",
      () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", () =>
          socket.resetAndDestroy())
    ),
  "resets after its greeting": (socket) => void socket.write("220 mail\r\n", () => socket.resetAndDestroy()),
  "resets after EHLO": (socket) => {
    socket.write("220 mail\r\n")
    socket.once("data", () => socket.write("250-mail\r\n250 OK\r\n", () => socket.resetAndDestroy()))
  },
  "never reads and never responds": (socket) => void socket.pause()
}

describe("receivers of what the brain sends that reset, end and break off", () => {
  it.scopedLive(
    "end no program: webhooks of the audit log and of checkpoints, a trace collector, a mail server",
    () =>
      Effect.gen(function*() {
        const seen = new Map<string, number>()
        const names = Object.keys(manners)
        let next = 0
        const sockets = new Set<Socket>()
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            for (const socket of sockets) socket.destroy()
          })
        )
        const port = yield* portOf(createServer((socket) => {
          sockets.add(socket.on("error", () => {}))
          const name = names[next++ % names.length] ?? ""
          seen.set(name, (seen.get(name) ?? 0) + 1)
          manners[name]?.(socket)
        }))
        const receiver = `http://127.0.0.1:${port}`
        const site = yield* siteOf(inject("program"), {
          SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8:*",
          SVC_AUDIT_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8:*",
          SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true",
          SVC_AUDIT_WEBHOOK_URL: receiver,
          SVC_AUDIT_WEBHOOK_HMAC_SECRET: "x".repeat(32),
          SVC_AUDIT_WEBHOOK_TIMEOUT_SECONDS: "1",
          SVC_AUDIT_CHECKPOINT_WEBHOOK_URLS: receiver,
          SVC_AUDIT_CHECKPOINT_INTERVAL_SECONDS: "1",
          SVC_OTEL_EXPORTER_OTLP_ENDPOINT: receiver,
          SVC_SMTP_URL: `smtp://127.0.0.1:${port}`
        })
        const brain = yield* site.brain
        const call = callAt(brain, yield* adminKey(brain))
        let slug = 0
        yield* until(
          Effect.gen(function*() {
            yield* call("POST", "/projects", { slug: `p-${slug++}`, name: "p" }) // an audit row, spans and a checkpoint
            yield* call("POST", "/auth/password-reset/request", { email: "admin@example.com" }) // a mail
            return Math.min(...names.map((name) => seen.get(name) ?? 0))
          }),
          (fewest) => fewest >= 2
        )
        assert.strictEqual((yield* call("GET", "//health/ready")).status, 200)
        assert.strictEqual(yield* brain.stop, 0, brain.log())
      })
  )
})

describe("a PostgreSQL whose connections are reset", () => {
  it.scopedLive("ends no program, in the middle of whatever they are used for", () =>
    Effect.gen(function*() {
      const { database, site } = yield* siteBehind("PostgreSQL", 60)
      const brain = yield* site.brain
      const call = callAt(brain, yield* adminKey(brain))
      for (let round = 0; round < 12; round++) {
        const creating = Effect.forEach(
          Array.from({ length: 20 }, (_, index) => `r${round}-${index}`),
          (slug) => call("POST", "/projects", { slug, name: "p" }),
          { concurrency: "unbounded" }
        )
        const [responses] = yield* Effect.all([
          creating,
          Effect.delay(Effect.sync(() => database?.reset()), `${round * 4} millis`)
        ], { concurrency: 2 })
        assert.isTrue(
          responses.every(({ status }) => status === 201 || status === 503),
          JSON.stringify(responses.map(({ status }) => status))
        )
      }
      yield* until(call("GET", "//health/ready"), ({ status }) => status === 200)
      assert.strictEqual(yield* brain.stop, 0, brain.log())
    }))
})
