import { assert, describe, it } from "@effect/vitest"
import { isPauseOver, isReportedSince, type PauseFacts, pauseStatusOf } from "../../../src/domain/agents/QueuePause.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"

const at = Timestamp.fromEpochMicros(1_800_000_000_000_000)

const facts = (change: Partial<PauseFacts> = {}): PauseFacts => ({
  reported: 1,
  reportedAt: at,
  pauseStatus: "completed",
  pauseEndedAt: at,
  resumeStatus: null,
  resumeEndedAt: null,
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

  const after = (seconds: number) => Timestamp.addSeconds(at, seconds)
  const resumed = { resumeStatus: "completed", resumeEndedAt: at }
  it.each<readonly [string, Partial<PauseFacts>, number, boolean]>([
    ["while it holds", {}, 86_400, false],
    ["while its command may yet have been executed", { pauseStatus: "timeout", reported: 0 }, 3599, false],
    ["an hour after a command without success", { pauseStatus: "timeout", reported: 0 }, 3600, true],
    ["by a later report that the queue runs", { pauseStatus: "failed", reported: 0, reportedAt: after(61) }, 61, true],
    ["not before a report from after its end", resumed, 60, false],
    ["a minute after its end", resumed, 61, true]
  ])("its row is needed no more: %s", (_, change, seconds, isOver) => {
    assert.strictEqual(isPauseOver(facts(change), after(seconds)), isOver)
  })

  it("a report from before the end of a pause does not show it as paused in the engine", () => {
    assert.isFalse(isReportedSince(facts({ ...resumed, reportedAt: after(5) })))
    assert.isTrue(isReportedSince(facts({ ...resumed, reportedAt: after(61) })))
  })
})
