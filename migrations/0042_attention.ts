import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * What the items of attention ask for. `low_depth` and `low_at` of a queue: the depth and time of the last report with
 * fewer tasks than the one before, so a queue that has only grown since is one comparison. `tripped_at` of a schedule: when
 * its circuit breaker disabled it.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, text } = types(sql)
  yield* sql`ALTER TABLE queues ADD COLUMN low_depth ${bigint}`
  yield* sql`ALTER TABLE queues ADD COLUMN low_at ${text}`
  yield* sql`ALTER TABLE schedules ADD COLUMN tripped_at ${text}`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE schedules DROP COLUMN tripped_at`
  yield* sql`ALTER TABLE queues DROP COLUMN low_at`
  yield* sql`ALTER TABLE queues DROP COLUMN low_depth`
})

export const m0042: Migration = { id: 42, name: "attention", compatibleFrom: 5, up, down }
