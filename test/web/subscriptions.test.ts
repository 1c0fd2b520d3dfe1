import { assert, describe, it } from "@effect/vitest"
import { passingPriorities, triggersFor } from "../../web/src/notifications/subscriptions/form.ts"
import { presets, presetsFor } from "../../web/src/notifications/subscriptions/presets.ts"

describe("the form of a subscription", () => {
  it("says with one list what a list, a lowest and a highest priority let pass", () => {
    assert.deepStrictEqual(passingPriorities({}), ["low", "normal", "high", "critical"])
    assert.deepStrictEqual(passingPriorities({ priority: [] }), ["low", "normal", "high", "critical"])
    assert.deepStrictEqual(passingPriorities({ priority_min: "high" }), ["high", "critical"])
    assert.deepStrictEqual(passingPriorities({ priority_min: "normal", priority_max: "high" }), ["normal", "high"])
    assert.deepStrictEqual(passingPriorities({ priority: ["low", "critical"], priority_min: "high" }), ["critical"])
    assert.deepStrictEqual(passingPriorities({ priority: ["low"], priority_min: "high" }), [])
  })

  it("offers the presets whose trigger its owner's subscriptions take", () => {
    assert.notInclude(presetsFor(triggersFor(true)), "missedSchedules")
    assert.include(presetsFor(triggersFor(false)), "missedSchedules")
    assert.deepInclude(presets.nightWatch().send_hours, { mode: "only", start: "22:00", end: "07:00" })
  })
})
