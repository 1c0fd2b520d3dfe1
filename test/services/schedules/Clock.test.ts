import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { world } from "./world.ts"

/** The real clock, which a test sets forward and back. Sleeps are not affected, as with a real machine. */
const makeSteppedClock = () => {
  const live = Clock.make()
  const state = { offsetMillis: 0 }
  const millis = () => live.unsafeCurrentTimeMillis() + state.offsetMillis
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    currentTimeMillis: Effect.sync(millis),
    unsafeCurrentTimeNanos: () => live.unsafeCurrentTimeNanos(),
    currentTimeNanos: live.currentTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
  return { clock, setOffset: (seconds: number) => void (state.offsetMillis = seconds * 1000), millis }
}

const hour = 3600
const iso = (millis: number) => new Date(millis).toISOString()

describe.each(engines)("the clock of a brain on %s", (engine) => {
  const { clock, millis, setOffset } = makeSteppedClock()
  layer(serverOn(engine, { scheduleCatchUpMax: 3 }).pipe(Layer.provide(Layer.setClock(clock))), {
    excludeTestServices: true
  })((it) => {
    it.scoped(
      "set forward, as after a sleep (redbeat 201, 218), and back: a misfire says so, the schedule continues at once, and no tick fires twice",
      () =>
        Effect.gen(function*() {
          const { call, create, fires, misfires } = yield* world
          const { id } = yield* create({ expression: "1", catch_up: "fire_one_missed" })
          const firesSince = (since: string) =>
            until(fires(id), (rows) => rows.filter((row) => row.scheduled_for >= since).length >= 2)
          yield* firesSince("")

          setOffset(hour)
          const ahead = iso(millis())
          yield* firesSince(ahead)
          // beside it the two fires that waited for an agent are misfires, once the loop of outcomes comes to them
          const isStep = ({ cause }: { readonly cause: string }) => cause === "clock_step"
          const found = yield* until(misfires(id), (rows) => rows.some(isStep))
          assert.isAtLeast(found.find(isStep).slots, 900)

          setOffset(0)
          const back = iso(millis())
          const soon = iso(millis() + 60_000) // earlier than the late ticks that fired while the clock was ahead
          const rows = yield* until(
            fires(id),
            (rows) => rows.filter((row) => row.scheduled_for >= back && row.scheduled_for < soon).length >= 3
          )
          const ticks = rows.map((row) => row.scheduled_for)
          assert.strictEqual(new Set(ticks).size, ticks.length)
          const { json: shown } = yield* call("GET", `/${id}`)
          assert.isBelow(Date.parse(shown.next_run_at), millis() + 5000)
          assert.isTrue(shown.last_run_at >= ahead, "the newest tick that fired")
          yield* call("POST", `/${id}/disable`)
        })
    )

    it.scoped("set back while no brain ran: the next tick is one of the time after now", () =>
      Effect.gen(function*() {
        const { call, create, fires } = yield* world
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* create({ expression: "2" })
        const now = yield* Timestamp.now
        const nextYear = Timestamp.addSeconds(now, 365 * Timestamp.secondsPerDay)
        // as a brain has left it whose clock was a year ahead when the schedule was created
        yield* sql`UPDATE schedules SET next_run_at = ${nextYear}, due_at = ${nextYear}, cursor_at = ${nextYear},
          anchor_at = ${nextYear}, enabled_at = ${nextYear} WHERE id = ${id}`
        yield* until(fires(id), (rows) => rows.length >= 2)
        yield* call("POST", `/${id}/disable`)
      }))

    it.scoped("a tick that has fired stays fired when the clock comes past it again", () =>
      Effect.gen(function*() {
        const { call, create, fires } = yield* world
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* create({ expression: "1" })
        const before = (yield* until(fires(id), (rows) => rows.length >= 3)).toReversed()
        const [first] = before
        const later = Timestamp.addSeconds(yield* Timestamp.now, hour)
        yield* sql`UPDATE schedules SET next_run_at = ${first?.scheduled_for}, due_at = ${first?.scheduled_for} WHERE id = ${id}`
        yield* sql`UPDATE schedules SET cursor_at = ${later} WHERE id = ${id}`
        const after = (yield* until(fires(id), (rows) => rows.length >= before.length + 2)).toReversed()
        assert.deepStrictEqual(
          after.slice(0, before.length).map(({ fire_id }) => fire_id),
          before.map(({ fire_id }) => fire_id)
        )
        assert.strictEqual(new Set(after.map(({ scheduled_for }) => scheduled_for)).size, after.length)
        yield* call("POST", `/${id}/disable`)
      }))
  })
})
