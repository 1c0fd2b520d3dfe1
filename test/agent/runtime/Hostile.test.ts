import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { FailureKind } from "../../../src/agent/runtime/AgentStatus.ts"
import { canonicalTextOf } from "../../../src/domain/kernel/CanonicalJson.ts"
import { WireSession } from "../../../src/protocol/Frame.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"
import { until } from "../../until.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { drained, online, optionsFor, started, statusOf } from "./agents.ts"
import { type FakeBrain, fakeBrain, type FakeConnection } from "./fakeBrain.ts"

const closing = (code: number) => (connection: FakeConnection) => connection.ws.close(code, "go away")
const afterwards = (then: (connection: FakeConnection) => void) => (connection: FakeConnection) => {
  connection.welcome()
  then(connection)
}
const refusing = (status: number): FakeBrain["manners"]["upgrade"] => (_request, socket) => {
  socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  return "refused"
}
const fatal = (code: string) =>
  afterwards((connection) => connection.send("error", "e1", { code, message: "no", fatal: true }))

/** First delays of section 1.1, in seconds. */
const firstDelay: Readonly<Record<FailureKind, number>> = { auth: 10, incompatible: 120, protocol: 1, connection: 1 }

const cases: ReadonlyArray<readonly [what: string, kind: FailureKind, manners: Partial<FakeBrain["manners"]>]> = [
  ["HTTP 401", "auth", { upgrade: refusing(401) }],
  ["HTTP 403", "connection", { upgrade: refusing(403) }],
  ["HTTP 500", "connection", { upgrade: refusing(500) }],
  ["a closed socket instead of an upgrade", "connection", {
    upgrade: (_request, socket) => (socket.destroy(), "refused")
  }],
  ["garbage instead of an upgrade", "connection", {
    upgrade: (_request, socket) => (socket.end("what?\r\n\r\n"), "refused")
  }],
  ...([4401, 4403] as const).map((code) =>
    [`close ${code} before hello_ack`, "auth", { onHello: closing(code) }] as const
  ),
  ...([4426, 4427] as const).map((code) =>
    [`close ${code} before hello_ack`, "incompatible", { onHello: closing(code) }] as const
  ),
  ...([1000, 1011, 4003, 4409, 4429] as const).map((code) =>
    [`close ${code} before hello_ack`, "connection", { onHello: closing(code) }] as const
  ),
  ["close 4003 after hello_ack", "auth", { onHello: afterwards(closing(4003)) }],
  ...([1000, 1001, 1008, 1012, 4401, 4426] as const).map((code) =>
    [`close ${code} after hello_ack`, "connection", { onHello: afterwards(closing(code)) }] as const
  ),
  ["another version in hello_ack", "incompatible", {
    onHello: (connection) => connection.welcome({ protocol_version: "3" })
  }],
  ["garbage instead of hello_ack", "connection", { onHello: ({ ws }) => ws.send("<html>Welcome</html>") }],
  ["garbage after hello_ack", "connection", { onHello: afterwards(({ ws }) => ws.send("{]")) }],
  ["binary noise after hello_ack", "connection", { onHello: afterwards(({ ws }) => ws.send(randomBytes(1000))) }],
  ["a frame type of the future", "connection", {
    onHello: afterwards(({ ws }) => ws.send(`{"v":2,"type":"surprise","id":"x","payload":{}}`))
  }],
  ["a message over 1 MiB", "connection", { onHello: afterwards(({ ws }) => ws.send("x".repeat(1_100_000))) }],
  ["a wrong signature", "connection", {
    onHello: afterwards((connection) => {
      connection.wire = new WireSession(signingKey(randomBytes(32)), { agentId: "a", projectId: "p", sessionId: "s" })
      connection.command("c1", "retry_task")
    })
  }],
  ["a clock that is off", "connection", {
    onHello: afterwards((connection) => connection.send("error", "e1", { code: "x" }, 90_000))
  }],
  ["a fatal error", "protocol", { onHello: fatal("whatever") }],
  ["the fatal error agent_incompatible", "incompatible", { onHello: fatal("agent_incompatible") }]
]

describe("a brain that does not announce them", () => {
  it.scopedLive("gets no lines and no progress, which it would take for unknown events", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const shop = new MemoryEngine()
      const agent = yield* started(yield* optionsFor(brain.url, brain, { engines: [shop.engine] }))
      const speak = () => {
        const taskId = shop.enqueue({ args: [1] })
        shop.report({ kind: "task.log", taskId, occurredAt: Date.now(), data: { lines: [{ message: "hello" }] } })
        shop.report({ kind: "task.progress", taskId, occurredAt: Date.now(), data: { progress: 1 } })
      }
      speak()
      yield* online(agent)
      speak()
      yield* drained(agent)
      const kinds = brain.frames.flatMap((frame) =>
        frame.type === "event_batch" ? frame.payload.events.map((event) => JSON.parse(canonicalTextOf(event)).kind) : []
      )
      assert.deepStrictEqual(kinds, ["task.received", "task.received"])
    }))
})

// Most of each is the agent's wait of a second before it tries again, so they wait side by side: each has a brain of its own.
describe.concurrent("a brain that sends", () => {
  for (const [what, kind, manners] of cases) {
    it.scopedLive(`${what}: the agent waits as for ${kind}, and loses nothing`, () =>
      Effect.gen(function*() {
        const brain = yield* fakeBrain
        const good = { ...brain.manners }
        Object.assign(brain.manners, manners)
        const shop = new MemoryEngine()
        const agent = yield* started(yield* optionsFor(brain.url, brain, { transport: "ws", engines: [shop.engine] }))
        const waiting = yield* statusOf(agent, ({ state }) => state === "waiting")
        assert.strictEqual(waiting.problemKind, kind, waiting.problem ?? "")
        const delay = ((waiting.nextTryAt ?? 0) - Date.now()) / 1000
        assert.isAtMost(delay, firstDelay[kind] * 1.31)
        assert.isAbove(delay, firstDelay[kind] - 5)
        assert.notInclude(JSON.stringify([waiting, agent.lines]), brain.hmac_secret)
        assert.notInclude(JSON.stringify([waiting, agent.lines]), brain.token)
        const ids = [shop.enqueue(), shop.enqueue()]
        if (firstDelay[kind] > 1) return
        Object.assign(brain.manners, good)
        yield* drained(agent)
        for (const id of ids) assert.isTrue(brain.events.has(id), "an event was lost")
        assert.deepStrictEqual(brain.refusals, [])
      }))
  }

  it.scopedLive("an error that is not fatal: the connection stays", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      brain.manners.onHello = afterwards((connection) =>
        connection.send("error", "e1", { code: "careful", message: "you", fatal: false })
      )
      const agent = yield* started(yield* optionsFor(brain.url, brain, { transport: "ws" }))
      yield* until(Effect.sync(() => agent.lines.map(([, line]) => line).join()), (lines) =>
        lines.includes("careful: you"))
      assert.strictEqual(agent.status().state, "online")
    }))

  it.scopedLive("no brain there: the agent keeps trying, and the host runs on", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      yield* Effect.promise(() => brain.close())
      const shop = new MemoryEngine()
      const agent = yield* started(yield* optionsFor(brain.url, brain, { engines: [shop.engine] }))
      for (let n = 0; n < 1000; n++) shop.work(shop.enqueue())
      const { buffer, problemKind } = yield* statusOf(agent, ({ buffer, state }) =>
        state === "waiting" && buffer.events === 3000)
      assert.strictEqual(problemKind, "connection")
      assert.isAbove(buffer.bytes, 100_000)
    }))

  it.scopedLive("replaced by a process of the same name: it takes another name", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const agent = yield* started(yield* optionsFor(brain.url, brain, { transport: "ws" }))
      yield* online(agent)
      brain.connections[0]?.ws.close(4409, "replaced")
      yield* until(Effect.sync(() => brain.connections.length), (count) => count === 2)
      yield* online(agent)
      const [first, second] = brain.connections.map(({ hello }) => hello?.payload.workerId)
      assert.isString(second)
      assert.notStrictEqual(first, second)
    }))
})

it.scopedLive("an event that is none, of an unknown engine: it is counted, and heartbeats report it in a form that brains accept", () =>
  Effect.gen(function*() {
    const brain = yield* fakeBrain
    const agent = yield* started(yield* optionsFor(brain.url, brain, { transport: "ws" }))
    agent.report("x".repeat(300), { kind: "task.begun" as never, taskId: "t", occurredAt: 0, data: {} })
    yield* until(
      Effect.sync(() =>
        brain.frames.flatMap((frame) => frame.type === "heartbeat" ? [frame.payload.telemetryLoss?.adapterEvents] : [])
      ),
      (losses) => JSON.stringify(losses.at(-1)) === `{"other":1}`
    )
    assert.deepStrictEqual([agent.status().lostEvents, brain.refusals], [1, []])
  }))

describe("a brain that is slow", () => {
  it.scopedLive("to acknowledge: sixteen frames are under way, the rest waits on disk, and all arrive", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const deferred: Array<() => void> = []
      brain.manners.onFrame = (connection, frame) => {
        if (frame.type !== "event_batch") return
        deferred.push(() => {
          brain.store(frame)
          connection.ack(frame.id)
        })
      }
      const shop = new MemoryEngine()
      const agent = yield* started(yield* optionsFor(brain.url, brain, { transport: "ws", engines: [shop.engine] }))
      yield* online(agent)
      const ids = Array.from({ length: 20_000 }, () => shop.enqueue())
      yield* until(Effect.sync(() => deferred.length), (count) => count >= 16)
      assert.strictEqual(deferred.length, 16)
      assert.strictEqual(agent.status().buffer.events, 20_000)
      yield* until(
        Effect.sync(() => (deferred.splice(0).forEach((go) => go()), agent.status().buffer.events)),
        (left) => left === 0
      )
      assert.strictEqual(brain.events.size, 20_000)
      assert.isTrue(ids.every((id) => brain.events.has(id)))
    }))

  it.scopedLive("to be back, for longer than the buffer reaches: the oldest are dropped, counted and reported", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      brain.manners.upgrade = refusing(503)
      const shop = new MemoryEngine()
      const agent = yield* started(
        yield* optionsFor(brain.url, brain, { transport: "ws", engines: [shop.engine], bufferMaxEvents: 500 })
      )
      yield* statusOf(agent, ({ state }) => state === "waiting")
      const ids = Array.from({ length: 3000 }, () => shop.enqueue())
      const { buffer, lostEvents } = yield* statusOf(
        agent,
        ({ buffer, lostEvents }) => buffer.events + lostEvents === 3000 && lostEvents > 0
      )
      assert.isAtMost(buffer.events, 500)
      brain.manners.upgrade = () => "taken"
      yield* drained(agent)
      assert.deepStrictEqual(
        [...brain.events].sort(),
        ids.slice(-buffer.events).sort(),
        "the newest should have been kept"
      )
      const beat = yield* until(
        Effect.sync(() => brain.frames.find((frame) => frame.type === "heartbeat")),
        (frame) => frame !== undefined
      )
      if (beat?.type !== "heartbeat") throw new Error("no heartbeat")
      assert.strictEqual(beat.payload.droppedEvents, lostEvents)
      assert.deepInclude(beat.payload.telemetryLoss, { eventRecords: lostEvents })
      assert.isAbove(beat.payload.telemetryLoss?.capacityEvictedFrames ?? 0, 0)
    }))
})

describe("options that are invalid", () => {
  const right = { brainUrl: "http://127.0.0.1:1", token: "t", hmacSecret: "A".repeat(43), engines: [] }
  const invalid = [
    ["a URL that is none", { ...right, brainUrl: "brain" }, /https:\/\//],
    ["plain http to another machine", { ...right, brainUrl: "http://svc.example.com" }, /plain http/],
    ["no token", { ...right, token: "" }, /token/],
    ["a short secret", { ...right, hmacSecret: "abcd" }, /32 bytes/],
    ["a secret that is no base64url", { ...right, hmacSecret: "a+b/c" }, /base64/],
    [
      "two engines of one name",
      { ...right, engines: [new MemoryEngine().engine, new MemoryEngine().engine] },
      /same name/
    ]
  ] as const
  for (const [what, options, sentence] of invalid) {
    it.scopedLive(`${what}: startAgent says so, and the host runs on`, () =>
      Effect.gen(function*() {
        const agent = yield* started(options)
        assert.strictEqual(agent.status().state, "refused")
        assert.match(agent.status().problem ?? "", sentence)
        assert.match(agent.lines.join(), sentence)
        agent.report("memory", { kind: "task.received", taskId: "x", occurredAt: 0, data: {} })
      }))
  }
})
