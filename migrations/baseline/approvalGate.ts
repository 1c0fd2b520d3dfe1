import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Operations that wait for a second person (docs/approvals.md). */
export const approvalGate: AreaTables = {
  names: ["approvals"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { text, uuid } = types(sql)

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
      -- what the person who approves reads
      subject TEXT NOT NULL,
      created_at ${text} NOT NULL,
      expires_at ${text} NOT NULL,
      decided_at ${text}
    )`
    yield* sql`CREATE INDEX approvals_list ON approvals (project_id, id)`
    yield* sql`CREATE INDEX approvals_user ON approvals (requested_by)`
    yield* sql`CREATE INDEX approvals_pending ON approvals (expires_at) WHERE status = 'pending'`
  })
}
