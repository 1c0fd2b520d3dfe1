import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** What concerns the brain or a whole project. */
export const operations: AreaTables = {
  names: ["release_checks", "deploys"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { text, uuid } = types(sql)

    // The release that the feed had at the last check; one row for all replicas.
    yield* sql`CREATE TABLE release_checks (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      fetched_at ${text} NOT NULL,
      fetched_from ${text} NOT NULL,
      program ${text} NOT NULL,
      agent ${text}
    )`

    // When which version was deployed. `created_by` has no foreign key: the mark outlives the account.
    yield* sql`CREATE TABLE deploys (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      version TEXT NOT NULL,
      at ${text} NOT NULL,
      note TEXT,
      url TEXT,
      created_by ${uuid},
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX deploys_project ON deploys (project_id, at, id)`
    yield* sql`CREATE INDEX deploys_at ON deploys (at)`
  })
}
