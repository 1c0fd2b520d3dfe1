import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import pg from "pg"
import { historySql } from "./history.ts"
import { derivedSql, insertSql, type Seeding, type Spelling } from "./rows.ts"

/** Rows of one statement: what it holds of them fits into memory. */
const rowsAtOnce = 100_000

const onPostgres: Spelling = {
  hex: (value, digits) => `lpad(to_hex((${value})::bigint), ${digits}, '0')`,
  moment: (millis) =>
    `to_char(to_timestamp((${millis}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"000Z"')`,
  uuid: (text) => `(${text})::uuid`,
  numbers: (from, until) => `generate_series(${from}::bigint, ${until - 1}) AS n`
}

const onSqlite: Spelling = {
  hex: (value, digits) => `printf('%0${digits}x', ${value})`,
  moment: (millis) =>
    `strftime('%Y-%m-%dT%H:%M:%S', (${millis}) / 1000, 'unixepoch') || printf('.%03d000Z', (${millis}) % 1000)`,
  uuid: (text) => text,
  numbers: (from, until) =>
    `(WITH RECURSIVE counting(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM counting WHERE n < ${
      until - 1
    }) SELECT n FROM counting) AS given`
}

function* batchesOf(seeding: Seeding, spelling: Spelling) {
  for (let from = 0; from < seeding.tasks; from += rowsAtOnce) {
    yield insertSql(seeding, spelling, from, Math.min(from + rowsAtOnce, seeding.tasks))
  }
}

/** Seconds of the insertion, and of each index on the rows. */
export interface SeedTimes {
  readonly rows: number
  readonly indexes: Record<string, number>
}

const secondsSince = (begun: number) => Number(((performance.now() - begun) / 1000).toFixed(1))

/** The indexes are dropped, and made again by the migrations' own statements when the rows are there. */
const seedPostgres = async (url: string, seeding: Seeding): Promise<SeedTimes> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'`)
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
        WHERE tablename = 'tasks' AND schemaname = current_schema() AND indexname <> 'tasks_pkey'`
    )
    await client.query("ALTER TABLE tasks DROP CONSTRAINT tasks_pkey")
    for (const { name } of indexes) await client.query(`DROP INDEX ${name}`)
    const begun = performance.now()
    for (const batch of batchesOf(seeding, onPostgres)) await client.query(batch)
    const times: SeedTimes = { rows: secondsSince(begun), indexes: {} }
    const build = async (name: string, statement: string) => {
      const begun = performance.now()
      await client.query(statement)
      times.indexes[name] = secondsSince(begun)
    }
    await build("tasks_pkey", "ALTER TABLE tasks ADD PRIMARY KEY (project_id, engine, task_id)")
    for (const { definition, name } of indexes) await build(name, definition)
    for (const statement of [...derivedSql, ...historySql(seeding, onPostgres)]) await client.query(statement)
    await client.query("VACUUM (ANALYZE) tasks")
    await client.query("ANALYZE")
    await client.query("CHECKPOINT")
    return times
  } finally {
    await client.end()
  }
}

const seedSqlite = (file: string, seeding: Seeding): SeedTimes => {
  const db = new BetterSqlite3(file)
  try {
    db.pragma("journal_mode = OFF")
    db.pragma("synchronous = OFF")
    db.pragma("cache_size = -2097152")
    db.pragma("temp_store = FILE") // the sorts of the indexes
    const indexes = db.prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'tasks' AND sql IS NOT NULL"
    ).all()
    for (const { name } of indexes) db.exec(`DROP INDEX ${name}`)
    const begun = performance.now()
    for (const batch of batchesOf(seeding, onSqlite)) db.exec(batch)
    const times: SeedTimes = { rows: secondsSince(begun), indexes: {} }
    for (const { name, sql } of indexes) {
      const begun = performance.now()
      db.exec(sql)
      times.indexes[name] = secondsSince(begun)
    }
    for (const statement of [...derivedSql, ...historySql(seeding, onSqlite)]) db.exec(statement)
    db.pragma("journal_mode = WAL")
    return times
  } finally {
    db.close()
  }
}

/** Fills a migrated database, which no brain uses, with tasks. */
export const seed = (env: Readonly<Record<string, string>>, seeding: Seeding): Effect.Effect<SeedTimes> =>
  Effect.promise(async () =>
    env.SVC_DATABASE_URL === undefined
      ? seedSqlite(`${env.SVC_HOME}/svc.db`, seeding)
      : seedPostgres(env.SVC_DATABASE_URL, seeding)
  )
