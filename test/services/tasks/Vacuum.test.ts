import { SqlClient } from "@effect/sql"
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { vacuum } from "../../../src/services/tasks/Vacuum.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"

layer(brainOn("PostgreSQL"), { excludeTestServices: true })((it) => {
  it.effect("vacuums and analyses the table of tasks once enough has changed, without autovacuum", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const project = yield* freshProject()
      const changeMuch = Effect.suspend(() =>
        insertTasks(Array.from({ length: 6000 }, (_, index) => storedTask(project.id, 1_780_000_000_000 + index)))
      )
      const known = sql<{ tuples: number; visible: number }>`
        SELECT reltuples::int AS tuples, relallvisible AS visible FROM pg_class WHERE relname = 'tasks'`
      const isCurrent = ([row]: ReadonlyArray<{ readonly tuples: number; readonly visible: number }>) =>
        row !== undefined && row.visible > 0 && row.tuples >= 6000
      // the server counts the rows some time after they were written
      const vacuumed = until(Effect.zipRight(vacuum, known), isCurrent, "20 seconds")
      // A vacuum of the brain's own loop beside the writes misses some, and one beside an open transaction marks no page as
      // visible. Only further changes make the next one due.
      yield* Effect.zipRight(changeMuch, vacuumed).pipe(Effect.retry({ times: 4 }))
    }))
})
