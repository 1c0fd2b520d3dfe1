import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ActionFailed, EngineRefused, type NativeSchedule } from "../../../src/agent/runtime/Engine.ts"
import type { AgentOptions } from "../../../src/agent/runtime/Options.ts"
import { canonicalTextOf, type JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"
import { RESULT_ACK, TASK_OUTPUT } from "../../../src/protocol/Payload.ts"
import { activation, SnapshotReader } from "../../protocol/snapshots.ts"
import { until } from "../../until.ts"
import { command, publishing } from "../engines/conformance.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { online, optionsFor, started, statusOf } from "./agents.ts"
import { type FakeBrain, fakeBrain } from "./fakeBrain.ts"

const clock = "memory-clock"
const shopWith = (...ids: ReadonlyArray<string>) => {
  const shop = new MemoryEngine("memory", [], new Map())
  for (const id of ids) shop.schedule(id)
  return shop
}

/** A brain that reads the snapshots of each connection's batches; `manners.onFrame` of its own acknowledges them. */
const reading = (brain: FakeBrain) => {
  const reader = new SnapshotReader()
  const batches: Array<number> = []
  const { onFrame } = brain.manners
  brain.manners.onFrame = (connection, frame) => {
    if (frame.type === "event_batch") {
      frame.payload.events.forEach((event) => reader.take(event))
      batches.push(frame.payload.events.length)
    }
    onFrame(connection, frame)
  }
  return { batches, snapshots: reader.snapshots }
}

const withAgent = (shop: MemoryEngine, more: Partial<AgentOptions> = {}) =>
  Effect.gen(function*() {
    const brain = yield* fakeBrain
    const read = reading(brain)
    const options = yield* optionsFor(brain.url, brain, { transport: "ws", engines: [shop.engine], ...more })
    const agent = yield* started(options)
    yield* online(agent)
    let sent = 0
    /** Sends the command on the last connection, and returns its result. */
    const run = (action: string, parameters: { readonly [name: string]: unknown } = {}, id = `c${++sent}`) =>
      Effect.gen(function*() {
        // The cast: parameters are JSON.
        brain.connections.at(-1)?.command(id, action, parameters as { readonly [name: string]: JsonInput })
        const [result] = yield* until(Effect.sync(() => resultsOf(brain, id)), (found) => found.length > 0)
        return result
      })
    const published = (count: number) => until(Effect.sync(() => read.snapshots), (found) => found.length >= count)
    return { agent, brain, options, published, run, ...read }
  })

const resultsOf = (brain: FakeBrain, id: string) =>
  brain.frames.flatMap((frame) =>
    frame.type === "command_result" && frame.id === id
      ? [{
        status: frame.payload.status,
        error: frame.payload.error,
        result: frame.payload.result === null ? null : JSON.parse(canonicalTextOf(frame.payload.result))
      }]
      : []
  )

const keysOf = (snapshot: { readonly rows: ReadonlyArray<{ readonly [field: string]: unknown }> } | undefined) =>
  snapshot?.rows.map(({ source_key }) => source_key)

describe("schedules on the wire", () => {
  it.scopedLive("are announced, and published once the brain asks for them: each frame in a batch of its own", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly", "hourly")
      const { batches, brain, published, run, snapshots } = yield* withAgent(shop)
      const hello = brain.connections[0]?.hello?.payload
      assert.deepStrictEqual(hello?.schedulers, [clock])
      // as the published agents' apscheduler, which can do the same
      assert.deepStrictEqual(hello?.capabilities[clock], [
        "create",
        "delete",
        "disable",
        "enable",
        "external_schedule_mutation_v1",
        "external_schedule_stable_snapshot_v1",
        "list",
        "read",
        "trigger_now",
        "update"
      ])
      assert.deepStrictEqual(hello?.runtimeFeatures, [
        RESULT_ACK,
        TASK_OUTPUT,
        "retry_by_reference",
        "external_schedule_protocol_v1"
      ])
      const [status] = yield* until(
        Effect.sync(() => brain.frames.filter(({ type }) => type === "agent_status")),
        (found) => found.length > 0
      )
      assert.deepStrictEqual(status?.type === "agent_status" ? status.payload.schedulers : [], [clock])

      assert.deepStrictEqual((yield* run("schedule.resync"))?.result, { schedulers_drained: 1 })
      assert.deepStrictEqual(batches, [], "nothing is published before the brain asks")
      const { adapter_instance_id, epoch_number, epoch_uuid, owner, source_scope, stream_id } = activation(clock)
      assert.deepStrictEqual(yield* run("schedule.external.activate", activation(clock)), {
        status: "success",
        error: null,
        result: {
          scheduler: clock,
          stream_id,
          epoch_uuid,
          epoch_number,
          sequence: 1,
          adapter_instance_id,
          schedule_count: 2,
          frame_count: 2
        }
      })
      const [first] = yield* published(1)
      assert.deepInclude(first, { reason: "activation", sequence: 1, frames: 1 })
      assert.deepStrictEqual(first?.epoch, {
        adapter_instance_id,
        epoch_number,
        epoch_uuid,
        owner,
        source_scope,
        stream_id
      })
      assert.deepStrictEqual(first?.rows[0], {
        source_key: "hourly",
        engine: "memory",
        scheduler: clock,
        name: "hourly",
        task_name: "shop.report",
        kind: "interval",
        expression: "3600.0",
        timezone: "UTC",
        queue: null,
        priority: "normal",
        args: [],
        kwargs: {},
        is_enabled: true,
        last_run_at: null,
        next_run_at: "2027-01-15T08:00:00.000000+00:00",
        total_runs: 0,
        external_id: "hourly",
        catch_up: "skip",
        source: clock,
        source_hash: null
      })
      shop.schedules?.clear()
      yield* run("schedule.resync")
      assert.deepInclude((yield* published(2))[1], { reason: "command", sequence: 2, frames: 0, rows: [] })
      assert.deepStrictEqual(batches, [1, 1, 1])
      assert.strictEqual(snapshots.length, 2)
      assert.deepStrictEqual(brain.refusals, [])
    }))

  it.scopedLive("have their secrets masked, and what is too long left out", () =>
    Effect.gen(function*() {
      const shop = shopWith("x".repeat(201), "")
      shop.schedule("c", { task_name: "x".repeat(501) })
      shop.schedule("d", { expression: "* ".repeat(600) })
      shop.schedule("a", {
        kwargs: { token: "hunter2", big: 12345678901234567890n, half: 1.5 },
        args: [{ password: "hunter2" }, "redis://shop:hunter2@queue"]
      })
      shop.schedule("b", {
        args: ["x".repeat(70_000)],
        kwargs: { x: "y".repeat(70_000) },
        next_run_at: Number.NaN,
        total_runs: -3
      })
      const { agent, published, run } = yield* withAgent(shop)
      yield* run("schedule.external.activate", activation(clock))
      const [first] = yield* published(1)
      assert.deepStrictEqual(keysOf(first), ["a", "b"])
      assert.notInclude(
        JSON.stringify(first?.rows, (_, value) => typeof value === "bigint" ? String(value) : value),
        "hunter2"
      )
      assert.deepInclude(first?.rows[0]?.kwargs, { token: "[REDACTED]", big: 12345678901234567890n, half: 1.5 })
      assert.deepInclude(first?.rows[1], {
        args: ["[more than 65536 characters: left out]"],
        kwargs: { note: "[more than 65536 characters: left out]" },
        next_run_at: null,
        total_runs: 0
      })
      assert.isTrue(agent.lines.some(([level, line]) =>
        level === "warning" && line.startsWith("4 schedules of memory-clock have ids or texts")
      ))
    }))

  it.scopedLive("go in as many frames as they need, which fit what the brain takes", () =>
    Effect.gen(function*() {
      const shop = shopWith()
      for (let n = 0; n < 60; n++) shop.schedule(`s${n}`, { args: ["ü".repeat(20_000)] })
      const { batches, brain, options, published, run } = yield* withAgent(shop)
      yield* run("schedule.external.activate", activation(clock))
      const [first] = yield* published(1)
      assert.strictEqual(first?.rows.length, 60)
      assert.isAbove(first?.frames ?? 0, 3)
      assert.deepStrictEqual(batches, Array.from({ length: (first?.frames ?? 0) + 1 }, () => 1))

      brain.manners.onHello = (connection) => connection.welcome({ max_frame_size_bytes: 131_072 })
      const small = yield* started({ ...options, home: `${options.home}-2` })
      yield* online(small)
      yield* until(Effect.sync(() => brain.connections.length), (count) => count === 2)
      yield* run("schedule.external.activate", activation(clock))
      const [, second] = yield* published(2)
      assert.strictEqual(second?.rows.length, 60)
      assert.isAbove(second?.frames ?? 0, 19)
    }))

  it.scopedLive("that were under way when the connection broke are sent again, in their order, and none is skipped", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly")
      const { brain, published, run, snapshots } = yield* withAgent(shop)
      const ids: Array<string> = []
      const { onFrame } = brain.manners
      // the rows arrive and are lost before they are acknowledged
      brain.manners.onFrame = (connection, frame) => {
        if (frame.type !== "event_batch") return
        ids.push(canonicalTextOf(frame.payload.events[0]!).match(/"id":"([^"]+)"/)?.[1] ?? "")
        if (ids.length > 1) return onFrame(connection, frame)
        connection.ws.terminate()
      }
      yield* run("schedule.external.activate", activation(clock))
      yield* published(1)
      assert.strictEqual(ids[1], ids[0], "the brain knows it by its id")
      assert.strictEqual(brain.connections.length, 2)
      shop.schedule("hourly")
      yield* run("schedule.resync")
      yield* published(2)
      assert.deepStrictEqual(snapshots.map(({ reason, sequence }) => [reason, sequence]), [["activation", 1], [
        "command",
        2
      ]])
    }))

  it.scopedLive("belong to one epoch: a higher one replaces it, the same one continues, a lower one is refused; a new process has none", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly")
      const { agent, brain, options, published, run, snapshots } = yield* withAgent(shop)
      const other = { epoch_uuid: "77777777-7777-4777-8777-777777777777" }
      yield* run("schedule.external.activate", activation(clock, { epoch_number: 5 }))
      assert.deepInclude((yield* run("schedule.external.activate", activation(clock, { epoch_number: 5 })))?.result, {
        sequence: 2
      })
      for (
        const stale of [{ epoch_number: 4, ...other }, { epoch_number: 5, ...other }, {
          epoch_number: 5,
          adapter_instance_id: "ad-2"
        }]
      ) {
        const outcome = yield* run("schedule.external.activate", activation(clock, stale))
        assert.deepStrictEqual(outcome, {
          status: "failed",
          result: null,
          error: "The epoch 5 of memory-clock is active; another one must have a higher number."
        })
      }
      assert.deepInclude(
        (yield* run("schedule.external.activate", activation(clock, { epoch_number: 6, ...other })))?.result,
        { sequence: 1 }
      )
      yield* published(3)
      assert.deepStrictEqual(snapshots.map(({ epoch, sequence }) => [epoch.epoch_number, sequence]), [[5, 1], [5, 2], [
        6,
        1
      ]])

      yield* Effect.promise(() => agent.close())
      yield* online(yield* started(options))
      yield* until(Effect.sync(() => brain.connections.length), (count) => count === 2)
      assert.deepStrictEqual((yield* run("schedule.resync"))?.result, { schedulers_drained: 1 })
      assert.deepInclude((yield* run("schedule.external.activate", activation(clock)))?.result, {
        epoch_number: 1,
        sequence: 1
      })
      assert.strictEqual((yield* published(4)).length, 4)
    }))

  it.scopedLive("of an epoch whose first snapshot cannot be made are not published, nor what was left of the one before", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly")
      const { brain, published, run, snapshots } = yield* withAgent(shop)
      const { onFrame } = brain.manners
      const deferred: Array<() => void> = []
      brain.manners.onFrame = (connection, frame) => {
        if (frame.type === "event_batch") deferred.push(() => onFrame(connection, frame))
      }
      yield* run("schedule.external.activate", activation(clock))
      shop.inventoryFails = true
      assert.deepStrictEqual(yield* run("schedule.external.activate", activation(clock, { epoch_number: 2 })), {
        status: "failed",
        result: null,
        error: "The schedules cannot be read: the broker is away"
      })
      shop.inventoryFails = false
      assert.strictEqual((yield* run("schedule.resync"))?.status, "success")
      assert.strictEqual(deferred.length, 1, "nothing follows the frame that was under way")
      brain.manners.onFrame = onFrame
      assert.deepInclude((yield* run("schedule.external.activate", activation(clock, { epoch_number: 2 })))?.result, {
        sequence: 1
      })
      yield* published(1)
      assert.deepStrictEqual(snapshots.map(({ epoch }) => epoch.epoch_number), [2])
    }))

  it.scopedLive("of an engine that is starting are waited for, and of one that failed they are refused", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly")
      const begin = yield* Deferred.make<void, EngineRefused>()
      const engine = { ...shop.engine, start: () => Deferred.await(begin) }
      const { brain, run } = yield* withAgent(shop, { engines: [engine] })
      const activated = yield* Effect.fork(run("schedule.external.activate", activation(clock)))
      yield* until(Effect.sync(() => brain.frames.some(({ type }) => type === "command_ack")), (acked) => acked)
      yield* Deferred.succeed(begin, undefined)
      assert.deepInclude((yield* Fiber.join(activated))?.result, { sequence: 1 })

      const never = { ...shop.engine, start: () => new EngineRefused({ message: "the option is wrong" }) }
      const failing = yield* withAgent(shop, { engines: [never] })
      yield* statusOf(failing.agent, ({ engines }) => engines.memory?.state === "failed")
      assert.deepStrictEqual(yield* failing.run("schedule.external.activate", activation(clock)), {
        status: "failed",
        result: null,
        error: "The schedules cannot be read: the engine memory does not run"
      })
    }))

  it.scopedLive("are run and deleted by command, and a run asked for twice is made once", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly", "hourly")
      const { published, run } = yield* withAgent(shop)
      const ran = yield* run("schedule.trigger_now", { schedule_id: "nightly", fire_id: "f1" })
      assert.deepInclude(ran?.result, { schedule_id: "nightly" })
      assert.deepStrictEqual((yield* run("schedule.trigger_now", { schedule_id: "nightly", fire_id: "f1" }))?.result, {
        dedup_key: "fire:f1",
        deduplicated: true
      })
      assert.strictEqual(shop.jobs.size, 1)
      yield* run("schedule.external.activate", activation(clock))
      assert.deepStrictEqual((yield* run("schedule.delete", { scheduler: clock, schedule_id: "nightly" }))?.result, {
        schedule_id: "nightly"
      })
      assert.deepInclude((yield* published(2))[1], { reason: "signal:deleted", sequence: 2 })
    }))

  it.scopedLive("are changed only as the brain believes them to be", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly", "hourly")
      const { published, run } = yield* withAgent(shop)
      const begun = activation(clock)
      const [expected] = yield* Effect.map(
        Effect.zipRight(run("schedule.external.activate", begun), published(1)),
        ([first]) => first?.rows ?? []
      )
      const { owner: _, stable_source: __, ...epoch } = begun
      const operation_id = "88888888-8888-4888-8888-888888888884"
      const trigger = {
        ...epoch,
        operation_id,
        operation: "trigger",
        schedule_id: "hourly",
        expected: { ...expected, total_runs: 7 },
        definition: {}
      }
      const { last_run_at: _l, next_run_at: _n, total_runs: _t, ...configuration } = expected ?? {}
      const triggered = yield* run("schedule.external.mutate", trigger)
      assert.deepInclude(triggered?.result, {
        operation_id,
        source_key: "hourly",
        sequence: 2,
        schedule_count: 2,
        frame_count: 2,
        observed_configuration: configuration
      })
      assert.isString(triggered?.result.trigger_result.task_id)

      const deletion = { ...trigger, operation: "delete" }
      for (
        const [invalid, sentence] of [
          [{ expected: { ...expected, is_enabled: false } }, "not as the command expects"],
          [{ schedule_id: "gone" }, "not as the command expects"],
          [{ expected: null }, "must be the schedule's row"],
          [{ definition: { expression: "5" } }, "definition must be {}"],
          [{ operation: "rename" }, "operation must be create, update, delete or trigger"],
          [{ operation_id: "1" }, "operation_id is not a UUID"],
          [{ epoch_number: 2 }, "is not active here"],
          [{ scheduler: "other" }, "no scheduler adapter registered"]
        ] as const
      ) {
        const outcome = yield* run("schedule.external.mutate", { ...deletion, ...invalid })
        assert.strictEqual(outcome?.result, null)
        assert.include(outcome?.error, sentence)
      }
      assert.deepInclude((yield* run("schedule.external.mutate", deletion))?.result, {
        sequence: 3,
        schedule_count: 1,
        observed_configuration: null
      })
      const all = yield* published(3)
      assert.deepStrictEqual(all.map(({ reason }) => reason), [
        "activation",
        `native-mutation:${operation_id}`,
        `native-mutation:${operation_id}`
      ])
      assert.deepStrictEqual(keysOf(all[2]), ["nightly"])
    }))

  it.scopedLive("an agent without any says so", () =>
    Effect.gen(function*() {
      const { brain, run } = yield* withAgent(new MemoryEngine())
      const hello = brain.connections[0]?.hello?.payload
      assert.deepStrictEqual([hello?.schedulers, hello?.runtimeFeatures], [[], [
        RESULT_ACK,
        TASK_OUTPUT,
        "retry_by_reference"
      ]])
      assert.deepStrictEqual((yield* run("schedule.resync"))?.result, { schedulers_drained: 0 })
      assert.include(
        (yield* run("schedule.external.activate", activation(clock)))?.error,
        "no scheduler adapter registered for this command: memory-clock"
      )
      assert.include((yield* run("schedule.delete", { schedule_id: "x" }))?.error, "the command names none")
    }))
})

describe("an activation", () => {
  const invalid: ReadonlyArray<readonly [what: string, parameters: object, sentence: string]> = [
    ["of another owner", { owner: "other" }, "owner and scheduler must both be memory-clock"],
    ["without an owner", { owner: undefined }, "owner and scheduler must both be memory-clock"],
    [
      "of a scheduler that is not there",
      { scheduler: "other" },
      "no scheduler adapter registered for this command: other"
    ],
    ["of no scheduler", { scheduler: undefined }, "owner and scheduler must both be memory-clock"],
    [
      "of another scope",
      { source_scope: `{"kind":"scheduler-owner","owner":"memory-clock","version":2}` },
      "source_scope must be {"
    ],
    ["of an unstable source", { stable_source: false }, "stable_source must be true"],
    ["of a source that is nearly stable", { stable_source: 1 }, "stable_source must be true"],
    ["without a stream", { stream_id: undefined }, "has no stream_id"],
    ["of a stream that is no UUID", { stream_id: "s1" }, "stream_id is not a UUID"],
    ["of an epoch that is no UUID", { epoch_uuid: 7 }, "epoch_uuid is not a string"],
    ["of epoch 0", { epoch_number: 0 }, "epoch_number must be a whole number of at least 1"],
    ["of half an epoch", { epoch_number: 1.5 }, "epoch_number must be"],
    ["of an epoch in words", { epoch_number: "1" }, "epoch_number must be"],
    ["of an epoch beyond counting", { epoch_number: 12345678901234567890n }, "epoch_number must be"],
    ["of no instance", { adapter_instance_id: "" }, "adapter_instance_id must be"]
  ]

  it.live.each(invalid)(
    "%s is refused, and nothing is published",
    ([, parameters, sentence]) =>
      Effect.gen(function*() {
        const { engine } = shopWith("nightly")
        const { snapshots, streams } = publishing(engine)
        const outcome = yield* command(
          engine,
          "schedule.external.activate",
          activation(clock, { ...parameters }),
          1000,
          streams
        )
        assert.deepInclude(outcome, { status: "failed", result: null })
        assert.include(outcome.status === "failed" ? outcome.error : "", sentence)
        assert.deepStrictEqual(snapshots, [])
      })
  )
})

describe("between commands", () => {
  it.live("schedules are published when they changed, and every 15 minutes", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly")
      let now = 1_800_000_000_000
      const { snapshots, streams: [stream] } = publishing(shop.engine, () => now)
      if (stream === undefined) throw new Error("no stream")
      const reasons = () => snapshots.map(({ reason }) => reason)
      yield* stream.tick
      assert.deepStrictEqual(reasons(), [], "nothing was requested")
      yield* command(shop.engine, "schedule.external.activate", activation(clock), 1000, [stream])
      // it ran, which is no change
      shop.schedule("nightly", { total_runs: 1, last_run_at: now, next_run_at: now + 3_600_000 })
      now += 899_000
      yield* stream.tick
      assert.deepStrictEqual(reasons(), ["activation"])
      shop.schedule("nightly", { expression: "60.0" })
      yield* stream.tick
      yield* stream.tick
      assert.deepStrictEqual(reasons(), ["activation", "signal:coalesced"])
      shop.inventoryFails = true
      now += 900_000
      yield* stream.tick
      shop.inventoryFails = false
      yield* stream.tick
      assert.deepStrictEqual(reasons(), ["activation", "signal:coalesced", "periodic"])
      assert.deepStrictEqual(snapshots.map(({ sequence }) => sequence), [1, 2, 3])
    }))

  it.live("a slow read does not overwrite a change by command", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly", "hourly")
      const { scheduler } = shop.engine
      if (scheduler === undefined) throw new Error("no scheduler")
      const gate = yield* Deferred.make<void>()
      let listed = 0
      // the second read keeps its rows until it is released
      const list = Effect.suspend(() => {
        const seen: ReadonlyArray<NativeSchedule> = [...shop.schedules?.values() ?? []]
        return Effect.as(++listed === 2 ? Deferred.await(gate) : Effect.void, seen)
      })
      const engine = { ...shop.engine, scheduler: { ...scheduler, list } }
      const { snapshots, streams: [stream] } = publishing(engine)
      if (stream === undefined) throw new Error("no stream")
      yield* command(engine, "schedule.external.activate", activation(clock), 1000, [stream])
      const slow = yield* Effect.fork(stream.publish("slow"))
      yield* until(Effect.sync(() => listed), (count) => count === 2)
      const deletion = yield* Effect.fork(command(engine, "schedule.delete", { schedule_id: "hourly" }, 1000, [stream]))
      yield* until(Effect.sync(() => shop.schedules?.size), (size) => size === 1)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(slow)
      yield* Fiber.join(deletion)
      assert.deepStrictEqual(snapshots.map(({ reason, rows }) => [reason, rows.length]), [["activation", 2], [
        "slow",
        2
      ], ["signal:deleted", 1]])
    }))

  it.live("none is added to what a brain that acknowledges nothing is owed already", () =>
    Effect.gen(function*() {
      const shop = shopWith()
      for (let n = 0; n < 300; n++) shop.schedule(`s${n}`, { args: ["x".repeat(60_000)] })
      const { streams } = publishing(shop.engine, Date.now, false)
      const run = (action: string, parameters = {}) => command(shop.engine, action, parameters, 1000, streams)
      assert.strictEqual((yield* run("schedule.external.activate", activation(clock))).status, "success")
      const error = "The brain has not acknowledged the snapshots before this one."
      assert.deepInclude(yield* run("schedule.resync"), { status: "failed", result: null, error })
      // what is deleted is deleted
      assert.strictEqual((yield* run("schedule.delete", { schedule_id: "s7" })).status, "success")
      // a new epoch owes nothing
      assert.deepInclude((yield* run("schedule.external.activate", activation(clock, { epoch_number: 2 }))).result, {
        schedule_count: 299
      })
    }))

  it.live("an adapter that throws makes a failed result", () =>
    Effect.gen(function*() {
      const shop = shopWith("nightly")
      const { scheduler } = shop.engine
      if (scheduler === undefined) throw new Error("no scheduler")
      const broken = [
        { ...scheduler, list: Effect.die(new Error("out of luck")) },
        { ...scheduler, list: new ActionFailed({ message: "the broker is away" }) }
      ]
      for (const scheduler of broken) {
        const engine = { ...shop.engine, scheduler }
        const outcome = yield* command(engine, "schedule.external.activate", activation(clock))
        assert.include(outcome.status === "failed" ? outcome.error : "", "The schedules cannot be read")
        assert.isNull(outcome.result)
      }
    }))
})
