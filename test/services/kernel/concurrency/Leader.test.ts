import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, Layer, Option } from "effect"
import * as DatabaseLayer from "../../../../src/layers/Database.ts"
import { Leader, Lease, LeaseLost } from "../../../../src/services/kernel/concurrency/Leader.ts"
import { engines, settingsOn } from "../../../databases.ts"
import { until } from "../../../until.ts"

const fence = Effect.map(Lease, ({ fence }) => fence)

/** Leads until it is interrupted; returns once it leads. */
const lead = (name: string) =>
  Effect.gen(function*() {
    const leader = yield* Leader
    const leads = yield* Deferred.make<number>()
    const fiber = yield* Effect.fork(
      leader.only(
        name,
        Effect.flatMap(fence, (number) => Effect.zipRight(Deferred.succeed(leads, number), Effect.never))
      )
    )
    return { fiber, fence: yield* Deferred.await(leads) }
  })

const expire = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE leases SET expires_at = 1 WHERE name = ${name}`)

const names = Effect.flatMap(
  Leader,
  ({ listLeases: leaders }) => Effect.map(leaders, (rows) => rows.map(({ name }) => name))
)

describe.each(engines)("a lease on %s", (engine) => {
  const leaderLayer = Leader.layer.pipe(
    Layer.provideMerge(DatabaseLayer.layer),
    Layer.provideMerge(settingsOn(engine)),
    Layer.orDie
  )
  layer(leaderLayer, { excludeTestServices: true })((it) => {
    it.scoped("lets one run at a time, and the next one at once, with a higher fencing number", () =>
      Effect.gen(function*() {
        const leader = yield* Leader
        const first = yield* lead("one")
        assert.deepStrictEqual(yield* leader.only("one", fence), Option.none())
        assert.isTrue(Option.isSome(yield* leader.only("another", fence)))
        assert.deepStrictEqual(yield* names, ["one"])
        yield* Fiber.interrupt(first.fiber)
        const second = yield* leader.only("one", fence)
        assert.isAbove(Option.getOrThrow(second), first.fence)
        assert.isTrue(Option.isSome(yield* leader.only("one", fence)), "it is released at the end too")
        assert.deepStrictEqual(yield* Effect.flip(leader.only("one", Effect.fail("of the effect"))), "of the effect")
        const running = { now: 0, most: 0, ran: 0 }
        const work = Effect.acquireUseRelease(
          Effect.sync(() => (running.most = Math.max(running.most, ++running.now))),
          () => Effect.sleep("20 millis"),
          () =>
            Effect.sync(() => {
              running.now--
              running.ran++
            })
        )
        yield* Effect.forEach(Array(20).keys(), () => leader.only("one", work), { concurrency: "unbounded" })
        assert.strictEqual(running.most, 1)
        assert.isAbove(running.ran, 0)
        assert.deepStrictEqual(yield* names, [])
      }))

    it.scoped("is renewed for as long as the effect runs", () =>
      Effect.gen(function*() {
        const leader = yield* Leader
        const duration = "600 millis"
        const running = yield* Effect.fork(leader.only("long", Effect.delay(fence, "2 seconds"), { duration }))
        yield* until(names, (leases) => leases.includes("long"))
        const others = yield* Effect.repeatN(Effect.delay(leader.only("long", fence, { duration }), "300 millis"), 4)
        assert.deepStrictEqual(others, Option.none())
        assert.isTrue(Option.isSome(yield* Fiber.join(running)))
      }))

    it.scoped("that ran out commits nothing more, and another one takes over", () =>
      Effect.gen(function*() {
        const leader = yield* Leader
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE written (fence BIGINT NOT NULL)`
        const write = Effect.flatMap(Lease, ({ fence, withTransaction }) =>
          withTransaction(sql`INSERT INTO written VALUES (${fence})`))
        const outcome = yield* leader.only(
          "late",
          Effect.gen(function*() {
            const { check } = yield* Lease
            yield* write
            yield* check
            yield* expire("late")
            const unclaimed = yield* Effect.flip(write)
            const next = yield* leader.only("late", Effect.zipRight(write, fence))
            return {
              unclaimed,
              next,
              taken: yield* Effect.flip(write),
              outside: yield* Effect.flip(check),
              own: yield* fence
            }
          })
        )
        const { next, outside, own, taken, unclaimed } = Option.getOrThrow(outcome)
        for (const error of [unclaimed, taken, outside]) {
          assert.instanceOf(error, LeaseLost)
        }
        const rows = yield* sql<{ fence: number }>`SELECT fence FROM written ORDER BY fence`
        assert.deepStrictEqual(
          rows.map(({ fence }) =>
            fence
          ),
          [own, Option.getOrThrow(next)]
        )
      }))

    it.scoped("is held until an interrupted effect has ended, so that it can hand back what it holds", () =>
      Effect.gen(function*() {
        const leader = yield* Leader
        const leads = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<boolean>()
        const handBack = Effect.flatMap(
          Lease,
          ({ check }) =>
            Effect.flatMap(
              Effect.isSuccess(Effect.delay(check, "50 millis")),
              (isHeld) => Deferred.succeed(ended, isHeld)
            )
        )
        const work = Effect.onInterrupt(
          Effect.zipRight(Deferred.succeed(leads, undefined), Effect.never),
          () => handBack
        )
        const running = yield* Effect.fork(leader.only("handed back", work))
        yield* Deferred.await(leads)
        yield* Fiber.interrupt(running)
        assert.isTrue(yield* Deferred.await(ended))
        assert.notInclude(yield* names, "handed back")
      }))

    it.scoped("that is lost while the effect runs ends it", () =>
      Effect.gen(function*() {
        const leader = yield* Leader
        const interrupted = yield* Deferred.make<void>()
        const work = Effect.zipRight(
          expire("lost"),
          Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
        )
        const error = yield* Effect.either(leader.only("lost", work, { duration: "300 millis" }))
        assert.instanceOf(Option.getOrThrow(Either.getLeft(error)), LeaseLost)
        yield* Deferred.await(interrupted)
      }))

    it.scoped("of a process that died, or with a time that no leader wrote, keeps the others out for two durations at most", () =>
      Effect.gen(function*() {
        const leader = yield* Leader
        const sql = yield* SqlClient.SqlClient
        const insert = (name: string, expires_at: number) =>
          sql`INSERT INTO leases (name, holder, expires_at) VALUES (${name}, 'another', ${expires_at})`
        yield* insert("dead", Date.now() - 1)
        yield* insert("alive", Date.now() + 10_000)
        yield* insert("tampered", Date.now() + 10_000_000)
        const runs = yield* Effect.forEach(
          ["dead", "alive", "tampered"],
          (name) => Effect.map(leader.only(name, fence), Option.isSome)
        )
        assert.deepStrictEqual(runs, [true, false, true])
      }))
  })
})
