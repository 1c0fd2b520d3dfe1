import { assert, describe, it } from "vitest"
import { noNamespace } from "../../src/domain/agents/TaskNamespace.ts"
import { canonicalize, parse, ParseFailure } from "../../src/domain/kernel/CanonicalJson.ts"
import type { AgentEvent } from "../../src/domain/kernel/TaskEvent.ts"
import { SetupAdvisor } from "../../src/gateway/SetupAdvisor.ts"
import { readEvent } from "../../src/protocol/Event.ts"
import type { PresenceHandle } from "../../src/services/agents/Presence/Model.ts"
import { event } from "../agent.ts"

const read = (kind: string, worker: string | null = null, engine = "celery"): AgentEvent => {
  const node = parse(canonicalize(event({ kind, engine, data: { task_name: "t", worker } })))
  const found = node instanceof ParseFailure ? "not_an_object" : readEvent(node, 0)
  if (typeof found === "string") throw new Error(found)
  return found
}

const watching = () => {
  const adviceByCode = new Map<string, string>()
  const present: PresenceHandle = {
    touch: () => {},
    reportAdapterHealth: () => {},
    reportTaskWorker: () => {},
    reportTelemetryLoss: () => {},
    namespace: noNamespace,
    reportApart: () => {},
    disconnect: () => {},
    setAdvice: (code, detail) => detail === null ? adviceByCode.delete(code) : adviceByCode.set(code, detail)
  }
  const watch = new SetupAdvisor()
  return {
    adviceByCode,
    observe: (event: AgentEvent, now = 0) => watch.observe(event, present, now),
    observeHealth: (health: Readonly<Record<string, unknown>>) => watch.observeHealth(health, present)
  }
}

describe("set-up advice", () => {
  it("fact 7: only received and revoked events for a minute: the worker runs without -E", () => {
    const { adviceByCode, observe } = watching()
    for (let index = 0; index < 10; index++) observe(read(index === 3 ? "task.revoked" : "task.received"), index * 5000)
    assert.strictEqual(adviceByCode.size, 0)
    observe(read("task.received"), 60_000)
    assert.include(adviceByCode.get("events_off"), "-E")
    observe(read("task.started"), 61_000)
    assert.strictEqual(adviceByCode.size, 0)
  })

  it("an engine that did not start, until a heartbeat of its process or a new session has no such report", () => {
    const { adviceByCode, observeHealth } = watching()
    adviceByCode.set("engine_failed", "of an earlier session")
    observeHealth({ "bullmq.broker_type": "redis" })
    assert.strictEqual(adviceByCode.size, 0)
    adviceByCode.set("engine_failed", "of another process")
    observeHealth({ "bullmq.error": "Redis is away" })
    assert.strictEqual(adviceByCode.size, 1)
    observeHealth({ "bullmq.start_error": "getBackend is not a function\0", "rq.start_error": 7 })
    assert.strictEqual(
      adviceByCode.get("engine_failed"),
      "The engine bullmq did not start: getBackend is not a function\ufffd"
    )
    observeHealth({ "bullmq.broker_type": "redis" })
    assert.strictEqual(adviceByCode.size, 0)
  })

  it("few events, or other engines, are no reason for advice", () => {
    const { adviceByCode, observe } = watching()
    observe(read("task.received"), 0)
    observe(read("task.received"), 600_000)
    for (let index = 0; index < 10; index++) observe(read("task.received", null, "huey"), index * 60_000)
    assert.strictEqual(adviceByCode.size, 0)
  })

  it("events of a second worker: no local hostname", () => {
    const { adviceByCode, observe } = watching()
    observe(read("task.started", "w1@a"))
    observe(read("task.started"))
    observe(read("task.started", "w1@a"))
    assert.strictEqual(adviceByCode.size, 0)
    observe(read("task.succeeded", "w2@b"))
    assert.include(adviceByCode.get("foreign_workers"), "Z4J_CELERY_LOCAL_HOSTNAME")
  })
})
