import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import { Deploys } from "../../../src/services/operations/Deploys.ts"
import { Marks } from "../../../src/services/operations/Marks.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { plansOf } from "../../plans.ts"

layer(brainOn("SQLite"), { excludeTestServices: true })("marks", (it) => {
  it.effect("each kind is read from the index of its project and time, without a sort", () =>
    Effect.gen(function*() {
      const project = yield* freshProject()
      const [marks, deploys] = [yield* Marks, yield* Deploys]
      const from = Timestamp.addSeconds(yield* Timestamp.now, -3600)
      const plans = yield* plansOf(
        Effect.zipRight(deploys.list({ from }), marks.list({ from })).pipe(
          Effect.provideService(CurrentProject, project),
          Effect.provideService(CurrentActor, system("test"))
        )
      )
      const text = plans.map((plan) => plan.join("\n")).join("\n")
      for (
        const index of [
          "deploys_project (project_id=? AND at>?)",
          "deploys_project (project_id=? AND at>? AND at<?)",
          "commands_of_users (project_id=? AND id>? AND id<?)",
          "automation_executions_executed (project_id=? AND id>? AND id<?)",
          "schedule_misfires_project (project_id=? AND id>? AND id<?)",
          "maintenance_windows_project (project_id=? AND ends_at>?)"
        ]
      ) assert.include(text, index)
      assert.notInclude(text, "SCAN")
      assert.notInclude(text, "TEMP B-TREE")
    }))
})
