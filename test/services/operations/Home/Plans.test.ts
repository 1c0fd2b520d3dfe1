import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../../../src/domain/kernel/Id.ts"
import { HomeRepo } from "../../../../src/services/operations/Home/Repo.ts"
import { brainOn } from "../../../brain.ts"
import { plansOf } from "../../../plans.ts"
import { insertTasks, storedTask } from "../../../tasks.ts"

describe("statements about all projects that must not read all tasks, on SQLite", () => {
  layer(Layer.provideMerge(HomeRepo.layer, brainOn("SQLite")), { excludeTestServices: true })((it) => {
    it.effect("the newest failed tasks and the last change, also after ANALYZE", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { findTasks, findLastActivity } = yield* HomeRepo
        const projectId = ProjectId.make(randomUUID())
        yield* insertTasks(Array.from({ length: 1000 }, (_, index) => storedTask(projectId, index)))
        yield* sql`ANALYZE`
        const [tasks = []] = yield* plansOf(findTasks([{ project_id: projectId, id: randomUUID() }]))
        assert.match(tasks.join("\n"), /SEARCH t USING INDEX \w+ \(project_id=\? AND id=\?\)/)
        const [activity = []] = yield* plansOf(findLastActivity([projectId]))
        assert.include(activity.join("\n"), "tasks_changes (project_id=?)")
      }))
  })
})
