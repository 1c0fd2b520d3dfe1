import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import pg from "pg"
import type { Database } from "../run.ts"
import { freshHome } from "../services.ts"

/** Rows of a transaction: as many as the brain has open at once, by default. */
const batch = 100

const tables = [
  `CREATE TABLE items (request TEXT NOT NULL, position INTEGER NOT NULL, engine TEXT NOT NULL, task_id TEXT NOT NULL,
    status TEXT NOT NULL, command TEXT, PRIMARY KEY (request, position))`,
  "CREATE INDEX items_status ON items (request, status, engine, position)",
  "CREATE TABLE commands (id TEXT PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL, result TEXT)",
  "CREATE INDEX commands_status ON commands (status, id)",
  "CREATE TABLE audit (id TEXT PRIMARY KEY, metadata TEXT NOT NULL)",
  "CREATE TABLE links (task_id TEXT NOT NULL, new_task_id TEXT NOT NULL, command TEXT NOT NULL, PRIMARY KEY (new_task_id, task_id))",
  "CREATE INDEX links_of_task ON links (task_id, command)",
  "CREATE INDEX links_command ON links (command)"
]

const freeze = "INSERT INTO items SELECT r.request, r.position, 'celery', r.task_id, 'pending', NULL FROM rows"

/** The transactions that a task passes through: issued, sent, answered, counted. */
const journey = [
  [
    "UPDATE items SET status = 'claimed', command = r.id FROM rows WHERE items.request = r.request AND items.position = r.position",
    "INSERT INTO commands SELECT r.id, 'pending', r.payload, NULL FROM rows",
    "INSERT INTO audit SELECT r.id, r.payload FROM rows"
  ],
  ["UPDATE commands SET status = 'dispatched' FROM rows WHERE commands.id = r.id"],
  [
    "UPDATE commands SET status = 'completed', result = r.payload FROM rows WHERE commands.id = r.id",
    "INSERT INTO links SELECT r.task_id, r.id, r.id FROM rows"
  ],
  ["UPDATE items SET status = 'succeeded' FROM rows WHERE items.request = r.request AND items.position = r.position"]
]

const columns = ["request", "position", "task_id", "id", "payload"]
const sqliteRows = `(SELECT ${
  columns.map((name) => `value ->> '${name}' AS ${name}`).join(", ")
} FROM json_each(?)) AS r`
const postgresRows =
  "json_to_recordset($1::json) AS r(request text, position integer, task_id text, id text, payload text)"

/** Runs the statements in one transaction, each with the rows. */
type Commit = (texts: ReadonlyArray<string>, rows: ReadonlyArray<object>) => unknown

const openSqlite = (file: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const db = new BetterSqlite3(file)
        db.pragma("journal_mode = WAL")
        db.pragma("synchronous = FULL")
        for (const text of tables) db.exec(text)
        return db
      }),
      (db) => Effect.sync(() => db.close())
    ),
    (db): Commit =>
      db.transaction((texts: ReadonlyArray<string>, rows: ReadonlyArray<object>) => {
        for (const text of texts) db.prepare(text.replace("rows", sqliteRows)).run(JSON.stringify(rows))
      })
  )

const openPostgres = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        for (const text of tables) await client.query(text)
        return client
      }),
      (client) => Effect.promise(() => client.end())
    ),
    (client): Commit => async (texts, rows) => {
      await client.query("BEGIN")
      for (const text of texts) {
        await client.query({
          name: text.slice(0, 50),
          text: text.replace("rows", postgresRows),
          values: [JSON.stringify(rows)]
        })
      }
      await client.query("COMMIT")
    }
  )

const takeAll = async (commit: Commit, count: number) => {
  const rows = Array.from({ length: count }, (_, index) => {
    const task_id = randomUUID()
    return { request: "r", position: index, task_id, id: randomUUID(), payload: JSON.stringify({ task_id }) }
  })
  const batches = Array.from({ length: Math.ceil(count / batch) }, (_, at) => rows.slice(at * batch, (at + 1) * batch))
  const began = performance.now()
  for (const some of batches) await commit([freeze], some)
  const frozen = performance.now()
  for (const some of batches) for (const texts of journey) await commit(texts, some)
  const seconds = (performance.now() - frozen) / 1000
  return { freezeMillis: Math.round(frozen - began), perSecond: Math.round(count / seconds) }
}

/**
 * What the driver alone does of a bulk retry: the rows of the frozen set, and for each task the rows that it writes from
 * its command to its outcome, a hundred tasks a transaction, one after the other and without an agent.
 */
export const measureBare = (database: Database, count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const { home, url } = yield* freshHome(database)
    const commit = yield* (url === null ? openSqlite(join(home, "bare.db")) : openPostgres(url))
    return yield* Effect.promise(() => takeAll(commit, count))
  }))
