import { assert, describe, it } from "vitest"
import { findTemplateProblem, makeLogUrl } from "../../../src/domain/kernel/LogUrl.ts"
import { fitsIntoLog, percentOf, truncateText } from "../../../src/domain/tasks/TaskOutput.ts"

describe("what tasks say while they run", () => {
  it("a percentage is a number, a member, or a count and its total", () => {
    assert.deepStrictEqual(
      [40, 140, -3, { percent: 12.5 }, { done: 1, total: 4, percentage: "x" }, { current: 9, total: 3 }].map(percentOf),
      [40, 100, 0, 12.5, 25, 100]
    )
    for (const value of ["half", null, {}, [1], { done: 1 }, { done: 1, total: 0 }, Number.NaN]) {
      assert.isNull(percentOf(value))
    }
  })

  it("the last fifth of a log is for warnings and errors", () => {
    assert.isTrue(fitsIntoLog({ lines: 799, bytes: 0 }, "info", 10))
    assert.isFalse(fitsIntoLog({ lines: 800, bytes: 0 }, "info", 10))
    assert.isTrue(fitsIntoLog({ lines: 999, bytes: 0 }, "error", 10))
    assert.isFalse(fitsIntoLog({ lines: 1000, bytes: 0 }, "error", 10))
    assert.isFalse(fitsIntoLog({ lines: 1, bytes: 256 * 1024 - 9 }, "error", 10))
  })

  it("a long text is truncated between two characters, and says by how much", () => {
    assert.strictEqual(truncateText("aéé", 4), "aé[...2 more bytes truncated]")
    assert.strictEqual(truncateText("aéé", 5), "aéé")
  })

  it("a log's URL has the encoded values of the task, and no value decides the server", () => {
    const values = {
      project: "shop",
      engine: "bullmq",
      task_id: "mail:1/2 &x",
      name: "pay",
      queue: null,
      worker: "w@1",
      received: null,
      started: "2026-11-24T12:00:00.000000Z",
      ended: null
    }
    assert.strictEqual(
      makeLogUrl("https://logs.example/{project}?q={task_id}&from={started}&to={ended}", values),
      "https://logs.example/shop?q=mail%3A1%2F2%20%26x&from=2026-11-24T12%3A00%3A00.000000Z&to="
    )
    assert.isNull(makeLogUrl("", values))
    assert.isNull(findTemplateProblem("http://grafana:3000/explore?{task_id}"))
    for (const bad of ["javascript:alert({task_id})", "logs.example/{task_id}", "https://{name}.example/", "http://"]) {
      assert.include(findTemplateProblem(bad), "must")
    }
    assert.include(findTemplateProblem("https://logs.example/{trace}"), "{trace}")
  })
})
