import { assert, describe, it } from "@effect/vitest"
import { lineOf, phaseOf, shapeOf } from "../../web/src/bulkRetries/bulkRetry.ts"
import { findDeployBefore } from "../../web/src/failures/deployBefore.ts"
import { bucketTimes } from "../../web/src/failures/window.ts"
import { createFormat } from "../../web/src/format/createFormat.ts"

const hour = 3_600_000

describe("the window of a failure group", () => {
  it("has buckets at multiples of their length, the first one cut", () => {
    const since = "2026-11-24T04:10:00.000000Z"
    const times = bucketTimes({ since, bucket_seconds: 3600, occurrences: 4, counts: [3, 0, 1] })
    const begin = Date.UTC(2026, 10, 24, 4)
    assert.deepStrictEqual(times, [begin + 600_000, begin + hour, begin + 2 * hour])
  })
})

describe("the deploy before a failure", () => {
  it("is the last one before it, if it was within a day", () => {
    const deployAt = (version: string, at: string) => ({
      id: version,
      version,
      at,
      note: null,
      url: null,
      created_by: null,
      created_at: at
    })
    const deploys = [
      deployAt("v3", "2026-11-24T12:00:00.000000Z"),
      deployAt("v2", "2026-11-24T11:00:00.000000Z"),
      deployAt("v1", "2026-11-20T11:00:00.000000Z")
    ]
    const versionBefore = (at: string) => findDeployBefore(deploys, at)?.version
    assert.strictEqual(versionBefore("2026-11-24T12:00:01.000000Z"), "v3")
    assert.strictEqual(versionBefore("2026-11-24T12:00:00.000000Z"), "v2")
    assert.strictEqual(versionBefore("2026-11-21T11:00:00.000000Z"), "v1")
    assert.isUndefined(versionBefore("2026-11-21T11:00:01.000000Z"))
    assert.isUndefined(versionBefore("2026-11-19T11:00:00.000000Z"))
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

describe("a bulk retry that has completed", () => {
  const counts = { total: 3, pending: 0, claimed: 0, unobserved: 0, succeeded: 3, failed: 0, unknown: 0 }
  const outcomes = { succeeded: 3, failed: 0, waiting: 0, cancelled: 0, unknown: 0 }
  const shape = (changed: Partial<typeof outcomes> | null, changedCounts: Partial<typeof counts> = {}) =>
    shapeOf({
      status: "completed",
      control_state: "running",
      counts: { ...counts, ...changedCounts },
      outcomes: changed === null ? null : { ...outcomes, ...changed }
    })

  it("looks like success only where its tasks succeeded", () => {
    assert.strictEqual(shape({}), "success")
    assert.strictEqual(shape({ succeeded: 2, failed: 1 }), "failure")
    assert.strictEqual(shape({ succeeded: 0, waiting: 3 }), "started")
    assert.strictEqual(shape({ succeeded: 2, unknown: 1 }), "unknown")
    assert.strictEqual(shape(null), "unknown")
    assert.strictEqual(shape({ succeeded: 0 }, { succeeded: 0, failed: 3 }), "failure")
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
