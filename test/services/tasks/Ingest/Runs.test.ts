import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId, type ProjectId } from "../../../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../../../src/domain/kernel/TaskEvent.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { timestamp } from "../../../domain/tasks/TaskHistory/Recorded.ts"
import { readRollups, rollupsOfTasks, unlimitedRollups } from "../../../rollups.ts"
import { recordedEvents, subscribe, watchOutbox } from "../../triggers/TriggerEvents/world.ts"
import { eventOf, offerEvents, readState } from "./world.ts"

const MIDNIGHT = timestamp("2026-11-21T00:00:00Z")

const eventAt = (
  kind: string,
  seconds: number,
  data: { readonly [key: string]: JsonInput } = {},
  id: string = randomUUID()
): AgentEvent =>
  eventOf({
    id,
    kind,
    engine: "bullmq",
    task_id: "nightly",
    occurred_at: addSeconds(MIDNIGHT, seconds),
    data: { task_name: "report.build", worker: "box@1", ...data }
  })

/** One run of the job: received, started 0.2 s later, ended after another 0.5 s. */
const runOf = (number: number, fails: boolean): ReadonlyArray<AgentEvent> => [
  eventAt("task.received", number * 60, { queue: "reports" }),
  eventAt("task.started", number * 60 + 0.2),
  fails
    ? eventAt("task.failed", number * 60 + 0.7, { exception: "ValueError: no figures" })
    : eventAt("task.succeeded", number * 60 + 0.7)
]

/** What the trends have of a project: runs by outcome. */
const trendsOf = (projectId: ProjectId) =>
  Effect.map(readRollups(projectId), (rollups) => {
    const sum = (name: string) =>
      Object.entries(rollups)
        .filter(([key]) => key.startsWith("2|1|"))
        .reduce((total, [, cells]) => total + Number(cells[name]), 0)
    return {
      received: sum("received"),
      success: sum("success"),
      failure: sum("failure"),
      runtime_count: sum("runtime_count"),
      wait_count: sum("wait_count")
    }
  })

const subscribedProject = Effect.gen(function*() {
  const project = yield* freshProject()
  yield* subscribe(project.id, "task.failed")
  yield* subscribe(project.id, "task.succeeded")
  return project
})

const countTriggers = (projectId: ProjectId) =>
  Effect.map(recordedEvents(projectId), (events) => {
    const count = (trigger: string) =>
      events.filter((event) => event.trigger === trigger).reduce((sum, { occurrences }) => sum + occurrences.length, 0)
    return { failed: count("task.failed"), succeeded: count("task.succeeded") }
  })

describe.each(engines)("runs of one task id on %s", (engine) => {
  const withWatch = Layer.effectDiscard(watchOutbox).pipe(Layer.provideMerge(brainOn(engine, unlimitedRollups)))
  layer(withWatch, { excludeTestServices: true })((it) => {
    it.effect("six runs are six in the trends, the triggers and the failure group", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* subscribedProject
        const from = { projectId, agentId: AgentId.make(randomUUID()) }
        for (let run = 0; run < 6; run++) yield* offerEvents(from, runOf(run, run === 2 || run === 4))
        assert.deepStrictEqual(yield* trendsOf(projectId), {
          received: 6,
          success: 4,
          failure: 2,
          runtime_count: 6,
          wait_count: 6
        })
        assert.deepStrictEqual(yield* countTriggers(projectId), { failed: 2, succeeded: 4 })
        const { groups, tasks } = yield* readState(projectId)
        assert.deepInclude(groups[0], { occurrences: 2 })
        assert.deepInclude(tasks[0], {
          state: "success",
          received_at: addSeconds(MIDNIGHT, 300),
          started_at: addSeconds(MIDNIGHT, 300.2),
          first_event_at: addSeconds(MIDNIGHT, 300),
          runtime_ms: 500
        })
      }))

    it.effect("after seven hundred runs nothing is refused, and run 701 that fails is reported", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { id: projectId } = yield* subscribedProject
        const from = { projectId, agentId: AgentId.make(randomUUID()) }
        const runs = Array.from({ length: 700 }, (_, run) => runOf(run, false))
        // a transaction of many runs, several of few
        for (let index = 0; index < runs.length; index += index === 0 ? 300 : 40) {
          const events = runs.slice(index, index + (index === 0 ? 300 : 40)).flat()
          assert.deepStrictEqual(yield* offerEvents(from, events), { accepted: events.length, rejected: 0 })
        }
        assert.deepStrictEqual(yield* offerEvents(from, runOf(700, true)), { accepted: 3, rejected: 0 })
        const expected = { received: 701, success: 700, failure: 1, runtime_count: 701, wait_count: 701 }
        assert.deepStrictEqual(yield* trendsOf(projectId), expected)
        assert.deepStrictEqual(yield* countTriggers(projectId), { failed: 1, succeeded: 700 })
        const { counts, groups, tasks, workers } = yield* readState(projectId)
        assert.deepInclude(tasks[0], { state: "failure", exception: "ValueError: no figures" })
        assert.deepStrictEqual(counts, [{ state: "failure", tasks: 1 }])
        assert.deepInclude(groups[0], { occurrences: 1 })
        assert.deepInclude(workers[0], { processed: 701, succeeded: 700, failed: 1 })

        // agents send again what was not acknowledged: old runs, recent ones
        const again = [...runs[0]!, ...runs[350]!, ...runs[699]!]
        assert.deepStrictEqual(yield* offerEvents(from, again), { accepted: 9, rejected: 0 })
        assert.deepStrictEqual(yield* trendsOf(projectId), expected)
        assert.deepStrictEqual(yield* countTriggers(projectId), { failed: 1, succeeded: 700 })
        const [row] = yield* sql<{ history: string }>`SELECT history FROM tasks WHERE project_id = ${projectId}`
        assert.isBelow(row!.history.length, 60_000)
      }))

    it.effect("the trends are those of the tasks, whichever run an event belongs to", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* subscribedProject
        const from = { projectId, agentId: AgentId.make(randomUUID()) }
        const events = Array.from({ length: 8 }, (_, run) => runOf(run, run % 3 === 1)).flat()
        const order = events.map((_, index) => events[(index * 7) % events.length]!)
        for (const event of order) yield* offerEvents(from, [event])
        assert.deepStrictEqual(yield* readRollups(projectId), yield* rollupsOfTasks(projectId))
        assert.deepInclude(yield* trendsOf(projectId), { received: 8, success: 5, failure: 3 })
      }))

    it.effect("a message that kills its worker twelve times is a failure group and an alert from the second start on", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        yield* subscribe(project.id, "task.orphaned")
        yield* subscribe(project.id, "task.failed")
        const from = { projectId: project.id, agentId: AgentId.make(randomUUID()) }
        const start = (number: number) => eventAt("task.started", number * 3)
        const recorded = Effect.map(
          recordedEvents(project.id),
          (events) => events.map(({ occurrences, trigger }) => [trigger, ...occurrences.map(({ detail }) => detail)])
        )
        yield* offerEvents(from, [start(0)])
        assert.deepStrictEqual(yield* recorded, [])
        yield* offerEvents(from, [start(1)])
        assert.deepStrictEqual(yield* recorded, [["task.orphaned", "Worker lost: 2 starts, no end"]])
        for (let number = 2; number < 12; number++) yield* offerEvents(from, [start(number)])
        assert.strictEqual((yield* recorded).length, 11)
        const { groups, tasks } = yield* readState(project.id)
        assert.deepInclude(tasks[0], { state: "started", exception: "Worker lost: 12 starts, no end", retry_count: 0 })
        assert.deepInclude(groups[0], { occurrences: 11, open_count: 1 })
        yield* offerEvents(from, [eventAt("task.succeeded", 40)])
        assert.deepInclude((yield* readState(project.id)).groups[0], { occurrences: 11, open_count: 0 })
      }))
  })
})
