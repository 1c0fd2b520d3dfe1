import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { Schedule, ScheduleWatchFrame } from "../../proto/generated/scheduler.ts"

test("a 64-bit number keeps all digits, and bytes and moments come back as they were", () => {
  const schedule = Schedule.fromPartial({
    id: "0199d0c0-0000-7000-8000-000000000001",
    args_json: Buffer.from("[12345678901234567890]"),
    next_run_at: { seconds: 1_900_000_000n, nanos: 123_456_000 },
    schedule_revision: 9_007_199_254_740_993n
  })
  const frame = ScheduleWatchFrame.fromPartial({
    format_version: 1,
    frame: { $case: "change", value: { kind: 1, revision: 9_223_372_036_854_775_807n, schedule } }
  })
  expect(ScheduleWatchFrame.decode(ScheduleWatchFrame.encode(frame).finish())).toEqual(frame)
})

test("the generated files are those of proto/", () => {
  const { status, stderr } = spawnSync("npm", ["run", "-s", "proto", "--", "--check"], { encoding: "utf8" })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
})
