import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Named filters of the task list. A shared view outlives its owner, so `owner_id` may be null. */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)

  yield* sql`CREATE TABLE saved_views (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    owner_id ${uuid} REFERENCES users (id) ON DELETE SET NULL,
    name ${text} NOT NULL,
    filters TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    created_at ${text} NOT NULL,
    updated_at ${text} NOT NULL
  )`
  yield* sql`CREATE UNIQUE INDEX saved_views_name ON saved_views (owner_id, project_id, name)`
  yield* sql`CREATE INDEX saved_views_project ON saved_views (project_id, is_shared)`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE saved_views`
})

export const m0019: Migration = { id: 19, name: "saved_views", compatibleFrom: 5, up, down }
