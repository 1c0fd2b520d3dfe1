import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { freshPostgres } from "../brain.ts"
import type { Database } from "../run.ts"

const table = "CREATE TABLE journeys (id TEXT PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL, result TEXT)"
const steps = [
  "INSERT INTO journeys VALUES ($1, 'pending', $2, NULL)",
  "UPDATE journeys SET status = 'dispatched', payload = $2 WHERE id = $1",
  "UPDATE journeys SET status = 'completed', result = $2 WHERE id = $1"
]
const payload = JSON.stringify({ task_id: randomUUID() })

const onSqlite = (count: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-bench-"))),
    (folder) =>
      Effect.sync(() => {
        const db = new BetterSqlite3(join(folder, "bare.db"))
        db.pragma("journal_mode = WAL")
        db.pragma("synchronous = FULL")
        db.exec(table)
        const statements = steps.map((text) => db.prepare(text.replaceAll("$1", "@id").replaceAll("$2", "@payload")))
        const began = performance.now()
        for (let at = 0; at < count; at++) {
          const id = randomUUID()
          for (const statement of statements) statement.run({ id, payload })
        }
        const seconds = (performance.now() - began) / 1000
        db.close()
        return count / seconds
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const onPostgres = (count: number) =>
  Effect.flatMap(freshPostgres, ({ url }) =>
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(table)
      const began = performance.now()
      for (let at = 0; at < count; at++) {
        const id = randomUUID()
        for (const [step, text] of steps.entries()) {
          await client.query({ name: `step ${step}`, text, values: [id, payload] })
        }
      }
      const seconds = (performance.now() - began) / 1000
      await client.end()
      return count / seconds
    }))

/** How many rows a second the bare driver takes through the three states of a command, one commit each, one by one. */
export const journeysPerSecond = (database: Database, count: number) =>
  Effect.map(database === "sqlite" ? onSqlite(count) : onPostgres(count), Math.round)
