import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/** The versions that the npm registry had when someone last asked (`services/operations/Versions.ts`); one row for all replicas. */
const up = Effect.gen(function*() {
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

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE release_checks`
})

export const m0037: Migration = { id: 37, name: "release_checks", compatibleFrom: 5, up, down }
