import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import type { TaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as TaskHistory from "../../../../src/domain/tasks/TaskHistory.ts"
import { request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { seedTasks, settings, start } from "./seedTasks.ts"

const at = (second: number) => Timestamp.fromEpochMicros((start + second * 1000) * 1000)

/** One run in ten seconds; the second one fails. */
const runOf = (number: number): ReadonlyArray<readonly [kind: TaskEventKind, second: number]> => [
  ["task.received", number * 10],
  ["task.started", number * 10 + 1],
  [number === 1 ? "task.failed" : "task.succeeded", number * 10 + 3]
]

const history = (): string => {
  const history = TaskHistory.emptyHistory()
  for (const [kind, second] of [0, 1, 2].flatMap(runOf)) {
    TaskHistory.addEvent(history, {
      id: `${kind} ${second}`,
      kind,
      engine: "celery",
      taskId: "nightly",
      occurredAt: at(second),
      agentId: AgentId.make("01900000-0000-7000-8000-0000000000a9"),
      reporter: "",
      data: new Map([["task_name", "\"report.build\""], ["worker", "\"box@1\""], [
        "exception",
        "\"ValueError: no figures\""
      ]])
    })
  }
  return TaskHistory.encode(history)
}

describe.each(laneEngines)("the runs of a task on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("are listed latest first, each with its outcome, and the task says how many they are", () =>
      Effect.gen(function*() {
        const { basePath: site, key } = yield* seedTasks([{ task_id: "nightly", history: history() }])
        const { json, status } = yield* request("GET", `${site}/tasks/celery/nightly/runs`, key)
        assert.strictEqual(status, 200)
        assert.strictEqual(json.total_count, 3)
        assert.deepStrictEqual(json.items.map(({ number, state }: Record<string, unknown>) => [number, state]), [
          [3, "success"],
          [2, "failure"],
          [1, "success"]
        ])
        assert.deepStrictEqual(json.items[1], {
          number: 2,
          state: "failure",
          received_at: at(10),
          started_at: at(11),
          finished_at: at(13),
          attempts: 1,
          retry_count: 0,
          runtime_ms: 2000,
          worker_name: "box@1",
          exception: "ValueError: no figures"
        })
        const detail = yield* request("GET", `${site}/tasks/celery/nightly`, key)
        assert.deepInclude(detail.json, { attempts: 1, run_count: 3 })
        assert.strictEqual((yield* request("GET", `${site}/tasks/celery/other/runs`, key)).status, 404)
      }))
  })
})
