import { assert, describe, it } from "@effect/vitest"
import { ScheduleId } from "../../../../src/domain/kernel/Id.ts"
import { addSeconds, toEpochMillis } from "../../../../src/domain/kernel/Timestamp.ts"
import { addJitter } from "../../../../src/domain/schedules/Schedule/Jitter.ts"
import { idOf } from "../../../ids.ts"
import { time } from "./cadences.ts"

const tick = time("2026-10-25T00:30:00Z")

describe("addJitter", () => {
  const delays = (seconds: number, next: number | null) =>
    Array.from({ length: 1000 }, (_, at) => {
      const jittered = addJitter(
        idOf(ScheduleId, `schedule-${at}`),
        tick,
        seconds,
        next === null ? null : addSeconds(tick, next)
      )
      return toEpochMillis(jittered) - toEpochMillis(tick)
    })

  it("is the same for the same schedule and tick", () => {
    assert.deepStrictEqual(delays(60, null), delays(60, null))
    assert.strictEqual(addJitter(idOf(ScheduleId, "schedule"), tick, 0, null), tick)
  })

  it("spreads the schedules of one tick", () => {
    const all = delays(60, null)
    assert.isTrue(all.every((delay) => delay >= 0 && delay < 60_000))
    for (let tenth = 0; tenth < 10; tenth++) {
      const count = all.filter((delay) => Math.floor(delay / 6000) === tenth).length
      assert.isTrue(count > 60 && count < 140, `${count} of 1000 in tenth ${tenth}`)
    }
  })

  it("ends before the next tick", () => {
    assert.isTrue(delays(3600, 10).every((delay) => delay < 10_000))
  })
})
