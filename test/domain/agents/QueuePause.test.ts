import { assert, describe, it } from "@effect/vitest"
import { type PauseFacts, pauseStatusOf } from "../../../src/domain/agents/QueuePause.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"

const at = Timestamp.fromEpochMicros(1_800_000_000_000_000)

const facts = (change: Partial<PauseFacts> = {}): PauseFacts => ({
  reported: 1,
  reportedAt: at,
  pauseStatus: "completed",
  pauseEndedAt: at,
  resumeStatus: null,
  ...change
})

describe("a pause of a queue by a command", () => {
  it.each<readonly [string, Partial<PauseFacts>, string | null]>([
    ["waits for its command", { pauseStatus: "pending" }, "pausing"],
    ["waits for its agent's answer", { pauseStatus: "dispatched", reported: 0 }, "pausing"],
    ["holds", {}, "paused"],
    ["holds where no agent sees pauses", { reported: null }, "paused"],
    ["holds after its command was deleted", { pauseStatus: null }, "paused"],
    ["was not executed", { pauseStatus: "failed", reported: 0 }, null],
    ["was not executed, as far as is known", { pauseStatus: "timeout", reported: null }, null],
    ["was executed, although its command timed out", { pauseStatus: "timeout" }, "paused"],
    ["is about to end", { resumeStatus: "dispatched" }, "resuming"],
    ["is over", { resumeStatus: "completed" }, null],
    ["holds on, since its end failed", { resumeStatus: "failed" }, "paused"],
    ["holds by a report from before it", { reported: 0, reportedAt: Timestamp.addSeconds(at, -5) }, "paused"],
    [
      "holds by a report that may be older than its arrival",
      { reported: 0, reportedAt: Timestamp.addSeconds(at, 60) },
      "paused"
    ],
    ["was ended in the engine", { reported: 0, reportedAt: Timestamp.addSeconds(at, 61) }, null]
  ])("%s", (_, change, status) => {
    assert.strictEqual(pauseStatusOf(facts(change)), status)
  })
})
