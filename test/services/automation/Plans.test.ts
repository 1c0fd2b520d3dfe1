import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId, RuleId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { ExecutionsRepo } from "../../../src/services/automation/ExecutionsRepo.ts"
import { RuleHistoryRepo } from "../../../src/services/automation/HistoryRepo.ts"
import { RuleMessagesRepo } from "../../../src/services/automation/MessagesRepo.ts"
import { RulesRepo } from "../../../src/services/automation/RulesRepo.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { makeTaskWhyRepo } from "../../../src/services/tasks/WhyRepo.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { plansOf, postgresPlansOf } from "../../plans.ts"
import { insertTasks, storedTask } from "../../tasks.ts"

const repos = Layer.mergeAll(
  ExecutionsRepo.layer,
  RuleHistoryRepo.layer,
  RuleMessagesRepo.layer,
  RulesRepo.layer
)

describe("statements that must not read all rows of a project, on SQLite", () => {
  layer(Layer.provideMerge(repos, brainOn("SQLite")), { excludeTestServices: true })((it) => {
    const projectId = ProjectId.make(randomUUID())

    it.effect("unfinished commands about a task", () =>
      Effect.gen(function*() {
        const { listOpenCommands } = yield* makeTaskWhyRepo
        const [plan = []] = yield* plansOf(listOpenCommands(projectId, { engine: "celery", task_id: "t1" }))
        assert.include(plan.join("\n"), "commands_task (project_id=? AND engine=? AND target_id=?)")
      }))

    it.effect("the task that a rule took for the origin", () =>
      Effect.gen(function*() {
        const { listParents } = yield* ExecutionsRepo
        const [plan = []] = yield* plansOf(listParents(projectId, "celery", ["t1"]))
        assert.include(
          plan.join("\n"),
          "automation_executions_successor (project_id=? AND engine=? AND successor_task_id=?)"
        )
      }))

    it.effect("executions in the windows of many rules", () =>
      Effect.gen(function*() {
        const { countSince } = yield* ExecutionsRepo
        const now = yield* Timestamp.now
        const [plan = []] = yield* plansOf(countSince([{ rule_id: RuleId.make(randomUUID()), since: now }], now))
        assert.include(plan.join("\n"), "automation_executions_rule (rule_id=? AND id>? AND id<?)")
      }))

    it.effect("a page of a rule's log, with what became of the tasks that it retried", () =>
      Effect.gen(function*() {
        const { listPage } = yield* ExecutionsRepo
        const now = yield* Timestamp.now
        const rule = RuleId.make(randomUUID())
        const [plan = []] = yield* plansOf(listPage(projectId, rule, { after: null, limit: 51, now }))
        assert.include(plan.join("\n"), "automation_executions_rule (rule_id=? AND id<?)")
        assert.include(plan.join("\n"), "task_retries_command (command_id=?)")
        assert.include(plan.join("\n"), "(project_id=? AND engine=? AND task_id=?)")
        assert.notInclude(plan.join("\n"), "SCAN")
      }))

    it.effect("rules with the newest entries of their logs", () =>
      Effect.gen(function*() {
        const { list } = yield* RulesRepo
        const [plan = []] = yield* plansOf(list(projectId))
        assert.include(plan.join("\n"), "automation_executions_rule (rule_id=?)")
        assert.match(plan.join("\n"), /SEARCH e USING INDEX \S+ \(id=\?\)/)
        assert.notInclude(plan.join("\n"), "SCAN")
      }))

    it.effect("messages of rules", () =>
      Effect.gen(function*() {
        const { countRecent, listProjectsDue, takeDue } = yield* RuleMessagesRepo
        const now = yield* Timestamp.now
        const [recent = []] = yield* plansOf(countRecent(projectId, now))
        assert.include(recent.join("\n"), "automation_messages_recent (rule_id=? AND sent_at>? AND sent_at<?)")
        for (const plans of [plansOf(takeDue(projectId, now, 1)), plansOf(listProjectsDue(now))]) {
          const [plan = []] = yield* plans
          assert.include(plan.join("\n"), "automation_messages_held (rule_id=? AND due_at>?)")
        }
      }))

    // the last test: the statistics remain
    it.effect("pages of a backtest, also after ANALYZE", () =>
      Effect.gen(function*() {
        const { listMisfires, listOrphans, listTasks } = yield* RuleHistoryRepo
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const stretch = { projectId, from: now, until: now }
        const task = { id: randomUUID(), engine: "celery", task_id: "t", updated_at: now, project_id: projectId }
        const orphan = { ...task, orphaned_at: now }
        for (let index = 0; index < 3000; index += 1000) {
          yield* insertTasks(Array.from({ length: 1000 }, (_, at) => storedTask(projectId, index + at)))
        }
        yield* sql`ANALYZE`
        const statements = [
          [
            plansOf(listTasks(stretch, "all", { ...task, history: "" }, 100)),
            "tasks_changes (project_id=? AND updated_at>?"
          ],
          [
            plansOf(listTasks(stretch, "failed or retried", { ...task, history: "" }, 100)),
            "tasks_failed_or_retried (project_id=? AND updated_at>?"
          ],
          [plansOf(listOrphans(stretch, orphan, 100)), "task_orphans_project (project_id=? AND orphaned_at>?"],
          [
            plansOf(listMisfires(projectId, Ids.minId, Ids.minId, 100)),
            "schedule_misfires_project (project_id=? AND id>?"
          ]
        ] as const
        for (const [plans, index] of statements) {
          const [plan = []] = yield* plans
          assert.include(plan.join("\n"), index)
          assert.notInclude(plan.join("\n"), "TEMP B-TREE")
        }
      }))
  })
})

describe("statements that must not read all rows, on PostgreSQL", () => {
  layer(Layer.provideMerge(RulesRepo.layer, brainOn("PostgreSQL")), { excludeTestServices: true })((it) => {
    it.effect("rules with the newest entries of their logs", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { list } = yield* RulesRepo
        const project = yield* freshProject()
        const now = yield* Timestamp.now
        const ids = Array.from({ length: 20 }, () => RuleId.make(randomUUID()))
        const shared = { project_id: project.id, trigger_key: "task.failed", created_at: now }
        yield* sql`INSERT INTO automation_rules ${
          sql.insert(ids.map((id) => ({
            ...shared,
            id,
            name: id,
            is_enabled: 1,
            dry_run: 1,
            conditions: "{}",
            actions: "[]",
            max_executions_per_window: 100,
            window_seconds: 3600,
            cb_tripped: 0,
            cb_execution_count: 0,
            updated_at: now
          })))
        }`
        yield* Effect.forEach(ids, (rule_id) =>
          sql`INSERT INTO automation_executions ${
            sql.insert(Array.from({ length: 500 }, () => ({
              ...shared,
              id: randomUUID(),
              rule_id,
              rule_name: "r",
              condition_key: "c",
              action: "retry",
              outcome: "executed",
              occurrences: 1,
              occurred_at: now
            })))
          }`, { discard: true })
        yield* sql`ANALYZE automation_rules, automation_executions`
        const [plan = ""] = yield* postgresPlansOf(list(project.id))
        assert.include(plan, "automation_executions_rule")
        assert.notMatch(plan, /Seq Scan on automation_executions/)
      }))
  })
})
