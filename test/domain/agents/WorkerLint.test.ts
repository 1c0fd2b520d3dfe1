import { assert, describe, it } from "@effect/vitest"
import { lintConf } from "../../../src/domain/agents/WorkerLint.ts"

const rules = (conf: Readonly<Record<string, unknown>>) => lintConf("celery", conf)?.map(({ rule_id }) => rule_id)

describe("the check of a worker's settings", () => {
  it("names the flaws, the worst first, and nothing of settings that are not reported", () => {
    assert.deepStrictEqual(rules({ task_acks_late: false }), [])
    assert.deepStrictEqual(rules({ task_serializer: "pickle", task_time_limit: null }), [
      "celery.pickle",
      "celery.no_time_limit"
    ])
    assert.deepStrictEqual(rules({ task_acks_late: true, worker_prefetch_multiplier: 4 }), [
      "celery.late_acks_without_reject",
      "celery.prefetch_with_late_acks"
    ])
    assert.deepStrictEqual(rules({ task_acks_late: true, task_reject_on_worker_lost: true }), [])
    assert.deepStrictEqual(rules({ worker_prefetch_multiplier: 0, broker_heartbeat: 0 }), [
      "celery.prefetch_unlimited",
      "celery.no_broker_heartbeat"
    ])
    assert.deepStrictEqual(rules({ task_time_limit: 30, task_soft_time_limit: 30 }), [
      "celery.soft_limit_not_below_hard"
    ])
  })

  it("is none of engines that report no settings", () => {
    assert.isNull(lintConf("rq", { task_time_limit: null }))
    assert.isNull(lintConf("celery", {}))
  })
})
