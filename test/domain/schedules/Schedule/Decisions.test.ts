import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { ScheduleId } from "../../../../src/domain/kernel/Id.ts"
import { parse, type Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"
import {
  type Decision,
  decisionsOf,
  limitFires,
  restOfChain
} from "../../../../src/domain/schedules/Schedule/Decisions.ts"
import { compileSchedule, planFires } from "../../../../src/domain/schedules/Schedule/Plan.ts"

/** Seconds of one minute. */
const at = (second: number): Timestamp => {
  const time = parse(
    `2026-01-01T00:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}Z`
  )
  if (time === undefined) throw new Error(`no time: ${second}`)
  return time
}

const fire = (second: number): Decision => ({ kind: "fire", first_tick: at(second), last_tick: at(second) })
const skip = (first: number, last: number): Decision => ({ kind: "skip", first_tick: at(first), last_tick: at(last) })

const id = ScheduleId.make("018f4a2b-0000-7000-8000-000000000001")

/** An interval of 10 s from 00:00:00, whose cursor is at second 10. */
const decideAt = (now: number, catch_up: "skip" | "fire_one_missed" | "fire_all_missed", catchUpMax = 100) => {
  const cadence = Either.getOrThrow(
    compileSchedule({ kind: "interval", expression: "10", timezone: "UTC", anchor_at: at(0) })
  )
  const schedule = { id, jitter_seconds: 0, next_run_at: at(10), catch_up }
  return decisionsOf(at(10), cadence, planFires(schedule, cadence, at(now), { catchUpMax, graceSeconds: 5 }))
}

describe("the decisions of a scheduler", () => {
  it("fire ticks in time, and skip what catch_up leaves out", () => {
    assert.deepStrictEqual(decideAt(11, "skip"), [fire(10)])
    assert.deepStrictEqual(decideAt(41, "skip"), [skip(10, 30), fire(40)])
    assert.deepStrictEqual(decideAt(48, "skip"), [skip(10, 40)])
    assert.deepStrictEqual(decideAt(48, "fire_one_missed"), [skip(10, 30), fire(40)])
    assert.deepStrictEqual(decideAt(31, "fire_all_missed"), [fire(10), fire(20), fire(30)])
    assert.deepStrictEqual(decideAt(48, "fire_all_missed", 2), [skip(10, 20), fire(30), fire(40)])
  })

  it("skip a cursor that is no tick by this machine's rules", () => {
    const cadence = Either.getOrThrow(
      compileSchedule({ kind: "interval", expression: "10", timezone: "UTC", anchor_at: at(0) })
    )
    const schedule = { id, jitter_seconds: 0, next_run_at: at(15), catch_up: "fire_all_missed" as const }
    const plan = planFires(schedule, cadence, at(21), { catchUpMax: 100, graceSeconds: 5 })
    assert.deepStrictEqual(decisionsOf(at(15), cadence, plan), [skip(15, 15), fire(20)])
  })

  it("are at most so many fires: the oldest become skipped ticks", () => {
    const chain = [fire(10), fire(20), fire(30)]
    assert.deepStrictEqual(limitFires(chain, 3), chain)
    assert.deepStrictEqual(limitFires(chain, 2), [skip(10, 10), fire(20), fire(30)])
    assert.deepStrictEqual(limitFires([skip(1, 5), ...chain], 1), [skip(1, 20), fire(30)])
    assert.deepStrictEqual(limitFires([fire(10), skip(20, 30), fire(40)], 1), [skip(10, 30), fire(40)])
    assert.deepStrictEqual(limitFires([], 1), [])
  })

  it("continue where the brain's cursor is, or are taken again", () => {
    const chain = [skip(10, 30), fire(40), fire(50)]
    assert.deepStrictEqual(restOfChain(chain, at(10)), chain)
    assert.deepStrictEqual(restOfChain(chain, at(20)), [skip(20, 30), fire(40), fire(50)])
    assert.deepStrictEqual(restOfChain(chain, at(50)), [fire(50)])
    assert.isNull(restOfChain(chain, at(60)))
    assert.isNull(restOfChain(chain, null))
    assert.isNull(restOfChain([fire(40)], at(10)))
  })
})
