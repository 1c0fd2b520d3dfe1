import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { ProjectId } from "../../../src/domain/kernel/Id.ts"
import { TriggerEvents } from "../../../src/services/triggers/TriggerEvents.ts"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { clientOf } from "../../client.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"

const conditions = {}
const occurrence = {
  task_id: null,
  worker: null,
  detail: "IOError: x",
  retry_count: 0,
  runtime_ms: 5
} as const

const failure = (project_id: ProjectId, condition: string) => ({
  project_id,
  trigger: "task.failed" as const,
  condition,
  engine: "celery",
  task_name: "shop.pay",
  queue: null,
  priority: "normal",
  fingerprint: condition,
  subject: { type: "task" as const, id: condition, name: "shop.pay" }
})

describe.each(engines)("rules act on %s", (engine) => {
  layer(serverOn(engine, { automationActionsPerMinute: 30 }), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const { automation } = yield* clientOf("admin", project)
      return { project, path: { slug: project.slug }, automation }
    })

    it.scoped("a rule that would loop for ever stops at max_retries", () =>
      Effect.gen(function*() {
        const { automation, path, project } = yield* site
        const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
        const fail = (task_id: string) =>
          agent.sendEvents([
            event({ task_id, data: { task_name: "shop.pay" } }),
            event({ task_id, kind: "task.failed", data: { task_name: "shop.pay", exception: "IOError" } })
          ])
        let retries = 0
        agent.onCommand = (command) => {
          if (command.action !== "retry_task") return
          retries++
          const new_task_id = randomUUID()
          // the new task fails before its brain knows whose retry it is
          void fail(new_task_id).then(() => agent.sendResult(command, { status: "success", result: { new_task_id } }))
        }
        const rule = yield* automation.create({
          path,
          payload: {
            name: "again and again",
            trigger: "task.failed",
            conditions,
            actions: [{ type: "retry", max_retries: 3 }],
            dry_run: false,
            is_enabled: true,
            max_executions_per_window: 100,
            window_seconds: 60
          }
        })
        const listLast = Effect.map(
          automation.list({ path }),
          ({ items }) => items.map(({ last_execution }) => last_execution)
        )
        assert.deepStrictEqual(yield* listLast, [null])
        yield* Effect.promise(() => fail(randomUUID()))
        const at = { path: { ...path, rule_id: rule.id }, urlParams: {} }
        const log = yield* until(automation.executions(at), ({ items }) =>
          items.some(({ outcome }) => outcome === "loop_guard"))
        assert.deepStrictEqual(
          log.items.map(({ outcome }) =>
            outcome
          ).sort(),
          [
            "executed",
            "executed",
            "executed",
            "loop_guard"
          ]
        )
        assert.strictEqual(retries, 3)
        const outcomesOf = ({ items }: typeof log) =>
          items.filter(({ outcome }) => outcome === "executed").map(({ task_outcome }) => task_outcome)
        yield* until(automation.executions(at), (shown) => outcomesOf(shown).every((outcome) => outcome === "failed"))
        const [{ occurred_at, outcome } = assert.fail()] = log.items
        assert.deepStrictEqual(yield* listLast, [{ occurred_at, outcome }])
        assert.deepInclude(yield* automation.get({ path: at.path }), { cb_tripped: false, cb_execution_count: 3 })
      }))

    it.effect("a storm of 10 000 events: one row of the log for what was not executed, and messages below the ceiling", () =>
      Effect.gen(function*() {
        const { automation, path, project } = yield* site
        const sql = yield* SqlClient.SqlClient
        const triggerEvents = yield* TriggerEvents
        const rule = yield* automation.create({
          path,
          payload: {
            name: "notify",
            trigger: "task.failed",
            conditions,
            actions: [{ type: "notify", channel_ids: [], in_app: true }],
            dry_run: false,
            is_enabled: true,
            max_executions_per_window: 50,
            window_seconds: 3600
          }
        })
        const storm = Array.from({ length: 100 }, (_, index) => ({
          ...failure(project.id, `${index}`),
          occurrences: Arr.makeBy(100, () => ({ ...occurrence, occurred_at: rule.created_at }))
        }))
        yield* sql.withTransaction(triggerEvents.record(storm))
        yield* until(
          sql<
            { n: number }
          >`SELECT CAST(count(*) AS INTEGER) AS n FROM trigger_events WHERE project_id = ${project.id}`,
          ([row]) => row?.n === 0
        )
        const { items } = yield* automation.executions({ path: { ...path, rule_id: rule.id }, urlParams: {} })
        const sum = (outcome: string) =>
          items.filter((item) => item.outcome === outcome).reduce((all, { occurrences }) => all + occurrences, 0)
        assert.deepStrictEqual([sum("executed"), sum("degraded")], [50, 9950])
        assert.isBelow(items.length, 20)
        assert.deepInclude(yield* automation.get({ path: { ...path, rule_id: rule.id } }), {
          cb_tripped: true,
          cb_execution_count: 50
        })
        yield* until(
          sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM automation_messages
            WHERE rule_id = ${rule.id} AND sent_at IS NOT NULL`,
          ([row]) => row?.n === 30
        )
        const reset = yield* automation.resetCircuit({ path: { ...path, rule_id: rule.id } })
        assert.deepInclude(reset, { cb_tripped: false, cb_execution_count: 0 })
      }))
  })
})
