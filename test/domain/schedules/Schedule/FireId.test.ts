import { assert, describe, it } from "@effect/vitest"
import { ScheduleId } from "../../../../src/domain/kernel/Id.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import { fireIdOf } from "../../../../src/domain/schedules/Schedule/FireId.ts"
import { idOf } from "../../../ids.ts"
import { time } from "./cadences.ts"

const schedule = idOf(ScheduleId, "0199f0a0-1111-7222-8333-444455556666")
const tick = time("2026-10-25T00:30:00Z")

describe("fireIdOf", () => {
  // uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, "z4j-scheduler.fire-id.v1"), "<schedule>:2026-10-25T00:30:00+00:00")
  it("is what Python computes", () => {
    assert.strictEqual(fireIdOf(schedule, tick), "87aa80d3-258f-5b06-aa9d-e8b6e926185e")
  })

  it("differs for another tick or schedule", () => {
    assert.notStrictEqual(fireIdOf(schedule, addSeconds(tick, 1)), fireIdOf(schedule, tick))
    assert.notStrictEqual(
      fireIdOf(idOf(ScheduleId, "019af0a0-1111-7222-8333-444455556666"), tick),
      fireIdOf(schedule, tick)
    )
  })
})
