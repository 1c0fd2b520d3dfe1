import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Acts that wait for a second person (docs/approvals.md). */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text, uuid } = types(sql)
  yield* sql`ALTER TABLE projects ADD COLUMN approvals TEXT`
  yield* sql`CREATE TABLE approvals (
    id ${uuid} PRIMARY KEY,
    project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind ${text} NOT NULL,
    summary TEXT NOT NULL,
    request TEXT NOT NULL,
    status ${text} NOT NULL,
    requested_by ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    decided_by ${uuid},
    reason TEXT,
    result TEXT,
    created_at ${text} NOT NULL,
    expires_at ${text} NOT NULL,
    decided_at ${text}
  )`
  yield* sql`CREATE INDEX approvals_list ON approvals (project_id, id)`
  yield* sql`CREATE INDEX approvals_user ON approvals (requested_by)`
  yield* sql`CREATE INDEX approvals_pending ON approvals (expires_at) WHERE status = 'pending'`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE approvals`
  yield* sql`ALTER TABLE projects DROP COLUMN approvals`
})

export const m0039: Migration = { id: 39, name: "approvals", compatibleFrom: 5, up, down }
