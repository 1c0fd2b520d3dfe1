import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { system } from "../../../../src/domain/kernel/Actor.ts"
import { FairQueue, makeFairSemaphore } from "../../../../src/services/kernel/concurrency/FairQueue.ts"
import { CurrentActor } from "../../../../src/services/kernel/CurrentActor.ts"

describe("FairQueue", () => {
  it("serves users in turn, and each user's items in order", () => {
    const queue = new FairQueue<string>()
    for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) queue.add(item.slice(0, 1), item)
    queue.delete("b", "b2")
    const taken = Array.from({ length: 6 }, () => queue.take())
    assert.deepStrictEqual(taken, ["a1", "b1", "c1", "a2", "a3", undefined])
  })

  it("an item that cannot start keeps no other from its turn", () => {
    const queue = new FairQueue<string>()
    for (const item of ["a1", "a2", "b1"]) queue.add(item.slice(0, 1), item)
    assert.strictEqual(queue.take((item) => item !== "a1"), "a2")
    assert.strictEqual(queue.take((item) => item !== "a1"), "b1")
    assert.strictEqual(queue.take((item) => item !== "a1"), undefined)
    assert.strictEqual(queue.take(), "a1")
  })
})

describe("makeFairSemaphore", () => {
  it.effect("a user with many waiting reads delays another by those that run", () =>
    Effect.gen(function*() {
      const inTurn = makeFairSemaphore(1)
      const ended: Array<string> = []
      const first = yield* Deferred.make<void>()
      const read = (user: string, name: string, wait: Effect.Effect<void> = Effect.yieldNow()) =>
        inTurn(Effect.zipRight(wait, Effect.sync(() => ended.push(name)))).pipe(
          Effect.provideService(CurrentActor, system(user)),
          Effect.fork,
          Effect.tap(Effect.yieldNow())
        )
      const fibers = [yield* read("a", "a0", Deferred.await(first))]
      for (let index = 1; index < 5; index++) fibers.push(yield* read("a", `a${index}`))
      const left = yield* read("b", "b0")
      fibers.push(yield* read("b", "b1"))
      yield* Fiber.interrupt(left)
      yield* Deferred.succeed(first, void 0)
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(ended, ["a0", "a1", "b1", "a2", "a3", "a4"])
    }))

  it.effect("a user holds as many permits as one may, so that another finds one", () =>
    Effect.gen(function*() {
      const inTurn = makeFairSemaphore(2, 1)
      const started: Array<string> = []
      const read = (user: string) =>
        inTurn(Effect.zipRight(Effect.sync(() => started.push(user)), Effect.never)).pipe(
          Effect.provideService(CurrentActor, system(user)),
          Effect.fork,
          Effect.tap(Effect.yieldNow())
        )
      const first = yield* read("a")
      yield* read("a")
      yield* read("b")
      yield* read("c")
      assert.deepStrictEqual(started, ["a", "b"])
      yield* Fiber.interrupt(first)
      yield* Effect.yieldNow()
      assert.deepStrictEqual(started, ["a", "b", "a"])
    }))

  it.effect("a read that is interrupted, fails or waits in vain gives its permit back", () =>
    Effect.gen(function*() {
      const inTurn = makeFairSemaphore(1)
      const running = yield* Effect.fork(inTurn(Effect.never))
      yield* Effect.yieldNow()
      const waiting = yield* Effect.fork(inTurn(Effect.never))
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll([waiting, running])
      yield* Effect.flip(inTurn(Effect.fail("no")))
      assert.strictEqual(yield* inTurn(Effect.succeed("read")), "read")
    }))
})
