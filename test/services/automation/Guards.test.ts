import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Rule, RuleCreate } from "../../../src/domain/automation/Automation.ts"
import type { ProjectId } from "../../../src/domain/kernel/Id.ts"
import type { TaskState } from "../../../src/domain/kernel/TaskState.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { Occurrence } from "../../../src/domain/triggers/Trigger.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { TriggerEvents } from "../../../src/services/triggers/TriggerEvents.ts"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { clientOf } from "../../client.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { failureOf } from "../triggers/TriggerEvents/world.ts"
import { retry } from "./rules.ts"

const actionsPerMinute = 5

const notify: RuleCreate = { ...retry, name: "notify", actions: [{ type: "notify", channel_ids: [], in_app: true }] }

/** A task that fails: an attempt of a second. */
const failing = (
  task_id: string,
  { failed_at, task_name = "shop.pay", worker = null }: {
    readonly failed_at: Timestamp.Timestamp
    readonly task_name?: string
    readonly worker?: string | null
  }
) => {
  const at = (seconds: number) => ({ occurred_at: Timestamp.addSeconds(failed_at, seconds) })
  return [
    event({ task_id, data: { task_name, worker }, ...at(-2) }),
    event({ task_id, kind: "task.started", data: { task_name, worker }, ...at(-1) }),
    event({ task_id, kind: "task.failed", data: { task_name, worker, exception: "IOError" }, ...at(0) })
  ]
}

describe.each(engines)("what a rule must not do, on %s", (engine) => {
  layer(serverOn(engine, { automationActionsPerMinute: actionsPerMinute }), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const { automation, commands, tasks } = yield* clientOf("admin", project)
      const path = { slug: project.slug }
      const sql = yield* SqlClient.SqlClient
      const triggerEvents = yield* TriggerEvents
      return {
        project,
        path,
        automation,
        commands,
        sql,
        agent: Effect.gen(function*() {
          const credentials = yield* freshAgent(project)
          return { ...credentials, line: yield* connected({ base: yield* baseUrl, ...credentials }) }
        }),
        create: (payload: RuleCreate) => automation.create({ path, payload }),
        /** The rule's log, when it has an entry for each of so many times. */
        logOf: ({ id }: Pick<Rule, "id">, times: number) =>
          until(
            automation.executions({ path: { ...path, rule_id: id }, urlParams: {} }),
            ({ items }) => items.reduce((sum, { occurrences }) => sum + occurrences, 0) >= times
          ),
        /** Records failures of so many conditions. */
        fail: (conditions: number, [first = {}, ...others]: ReadonlyArray<Partial<Occurrence>> = []) =>
          sql.withTransaction(triggerEvents.record(
            Arr.makeBy(conditions, (index) => {
              const one = failureOf(project.id, { condition: `f${index}`, task_name: "shop.pay" })
              const [example] = one.occurrences
              return {
                ...one,
                occurrences: [{ ...example, ...first }, ...others.map((other) => ({ ...example, ...other }))] as const
              }
            })
          )),
        /** Waits for the task's state. */
        taskIn: (task_id: string, state: TaskState) =>
          until(tasks.get({ path: { ...path, engine: "celery", task_id } }), (task) => task.state === state)
      }
    })

    const countDeferredMessages = (projectId: ProjectId) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.map(
          sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM automation_messages m
            JOIN automation_rules r ON r.id = m.rule_id WHERE r.project_id = ${projectId} AND m.due_at IS NOT NULL`,
          ([row]) => row?.n ?? 0
        ))

    it.scoped("it does not retry a task that has succeeded since", () =>
      Effect.gen(function*() {
        const { agent, create, fail, logOf, taskIn } = yield* site
        const { line } = yield* agent
        const task_id = randomUUID()
        const failed_at = Timestamp.addSeconds(yield* Timestamp.now, -10)
        const succeeded = event({ task_id, kind: "task.succeeded", data: { task_name: "shop.pay" } })
        yield* Effect.promise(() => line.sendEvents([...failing(task_id, { failed_at }), succeeded]))
        yield* taskIn(task_id, "success")
        const rule = yield* create(retry)
        yield* fail(1, [{ task_id, occurred_at: yield* Timestamp.now }])
        const { items } = yield* logOf(rule, 1)
        assert.deepInclude(items[0], {
          outcome: "not_allowed",
          command_id: null,
          detail: "The task's state is success now."
        })
      }))

    it.scoped("of two failures of a task it retries the last one", () =>
      Effect.gen(function*() {
        const { agent, create, fail, logOf, taskIn } = yield* site
        const { line } = yield* agent
        const task_id = randomUUID()
        const now = yield* Timestamp.now
        const [first, second] = [Timestamp.addSeconds(now, -20), Timestamp.addSeconds(now, -10)]
        yield* Effect.promise(() =>
          line.sendEvents([first, second].flatMap((failed_at) => failing(task_id, { failed_at })))
        )
        yield* taskIn(task_id, "failure")
        const rule = yield* create(retry)
        yield* fail(1, [{ task_id, occurred_at: first }, { task_id, occurred_at: second }])
        const { items } = yield* logOf(rule, 2)
        assert.deepStrictEqual(
          items.map(({ detail, occurred_at, outcome }) => [occurred_at, outcome, detail]).sort(),
          [[first, "not_allowed", "The task was started again since."], [second, "executed", null]]
        )
      }))

    it.scoped("a task that lost its worker and was started again is not retried: it runs", () =>
      Effect.gen(function*() {
        const { agent, create, logOf } = yield* site
        const { line } = yield* agent
        const rule = yield* create({ ...retry, trigger: "task.orphaned" })
        const task_id = randomUUID()
        const now = yield* Timestamp.now
        const starts = [-1, 0].map((seconds) =>
          event({
            task_id,
            kind: "task.started",
            data: { task_name: "shop.pay", worker: "w1@shop" },
            occurred_at: Timestamp.addSeconds(now, seconds)
          })
        )
        yield* Effect.promise(() => line.sendEvents(starts))
        const { items } = yield* logOf(rule, 1)
        assert.deepInclude(items[0], { outcome: "not_allowed", detail: "The task was started again since." })
      }))

    it.scoped("of two failures of a task within a second it retries one", () =>
      Effect.gen(function*() {
        const { agent, create, fail, logOf, taskIn } = yield* site
        const { line } = yield* agent
        const task_id = randomUUID()
        const second = Timestamp.addSeconds(yield* Timestamp.now, -10)
        yield* Effect.promise(() => line.sendEvents(failing(task_id, { failed_at: second })))
        yield* taskIn(task_id, "failure")
        const rule = yield* create(retry)
        const first = Timestamp.addSeconds(second, -0.5)
        yield* fail(1, [{ task_id, occurred_at: first }, { task_id, occurred_at: second }])
        const { items } = yield* logOf(rule, 2)
        assert.deepStrictEqual(items.map(({ outcome }) => outcome).sort(), ["executed", "loop_guard"])
      }))

    it.scoped("a start that is reported after the failure is no other attempt", () =>
      Effect.gen(function*() {
        const { agent, create, fail, logOf, taskIn } = yield* site
        const { line } = yield* agent
        const task_id = randomUUID()
        const failed_at = Timestamp.addSeconds(yield* Timestamp.now, -10)
        yield* Effect.promise(() => line.sendEvents(failing(task_id, { failed_at })))
        yield* taskIn(task_id, "failure")
        const rule = yield* create(retry)
        // the start was a second before the failure, by the clock of another process a tenth of a second after it
        yield* fail(1, [{ task_id, occurred_at: Timestamp.addSeconds(failed_at, -1.1) }])
        const { items } = yield* logOf(rule, 1)
        assert.deepInclude(items[0], { outcome: "executed" })
      }))

    it.scoped("it retries through the agent that reported the task's worker", () =>
      Effect.gen(function*() {
        const { agent, commands, create, logOf, path } = yield* site
        const both = [yield* agent, yield* agent]
        const rule = yield* create(retry)
        const own = new Map<string, string>()
        const failed_at = yield* Timestamp.now
        for (const { agent_id, line } of both) {
          const task_id = randomUUID()
          own.set(task_id, agent_id)
          yield* Effect.promise(() =>
            line.sendEvents(failing(task_id, { failed_at, task_name: `shop.${task_id}`, worker: `celery@${agent_id}` }))
          )
        }
        yield* logOf(rule, 2)
        const { items } = yield* commands.list({ path, urlParams: {} })
        assert.deepStrictEqual(
          new Map(items.map(({ agent_id, target_id }) => [`${target_id}`, `${agent_id}`])),
          own
        )
      }))

    it.effect("a reset from a time to come does not open the breaker", () =>
      Effect.gen(function*() {
        const { create, fail, logOf, sql } = yield* site
        const rule = yield* create({ ...notify, max_executions_per_window: 2 })
        const future = Timestamp.addSeconds(yield* Timestamp.now, 86_400)
        yield* sql`UPDATE automation_rules SET cb_reset_at = ${future} WHERE id = ${rule.id}`
        for (const times of [1, 2, 3]) {
          yield* fail(1)
          yield* logOf(rule, times)
        }
        const { items } = yield* logOf(rule, 3)
        assert.deepStrictEqual(items.map(({ outcome }) => outcome), ["degraded", "executed", "executed"])
      }))

    it.scoped("executions from a time to come do not count for this minute", () =>
      Effect.gen(function*() {
        const { agent, create, logOf, project, sql } = yield* site
        const { line } = yield* agent
        const rule = yield* create(retry)
        const now = yield* Timestamp.now
        for (let index = 0; index < 2 * actionsPerMinute; index++) {
          yield* sql`INSERT INTO automation_executions ${
            sql.insert({
              id: Ids.uuidv7(Timestamp.toEpochMillis(now) + 3_600_000),
              project_id: project.id,
              rule_id: rule.id,
              rule_name: "retry",
              trigger_key: "task.failed",
              condition_key: "f",
              action: "retry",
              outcome: "executed",
              occurrences: 1,
              command_id: randomUUID(),
              occurred_at: now,
              created_at: now
            })
          }`
        }
        yield* Effect.promise(() => line.sendEvents(failing(randomUUID(), { failed_at: now })))
        const { items } = yield* logOf(rule, 2 * actionsPerMinute + 1)
        const newest = items.find(({ task_id }) => task_id !== null)
        assert.deepInclude(newest, { outcome: "executed" })
      }))

    const ends = ["the kill switch", "a disabled rule"] as const
    it.effect.each(ends)("%s deletes the messages that the ceiling deferred", (end) =>
      Effect.gen(function*() {
        const { automation, create, fail, logOf, path, project } = yield* site
        const rule = yield* create(notify)
        yield* fail(3 * actionsPerMinute)
        yield* logOf(rule, 3 * actionsPerMinute)
        assert.isAbove(yield* countDeferredMessages(project.id), 0)
        yield* end === "the kill switch"
          ? automation.setSettings({ path, payload: { automation_enabled: false } })
          : automation.update({ path: { ...path, rule_id: rule.id }, payload: { is_enabled: false } })
        assert.strictEqual(yield* countDeferredMessages(project.id), 0)
      }))
  })
})
