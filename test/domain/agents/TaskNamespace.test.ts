import { assert, it } from "@effect/vitest"
import * as TaskNamespace from "../../../src/domain/agents/TaskNamespace.ts"

const eu = TaskNamespace.makeNamespace("eu", false)
const assigned = TaskNamespace.makeNamespace("us", true)

it("a set namespace is part of every id, a chosen one only of those that are not globally unique", () => {
  const uuid = "0f8b9f0e-8f0a-4a44-9d3a-0d5f1f2d3c4b"
  const ids = ["mail:1", uuid, uuid.replaceAll("-", ""), "42", ""]
  assert.deepStrictEqual(ids.map((id) => TaskNamespace.toTaskId(eu, id)), [
    ...ids.slice(0, 4).map((id) => `eu/${id}`),
    ""
  ])
  assert.deepStrictEqual(ids.map((id) => TaskNamespace.toTaskId(assigned, id)), [
    "us/mail:1",
    uuid,
    uuid.replaceAll("-", ""),
    "us/42",
    ""
  ])
  for (const namespace of [eu, assigned, TaskNamespace.noNamespace]) {
    for (const id of ids) {
      assert.strictEqual(TaskNamespace.toEngineId(namespace, TaskNamespace.toTaskId(namespace, id)), id)
    }
  }
  assert.strictEqual(TaskNamespace.toEngineId(eu, "mail:1"), "mail:1", "known before the namespace was set")
})

it("an id that is too long with its namespace is truncated, and stays distinct", () => {
  const [one, other] = ["1", "2"].map((end) => TaskNamespace.toTaskId(eu, "x".repeat(199) + end))
  assert.match(one ?? "", /^eu\/x+\[[0-9a-f]{12}\]$/)
  assert.strictEqual(one?.length, 200)
  assert.notStrictEqual(one, other)
})

it("a command has the engine's own ids, and its arguments as they are", () => {
  const args = `[12345678901234567890,1.0,{"task_id":"eu/kept"}]`
  assert.deepStrictEqual(
    TaskNamespace.removeFromCommand(eu, {
      target: `{"engine":"bullmq","id":"eu/mail:1","type":"task"}`,
      parameters: `{"filter":{"overrides":{"eu/mail:2":{"args":${args}}},"task_ids":["eu/mail:2","mail:3"],` +
        `"task_names":{"eu/mail:2":"send"}},"override_args":${args},"task_id":"eu/mail:1"}`
    }),
    {
      target: `{"engine":"bullmq","id":"mail:1","type":"task"}`,
      parameters: `{"filter":{"overrides":{"mail:2":{"args":${args}}},"task_ids":["mail:2","mail:3"],` +
        `"task_names":{"mail:2":"send"}},"override_args":${args},"task_id":"mail:1"}`
    }
  )
  const queue = { target: `{"id":"eu/mail","type":"queue"}`, parameters: "{}" }
  assert.deepStrictEqual(TaskNamespace.removeFromCommand(eu, queue), queue, "a queue's name is no task's id")
})

it("results, events and heartbeats have the brain's ids", () => {
  assert.strictEqual(
    TaskNamespace.addToResult(
      eu,
      `{"entries":[{"task_id":"a","task_name":"b"}],"failures":{"c":"no"},"new_task_id":"d","new_task_ids":{"e":"f"},` +
        `"priority":1.0,"task_id":"g"}`
    ),
    `{"entries":[{"task_id":"eu/a","task_name":"b"}],"failures":{"eu/c":"no"},"new_task_id":"eu/d",` +
      `"new_task_ids":{"eu/e":"eu/f"},"priority":1.0,"task_id":"eu/g"}`
  )
  assert.strictEqual(TaskNamespace.addToResult(eu, `{"new_task_ids":["a"]}`), `{"new_task_ids":["eu/a"]}`)
  const event = TaskNamespace.addToEvent(eu, {
    id: "1",
    kind: "task.received",
    engine: "bullmq",
    taskId: "mail:1",
    occurredAt: "2026-11-21T06:46:26.088698Z" as never, // a branded text, which nothing here reads
    data: new Map([["parent_task_id", `"mail:0"`], ["root_task_id", "null"], ["queue", `"mail"`]])
  })
  const data: Record<string, string> = {}
  event.data.forEach((json, field) => (data[field] = json))
  assert.deepStrictEqual([event.taskId, data], [
    "eu/mail:1",
    { parent_task_id: `"eu/mail:0"`, root_task_id: "null", queue: `"mail"` }
  ])
  assert.deepStrictEqual(
    TaskNamespace.addToHealth(eu, {
      "celery.broker_type": "redis",
      "celery.worker_details": `{"w1":{"active":[{"id":"a"}],"stats":{"pid":7}}}`
    }),
    {
      "celery.broker_type": "redis",
      "celery.worker_details": `{"w1":{"active":[{"id":"eu/a"}],"stats":{"pid":7}}}`
    }
  )
})

it("the brain chooses the agent's name, or one that no other agent has", () => {
  assert.strictEqual(TaskNamespace.chooseNamespace("US workers (blue)", new Set()), "us-workers-blue")
  assert.strictEqual(TaskNamespace.chooseNamespace("us", new Set(["us", "us-2"])), "us-3")
  assert.strictEqual(TaskNamespace.chooseNamespace("東京", new Set()), "agent")
})
