import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Warnings of failing channels, resent deliveries, and the indexes of the delivery log (docs/notifications.md). */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { uuid } = types(sql)

  // The percentage of the failure budget that was warned of last; 0 after a success.
  yield* sql`ALTER TABLE channels ADD COLUMN failure_warning INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE deliveries ADD COLUMN resend_of ${uuid}`

  // Messages of one alert to one channel keep their order.
  yield* sql`CREATE INDEX deliveries_alert_due ON deliveries (alert_id, channel_id) WHERE due_at IS NOT NULL`
  // A project's log shows what went through the project's channels; personal channels are their owner's.
  yield* sql`DROP INDEX deliveries_project`
  yield* sql`CREATE INDEX deliveries_project ON deliveries (project_id, id) WHERE user_id IS NULL`
  yield* sql`CREATE INDEX deliveries_owner ON deliveries (project_id)`
  yield* sql`CREATE INDEX deliveries_status ON deliveries (project_id, status, id) WHERE user_id IS NULL`
  yield* sql`CREATE INDEX deliveries_trigger ON deliveries (project_id, trigger_key, id) WHERE user_id IS NULL`
  yield* sql`CREATE INDEX deliveries_channel ON deliveries (channel_id, id)`
  yield* sql`CREATE INDEX deliveries_alert ON deliveries (alert_id, id) WHERE alert_id IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const name of ["alert", "channel", "trigger", "status", "owner", "project", "alert_due"]) {
    yield* sql`DROP INDEX ${sql(`deliveries_${name}`)}`
  }
  yield* sql`CREATE INDEX deliveries_project ON deliveries (project_id, id)`
  yield* sql`ALTER TABLE deliveries DROP COLUMN resend_of`
  yield* sql`ALTER TABLE channels DROP COLUMN failure_warning`
})

export const m0022: Migration = { id: 22, name: "deliveries", compatibleFrom: 5, up, down }
