import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import pg from "pg"
import type { Engine } from "../databases.ts"
import type { StoredTask } from "../tasks.ts"
import type { Site } from "./brainProcess.ts"

/** Writes rows into a site's database beside its brain: tasks only, without their counts and names. */
export const insertInto = (engine: Engine, env: Site["env"], rows: ReadonlyArray<StoredTask>) =>
  Effect.promise(async () => {
    const columns = Object.keys(rows[0]!) as ReadonlyArray<keyof StoredTask> // the row has these keys only
    const values = (row: StoredTask) => columns.map((column) => row[column])
    if (engine === "SQLite") {
      const db = new BetterSqlite3(join(env["SVC_HOME"]!, "svc.db"), { timeout: 10_000 })
      const insert = db.prepare(`INSERT INTO tasks (${columns.join()}) VALUES (${columns.map(() => "?").join()})`)
      for (const row of rows) insert.run(...values(row))
      db.close()
      return
    }
    const client = new pg.Client({ connectionString: env["SVC_DATABASE_URL"]! })
    await client.connect()
    const insert = `INSERT INTO tasks (${columns.join()}) VALUES (${columns.map((_, index) => `$${index + 1}`).join()})`
    for (const row of rows) await client.query(insert, values(row))
    await client.end()
  })
