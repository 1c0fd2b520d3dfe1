import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Agent } from "../../../src/agent/runtime/Agent.ts"
import { EngineRefused } from "../../../src/agent/runtime/Engine.ts"
import { fromEnvironment } from "../../../src/agent/runtime/Environment.ts"
import { until } from "../../until.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { online, optionsFor, started, statusOf } from "./agents.ts"
import { fakeBrain } from "./fakeBrain.ts"

describe("the agent as a layer", () => {
  it.scopedLive("runs while the scope is open, and says goodbye with what it still has", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const shop = new MemoryEngine()
      const options = yield* optionsFor(brain.url, brain, { engines: [shop.engine] })
      const logged: Array<unknown> = []
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(message)))
      const id = yield* Effect.gen(function*() {
        const agent = yield* Agent
        yield* until(Effect.sync(agent.status), ({ state }) => state === "online")
        return shop.enqueue()
      }).pipe(Effect.provide(Agent.layer(options)), Effect.provide(logger))
      assert.isTrue(brain.events.has(id), "the last event was not sent before the end")
      const closed = yield* until(Effect.sync(() => brain.connections[0]?.ws.readyState), (state) => state === 3)
      assert.strictEqual(closed, 3)
      assert.include(logged.join(), "connected to the brain by WebSocket")
    }))

  it.scopedLive("fails with a typed error when its options are invalid", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Layer.build(Agent.layer({ brainUrl: "", token: "t", hmacSecret: "s", engines: [] }))
      )
      assert.strictEqual(error._tag, "AgentRefused")
    }))
})

describe("an engine that", () => {
  it.scopedLive("refuses to start, or throws at it, is shown in the status; the others run", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const good = new MemoryEngine("good")
      const refusing = {
        ...new MemoryEngine("refusing").engine,
        start: () => Effect.fail(new EngineRefused({ message: "no such queue: shpo" }))
      }
      const breaking = {
        ...new MemoryEngine("breaking").engine,
        start: () => {
          throw new Error("undefined is not a function")
        }
      }
      const agent = yield* started(yield* optionsFor(brain.url, brain, { engines: [refusing, breaking, good.engine] }))
      yield* online(agent)
      const { engines } = agent.status()
      assert.deepStrictEqual(engines.refusing, { state: "failed", problem: "no such queue: shpo" })
      assert.strictEqual(engines.breaking?.state, "failed")
      assert.strictEqual(engines.good?.state, "running")
      assert.match(agent.lines.join(), /the engine refusing did not start: no such queue: shpo/)
      const id = good.enqueue()
      yield* statusOf(agent, ({ buffer }) => buffer.events === 0)
      assert.isTrue(brain.events.has(id))
    }))

  it.scopedLive("cannot read its inventory, or never returns it, does not delay the heartbeat", () =>
    Effect.gen(function*() {
      const brain = yield* fakeBrain
      const away = new MemoryEngine("away")
      away.inventoryFails = true
      const mute = { ...new MemoryEngine("mute").engine, inventory: Effect.never }
      const good = new MemoryEngine("good")
      yield* started(yield* optionsFor(brain.url, brain, { engines: [away.engine, mute, good.engine] }))
      const beat = yield* until(
        Effect.sync(() => brain.frames.find((frame) => frame.type === "heartbeat")),
        (frame) => frame !== undefined
      )
      if (beat?.type !== "heartbeat") throw new Error("no heartbeat")
      assert.deepInclude(beat.payload.adapterHealth, {
        "away.error": "the broker is away",
        "good.broker_connected": "True"
      })
      assert.isUndefined(beat.payload.adapterHealth["mute.queue_depths"])
    }))
})

describe("options from the environment", () => {
  it("have the variables' names, and lack nothing but the engines", () => {
    const options = fromEnvironment({
      SVC_AGENT_BRAIN_URL: "https://svc.example.com",
      SVC_AGENT_TOKEN: "t",
      SVC_AGENT_HMAC_SECRET: "s",
      SVC_AGENT_TRANSPORT: "LongPoll",
      SVC_AGENT_NAME: "till",
      SVC_AGENT_HOME: "",
      SVC_AGENT_REDACT_EXTRA_KEYS: "pin, iban"
    })
    assert.deepStrictEqual(options, {
      brainUrl: "https://svc.example.com",
      token: "t",
      hmacSecret: "s",
      allowInsecure: false,
      redactExtraKeys: ["pin", "iban"],
      name: "till",
      transport: "longpoll"
    })
  })
})
