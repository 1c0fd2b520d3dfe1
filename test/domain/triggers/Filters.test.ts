import { assert, describe, it } from "@effect/vitest"
import { compileFilters, type FilteredFields, makeMatcher } from "../../../src/domain/triggers/Filters.ts"

const event: FilteredFields & { readonly trigger: "task.failed" } = {
  trigger: "task.failed",
  engine: "celery",
  task_name: "shop.charge",
  queue: "cards",
  priority: "high"
}

describe("filters of subscriptions", () => {
  it.each<readonly [object, boolean]>([
    [{}, true],
    [{ priority: null, task_name: null, queue: null, priority_min: null }, true],
    [{ priority: [], task_name: "", queue: "" }, true],
    [{ priority: ["critical", "high"] }, true],
    [{ priority: ["low"] }, false],
    [{ priority_min: "high" }, true],
    [{ priority_min: "critical" }, false],
    [{ priority_max: "high" }, true],
    [{ priority_max: "normal" }, false],
    [{ task_name: "shop.*" }, true],
    [{ task_name: "SHOP.*" }, false],
    [{ task_name_pattern: "*.refund" }, false],
    [{ task_name: "shop.*", task_name_pattern: "*.charge" }, true],
    [{ task_name: "shop.*", task_name_pattern: "*.refund" }, false],
    [{ queue: "cards" }, true],
    [{ queue: "card*" }, false],
    [{ engine: "celery", queue: "cards", priority: ["high"] }, true],
    [{ engine: "rq" }, false]
  ])("%j: %s", (filters, expected) => {
    assert.strictEqual(compileFilters(filters)(event), expected)
  })

  it("on a field that the event does not have take none", () => {
    const agent = { engine: null, task_name: null, queue: null, priority: null }
    for (
      const filters of [{ task_name: "*" }, { queue: "q" }, { priority_min: "low" }, {
        priority_max: "critical"
      }] as const
    ) {
      assert.isFalse(compileFilters(filters)(agent))
    }
    assert.isTrue(compileFilters({})(agent))
  })

  it("find each value that takes an event once", () => {
    const { hasTrigger, match } = makeMatcher([
      { value: "a", trigger: "task.failed", filters: { task_name: "shop.*" } },
      { value: "a", trigger: "task.failed", filters: { queue: "cards" } },
      { value: "b", trigger: "task.failed", filters: { queue: "mail" } },
      { value: "c", trigger: "task.succeeded", filters: {} }
    ])
    for (let times = 0; times < 2; times++) {
      assert.deepStrictEqual(match(event), ["a"])
      assert.deepStrictEqual(match({ ...event, queue: "mail" }), ["a", "b"])
      assert.deepStrictEqual(match({ ...event, trigger: "agent.offline" }), [])
    }
    assert.isTrue(hasTrigger("task.succeeded"))
    assert.isFalse(hasTrigger("agent.offline"))
  })
})
