import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { ScheduleId } from "../../../../src/domain/kernel/Id.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import { compileSchedule, cursorAfter, rewindCursor } from "../../../../src/domain/schedules/Schedule/Plan.ts"
import { idOf } from "../../../ids.ts"
import { time } from "./cadences.ts"

const at = time("2026-03-01T12:00:00Z")
const schedule = {
  id: idOf(ScheduleId, "0192f0c1-2b3c-7d4e-8f5a-6b7c8d9e0f1a"),
  kind: "cron",
  expression: "0 * * * *",
  timezone: "UTC",
  jitter_seconds: 0,
  anchor_at: time("2026-01-01T00:00:00Z"),
  enabled_at: time("2026-01-01T00:00:00Z")
}
const rewind = (changes: Partial<typeof schedule> & Partial<Parameters<typeof rewindCursor>[0]>, now = at) =>
  Either.getOrThrow(rewindCursor({ ...schedule, next_run_at: null, ...changes }, now))

describe("rewindCursor", () => {
  it("the next tick after now is due, however far the old one was", () => {
    const next_run_at = time("2027-03-01T12:00:00Z")
    assert.deepInclude(rewind({ next_run_at }), { next_run_at: time("2026-03-01T13:00:00Z"), cursor_at: at })
    assert.strictEqual(rewind({ next_run_at: null }).next_run_at, time("2026-03-01T13:00:00Z"))
  })

  it("a tick that its jitter holds back is kept: it has not fired yet", () => {
    const jittered = { ...schedule, jitter_seconds: 3600 }
    const cadence = Either.getOrThrow(compileSchedule(jittered))
    const { due_at, next_run_at } = cursorAfter(jittered, cadence, addSeconds(at, -1))
    assert.deepInclude(rewind({ ...jittered, next_run_at }, addSeconds(at, 1)), { next_run_at: at, due_at })
  })

  it("an interval that began in the future, and waiting fires of such a schedule, begin now", () => {
    const future = time("2027-01-01T00:00:00Z")
    const rewound = rewind({ kind: "interval", expression: "1h", anchor_at: future, enabled_at: future })
    assert.deepInclude(rewound, { anchor_at: at, enabled_at: at, next_run_at: addSeconds(at, 3600) })
  })
})
