import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FailureKind } from "../../../src/agent/runtime/AgentStatus.ts"
import { encodeFrame, WireSession } from "../../../src/protocol/Frame.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { drained, optionsFor, started, statusOf } from "./agents.ts"
import { type FakeBrain, fakeBrain } from "./fakeBrain.ts"
import { ids, polls, responseOf } from "./pollingBrain.ts"

const running = (brain: FakeBrain, shop: MemoryEngine) =>
  Effect.flatMap(optionsFor(brain.url, brain, { transport: "longpoll", engines: [shop.engine] }), started)

const forged = encodeFrame(
  "command",
  "c1",
  { action: "x", target: {}, parameters: {} },
  new WireSession(signingKey(Buffer.alloc(32, 1)), { ...ids, sessionId: "s" }),
  Date.now()
)

const cases: ReadonlyArray<readonly [what: string, kind: FailureKind, responses: Parameters<typeof polls>[1]]> = [
  ["401 to the probe", "auth", { probe: responseOf(401) }],
  ["401 to a poll", "auth", { poll: responseOf(401) }],
  ["401 to events", "auth", { push: () => responseOf(401) }],
  ["403 project_inactive", "auth", { probe: responseOf(403, { error: "project_inactive" }) }],
  ["another 403", "connection", { probe: responseOf(403, "<html>") }],
  ["a redirect", "connection", { probe: responseOf(302, "", { location: "http://127.0.0.1:1/" }) }],
  ["no ids", "connection", { probe: responseOf(200, {}, { "x-svc-agent-id": "", "x-svc-project-id": "" }) }],
  ["HTML to a poll", "connection", { poll: responseOf(200, "<html>Welcome</html>") }],
  ["garbage frames", "connection", { poll: responseOf(200, { frames: ["{]", 7] }) }],
  ["a forged command", "connection", { poll: responseOf(200, { frames: [forged] }) }],
  ["500 to events", "connection", { push: () => responseOf(500) }],
  ["fewer accepted than sent", "connection", { push: (frames) => responseOf(200, { accepted: frames.length - 1 }) }],
  ["accepted as a text", "connection", { push: (frames) => responseOf(200, { accepted: String(frames.length) }) }],
  ["scheduler_upgrade_required", "protocol", {
    push: () => responseOf(200, { error_code: "scheduler_upgrade_required" })
  }]
]

// Side by side, since most of each is the agent's wait of a second before it tries again.
describe.concurrent("a long-poll brain that responds with", () => {
  for (const [what, kind, responses] of cases) {
    it.scopedLive(`${what}: the agent waits as for ${kind}, and sends all again under a fresh nonce`, () =>
      Effect.gen(function*() {
        const brain = yield* fakeBrain
        const { heal, nonces } = polls(brain, responses)
        const shop = new MemoryEngine()
        const agent = yield* running(brain, shop)
        const id = shop.enqueue()
        const waiting = yield* statusOf(agent, ({ state }) => state === "waiting")
        assert.strictEqual(waiting.problemKind, kind, waiting.problem ?? "")
        assert.notInclude(JSON.stringify([waiting, agent.lines]), brain.token)
        if (kind === "auth") return
        const healed = heal()
        yield* drained(agent)
        assert.isTrue(brain.events.has(id))
        assert.strictEqual(healed.nonces.length, 1)
        assert.notInclude(nonces, healed.nonces[0])
      }))
  }

  it.scopedLive("503 with Retry-After: the agent waits so long", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      polls(brain, { probe: responseOf(503, {}, { "retry-after": "20" }) })
      const agent = yield* running(brain, new MemoryEngine())
      const { nextTryAt } = yield* statusOf(agent, ({ state }) => state === "waiting")
      assert.isAbove((nextTryAt ?? 0) - Date.now(), 15_000)
    }))

  it.scopedLive("413 as long as a certain message is among them: only that one is given up, and counted", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      polls(brain, {
        push: (frames) => (frames.some((frame) => frame.includes("poison")) ? responseOf(413) : undefined)
      })
      const shop = new MemoryEngine()
      const agent = yield* running(brain, shop)
      const good = shop.enqueue()
      yield* drained(agent)
      shop.enqueue({ task_name: "poison" })
      yield* drained(agent)
      const later = shop.enqueue()
      yield* drained(agent)
      assert.isTrue(brain.events.has(good) && brain.events.has(later))
      assert.strictEqual(agent.status().lostEvents, 1)
      assert.match(agent.lines.join(), /the brain refused an event; it was dropped/)
    }))

  it.scopedLive("commands: each has a result, which is kept until a POST with it was accepted", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      let refuse = true
      const { wireOf } = polls(brain, {
        push: (
          frames
        ) => (refuse && frames.some((frame) => frame.includes("command_result"))
          ? ((refuse = false), responseOf(500))
          : undefined)
      })
      const serve = brain.manners.onRequest
      let sent = 0
      brain.manners.onRequest = (request, response, body) => {
        if (request.method !== "GET" || request.url?.includes("max_frames=0") === true || sent > 0) {
          return serve(request, response, body)
        }
        sent++
        const frame = encodeFrame(
          "command",
          "c1",
          { action: "submit_task", target: {}, parameters: { name: "shop.pay" } },
          wireOf(request),
          Date.now()
        )
        response.end(JSON.stringify({ frames: [frame] }))
      }
      const shop = new MemoryEngine()
      const agent = yield* running(brain, shop)
      yield* statusOf(
        agent,
        ({ commandsWaiting }) => commandsWaiting === 0 && brain.frames.some(({ type }) => type === "command_result")
      )
      assert.deepStrictEqual(shop.done, ["submit_task"])
      assert.isFalse(refuse)
    }))
})
