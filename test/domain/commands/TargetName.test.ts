import { assert, describe, it } from "@effect/vitest"
import { targetNameOf } from "../../../src/domain/commands/Command/TargetName.ts"

const nameOf = (target_type: string, target_id: string | null, payload: object, task_name: string | null = null) =>
  targetNameOf({ target_type, target_id, payload: JSON.stringify(payload) }, { task_name })

describe("the name of a command's target", () => {
  it("is that of the task or schedule, and the id where the id is a name", () => {
    assert.strictEqual(nameOf("task", "t1", {}, "shop.pay"), "shop.pay")
    assert.strictEqual(nameOf("task", "t1", { task_name: "shop.pay" }), "shop.pay")
    assert.strictEqual(nameOf("schedule", "s1", { schedule_name: "nightly", task_name: "shop.report" }), "nightly")
    assert.strictEqual(nameOf("queue", "mail", {}), "mail")
    assert.strictEqual(nameOf("scheduler", "celery-beat", {}), "celery-beat")
    assert.strictEqual(nameOf("worker", null, { task_name: "shop.pay", rate: "1/s" }), "shop.pay")
  })

  it("is null where there are several targets, or the name is unknown", () => {
    assert.isNull(nameOf("task", null, { filter: { task_ids: ["a", "b"] } }))
    assert.isNull(nameOf("task", "t1", {}, "<unknown:t1>"))
    assert.isNull(nameOf("worker", null, {}))
    assert.isNull(nameOf("schedule", "s1", {}))
  })
})
