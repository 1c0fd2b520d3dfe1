import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { makeEvaluateRates } from "../../../../src/services/tasks/FailureRates.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { recordedEvents, subscribe, watchOutbox } from "../../triggers/TriggerEvents/world.ts"
import { eventOf, offerEvents } from "./world.ts"

const anEvent = (kind: string, task_id: string, second: number, data: { readonly [key: string]: JsonInput } = {}) =>
  eventOf({
    id: randomUUID(),
    kind,
    engine: "celery",
    task_id,
    occurred_at: `2026-11-21T12:00:${String(second).padStart(2, "0")}.000000+00:00`,
    data: { task_name: "mail.send", queue: "mail", worker: "w@h", ...data }
  })

const failure = (task: string, second = 2, exception = "ValueError") =>
  anEvent("task.failed", task, second, { exception, exception_message: "no such address" })

const source = Effect.map(freshProject(), ({ id }) => ({ projectId: id, agentId: AgentId.make(randomUUID()) }))

describe.each(engines)("ends of tasks as trigger events on %s", (engine) => {
  const withWatch = Layer.effectDiscard(watchOutbox).pipe(Layer.provideMerge(brainOn(engine)))
  layer(withWatch, { excludeTestServices: true })((it) => {
    it.effect("are recorded with the task, grouped by what failed", () =>
      Effect.gen(function*() {
        const from = yield* source
        yield* subscribe(from.projectId, "task.failed", { task_name: "mail.*" })
        yield* offerEvents(from, [
          ...["t1", "t2"].flatMap((task) => [anEvent("task.started", task, 1), failure(task)]),
          failure("t3", 2, "KeyError"),
          anEvent("task.failed", "t4", 2, { task_name: "shop.charge" }),
          anEvent("task.succeeded", "t5", 2)
        ])
        const events = yield* recordedEvents(from.projectId)
        const withDetail = (detail: string) =>
          events.filter(({ occurrences }) => occurrences.every((occurrence) => occurrence.detail === detail))
        // tasks of different writers are not in one event
        const [first, ...others] = withDetail("ValueError: no such address")
        assert.deepInclude(first, {
          project_id: from.projectId,
          trigger: "task.failed",
          engine: "celery",
          task_name: "mail.send",
          queue: "mail",
          priority: "normal"
        })
        assert.strictEqual(first?.condition, first?.fingerprint)
        assert.isTrue(others.every(({ condition }) => condition === first?.condition))
        assert.sameMembers(
          [first!, ...others].flatMap(({ occurrences }) => occurrences.map(({ task_id }) => task_id)),
          ["t1", "t2"]
        )
        const [second, ...none] = withDetail("KeyError: no such address")
        assert.notStrictEqual(first?.condition, second?.condition)
        assert.deepStrictEqual(none, [])
        assert.lengthOf(events, 2 + others.length)
        const sql = yield* SqlClient.SqlClient
        const tasks = yield* sql`SELECT id FROM tasks WHERE project_id = ${from.projectId} AND task_id = ${
          first!.occurrences[0].task_id
        }`
        assert.deepStrictEqual(first?.subject, { type: "task", id: tasks[0]?.id as string, name: "mail.send" })
      }))

    it.effect("come once for each end, however it is reported", () =>
      Effect.gen(function*() {
        const from = yield* source
        yield* subscribe(from.projectId, "task.failed")
        yield* subscribe(from.projectId, "task.retries_exhausted")
        yield* subscribe(from.projectId, "task.retried")
        const triggers = Effect.map(recordedEvents(from.projectId), (events) => events.map(({ trigger }) => trigger))
        const first = failure("t1")
        yield* offerEvents(from, [anEvent("task.started", "t1", 1), first, first])
        yield* offerEvents(from, [first, failure("t1")])
        assert.deepStrictEqual(yield* triggers, ["task.failed"])
        yield* offerEvents(from, [anEvent("task.started", "t1", 5)])
        yield* offerEvents(from, [failure("t1", 6)])
        assert.deepStrictEqual(yield* triggers, ["task.failed", "task.failed"])
        yield* offerEvents(from, [anEvent("task.started", "t2", 1), anEvent("task.retried", "t2", 2)])
        yield* offerEvents(from, [anEvent("task.started", "t2", 3), failure("t2", 4)])
        assert.sameMembers((yield* triggers).slice(2), ["task.retried", "task.failed", "task.retries_exhausted"])
      }))

    it.scoped("reach a rate of failures once, until it falls below", () =>
      Effect.gen(function*() {
        const from = yield* source
        const id = yield* subscribe(from.projectId, "task.failure_rate", {
          task_name: "mail.*",
          rate_percent: 50,
          window_seconds: 300,
          min_tasks: 4
        })
        const evaluate = yield* makeEvaluateRates
        const recorded = Effect.zipRight(evaluate, recordedEvents(from.projectId))
        const success = (task: string) => anEvent("task.succeeded", task, 2)
        yield* offerEvents(from, [
          failure("t1"),
          failure("t2"),
          success("t3"),
          anEvent("task.failed", "t4", 2, { task_name: "shop.charge" })
        ])
        assert.deepStrictEqual(yield* recorded, [], "too few tasks of that name")
        yield* offerEvents(from, [success("t5")])
        const [reached, ...none] = yield* recorded
        assert.deepStrictEqual(none, [])
        assert.deepInclude(reached, { trigger: "task.failure_rate", condition: id, task_name: "mail.*" })
        assert.strictEqual(
          reached?.occurrences[0].detail,
          "2 of 4 tasks failed within 5 min: 50 %, the limit is 50 %."
        )
        yield* offerEvents(from, [failure("t6")])
        assert.lengthOf(yield* recorded, 1, "the same time of failures")
        const sql = yield* SqlClient.SqlClient
        // as after a mute, which ends the alert without a message
        yield* sql`UPDATE subscriptions SET updated_at = ${yield* Timestamp.now} WHERE id = ${id}`
        assert.strictEqual((yield* recorded)[1]?.condition, id)
        assert.lengthOf(yield* recorded, 2, "once after the change")
        yield* offerEvents(from, ["t7", "t8", "t9"].map(success))
        const recovered = (yield* recorded).slice(2)
        assert.deepStrictEqual(recovered.map(({ condition, recovered }) => [condition, recovered]), [[id, true]])
        assert.lengthOf(yield* recorded, 3)
      }))
  })
})
