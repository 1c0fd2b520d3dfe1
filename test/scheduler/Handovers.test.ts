import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, TestClock } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { Brain } from "../../src/scheduler/Brain.ts"
import { makeHandovers } from "../../src/scheduler/Handovers.ts"
import { Store } from "../../src/scheduler/Store.ts"
import { makeTicks } from "../../src/scheduler/Ticks.ts"
import { temporaryHome } from "../databases.ts"
import { time } from "../domain/schedules/Schedule/cadences.ts"
import { everySecond, type Fault, makeModelBrain, projectId } from "./modelBrain.ts"

const start = time("2026-01-01T00:00:00Z")
const second = (n: number) => Timestamp.addSeconds(start, n)
const seconds = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => second(from + index))

/** A model brain with a schedule that ticks each second, and the home folder of a scheduler that holds its project. */
const makeWorld = (catchUpMax = 1000) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Timestamp.toEpochMillis(start))
    const home = yield* temporaryHome
    const brain = makeModelBrain()
    const schedule = brain.put(everySecond(1))
    /** A process on the folder. Another one after it is a restart after kill -9: only the file remains. */
    const boot = Effect.gen(function*() {
      const store = Context.get(yield* Layer.build(Store.layer(home)), Store)
      const ticks = yield* Effect.provideService(makeTicks(catchUpMax), Store, store)
      const { clearPauses, handOver } = yield* Effect.provideService(makeHandovers(ticks), Store, store)
      store.saveProject(projectId, "default")
      store.setLeaseHeld(projectId, true)
      const connect = Effect.map(brain.service.snapshot, ({ schedules }) => {
        ticks.takeAll(projectId, schedules)
      })
      return {
        store,
        ticks,
        connect: Effect.zipRight(connect, clearPauses),
        handOver: Effect.provideService(handOver, Brain, brain.service),
        decide: Effect.map(Timestamp.now, (now) => ticks.decideDue(now))
      }
    })
    return { boot, brain, schedule }
  })

describe("a scheduler and its brain", () => {
  it.scoped("hands over what it decided while the brain was away, in order and once", () =>
    Effect.gen(function*() {
      const { boot, brain, schedule } = yield* makeWorld()
      const first = yield* boot
      yield* first.connect
      for (let index = 0; index < 3; index++) {
        yield* TestClock.adjust("1 second")
        yield* first.decide
        yield* first.handOver
      }
      brain.state.fault = () => "request_lost"
      for (let index = 0; index < 5; index++) {
        yield* TestClock.adjust("1 second")
        yield* first.decide
        yield* first.handOver
      }
      assert.deepStrictEqual(brain.ticksOf(schedule.id), seconds(1, 3))
      assert.strictEqual(first.store.counts().waiting_fires, 5)
      brain.state.fault = () => "none"
      const second = yield* boot // kill -9
      assert.strictEqual(second.store.counts().waiting_fires, 5)
      yield* second.connect
      yield* second.handOver
      assert.deepStrictEqual(brain.ticksOf(schedule.id), seconds(1, 8))
      assert.strictEqual(second.store.counts().waiting_fires, 0)
      assert.deepStrictEqual(brain.skipped, [])
    }))

  it.scoped("sends a fire again whose response was lost, with the same id", () =>
    Effect.gen(function*() {
      const { boot, brain, schedule } = yield* makeWorld()
      const process = yield* boot
      yield* process.connect
      brain.state.fault = () => "response_lost"
      yield* TestClock.adjust("1 second")
      yield* process.decide
      yield* process.handOver
      brain.state.fault = () => "none"
      yield* TestClock.adjust("1 second")
      yield* process.decide
      yield* process.handOver
      assert.deepStrictEqual(brain.ticksOf(schedule.id), seconds(1, 2))
      assert.strictEqual(process.store.counts().waiting_fires, 0)
    }))

  it.scoped("keeps the newest fires of a long outage; older ticks become skipped ones", () =>
    Effect.gen(function*() {
      const { boot, brain, schedule } = yield* makeWorld(3)
      const process = yield* boot
      yield* process.connect
      for (let index = 0; index < 10; index++) {
        yield* TestClock.adjust("1 second")
        yield* process.decide
      }
      yield* process.handOver
      assert.deepStrictEqual(brain.ticksOf(schedule.id), seconds(8, 10))
      assert.deepStrictEqual(brain.skipped, [{ id: schedule.id, through: second(7) }])
    }))

  it.scoped("decides again after a change, and drops what another instance resolved", () =>
    Effect.gen(function*() {
      const { boot, brain, schedule } = yield* makeWorld()
      const process = yield* boot
      yield* process.connect
      yield* TestClock.adjust("3 seconds")
      yield* process.decide
      assert.strictEqual(process.store.counts().waiting_fires, 3)
      // its arguments were changed: the same ticks, under another token
      brain.put({ ...schedule, control_token: "2", definition_digest: "2" })
      yield* process.handOver
      yield* TestClock.adjust("1 second")
      yield* process.decide
      yield* process.handOver
      assert.deepStrictEqual(brain.ticksOf(schedule.id), seconds(1, 4))
      // another instance has fired since
      yield* TestClock.adjust("3 seconds")
      yield* process.decide
      const changed = brain.schedules.get(schedule.id)
      if (changed === undefined) return assert.fail("the schedule is gone")
      process.ticks.take(brain.put({ ...changed, last_run_at: second(6), next_run_at: second(7) }))
      assert.strictEqual(process.store.counts().waiting_fires, 1)
      yield* process.handOver
      assert.deepStrictEqual(brain.ticksOf(schedule.id), [...seconds(1, 4), second(7)])
      // disabled, then deleted
      const last = brain.schedules.get(schedule.id)
      if (last === undefined) return assert.fail("the schedule is gone")
      process.ticks.take(brain.put({ ...last, is_enabled: false }))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* process.decide).count, 0)
      brain.schedules.delete(schedule.id)
      yield* process.connect
      assert.isUndefined(process.store.find(schedule.id))
    }))

  it.scoped("decides nothing for a project that another instance fires", () =>
    Effect.gen(function*() {
      const { boot } = yield* makeWorld()
      const process = yield* boot
      yield* process.connect
      yield* TestClock.adjust("2 seconds")
      yield* process.decide
      process.ticks.standBy(projectId)
      assert.strictEqual(process.store.counts().waiting_fires, 0)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* process.decide).count, 0)
    }))

  it.scoped("reports a schedule that does not compile here, and fires the others", () =>
    Effect.gen(function*() {
      const { boot, brain, schedule } = yield* makeWorld()
      brain.put(everySecond(2, { kind: "cron", expression: "* * * * *", timezone: "Mars/Olympus" }))
      const process = yield* boot
      yield* process.connect
      yield* TestClock.adjust("1 second")
      yield* process.decide
      yield* process.handOver
      assert.deepStrictEqual(brain.ticksOf(schedule.id), seconds(1, 1))
      const broken = process.ticks.takeBroken()
      assert.lengthOf(broken, 1)
      assert.include(broken[0]?.detail ?? "", "Mars/Olympus")
    }))

  it.scoped("fires each tick once, whatever is lost, restarted and changed in between", () =>
    Effect.gen(function*() {
      for (let seed = 1; seed <= 5; seed++) {
        const { boot, brain, schedule } = yield* makeWorld()
        let random = seed
        const next = (below: number): number => {
          random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
          return Math.floor(random / 65_536) % below
        }
        const faults: ReadonlyArray<Fault> = ["none", "none", "request_lost", "response_lost"]
        let process = yield* boot
        yield* process.connect
        brain.state.fault = () => faults[next(4)] ?? "none"
        for (let index = 0; index < 100; index++) {
          yield* TestClock.adjust(`${next(3)} seconds`)
          yield* process.decide
          if (next(2) === 0) yield* process.handOver
          const live = brain.schedules.get(schedule.id)
          if (next(10) === 0 && live !== undefined) {
            const changed = brain.put({ ...live, control_token: brain.newToken() })
            if (next(2) === 0) process.ticks.take(changed)
          }
          if (next(8) === 0) process = yield* boot
          if (next(5) === 0) yield* process.connect
        }
        brain.state.fault = () => "none"
        yield* process.connect
        yield* process.decide
        for (let index = 0; index < 3; index++) {
          yield* process.handOver
          yield* TestClock.adjust("31 seconds")
          yield* process.decide
        }
        yield* process.handOver
        const ticks = brain.ticksOf(schedule.id)
        assert.deepStrictEqual(ticks, seconds(1, ticks.length), `seed ${seed}`)
        assert.isAbove(ticks.length, 90)
        assert.deepStrictEqual(brain.skipped, [], `seed ${seed}`)
      }
    }))
})
