import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Deliveries } from "../../../../src/services/alerting/Deliveries.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { insertChannel, notificationOf } from "./notifications.ts"

describe.each(engines)("enqueued messages on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("are rows of the caller's transaction, in the order of the call", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const deliveries = yield* Deliveries
        const project = yield* freshProject()
        const channel = yield* insertChannel({ projectId: project.id })
        const alert_id = yield* Ids.next
        const message = yield* notificationOf({ alert_id })
        const row = { project_id: project.id, user_id: null, subscription_id: null, channel, notification: message }
        const listed = sql`SELECT id, status, attempts, alert_id, trigger_key, task_id, channel_name FROM deliveries
          WHERE project_id = ${project.id} ORDER BY created_at`

        yield* Effect.ignore(sql.withTransaction(Effect.zipRight(deliveries.enqueue([row]), Effect.fail("no"))))
        assert.deepStrictEqual(yield* listed, [])
        const ids = yield* sql.withTransaction(deliveries.enqueue([row, row, row]))
        const columns = {
          status: "pending",
          attempts: 0,
          alert_id,
          trigger_key: "task.failed",
          task_id: "task-1",
          channel_name: "ops"
        }
        assert.deepStrictEqual(yield* listed, ids.map((id) => ({ id, ...columns })))
      }))
  })
})
