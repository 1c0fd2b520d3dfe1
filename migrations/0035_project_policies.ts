import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** Where a project may be used from, and which role sees arguments and results (docs/accounts.md). */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { text } = types(sql)
  yield* sql`ALTER TABLE projects ADD COLUMN allowed_cidrs ${text}`
  yield* sql`ALTER TABLE projects ADD COLUMN payload_role ${text} NOT NULL DEFAULT 'viewer'`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE projects DROP COLUMN payload_role`
  yield* sql`ALTER TABLE projects DROP COLUMN allowed_cidrs`
})

export const m0035: Migration = { id: 35, name: "project_policies", compatibleFrom: 5, up, down }
