import { assert, describe, it } from "@effect/vitest"
import { findFlaws } from "../../../src/domain/automation/Automation.ts"
import { attemptExecution, type Breaker } from "../../../src/domain/automation/Breaker.ts"
import { compileConditions, type EventFacts, type OccurrenceFacts } from "../../../src/domain/automation/Match.ts"

const facts: EventFacts & OccurrenceFacts = {
  engine: "celery",
  queue: "mail",
  task_name: "shop.pay.charge",
  priority: "high",
  fingerprint: "9f86d081884c7d65",
  detail: "ConnectionError: db [primary] is gone",
  runtime_ms: 1500
}

describe("the breaker of a rule (interface, Automation rule circuit breaker)", () => {
  const attempts = (from: Breaker, max: number, count: number) => {
    let breaker = from
    return Array.from({ length: count }, () => {
      const admission = attemptExecution(breaker, max)
      breaker = admission.breaker
      return admission
    })
  }

  it("armed: executions inside the window exceed the limit, and it trips; the attempt is degraded", () => {
    const [, , third, fourth] = attempts({ is_tripped: false, executions: 0 }, 3, 4)
    assert.deepStrictEqual(third, { is_admitted: true, breaker: { is_tripped: false, executions: 3 } })
    assert.deepStrictEqual(fourth, { is_admitted: false, breaker: { is_tripped: true, executions: 3 } })
  })

  it("tripped: while as many remain, it stays tripped and degraded attempts do not count", () => {
    const all = attempts({ is_tripped: true, executions: 3 }, 3, 1000)
    assert.isTrue(
      all.every(({ breaker, is_admitted }) => !is_admitted && breaker.is_tripped && breaker.executions === 3)
    )
  })

  it("tripped: older executions aged out, and the next attempt arms it and executes", () => {
    const [first, second] = attempts({ is_tripped: true, executions: 2 }, 3, 2)
    assert.deepStrictEqual(first, { is_admitted: true, breaker: { is_tripped: false, executions: 3 } })
    assert.isFalse(second?.is_admitted)
  })
})

describe("conditions", () => {
  it.each(
    [
      [{}, true],
      [{ engine: "celery" }, true],
      [{ engine: ["rq", "celery"] }, true],
      [{ engine: "rq" }, false],
      [{ queue: "mail", priority: "low" }, false],
      [{ priority: ["high", "critical"] }, true],
      [{ task_name: "shop.pay.*" }, true],
      [{ task_name: "SHOP.*" }, false],
      [{ exception: "ConnectionError" }, true],
      [{ exception: "db is" }, false],
      [{ exception: "Connection*gone" }, true],
      [{ exception: "Connection*" }, true],
      [{ exception: ["Timeout", "gone"] }, true],
      [{ runtime: { min_ms: 1000 } }, true],
      [{ runtime: { max_ms: 1000 } }, false],
      [{ runtime: { min_ms: 1500, max_ms: 1500 } }, true],
      [{ fingerprint: "9f86d081884c7d65" }, true],
      [{ fingerprint: "0000000000000000" }, false]
    ] as const
  )("%j: %s", (conditions, holds) => assert.strictEqual(compileConditions(conditions)(facts, facts), holds))

  it("a condition on what is not known does not hold", () => {
    const unknown = { ...facts, detail: null, runtime_ms: null, queue: null, task_name: null }
    for (const one of [{ exception: "*" }, { runtime: { min_ms: 0 } }, { queue: "" }, { task_name: "*" }]) {
      assert.isFalse(compileConditions(one)(unknown, unknown))
    }
  })
})

describe("shapes of rules that could never act", () => {
  const retry = { type: "retry", max_retries: 3 } as const
  const notify = { type: "notify", channel_ids: [], in_app: true } as const
  const flawsOf = (
    trigger: "task.failed" | "worker.offline" | "schedule.misfired",
    actions: Parameters<typeof findFlaws>[0]["actions"],
    conditions = {}
  ) => findFlaws({ trigger, actions, conditions }).map(({ path }) => path)

  it("what is about no task is only notified of, and has no conditions on tasks", () => {
    assert.deepStrictEqual(flawsOf("worker.offline", [retry]), ["actions.0.type"])
    assert.deepStrictEqual(flawsOf("schedule.misfired", [{ type: "cancel" }]), ["actions.0.type"])
    assert.deepStrictEqual(flawsOf("worker.offline", [notify], { engine: "rq", queue: "a" }), ["conditions.queue"])
    assert.deepStrictEqual(flawsOf("schedule.misfired", [notify], { task_name: "a*" }), [])
  })

  it("an action twice, and a retry with a cancellation", () => {
    assert.deepStrictEqual(flawsOf("task.failed", [notify, notify]), ["actions.1.type"])
    assert.deepStrictEqual(flawsOf("task.failed", [retry, { type: "cancel" }]), ["actions.1.type"])
    assert.deepStrictEqual(flawsOf("task.failed", [retry, notify]), [])
  })
})
