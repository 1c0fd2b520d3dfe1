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
  const given = new Map<string, string>()
  const present: PresenceHandle = {
    touch: () => {},
    reportAdapterHealth: () => {},
    reportTaskWorker: () => {},
    reportTelemetryLoss: () => {},
    namespace: noNamespace,
    reportApart: () => {},
    disconnect: () => {},
    setAdvice: (code, detail) => detail === null ? given.delete(code) : given.set(code, detail)
  }
  const watch = new SetupAdvisor()
  return {
    given,
    observe: (event: AgentEvent, now = 0) => watch.observe(event, present, now),
    observeHealth: (health: Readonly<Record<string, unknown>>) => watch.observeHealth(health, present)
  }
}

describe("set-up advice", () => {
  it("fact 7: only received and revoked events for a minute: the worker runs without -E", () => {
    const { given, observe } = watching()
    for (let at = 0; at < 10; at++) observe(read(at === 3 ? "task.revoked" : "task.received"), at * 5000)
    assert.strictEqual(given.size, 0)
    observe(read("task.received"), 60_000)
    assert.include(given.get("events_off"), "-E")
    observe(read("task.started"), 61_000)
    assert.strictEqual(given.size, 0)
  })

  it("an engine that did not start, until a heartbeat of its process or a new session has no such report", () => {
    const { given, observeHealth } = watching()
    given.set("engine_failed", "of an earlier session")
    observeHealth({ "bullmq.broker_type": "redis" })
    assert.strictEqual(given.size, 0)
    given.set("engine_failed", "of another process")
    observeHealth({ "bullmq.error": "Redis is away" })
    assert.strictEqual(given.size, 1)
    observeHealth({ "bullmq.start_error": "getBackend is not a function\0", "rq.start_error": 7 })
    assert.strictEqual(
      given.get("engine_failed"),
      "The engine bullmq did not start: getBackend is not a function\ufffd"
    )
    observeHealth({ "bullmq.broker_type": "redis" })
    assert.strictEqual(given.size, 0)
  })

  it("few events, or other engines, are no reason for advice", () => {
    const { given, observe } = watching()
    observe(read("task.received"), 0)
    observe(read("task.received"), 600_000)
    for (let at = 0; at < 10; at++) observe(read("task.received", null, "huey"), at * 60_000)
    assert.strictEqual(given.size, 0)
  })

  it("events of a second worker: no local hostname", () => {
    const { given, observe } = watching()
    observe(read("task.started", "w1@a"))
    observe(read("task.started"))
    observe(read("task.started", "w1@a"))
    assert.strictEqual(given.size, 0)
    observe(read("task.succeeded", "w2@b"))
    assert.include(given.get("foreign_workers"), "Z4J_CELERY_LOCAL_HOSTNAME")
  })
})
