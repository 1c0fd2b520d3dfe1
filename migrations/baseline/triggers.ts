import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** What happened that others may react to. */
export const triggers: AreaTables = {
  names: ["trigger_revisions", "trigger_events"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, text, uuid } = types(sql)

    // Grows with every change of what a project subscribes to or automates. No row: nothing wants its events.
    yield* sql`CREATE TABLE trigger_revisions (
      project_id ${uuid} PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
      revision ${bigint} NOT NULL
    )`

    // The outbox: inserted with the fact that it reports. Without a reference: project_deletions removes the rows.
    yield* sql`CREATE TABLE trigger_events (
      id ${uuid} PRIMARY KEY,
      consumer ${text} NOT NULL,
      project_id ${uuid} NOT NULL,
      payload TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at ${text} NOT NULL,
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX trigger_events_due ON trigger_events (consumer, due_at)`
    yield* sql`CREATE INDEX trigger_events_project ON trigger_events (project_id)`
  })
}
