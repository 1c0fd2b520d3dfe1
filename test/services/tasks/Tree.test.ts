import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../../src/domain/kernel/Id.ts"
import { makeFindTree } from "../../../src/services/tasks/Tree.ts"
import { brainOn } from "../../brain.ts"
import { plansOf } from "../../plans.ts"
import { insertTasks, storedTask } from "../../tasks.ts"

describe("a task's tree on SQLite", () => {
  layer(brainOn("SQLite"), { excludeTestServices: true })((it) => {
    it.effect("is read by its tasks' own indexes: none reads all tasks of the project", () =>
      Effect.gen(function*() {
        const find = yield* makeFindTree
        const projectId = ProjectId.make(randomUUID())
        const task = storedTask(projectId, 0)
        yield* insertTasks([task])
        const plans = yield* plansOf(find(projectId, { engine: task.engine, task_id: task.task_id }))
        const searches = plans.flat().filter((detail) => /SEARCH (tasks|above) /.test(detail))
        assert.isNotEmpty(searches)
        for (const search of searches) {
          assert.match(
            search,
            /\(project_id=\? AND (engine=\? AND task_id|engine>|id|root_task_id)=?\?|COVERING INDEX/,
            search
          )
        }
      }))
  })
})
