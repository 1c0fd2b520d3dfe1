import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { world } from "./world.ts"

/** More than one pass of the watch takes. */
const patient = 600

describe.each(engines)("the watch for misfires on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("paused schedules with a long grace do not hide those that are late", () =>
      Effect.gen(function*() {
        const { call, create, misfires, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        const { id: lateId } = yield* create({ grace_seconds: 0 })
        yield* call("POST", `/${lateId}/pause`)
        const [row] = yield* sql`SELECT * FROM schedules WHERE id = ${lateId}`
        const now = yield* Timestamp.now
        const [earlier, late] = [Timestamp.addSeconds(now, -600), Timestamp.addSeconds(now, -60)]
        const rows = Array.from({ length: patient }, (_, index) => ({
          ...row,
          id: randomUUID(),
          project_id: project.id,
          name: `patient ${index}`,
          grace_seconds: 86_400,
          next_run_at: earlier,
          due_at: earlier
        }))
        for (let from = 0; from < patient; from += 100) {
          yield* sql`INSERT INTO schedules ${sql.insert(rows.slice(from, from + 100))}`
        }
        yield* sql`UPDATE schedules SET next_run_at = ${late}, due_at = ${late} WHERE id = ${lateId}`
        const [misfire] = yield* until(misfires(lateId), (rows) => rows.length > 0)
        assert.deepInclude(misfire, { cause: "paused", expected_fire_at: late })
        const all = yield* sql`SELECT 1 FROM schedule_misfires WHERE project_id = ${project.id}`
        assert.lengthOf(all, 1)
      }))
  })
})
