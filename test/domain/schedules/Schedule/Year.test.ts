import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { ScheduleId } from "../../../../src/domain/kernel/Id.ts"
import { addSeconds, type Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"
import type { CatchUp } from "../../../../src/domain/schedules/Schedule.ts"
import { fireIdOf } from "../../../../src/domain/schedules/Schedule/FireId.ts"
import { compileSchedule, cursorAfter, planFires } from "../../../../src/domain/schedules/Schedule/Plan.ts"
import { idOf } from "../../../ids.ts"
import { time } from "./cadences.ts"
import { seeded } from "./expressions.ts"

const start = time("2026-01-01T00:00:00Z")
const end = time("2027-01-01T00:00:00Z")
const limits = { catchUpMax: 100, graceSeconds: 60 }

interface Simulated {
  readonly kind: string
  readonly expression: string
  readonly timezone?: string
  readonly jitter_seconds?: number
  readonly catch_up?: CatchUp
}

/**
 * A year of the fire loop for one schedule, whose plan depends on no other: the loop wakes when the schedule is due, or
 * as late as `wake` says. Returns what fired, and the ticks that are missed.
 */
const simulate = (
  { catch_up = "fire_one_missed", jitter_seconds = 0, timezone = "UTC", ...definition }: Simulated,
  wake: (due: Timestamp) => Timestamp
) => {
  const schedule = {
    id: idOf(ScheduleId, "0192f0c1-2b3c-7d4e-8f5a-6b7c8d9e0f1a"),
    ...definition,
    timezone,
    jitter_seconds,
    catch_up,
    anchor_at: start
  }
  const cadence = Either.getOrThrow(compileSchedule(schedule))
  const fires: Array<Timestamp> = []
  let missed = 0
  let cursor = cursorAfter(schedule, cadence, start)
  while (cursor.next_run_at !== null && cursor.due_at !== null && cursor.next_run_at <= end) {
    const plan = planFires({ ...schedule, next_run_at: cursor.next_run_at }, cadence, wake(cursor.due_at), limits)
    fires.push(...plan.missedFires, ...plan.fires)
    missed += plan.missedCount
    assert.isTrue(plan.cursor.next_run_at === null || plan.cursor.next_run_at > cursor.next_run_at, "the cursor moves")
    cursor = plan.cursor
  }
  const fireIds = new Set(fires.map((tick) => fireIdOf(schedule.id, tick)))
  assert.strictEqual(fireIds.size, fires.length, "no tick fires twice")
  const ticks = [...cadence.ticksBetween(start, fires.at(-1) ?? end)]
  return { fires, missed, ticks }
}

const schedules: ReadonlyArray<Simulated> = [
  { kind: "interval", expression: "1h" },
  { kind: "interval", expression: "7h13m" },
  { kind: "interval", expression: "1h", jitter_seconds: 1800 },
  { kind: "cron", expression: "*/30 * * * *", timezone: "Europe/Berlin" },
  { kind: "cron", expression: "30 2 * * *", timezone: "Europe/Berlin" },
  { kind: "cron", expression: "15,45 1,2 * * *", timezone: "Australia/Lord_Howe" },
  { kind: "cron", expression: "0 0 * * *", timezone: "America/Santiago", jitter_seconds: 3600 },
  { kind: "cron", expression: "0 12 L * *" },
  { kind: "clocked", expression: "2026-07-01T12:00:00Z" }
]

describe("a year of the fire loop", () => {
  it("each tick of the year fires once, at its time, and none is missed", () => {
    const random = seeded(1)
    for (const schedule of schedules) {
      const { fires, missed, ticks } = simulate(schedule, (due) => addSeconds(due, random(900) / 1000))
      assert.strictEqual(missed, 0, schedule.expression)
      assert.deepStrictEqual(fires, ticks, schedule.expression)
    }
  })

  it("with outages of up to two days, each tick fires once or is a missed one that catch_up leaves out", () => {
    const random = seeded(2)
    const wake = (due: Timestamp) => addSeconds(due, random(20) === 0 ? random(172_800) : random(5))
    for (const catch_up of ["skip", "fire_one_missed", "fire_all_missed"] as const) {
      for (const schedule of schedules) {
        const { fires, missed, ticks } = simulate({ ...schedule, catch_up }, wake)
        const fired = new Set(fires)
        const known = new Set(ticks)
        assert.isTrue(fires.every((tick) => known.has(tick)), schedule.expression)
        const left = ticks.filter((tick) => !fired.has(tick)).length
        assert.isAtMost(left, missed, schedule.expression)
        if (catch_up === "fire_all_missed") assert.strictEqual(left, 0, schedule.expression)
      }
    }
  })
})
