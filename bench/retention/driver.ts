import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import pg from "pg"

/** As many as retention deletes in a transaction. */
const rowsAtOnce = 250

/** Deletes the oldest tasks of a database by the driver alone; returns how many and the seconds that it took. */
export const bareDeletion = (env: Readonly<Record<string, string>>, count: number) =>
  Effect.promise(async () => {
    const run = env.SVC_DATABASE_URL === undefined
      ? onSqlite(`${env.SVC_HOME}/svc.db`)
      : await onPostgres(env.SVC_DATABASE_URL)
    const begun = performance.now()
    let value = 0
    while (value < count) {
      const deleted = await run.deleteSlice()
      if (deleted === 0) throw new Error(`only ${value} tasks are left to delete`)
      value += deleted
    }
    const seconds = (performance.now() - begun) / 1000
    await run.end()
    return { seconds, value }
  })

const oldest = `SELECT id FROM tasks WHERE project_id = (SELECT id FROM projects WHERE slug = 'bench')
  ORDER BY updated_at LIMIT ${rowsAtOnce}`
const ofProject = `DELETE FROM tasks WHERE project_id = (SELECT id FROM projects WHERE slug = 'bench')`

const onSqlite = (file: string) => {
  const db = new BetterSqlite3(file)
  db.pragma("synchronous = FULL")
  const statement = db.prepare(`${ofProject} AND id IN (${oldest})`)
  return { deleteSlice: async () => statement.run().changes, end: async () => void db.close() }
}

const onPostgres = async (url: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    deleteSlice: async () => (await client.query(`${ofProject} AND id = ANY(ARRAY(${oldest}))`)).rowCount ?? 0,
    end: () => client.end()
  }
}
