import { assert, describe, it } from "@effect/vitest"
import { errorData, etaAfter, etaOf } from "../../../../src/agent/engines/bullmq/JobEvents.ts"

describe("a job's event", () => {
  it.each<readonly [from: number, delay: number | undefined, eta: string | undefined]>([
    [0, undefined, undefined],
    [0, 0, undefined],
    [Date.UTC(2026, 10, 27), 1000, "2026-11-27T00:00:01.000000Z"],
    [0, 8.64e15, "8640000000000000"],
    [0, 1e308, "1e+308"],
    [0, Infinity, "Infinity"]
  ])("of a job of %d with the delay %d has the eta %s", (from, delay, eta) => {
    assert.strictEqual(etaAfter(from, delay), eta)
  })

  it("has an eta of any number", () => {
    for (const millis of [NaN, -8.64e15, -1e300]) assert.isString(etaOf(millis))
  })

  it("has an exception, whatever was thrown", () => {
    assert.deepInclude(errorData(new TypeError("no")), { exception: "TypeError", exception_message: "no" })
    for (const thrown of ["no", 7, null, undefined, Symbol("no"), {}, Object.create(null)]) {
      assert.isString(errorData(thrown)["exception"])
    }
  })
})
