import BetterSqlite3 from "better-sqlite3"
import pg from "pg"

/** What the bare drivers do with the same rows: the limit that the ingest's figures are a share of. */
export type Row = Readonly<Record<string, string | number | null>>

const batch = 500

const changing = (columns: ReadonlyArray<string>) =>
  columns.filter((column) => !["id", "project_id", "engine", "task_id", "created_at"].includes(column))
    .map((column) => `${column} = excluded.${column}`).join(", ")

const slices = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / batch) }, (_, index) => all.slice(index * batch, (index + 1) * batch))

/** One connection that upserts rows of tasks in batches of 500. */
export interface Driver {
  readonly upsert: (rows: ReadonlyArray<Row>) => Promise<void>
  readonly end: () => Promise<unknown>
}

/** On a migrated database in this file: one prepared statement, a transaction a batch. */
export const bareSqlite = (file: string): Driver => {
  const db = new BetterSqlite3(file)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  let upsert: BetterSqlite3.Statement | undefined
  const write = db.transaction((slice: ReadonlyArray<Row>, columns: ReadonlyArray<string>) => {
    upsert ??= db.prepare(
      `INSERT INTO tasks (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (project_id, engine, task_id) DO UPDATE SET ${changing(columns)}`
    )
    for (const row of slice) upsert.run(...columns.map((column) => row[column]))
  })
  return {
    upsert: async (rows) => {
      for (const slice of slices(rows)) write.immediate(slice, Object.keys(slice[0]!))
    },
    end: async () => db.close()
  }
}

/** On a migrated database at this URL: a statement a batch. */
export const barePostgres = async (url: string): Promise<Driver> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    upsert: async (rows) => {
      for (const slice of slices(rows)) {
        const columns = Object.keys(slice[0]!)
        const values = slice.map((_, row) =>
          `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(", ")})`
        )
        await client.query(
          `INSERT INTO tasks (${columns.join(", ")}) VALUES ${values.join(", ")}
           ON CONFLICT (project_id, engine, task_id) DO UPDATE SET ${changing(columns)}`,
          slice.flatMap((row) => columns.map((column) => row[column]))
        )
      }
    },
    end: () => client.end()
  }
}

/** The newest tasks that a brain has stored in the database of these settings. */
export const storedTasks = async (env: Readonly<Record<string, string>>, most: number): Promise<ReadonlyArray<Row>> => {
  const query = `SELECT * FROM tasks ORDER BY id DESC LIMIT ${most}`
  if (env.SVC_DATABASE_URL === undefined) {
    const db = new BetterSqlite3(`${env.SVC_HOME}/svc.db`, { readonly: true })
    const rows = db.prepare<[], Row>(query).all()
    db.close()
    return rows
  }
  const client = new pg.Client({ connectionString: env.SVC_DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<Row>(query)
  await client.end()
  return rows
}

/** Upserts a second of these rows into the empty database of these settings. */
export const bareUpserts = async (env: Readonly<Record<string, string>>, rows: ReadonlyArray<Row>): Promise<number> => {
  const url = env.SVC_DATABASE_URL
  const driver = url === undefined ? bareSqlite(`${env.SVC_HOME}/svc.db`) : await barePostgres(url)
  const begun = performance.now()
  await driver.upsert(rows)
  const seconds = (performance.now() - begun) / 1000
  await driver.end()
  return Math.round(rows.length / seconds)
}
