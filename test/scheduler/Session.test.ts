import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Queue, Stream, TestClock } from "effect"
import { ProjectId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { Brain, BrainUnavailable, type Change } from "../../src/scheduler/Brain.ts"
import { makeHandovers } from "../../src/scheduler/Handovers.ts"
import { runSession } from "../../src/scheduler/Session.ts"
import { Store } from "../../src/scheduler/Store.ts"
import { makeTicks } from "../../src/scheduler/Ticks.ts"
import { temporaryHome } from "../databases.ts"
import { time } from "../domain/schedules/Schedule/cadences.ts"
import { everySecond, makeModelBrain, projectId } from "./modelBrain.ts"

const otherProject = ProjectId.make("018f4a2b-0000-7000-8000-00000000000b")

/** A session with a model brain, whose lease and projects the test decides. */
const makeWorld = (options: { readonly isReconnected?: boolean; readonly projects?: ReadonlyArray<string> } = {}) =>
  Effect.gen(function*() {
    const startsAt = Timestamp.toEpochMillis(time("2026-01-01T00:00:00Z"))
    yield* TestClock.setTime(startsAt)
    const brain = makeModelBrain()
    const schedule = brain.put(everySecond(1))
    const changes = yield* Queue.unbounded<Change>()
    const lease = { isHeld: true, heldAt: [] as Array<number>, fails: false }
    const projects = [{ id: projectId, slug: "default" }]
    const service = Brain.of({
      ...brain.service,
      listProjects: Effect.sync(() => [...projects]),
      hold: (ids) =>
        Effect.gen(function*() {
          if (lease.fails) return yield* new BrainUnavailable({ message: "no answer" })
          lease.heldAt.push((yield* Effect.clock).unsafeCurrentTimeMillis() - startsAt)
          return ids.map((project_id) => ({ project_id, is_held: lease.isHeld, holder: "another" }))
        }),
      watch: () => Stream.fromQueue(changes)
    })
    const store = Context.get(yield* Layer.build(Store.layer(yield* temporaryHome)), Store)
    const ticks = yield* Effect.provideService(makeTicks(1000), Store, store)
    const handovers = yield* Effect.provideService(makeHandovers(ticks), Store, store)
    const session = runSession({
      handovers,
      isReconnected: options.isReconnected ?? false,
      onReady: Effect.void,
      projects: options.projects ?? [],
      ticks,
      wakeHandovers: yield* Queue.sliding<void>(1),
      wakeTicks: Effect.void
    }).pipe(Effect.provideService(Brain, service), Effect.provideService(Store, store))
    const fiber = yield* Effect.forkScoped(session)
    /** Lets a second pass, with the decisions of the program's loop. */
    const passSecond = Effect.gen(function*() {
      yield* TestClock.adjust("1 second")
      ticks.decideDue(yield* Timestamp.now)
      yield* TestClock.adjust("1 millis")
    })
    yield* TestClock.adjust("1 millis")
    return { brain, changes, fiber, lease, passSecond, projects, schedule, store }
  })

const roleOf = (store: Store["Type"]) => store.listProjects().map(({ is_held, slug }) => `${slug} ${is_held}`)

describe("a session", () => {
  it.scoped("takes the lease at once, renews it, and hands over what is decided", () =>
    Effect.gen(function*() {
      const { brain, lease, passSecond, schedule, store } = yield* makeWorld()
      assert.deepStrictEqual(roleOf(store), ["default true"])
      for (let index = 0; index < 12; index++) yield* passSecond
      assert.isAbove(lease.heldAt.length, 3)
      assert.isAbove(brain.ticksOf(schedule.id).length, 9)
    }))

  it.scoped("leaves the lease for 10 s to the instance that fired, after the brain was away", () =>
    Effect.gen(function*() {
      const { lease, passSecond, store } = yield* makeWorld({ isReconnected: true })
      for (let index = 0; index < 9; index++) yield* passSecond
      assert.deepStrictEqual(lease.heldAt, [])
      assert.deepStrictEqual(roleOf(store), ["default false"])
      for (let index = 0; index < 5; index++) yield* passSecond
      assert.lengthOf(lease.heldAt, 1)
      assert.deepStrictEqual(roleOf(store), ["default true"])
    }))

  it.scoped("stands by once another instance has the lease, and decides nothing then", () =>
    Effect.gen(function*() {
      const { brain, lease, passSecond, schedule, store } = yield* makeWorld()
      for (let index = 0; index < 3; index++) yield* passSecond
      lease.isHeld = false
      for (let index = 0; index < 5; index++) yield* passSecond
      assert.deepStrictEqual(roleOf(store), ["default false"])
      const before = brain.ticksOf(schedule.id)
      for (let index = 0; index < 5; index++) yield* passSecond
      assert.deepStrictEqual(brain.ticksOf(schedule.id), before)
      assert.strictEqual(store.counts().waiting_fires, 0)
    }))

  it.scoped("keeps deciding, and sends nothing, when its lease can no longer be renewed", () =>
    Effect.gen(function*() {
      const { fiber, lease, passSecond, store } = yield* makeWorld()
      for (let index = 0; index < 3; index++) yield* passSecond
      lease.fails = true
      for (let index = 0; index < 5; index++) yield* passSecond
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "BrainUnavailable")
      assert.deepStrictEqual(roleOf(store), ["default true"])
      assert.isAbove(store.counts().waiting_fires, 0)
    }))

  it.scoped("ends without a failure for a project that it did not know, unless it is not selected", () =>
    Effect.gen(function*() {
      const change: Change = { _tag: "Upsert", schedule: everySecond(2, { project_id: otherProject }) }
      const all = yield* makeWorld()
      all.projects.push({ id: otherProject, slug: "other" })
      yield* all.changes.offer(change)
      yield* all.passSecond
      yield* Fiber.join(all.fiber)

      const one = yield* makeWorld({ projects: ["default"] })
      one.projects.push({ id: otherProject, slug: "other" })
      yield* one.changes.offer(change)
      for (let index = 0; index < 70; index++) yield* one.passSecond
      assert.deepStrictEqual(roleOf(one.store), ["default true"])
      assert.isUndefined(one.store.find(change.schedule.id))
      assert.isAbove(one.brain.ticksOf(one.schedule.id).length, 60)
    }))
})
