import { assert, describe, it } from "@effect/vitest"
import { AgentId, CommandId, ProjectId } from "../../../src/domain/kernel/Id.ts"
import type { AgentSession } from "../../../src/services/agents/AgentSessions.ts"
import type { PendingCommand } from "../../../src/services/commands/Model.ts"
import { rateFitness, selectSession } from "../../../src/services/commands/Routing.ts"
import { idOf } from "../../ids.ts"

const command = (fields: Partial<PendingCommand> = {}): PendingCommand => ({
  id: idOf(CommandId, "c"),
  agent_id: idOf(AgentId, "a"),
  engine: "celery",
  action: "cancel_task",
  target_type: "task",
  target_id: "t",
  issued_at: "2026-01-01T00:00:00.000000Z" as PendingCommand["issued_at"], // in the normal form
  bound_session_id: null,
  ...fields
})

const session = (fields: Partial<AgentSession> & { readonly heartbeat?: number } = {}): AgentSession => ({
  sessionId: "s",
  agentId: idOf(AgentId, "a"),
  projectId: idOf(ProjectId, "p"),
  workerId: "w",
  role: "task",
  engines: ["celery"],
  schedulers: [],
  features: [],
  capabilities: { celery: ["cancel_task", "restart_worker"] },
  transport: "websocket",
  lastHeartbeat: () => fields.heartbeat ?? 0,
  send: () => true,
  ...fields
})

describe("which process a command goes to", () => {
  it("one that can, task role first", () => {
    assert.strictEqual(rateFitness(command(), session()), 0)
    assert.strictEqual(rateFitness(command(), session({ role: "web" })), 1)
    assert.strictEqual(rateFitness(command(), session({ role: null })), 1)
  })

  it("long-poll does not say what it can: after those that do", () => {
    const poll = { capabilities: {}, workerId: "a" }
    assert.strictEqual(rateFitness(command(), session({ ...poll, engines: [] })), 2)
    assert.strictEqual(rateFitness(command(), session({ ...poll, engines: ["celery"] })), 2)
    assert.strictEqual(rateFitness(command(), session({ ...poll, engines: ["rq"] })), null)
    const restart = command({ action: "restart_worker", target_type: "worker", target_id: "w1" })
    assert.strictEqual(rateFitness(restart, session({ ...poll, engines: ["celery"] })), 2)
    assert.strictEqual(rateFitness({ ...restart, engine: "rq" }, session({ ...poll, engines: ["rq"] })), null)
    assert.strictEqual(rateFitness({ ...restart, engine: "bullmq" }, session({ ...poll, engines: ["bullmq"] })), 2)
  })

  it("the engine without the action refuses, the wrong engine gets nothing", () => {
    assert.strictEqual(rateFitness(command({ action: "pool_grow" }), session()), 3)
    assert.strictEqual(rateFitness(command({ engine: "rq" }), session()), null)
    assert.strictEqual(rateFitness(command({ engine: "rq" }), session({ engines: ["celery", "rq"] })), 3)
  })

  it("a restart that ends the process itself goes to the process it names only", () => {
    const rq = { engines: ["rq"], capabilities: { rq: ["cancel_task"] } }
    const restart = command({ engine: "rq", action: "restart_worker", target_type: "worker", target_id: "rq-1" })
    assert.strictEqual(rateFitness(restart, session({ ...rq, workerId: "rq-1" })), 0)
    assert.strictEqual(rateFitness(restart, session({ ...rq, workerId: "rq-2" })), null)
    assert.strictEqual(rateFitness({ ...restart, engine: "celery" }, session({ workerId: "other" })), 0)
    // from outside, BullMQ cannot restart a worker: the agent refuses, and nothing waits
    const outside = { engines: ["bullmq"], capabilities: { bullmq: ["cancel_task"] } }
    assert.strictEqual(rateFitness({ ...restart, engine: "bullmq" }, session(outside)), 3)
  })

  it("actions that need another capability, or none", () => {
    const submits = session({ capabilities: { celery: ["submit_task"] } })
    assert.strictEqual(rateFitness(command({ action: "schedule.fire" }), submits), 0)
    assert.strictEqual(rateFitness(command({ action: "schedule.fire" }), session()), 3)
    assert.strictEqual(rateFitness(command({ action: "reconcile_task" }), session()), 0)
    assert.strictEqual(
      rateFitness(command({ action: "dlq.list" }), session({ capabilities: { celery: ["list_dead_letters"] } })),
      0
    )
    assert.strictEqual(rateFitness(command({ action: "submit_task", engine: null }), submits), 0)
  })

  it("the best one, the freshest of equals", () => {
    const web = session({ sessionId: "web", role: "web", heartbeat: 9 })
    const old = session({ sessionId: "old", heartbeat: 1 })
    const fresh = session({ sessionId: "fresh", heartbeat: 2 })
    assert.strictEqual(selectSession(command(), [web, old, fresh])?.session.sessionId, "fresh")
    assert.strictEqual(selectSession(command(), [fresh, old, web])?.session.sessionId, "fresh")
    assert.strictEqual(selectSession(command(), [web])?.session.sessionId, "web")
    assert.strictEqual(selectSession(command({ engine: "rq" }), [web, old]), null)
  })
})
