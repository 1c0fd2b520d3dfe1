import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { vacuum } from "../../../src/services/Tasks/Vacuum.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"

layer(brainOn("PostgreSQL"), { excludeTestServices: true })((it) => {
  it.effect(
    "vacuums and analyses the table of tasks once enough has changed, without autovacuum",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        yield* insertTasks(
          Array.from({ length: 6000 }, (_, index) => storedTask(project.id, 1_780_000_000_000 + index))
        )
        const known = sql<{ tuples: number; visible: number }>`
        SELECT reltuples::int AS tuples, relallvisible AS visible FROM pg_class WHERE relname = 'tasks'`
        // the server tells of the rows some time after they were written
        const [seen] = yield* until(Effect.zipRight(vacuum, known), ([row]) => (row?.visible ?? 0) > 0)
        // the brain's own loop may have vacuumed before the last tenth was written
        assert.isAtLeast(seen?.tuples ?? 0, 5400)
      }),
    90_000
  )
})
