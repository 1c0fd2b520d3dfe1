import { assert, describe, it } from "@effect/vitest"
import { spansOf } from "../../web/src/tasks/spans.ts"

const start = Date.parse("2026-11-24T12:00:00Z")
const event = (kind: Parameters<typeof spansOf>[0][number]["kind"], seconds: number) => ({
  kind,
  occurred_at: new Date(start + seconds * 1000).toISOString()
})
const seconds = (spans: ReturnType<typeof spansOf>) =>
  spans.map(({ from, isEndBad, kind, to }) => [kind, (from - start) / 1000, (to - start) / 1000, isEndBad])

describe("the spans of a task's timeline", () => {
  it("wait, run, wait for the next attempt, run", () => {
    const events = [
      event("task.sent", 0),
      event("task.received", 1),
      event("task.started", 3),
      event("task.retried", 5),
      event("task.started", 9),
      event("task.succeeded", 10)
    ]
    assert.deepStrictEqual(seconds(spansOf(events, start + 60_000, true)), [
      ["wait", 0, 3, false],
      ["run", 3, 5, true],
      ["gap", 5, 9, false],
      ["run", 9, 10, false]
    ])
  })

  it("reach to now while the task runs", () => {
    const events = [event("task.received", 0), event("task.started", 2)]
    assert.deepStrictEqual(seconds(spansOf(events, start + 7_000, false)), [["wait", 0, 2, false], [
      "run",
      2,
      7,
      false
    ]])
  })

  it("leave out what clocks contradict", () => {
    const events = [event("task.received", 5), event("task.started", 2), event("task.failed", 4)]
    assert.deepStrictEqual(seconds(spansOf(events, start, true)), [["run", 2, 4, true]])
  })
})
