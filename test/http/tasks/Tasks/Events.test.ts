import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import type { TaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as TaskHistory from "../../../../src/domain/tasks/TaskHistory.ts"
import { freshKey, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { seedTasks, settings, start } from "./seedTasks.ts"

const agentId = AgentId.make("01900000-0000-7000-8000-0000000000a9")

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

interface ReportedEvent {
  readonly number: number
  readonly kind: TaskEventKind
  readonly millis: number
  readonly data?: Readonly<Record<string, string>>
}

const historyOf = (events: ReadonlyArray<ReportedEvent>): string => {
  const history = TaskHistory.emptyHistory()
  for (const { data, kind, millis, number } of events) {
    TaskHistory.addEvent(history, {
      id: idOf(number),
      kind,
      engine: "celery",
      taskId: "t/1",
      occurredAt: Timestamp.fromEpochMicros((start + millis) * 1000),
      agentId,
      reporter: "",
      data: new Map(Object.entries({ task_name: "\"mail.send\"", ...data }))
    })
  }
  return TaskHistory.encode(history)
}

const reportedEvents: ReadonlyArray<ReportedEvent> = [
  { number: 1, kind: "task.received", millis: 0, data: { queue: "\"mail\"" } },
  { number: 2, kind: "task.started", millis: 5, data: { worker: "\"celery@one\"" } },
  { number: 3, kind: "task.succeeded", millis: 9, data: { runtime_ms: "4", result: "12345678901234567890" } }
]

describe.each(laneEngines)("a task's timeline on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    const withHistory = Effect.gen(function*() {
      const site = yield* seedTasks([{ task_id: "t/1", history: historyOf(reportedEvents) }])
      const events = (query: string) =>
        request("GET", `${site.basePath}/events?engine=celery&task_id=${encodeURIComponent("t/1")}${query}`, site.key)
      return { ...site, events }
    })

    it.effect("has no result for a role that may not see one, and all else", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { basePath, events, project } = yield* withHistory
        yield* sql`UPDATE projects SET payload_role = 'operator' WHERE id = ${project.id}`
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const path = `${basePath}/events?engine=celery&task_id=${encodeURIComponent("t/1")}`
        const hidden = yield* request("GET", path, viewer)
        assert.notInclude(hidden.text, "12345678901234567890")
        assert.deepInclude(hidden.json.items[2].payload, { runtime_ms: 4 })
        assert.notProperty(hidden.json.items[2].payload, "result")
        assert.strictEqual(hidden.json.items.length, (yield* events("")).json.items.length)
      }))

    it.effect("is its events, earliest first, in the words of the agents", () =>
      Effect.gen(function*() {
        const { events, project } = yield* withHistory
        const { json, text } = yield* events("")
        assert.isNull(json.next_cursor)
        assert.deepStrictEqual(json.items[1], {
          id: idOf(2),
          project_id: project.id,
          agent_id: agentId,
          engine: "celery",
          task_id: "t/1",
          kind: "task.started",
          occurred_at: "2026-03-10T12:00:00.005000Z",
          payload: { task_name: "mail.send", worker: "celery@one" }
        })
        assert.deepStrictEqual(
          json.items.map((event: { kind: string }) => event.kind),
          reportedEvents.map(({ kind }) => kind)
        )
        assert.include(text, "12345678901234567890")
      }))

    it.effect("lists once what two paths and two agents reported, with what only one of them knows", () =>
      Effect.gen(function*() {
        const broker = (
          number: number,
          kind: TaskEventKind,
          millis: number,
          data: ReportedEvent["data"]
        ): ReportedEvent => ({
          number,
          kind,
          millis,
          data: { task_name: "\"<unknown:t/1>\"", worker: "\"w1@box\"", ...data }
        })
        const both: ReadonlyArray<ReportedEvent> = [
          ...reportedEvents.map(({ data, ...event }) => ({ ...event, data: { ...data, runtime_ms: "null" } })),
          broker(5, "task.started", 40, {}),
          broker(6, "task.succeeded", 45, { runtime_ms: "4", result: "\"'repr'\"" })
        ]
        const { key, basePath } = yield* seedTasks([{ task_id: "t/1", history: historyOf(both) }])
        const { json } = yield* request("GET", `${basePath}/events?engine=celery&task_id=t%2F1`, key)
        assert.deepStrictEqual(json.items.map((event: { id: string }) => event.id), [1, 2, 3].map(idOf))
        assert.deepInclude(json.items[2].payload, { task_name: "mail.send", worker: "w1@box", runtime_ms: 4 })
        assert.notStrictEqual(json.items[2].payload.result, "'repr'")
      }))

    it.effect("comes in pages that late events do not disturb", () =>
      Effect.gen(function*() {
        const { events, tasks: [task] } = yield* withHistory
        const first = yield* events("&limit=2")
        assert.strictEqual(first.json.items.length, 2)
        const sql = yield* SqlClient.SqlClient
        const early: ReportedEvent = { number: 4, kind: "task.sent", millis: -50 }
        yield* sql`UPDATE tasks SET history = ${historyOf([...reportedEvents, early])} WHERE project_id = ${
          task!.project_id
        } AND id = ${task!.id}`
        const second = yield* events(`&limit=2&cursor=${first.json.next_cursor}`)
        assert.deepStrictEqual(second.json.items.map((event: { id: string }) => event.id), [idOf(3)])
        assert.isNull(second.json.next_cursor)
        const copied = historyOf(reportedEvents.map((event) => (event.number === 2 ? { ...event, number: 0 } : event)))
        yield* sql`UPDATE tasks SET history = ${copied} WHERE project_id = ${task!.project_id} AND id = ${task!.id}`
        const third = yield* events(`&limit=2&cursor=${first.json.next_cursor}`)
        assert.deepStrictEqual(third.json.items.map((event: { id: string }) => event.id), [idOf(3)])
      }))

    it.effect("is empty for a task that is not known, and refuses what is not meant", () =>
      Effect.gen(function*() {
        const { basePath, events, key, project } = yield* withHistory
        const listEvents = (query: string) => request("GET", `${basePath}/events?${query}`, key)
        assert.deepStrictEqual((yield* listEvents("engine=celery&task_id=nope")).json, { items: [], next_cursor: null })
        const invalidQueries = [
          "",
          "engine=celery",
          "task_id=x",
          "engine=&task_id=x",
          "engine=celery&task_id=",
          "engine=celery&task_id=%00",
          `engine=${"e".repeat(41)}&task_id=x`,
          `engine=celery&task_id=${"x".repeat(201)}`,
          "engine=celery&task_id=x&limit=0",
          "engine=celery&task_id=x&limit=5001"
        ]
        for (const query of invalidQueries) {
          assert.deepInclude((yield* listEvents(query)).json, { status: 422, code: "validation_failed" }, query)
        }
        for (const cursor of ["", "nonsense", "WyJhIl0"]) {
          assert.strictEqual((yield* events(`&cursor=${cursor}`)).json.details.issues[0].path, "cursor")
        }
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        assert.strictEqual((yield* request("GET", `${basePath}/events?engine=celery&task_id=x`, viewer)).status, 200)
        assert.strictEqual(
          (yield* request("GET", `${basePath}/events?engine=celery&task_id=x`, yield* freshKey())).status,
          404
        )
      }))
  })
})
