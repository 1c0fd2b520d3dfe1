import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../../src/services/kernel/sql/Database.ts"
import { magic } from "../../../../src/services/operations/Backup/Archive.ts"
import { writeArchive } from "../../../../src/services/operations/Backup/ArchiveWriter.ts"
import { readPostgresRows } from "../../../../src/services/operations/Backup/Rows.ts"
import { headTables, layerUnmigrated, makeSite } from "./site.ts"
import { manifestOf, unsigned } from "./source.ts"

describe("a backup from PostgreSQL whose file cannot be written further", () => {
  it.scopedLive("ends in the middle of a table, and its connection is free again", () =>
    Effect.gen(function*() {
      const site = yield* makeSite("PostgreSQL")
      const table = (yield* headTables).find(({ name }) => name === "setup_attempts")!
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        // far more than sockets and streams buffer
        yield* sql`INSERT INTO setup_attempts (id, source_ip, attempted_at)
          SELECT gen_random_uuid(), repeat('x', 1000), '2026-01-01T00:00:00.000000Z' FROM generate_series(1, 60000)`
        const { postgres } = yield* Database
        const failed = yield* Effect.flip(sql.withTransaction(postgres!.within((client) => {
          const readRows = () => readPostgresRows(client, table)
          return writeArchive({ ...unsigned, manifest: manifestOf([table]), readRows }, async (bytes) => {
            for await (const chunk of bytes) if (chunk !== magic) throw new Error("no space left on device")
          })
        })))
        assert.include(String(failed.cause), "no space left on device")
        assert.lengthOf(yield* sql`SELECT 1 FROM setup_attempts LIMIT 1`, 1)
        const running = yield* sql`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'COPY%' AND state = 'active'`
        assert.lengthOf(running, 0)
      }).pipe(Effect.provide(layerUnmigrated(site)))
    }))
})
