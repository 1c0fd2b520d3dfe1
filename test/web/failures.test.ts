import { assert, describe, it } from "@effect/vitest"
import { lineOf, phaseOf } from "../../web/src/bulkRetries/bulkRetry.ts"
import { fillHours } from "../../web/src/failures/hours.ts"
import { createFormat } from "../../web/src/format/createFormat.ts"

const hour = 3_600_000

describe("the hours of a failure group", () => {
  const at = Date.UTC(2026, 10, 24, 6, 30)

  it("are a week without gaps, which ends with the present hour", () => {
    const filled = fillHours([{ hour: "2026-11-24T04:00:00.000000Z", occurrences: 3 }], at)
    assert.lengthOf(filled, 168)
    assert.deepStrictEqual(filled.at(-3), { time: Date.UTC(2026, 10, 24, 4), occurrences: 3 })
    assert.deepStrictEqual(filled.at(-1), { time: Date.UTC(2026, 10, 24, 6), occurrences: 0 })
    assert.isTrue(filled.every(({ time }, index) => index === 0 || time - (filled[index - 1]?.time ?? 0) === hour))
  })

  it("end with a failure of a later hour, by an agent's clock that is ahead", () => {
    const [last] = fillHours([{ hour: "2026-11-24T08:00:00.000000Z", occurrences: 1 }], at).slice(-1)
    assert.deepStrictEqual(last, { time: Date.UTC(2026, 10, 24, 8), occurrences: 1 })
  })
})

describe("a bulk retry", () => {
  it("shows its filter as a line of the list of tasks", () => {
    assert.strictEqual(
      lineOf({ state: "failure", name: "shop pay", priority: ["high", "low"], fingerprint: "9f2c41d07be5a836" }),
      "state:failure priority:high,low name:\"shop pay\" fingerprint:9f2c41d07be5a836"
    )
  })

  it("is paused or waits for its last outcomes only while it runs", () => {
    assert.strictEqual(phaseOf({ status: "running", control_state: "running" }), "running")
    assert.strictEqual(phaseOf({ status: "running", control_state: "paused" }), "paused")
    assert.strictEqual(phaseOf({ status: "running", control_state: "cancelled" }), "cancelling")
    assert.strictEqual(phaseOf({ status: "cancelled", control_state: "cancelled" }), "cancelled")
    assert.strictEqual(phaseOf({ status: "expired", control_state: "paused" }), "expired")
  })
})

describe("the ticks of a time axis", () => {
  it("have each date once, at midnight of the zone, and the clock between", () => {
    const { axis } = createFormat("en-GB", "Europe/Berlin")
    const midnight = Date.UTC(2026, 10, 23, 23)
    const labels = [-12, 0, 12, 24].map((hours) => axis(midnight + hours * hour, 72 * hour))
    assert.deepStrictEqual(labels, ["12:00", "24 Nov", "12:00", "25 Nov"])
    assert.strictEqual(axis(midnight, 24 * hour), "00:00")
  })
})
