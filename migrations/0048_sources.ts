import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

const agentColumns = ["task_namespace", "assigned_namespace", "task_sources", "ids_apart_at"]

/**
 * `workers.left_at`: when a worker's process closed its connection in an orderly way, as at a warm shutdown. Of agents:
 * the namespace that people set, the one that the brain chose (null: not yet), the brokers of its engines (JSON), and
 * when the chosen one first kept a task apart. Of commands: the pool of the worker that they name, before them (JSON). An agent that has connected keeps its tasks' ids.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`ALTER TABLE workers ADD COLUMN left_at ${text}`
  yield* sql`CREATE INDEX workers_left ON workers (project_id, id) WHERE left_at IS NOT NULL AND state = 'online'`
  yield* sql`ALTER TABLE commands ADD COLUMN worker_before ${text}`
  for (const column of agentColumns) yield* sql`ALTER TABLE agents ADD COLUMN ${sql(column)} ${text}`
  yield* sql`UPDATE agents SET assigned_namespace = '' WHERE last_connect_at IS NOT NULL`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE commands DROP COLUMN worker_before`
  for (const column of agentColumns) yield* sql`ALTER TABLE agents DROP COLUMN ${sql(column)}`
  yield* sql`DROP INDEX workers_left`
  yield* sql`ALTER TABLE workers DROP COLUMN left_at`
  // programs before this revision delete old workers that are offline, and know no other state
  yield* sql`UPDATE workers SET state = 'offline' WHERE state = 'gone'`
})

export const m0048: Migration = { id: 48, name: "sources", compatibleFrom: 5, up, down }
