import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import pg from "pg"
import type { Measured } from "../list/client.ts"
import { percentile } from "../percentile.ts"

const page = (parameter: string) =>
  `SELECT * FROM failure_groups WHERE project_id = ${parameter} ORDER BY last_seen_at DESC, fingerprint DESC LIMIT 51`

/** Milliseconds that the driver alone takes for the first page, by a prepared statement. */
export const measureBarePage = (
  env: Readonly<Record<string, string>>,
  projectId: string,
  count: number
): Effect.Effect<Measured> =>
  Effect.promise(async () => {
    const times: Array<number> = []
    const timed = async (read: () => unknown) => {
      for (let index = 0; index < count; index++) {
        const begun = performance.now()
        await read()
        times.push(performance.now() - begun)
      }
    }
    if (env.SVC_DATABASE_URL === undefined) {
      const db = new BetterSqlite3(`${env.SVC_HOME}/svc.db`, { readonly: true })
      const statement = db.prepare(page("?"))
      await timed(() => statement.all(projectId))
      db.close()
    } else {
      const client = new pg.Client({ connectionString: env.SVC_DATABASE_URL })
      await client.connect()
      await timed(() => client.query({ name: "page", text: page("$1"), values: [projectId] }))
      await client.end()
    }
    return { p50: percentile(times, 50), p99: percentile(times, 99) }
  })
