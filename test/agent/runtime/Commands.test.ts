import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { INTERRUPTED_MESSAGE } from "../../../src/agent/runtime/CommandJournal.ts"
import { ActionFailed, type Engine } from "../../../src/agent/runtime/Engine.ts"
import { canonicalTextOf } from "../../../src/domain/kernel/CanonicalJson.ts"
import { RESULT_ACK } from "../../../src/protocol/Payload.ts"
import { until } from "../../until.ts"
import { command } from "../engines/conformance.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { online, optionsFor, started } from "./agents.ts"
import { type FakeBrain, fakeBrain, type FakeConnection } from "./fakeBrain.ts"

const last = (brain: FakeBrain): FakeConnection => {
  const connection = brain.connections[brain.connections.length - 1]
  if (connection === undefined) throw new Error("no agent connected")
  return connection
}

const acks = (brain: FakeBrain, id: string) =>
  brain.frames.filter((frame) => frame.type === "command_ack" && frame.id === id)

const results = (brain: FakeBrain, id: string) =>
  brain.frames.flatMap((frame) =>
    frame.type === "command_result" && frame.id === id
      ? [{
        status: frame.payload.status,
        result: frame.payload.result === null ? null : canonicalTextOf(frame.payload.result),
        error: frame.payload.error,
        claim: frame.payload.deliveryClaimToken
      }]
      : []
  )

const resultsOf = (brain: FakeBrain, id: string, count = 1) =>
  until(Effect.sync(() => results(brain, id)), (found) => found.length >= count)

const online1 = (engine: Engine) =>
  Effect.gen(function*() {
    const brain = yield* fakeBrain
    const options = yield* optionsFor(brain.url, brain, { transport: "ws", engines: [engine] })
    const agent = yield* started(options)
    yield* online(agent)
    return { agent, brain, options }
  })

describe("a command", () => {
  it.scopedLive("is acknowledged at once with its claim token, executed, and its result sent", () =>
    Effect.gen(function*() {
      const shop = new MemoryEngine()
      const { brain } = yield* online1(shop.engine)
      last(brain).command("c1", "submit_task", { name: "shop.pay", args: [1, "zwei"], kwargs: { drei: 3 } })
      const [result] = yield* resultsOf(brain, "c1")
      assert.deepInclude(result, { status: "success", error: null, claim: "claim" })
      const [job] = [...shop.jobs.values()]
      assert.deepInclude(job, { task_name: "shop.pay", args: [1, "zwei"], kwargs: { drei: 3 } })
      assert.strictEqual(result?.result, `{"engine":"memory","task_id":"${job?.id}"}`)
      const order = brain.frames.filter(({ id }) => id === "c1").map(({ type }) => type)
      assert.deepStrictEqual(order, ["command_ack", "command_result"])
    }))

  it.scopedLive("that arrives again is acknowledged, has the result of before, and is not executed again", () =>
    Effect.gen(function*() {
      const shop = new MemoryEngine()
      const { brain } = yield* online1(shop.engine)
      const id = shop.enqueue()
      for (const [name, task] of [["c1", id], ["c2", "no such task"]] as const) {
        last(brain).command(name, "retry_task", { task_id: task })
        yield* resultsOf(brain, name)
        last(brain).command(name, "retry_task", { task_id: task })
        const [first, second] = yield* resultsOf(brain, name, 2)
        assert.deepStrictEqual(second, first)
        assert.strictEqual(acks(brain, name).length, 2)
      }
      assert.deepStrictEqual(shop.done, ["retry_task"])
      assert.strictEqual(results(brain, "c2")[0]?.status, "failed")
    }))

  it.scopedLive("that comes again after a restart is not carried out again", () =>
    Effect.gen(function*() {
      const shop = new MemoryEngine()
      const { agent, brain, options } = yield* online1(shop.engine)
      const id = shop.enqueue()
      last(brain).command("c1", "retry_task", { task_id: id })
      const [before] = yield* resultsOf(brain, "c1")
      yield* Effect.promise(() => agent.close())
      const again = yield* started(options)
      yield* online(again)
      const [first, second] = brain.connections.map(({ hello }) => hello?.payload.workerId)
      assert.strictEqual(second, first, "the brain sends a command again only to the process it knows")
      last(brain).command("c1", "retry_task", { task_id: id })
      assert.deepStrictEqual((yield* resultsOf(brain, "c1", 2)).at(-1), before)
      assert.deepStrictEqual(shop.done, ["retry_task"])
    }))

  it.scopedLive("that was under way when its process ended is reported as indeterminate by the next", () =>
    Effect.gen(function*() {
      const stuck = new MemoryEngine("memory", ["cancel_task"])
      const engine: Engine = { ...stuck.engine, actions: { cancel_task: () => Effect.never } }
      const { agent, brain, options } = yield* online1(engine)
      last(brain).command("c1", "cancel_task", { task_id: "x" })
      yield* until(Effect.sync(() => acks(brain, "c1").length), (count) => count === 1)
      yield* Effect.promise(() => agent.close())
      const again = yield* started(options)
      yield* online(again)
      const [result] = yield* resultsOf(brain, "c1")
      assert.deepStrictEqual(result, {
        status: "failed",
        result: `{"indeterminate":true}`,
        error: INTERRUPTED_MESSAGE,
        claim: "claim"
      })
    }))

  it.scopedLive("whose result was lost with the connection has it sent on the next one", () =>
    Effect.gen(function*() {
      const shop = new MemoryEngine()
      const { brain } = yield* online1(shop.engine)
      brain.manners.onFrame = ({ ws }, frame) => {
        if (frame.type === "command_result") ws.terminate()
      }
      last(brain).command("c1", "submit_task", { name: "shop.pay" })
      yield* resultsOf(brain, "c1")
      brain.manners.onFrame = () => {}
      yield* resultsOf(brain, "c1", 2)
      assert.strictEqual(brain.connections.length, 2)
      assert.deepStrictEqual(shop.done, ["submit_task"])
    }))

  it.scopedLive(
    "keeps its result until the brain acknowledges it, whatever else the brain sends",
    () =>
      Effect.gen(function*() {
        const shop = new MemoryEngine()
        const { agent, brain } = yield* online1(shop.engine)
        brain.manners.onHello = (connection) => connection.welcome({ features: [RESULT_ACK] })
        last(brain).ws.terminate()
        yield* until(Effect.sync(() => brain.connections.length), (count) => count === 2)
        yield* online(agent)
        last(brain).command("c1", "submit_task", { name: "shop.pay" })
        yield* resultsOf(brain, "c1")
        // each heartbeat goes with a ping, for which the brain's library sends a pong though the brain is to be killed
        const beats = () => brain.frames.filter(({ type }) => type === "heartbeat").length
        const before = beats()
        yield* until(Effect.sync(beats), (count) => count >= before + 15)
        last(brain).ws.terminate()
        yield* resultsOf(brain, "c1", 2)
        assert.strictEqual(agent.status().commandsWaiting, 1)
        last(brain).ack("c1")
        yield* until(Effect.sync(() => agent.status().commandsWaiting), (count) => count === 0)
        assert.deepStrictEqual(shop.done, ["submit_task"])
      })
  )

  it.scopedLive("waits for those before it", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const engine: Engine = {
        ...new MemoryEngine().engine,
        actions: {
          cancel_task: ({ task_id }) =>
            Effect.gen(function*() {
              order.push(`begin ${task_id}`)
              yield* Effect.sleep(task_id === "a" ? "80 millis" : "1 millis")
              order.push(`end ${task_id}`)
              return {}
            })
        }
      }
      const { brain } = yield* online1(engine)
      last(brain).command("c1", "cancel_task", { task_id: "a" })
      last(brain).command("c2", "cancel_task", { task_id: "b" })
      yield* resultsOf(brain, "c2")
      assert.deepStrictEqual(order, ["begin a", "end a", "begin b", "end b"])
      assert.strictEqual(acks(brain, "c2").length, 1)
    }))

  it.scopedLive("a fire that was done under another command's id is not done again", () =>
    Effect.gen(function*() {
      const shop = new MemoryEngine()
      const { brain } = yield* online1(shop.engine)
      last(brain).command("c1", "schedule.fire", { task_name: "shop.report", engine: "memory", fire_id: "f1" })
      assert.strictEqual((yield* resultsOf(brain, "c1"))[0]?.status, "success")
      last(brain).command("c2", "schedule.fire", { task_name: "shop.report", engine: "memory", fire_id: "f1" })
      assert.deepInclude((yield* resultsOf(brain, "c2"))[0], {
        status: "success",
        result: `{"dedup_key":"fire:f1","deduplicated":true}`
      })
      assert.deepStrictEqual(shop.done, ["submit_task"])
    }))

  it.scopedLive("of an engine that throws has a result, and so have those after it", () =>
    Effect.gen(function*() {
      const engine: Engine = {
        ...new MemoryEngine().engine,
        actions: {
          cancel_task: () => {
            throw new Error("redis://shop:hunter2@queue is gone")
          },
          submit_task: () => Effect.die(new Error("out of luck")),
          restart_worker: () => Effect.succeed({ huge: "x".repeat(950_000) }),
          retry_task: () => Effect.succeed({ holes: Object.assign([1], { 2: 3 }) }),
          pool_resize: () => Effect.succeed([1] as never) // what code without types may return
        }
      }
      const { agent, brain } = yield* online1(engine)
      last(brain).command("c1", "cancel_task", { task_id: "a" })
      last(brain).command("c2", "submit_task", { name: "shop.pay" })
      last(brain).command("c3", "restart_worker", { worker_name: "w" })
      last(brain).command("c4", "retry_task", { task_id: "a" })
      last(brain).command("c5", "pool_grow", { worker_name: "w", n: 1 })
      assert.match((yield* resultsOf(brain, "c5"))[0]?.error ?? "", /not return a JSON object/)
      assert.strictEqual((yield* resultsOf(brain, "c4"))[0]?.result, `{"holes":[1,null,3]}`)
      const [huge] = yield* resultsOf(brain, "c3")
      assert.match(huge?.error ?? "", /longer than 1 MiB/)
      for (const name of ["c1", "c2"]) {
        const [result] = results(brain, name)
        if (result?.status !== "failed") throw new Error("did not fail")
        assert.match(result.error ?? "", /adapter failed/)
        assert.include(result.result ?? "", `"indeterminate":true`)
        assert.notInclude(result.error ?? "", "hunter2")
      }
      assert.strictEqual(agent.status().state, "online")
    }))
})

describe("dispatch", () => {
  const engineWith = (actions: Engine["actions"]): Engine => ({ ...new MemoryEngine().engine, actions })

  it.effect("ends a call at ten seconds, and reports it as indeterminate", () =>
    Effect.gen(function*() {
      const engine = engineWith({ submit_task: () => Effect.uninterruptible(Effect.never) })
      const outcome = yield* Effect.fork(command(engine, "submit_task", { name: "shop.pay" }))
      yield* TestClock.adjust("9 seconds")
      assert.isNull(outcome.unsafePoll())
      yield* TestClock.adjust("1 seconds")
      assert.deepInclude(yield* Fiber.join(outcome), {
        status: "failed",
        result: { indeterminate: true, operation: "submit_task" }
      })
    }))

  it.effect("gives a bulk retry up after three calls in a row without a result", () =>
    Effect.gen(function*() {
      const engine = engineWith({
        retry_task: ({ task_id }) => (task_id === "ok" ? Effect.succeed({ new_task_id: "n" }) : Effect.never)
      })
      const outcome = yield* Effect.fork(
        command(engine, "bulk_retry", { filter: { task_ids: ["ok", "a", "b", "c", "d", "e"] } })
      )
      yield* TestClock.adjust("1 minutes")
      const { result } = yield* Fiber.join(outcome)
      assert.deepInclude(result, { requested: 6, succeeded: 1, failed: 3, skipped: 2, circuit_broken: true })
      assert.deepStrictEqual(result?.new_task_ids, { ok: "n" })
    }))

  it.effect("hands overrides, names and caps of a bulk retry on", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const engine = engineWith({
        retry_task: (retry) => Effect.sync(() => (seen.push(retry), { task_id: retry.task_id }))
      })
      const filter = {
        task_ids: ["a", "b", "c"],
        task_names: { a: "shop.pay" },
        overrides: { a: { args: [12345678901234567890n], kwargs: {} } },
        task_priorities: { b: "high" }
      }
      const { result } = yield* command(engine, "bulk_retry", { filter, max: 2 })
      assert.deepStrictEqual(seen, [
        { task_id: "a", task_name: "shop.pay", overrides: { args: [12345678901234567890n], kwargs: {} } },
        { task_id: "b", priority: "high" }
      ])
      assert.deepInclude(result, { requested: 3, succeeded: 2, capped: true })
    }))

  it.effect("asks the engine that is meant, or says why it cannot", () =>
    Effect.gen(function*() {
      const engine = engineWith({ cancel_task: () => new ActionFailed({ message: "no" }) })
      const sentences = yield* Effect.all([
        command(engine, "cancel_task", { task_id: "a", engine: "other" }),
        command(engine, "cancel_task", { engine: "memory" }),
        command(engine, "cancel_task", { task_id: 7 }),
        command(engine, "cancel_task", { task_id: "a", engine: 7 }),
        command(engine, "frobnicate"),
        command(engine, "schedule.frob"),
        command(engineWith({ retry_task: () => Effect.succeed({}) }), "retry_task", {
          task_id: "a",
          override_kwargs: {}
        })
      ])
      assert.deepStrictEqual(
        sentences.map((outcome) => (outcome.status === "failed" ? outcome.error.slice(0, 45) : outcome.status)),
        [
          "no engine adapter registered for this command",
          "The command has no task_id.",
          "The command's task_id is not a string.",
          "The command's engine is not a string.",
          "adapter 'memory' does not support action 'fro",
          "unrecognized schedule action schedule.frob",
          "A retry takes override_args and override_kwar"
        ]
      )
    }))
})
