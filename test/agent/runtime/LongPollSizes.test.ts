import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Engine } from "../../../src/agent/runtime/Engine.ts"
import { encodeFrame } from "../../../src/protocol/Frame.ts"
import { until } from "../../until.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { drained, optionsFor, started, statusOf } from "./agents.ts"
import { type FakeBrain, fakeBrain } from "./fakeBrain.ts"
import { polls, responseOf } from "./pollingBrain.ts"

const running = (brain: FakeBrain, engine: Engine) =>
  Effect.flatMap(optionsFor(brain.url, brain, { transport: "longpoll", engines: [engine] }), started)

/** A proxy before the brain that takes bodies of so many bytes; `refused` are the sizes of those that it did not take. */
const proxy = (most: number) => {
  const refused: Array<number> = []
  const push = (_frames: ReadonlyArray<string>, body: string) => {
    if (Buffer.byteLength(body) <= most) return undefined
    refused.push(Buffer.byteLength(body))
    return responseOf(413, "<html><head><title>413 Request Entity Too Large</title></head></html>")
  }
  return { refused, push }
}

const filler = (bytes: number) => ({
  kwargs: { note: Array.from({ length: Math.ceil(bytes / 1000) }, () => "x".repeat(1000)) }
})

describe.concurrent("long-poll through a proxy that limits bodies", () => {
  it.scopedLive("of 100 kB: every event arrives, and once the size is known nothing is refused", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const { push, refused } = proxy(100_000)
      polls(brain, { push })
      const shop = new MemoryEngine()
      const agent = yield* running(brain, shop.engine)
      const first = Array.from({ length: 3000 }, () => shop.enqueue())
      yield* drained(agent)
      const before = refused.length
      assert.isAbove(before, 0)
      assert.isBelow(before, 15)
      const later = Array.from({ length: 3000 }, () => shop.enqueue())
      yield* drained(agent)
      assert.strictEqual(refused.length, before)
      assert.deepStrictEqual([...first, ...later].filter((id) => !brain.events.has(id)), [])
      assert.strictEqual(agent.status().lostEvents, 0)
    }))

  it.scopedLive("an event that never fits is given up alone, counted and logged with the other side's sentence", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const { push } = proxy(20_000)
      polls(brain, { push })
      const shop = new MemoryEngine()
      const agent = yield* running(brain, shop.engine)
      const ids = Array.from({ length: 60 }, (_, n) => shop.enqueue(n === 30 ? filler(30_000) : filler(5000)))
      const [large = ""] = ids.splice(30, 1)
      yield* drained(agent)
      assert.deepStrictEqual(ids.filter((id) => !brain.events.has(id)), [])
      assert.isFalse(brain.events.has(large))
      assert.strictEqual(agent.status().lostEvents, 1)
      assert.match(
        agent.lines.join("\n"),
        /the brain refused an event; it was dropped.*HTTP 413: "413 Request Entity Too Large"/
      )
      const heartbeats = Effect.sync(() => brain.frames.filter((frame) => frame.type === "heartbeat"))
      const [heartbeat] = yield* until(
        Effect.map(heartbeats, (all) => all.filter(({ payload }) => payload.telemetryLoss?.eventRecords === 1)),
        (all) => all.length > 0
      )
      assert.strictEqual(heartbeat?.payload.telemetryLoss?.contentRejectedFrames, 1)
    }))

  it.scopedLive("of 8 KiB before a brain that knows the published agents' headers alone", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const { push, refused } = proxy(8192)
      const { wireOf } = polls(brain, { push, family: "x-z4j-" })
      const serve = brain.manners.onRequest
      let hasPolled = false
      brain.manners.onRequest = (request, response, body) => {
        if (request.headers["x-z4j-session-nonce"] === undefined) {
          response.writeHead(409, { "content-type": "application/problem+json" })
          return void response.end(JSON.stringify({ detail: "Send X-Z4J-Session-Nonce." }))
        }
        if (hasPolled || request.method !== "GET" || request.url?.includes("max_frames=0") === true) {
          return serve(request, response, body)
        }
        hasPolled = true
        const command = encodeFrame(
          "command",
          "c1",
          { action: "dlq.list", target: {}, parameters: {} },
          wireOf(request),
          Date.now()
        )
        response.end(JSON.stringify({ frames: [command] }))
      }
      const shop = new MemoryEngine()
      const inventory = Effect.map(shop.engine.inventory, (found) => ({
        ...found,
        workers: [{
          name: "w",
          hostname: "h",
          pid: 1,
          concurrency: 1,
          queues: ["default"],
          activeTasks: 0,
          registered: Array.from({ length: 500 }, (_, n) => `shop.task-${n}`)
        }]
      }))
      const entry = {
        task_id: "t",
        task_name: "shop.pay",
        queue: "default",
        failed_at: null,
        error_excerpt: "x".repeat(500),
        attempts: 1
      }
      const engine: Engine = {
        ...shop.engine,
        inventory,
        actions: {
          ...shop.engine.actions,
          list_dead_letters: () =>
            Effect.succeed({ entries: Array.from({ length: 50 }, () => entry), next_cursor: null, total: 50 })
        }
      }
      const agent = yield* running(brain, engine)
      const ids = Array.from({ length: 500 }, () => shop.enqueue())
      yield* drained(agent)
      yield* statusOf(agent, ({ commandsWaiting }) => hasPolled && commandsWaiting === 0)
      assert.deepStrictEqual(ids.filter((id) => !brain.events.has(id)), [])
      assert.strictEqual(agent.status().lostEvents, 0)
      const result = brain.frames.find((frame) => frame.type === "command_result")
      assert.strictEqual(result?.payload.status, "failed")
      assert.include(result?.payload.error ?? "", "longer than")
      assert.isTrue(brain.frames.some(({ type }) => type === "heartbeat"))
      const before = refused.length
      yield* until(
        Effect.sync(() => brain.frames.filter(({ type }) => type === "heartbeat").length),
        (count) => count >= 2
      )
      assert.strictEqual(refused.length, before, "a heartbeat that is known not to fit is not tried again")
    }))

  it.scopedLive("a refused request is logged in the other side's words, on one line and without the token", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      polls(brain, {
        probe: responseOf(409, { detail: `Send\n\u001b[31mX-Other-Nonce, ${brain.token} ${"y".repeat(1000)}` })
      })
      const agent = yield* running(brain, new MemoryEngine().engine)
      const { problem } = yield* statusOf(agent, ({ state }) => state === "waiting")
      assert.match(
        problem ?? "",
        /^The brain's address answered with HTTP 409: "Send \[31mX-Other-Nonce, \[REDACTED\] y+"$/
      )
      assert.isBelow(problem?.length ?? 0, 400)
    }))
})
