import { Effect } from "effect"
import { statSync } from "node:fs"
import pg from "pg"

const toMegabytes = (bytes: number) => Math.round(bytes / 1_000_000)

const readPostgresSizes = async (url: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: [row] } = await client.query<{ database: string; tasks: string }>(
    `SELECT pg_database_size(current_database()) AS database, pg_table_size('tasks') AS tasks`
  )
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT indexrelname AS name, pg_relation_size(indexrelid) AS bytes FROM pg_stat_user_indexes
      WHERE relname = 'tasks' ORDER BY 2 DESC`
  )
  await client.end()
  return {
    databaseMb: toMegabytes(Number(row?.database)),
    tasksMb: toMegabytes(Number(row?.tasks)),
    indexesMb: Object.fromEntries(rows.map(({ bytes, name }) => [name, toMegabytes(Number(bytes))]))
  }
}

/** Megabytes on disk; on PostgreSQL also those of the table of tasks and of each of its indexes. */
export const readSizes = (env: Readonly<Record<string, string>>) =>
  Effect.promise(async () =>
    env.SVC_DATABASE_URL === undefined
      ? { databaseMb: toMegabytes(statSync(`${env.SVC_HOME}/svc.db`).size) }
      : await readPostgresSizes(env.SVC_DATABASE_URL)
  )
