import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** The release that the feed had at the last check; one row for all replicas. */
export const operations: AreaTables = {
  names: ["release_checks"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { text } = types(sql)

    yield* sql`CREATE TABLE release_checks (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      fetched_at ${text} NOT NULL,
      fetched_from ${text} NOT NULL,
      program ${text} NOT NULL,
      agent ${text}
    )`
  })
}
