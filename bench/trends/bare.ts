import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import pg from "pg"
import type { Measured } from "../list/client.ts"
import { percentile } from "../percentile.ts"

/** The rows of a chart of 24 hours: those of the project's own series. */
const rows = (parameter: (number: number) => string) =>
  `SELECT * FROM rollups WHERE project_id = ${parameter(1)} AND level = 1 AND bucket > ${parameter(2)} AND series_id =
    (SELECT id FROM rollup_series WHERE project_id = ${parameter(3)} AND kind = 0)`

/** Milliseconds that the driver alone takes for those rows, by a prepared statement. */
export const measureBareRows = (
  env: Readonly<Record<string, string>>,
  projectId: string,
  count: number
): Effect.Effect<Measured> =>
  Effect.promise(async () => {
    const since = Math.floor(performance.timeOrigin / 60_000) - 1440
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
      const statement = db.prepare(rows(() => "?"))
      await timed(() => statement.all(projectId, since, projectId))
      db.close()
    } else {
      const client = new pg.Client({ connectionString: env.SVC_DATABASE_URL })
      await client.connect()
      const text = rows((number) => `$${number}`)
      await timed(() => client.query({ name: "rows", text, values: [projectId, since, projectId] }))
      await client.end()
    }
    return { p50: percentile(times, 50), p99: percentile(times, 99) }
  })
