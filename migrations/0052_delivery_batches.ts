import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * The batch of events that a delivery is of, where the batch has so many deliveries that they must be counted: claims
 * send at most 16 of one batch at once. Null: of a small batch, or a program before this column wrote it.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { uuid } = types(sql)
  yield* sql`ALTER TABLE deliveries ADD COLUMN batch_id ${uuid}`
  // those that are being sent
  yield* sql`CREATE INDEX deliveries_batch ON deliveries (batch_id)
    WHERE batch_id IS NOT NULL AND claimed_until IS NOT NULL`
  // with the batch, so that a look skips the deliveries of a full batch without reading their rows
  yield* sql`DROP INDEX deliveries_channel_due`
  yield* sql`CREATE INDEX deliveries_channel_due ON deliveries (channel_id, due_at, batch_id) WHERE due_at IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX deliveries_channel_due`
  yield* sql`DROP INDEX deliveries_batch`
  yield* sql`ALTER TABLE deliveries DROP COLUMN batch_id`
  yield* sql`CREATE INDEX deliveries_channel_due ON deliveries (channel_id, due_at) WHERE due_at IS NOT NULL`
})

export const m0052: Migration = { id: 52, name: "delivery_batches", compatibleFrom: 5, up, down }
