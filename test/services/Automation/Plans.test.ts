import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../../src/domain/Id.ts"
import * as Timestamp from "../../../src/domain/Timestamp.ts"
import { ExecutionsRepo } from "../../../src/services/Automation/ExecutionsRepo.ts"
import { RuleMessagesRepo } from "../../../src/services/Automation/MessagesRepo.ts"
import { TaskWhyRepo } from "../../../src/services/Tasks/WhyRepo.ts"
import { brainOn } from "../../brain.ts"
import { plansOf } from "../../plans.ts"

const repos = Layer.mergeAll(ExecutionsRepo.layer, RuleMessagesRepo.layer, TaskWhyRepo.layer)

describe("statements that must not read all rows of a project, on SQLite", () => {
  layer(Layer.provideMerge(repos, brainOn("SQLite")), { excludeTestServices: true })((it) => {
    const projectId = ProjectId.make(randomUUID())

    it.effect("unfinished commands about a task", () =>
      Effect.gen(function*() {
        const { listOpenCommands } = yield* TaskWhyRepo
        const [plan = []] = yield* plansOf(listOpenCommands(projectId, { engine: "celery", task_id: "t1" }))
        assert.include(plan.join("\n"), "commands_status (project_id=? AND status=?)")
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

    it.effect("messages of rules", () =>
      Effect.gen(function*() {
        const { countRecent, listProjectsDue, takeDue } = yield* RuleMessagesRepo
        const now = yield* Timestamp.now
        const [recent = []] = yield* plansOf(countRecent(projectId, now))
        assert.include(recent.join("\n"), "automation_messages_recent (rule_id=? AND sent_at>? AND sent_at<?)")
        for (const due of [takeDue(projectId, now, 1), listProjectsDue(now)]) {
          const [plan = []] = yield* plansOf(due)
          assert.include(plan.join("\n"), "automation_messages_held (rule_id=? AND due_at>?)")
        }
      }))
  })
})
