import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"
import { types } from "./types.ts"

/**
 * Who leads: one row for each lease that a process holds (`services/kernel/concurrency/Leader.ts`). `fence` is never used twice, also when the
 * row before it was deleted. `expires_at` is epoch milliseconds of the database's own clock.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { bigint, serial, text } = types(sql)
  yield* sql`CREATE TABLE leases (
    fence ${serial},
    name ${text} NOT NULL UNIQUE,
    holder ${text} NOT NULL,
    expires_at ${bigint} NOT NULL
  )`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE leases`
})

export const m0009: Migration = { id: 9, name: "leases", compatibleFrom: 5, up, down }
