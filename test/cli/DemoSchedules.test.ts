import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createSchedules } from "../../src/cli/demo/Schedules.ts"
import { system } from "../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { millisOf } from "../../src/services/kernel/Ids.ts"
import { freshAgent } from "../agent.ts"
import { brainOn, freshProject } from "../brain.ts"

layer(brainOn("SQLite"), { excludeTestServices: true })("the demo's schedules", (it) => {
  it.effect("give past fires, misfires and commands the ids of their own time, which lists and counts go by", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const project = yield* freshProject()
      const { agent_id } = yield* freshAgent(project)
      yield* createSchedules(agent_id).pipe(
        Effect.provideService(CurrentActor, system("test")),
        Effect.provideService(CurrentProject, project)
      )
      const records = yield* sql<{ what: string; id: string; at: Timestamp.Timestamp }>`
        SELECT 'fire' AS what, id, fired_at AS at FROM schedule_fires WHERE project_id = ${project.id}
        UNION ALL SELECT 'misfire', id, detected_at FROM schedule_misfires WHERE project_id = ${project.id}
        UNION ALL SELECT 'command', id, issued_at FROM commands WHERE project_id = ${project.id}`
      assert.sameMembers([...new Set(records.map(({ what }) => what))], ["fire", "misfire", "command"])
      for (const { at, id, what } of records) assert.strictEqual(millisOf(id), Timestamp.toEpochMillis(at), what)
    }))
})
