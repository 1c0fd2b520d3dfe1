import BetterSqlite3 from "better-sqlite3"
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import pg from "pg"

/**
 * The limit that the brain is measured against: a `node:http` server that reads key and rows by prepared statements, and
 * inserts a command in a commit of its own. It checks nothing else, and has no middleware.
 * `node bare.mjs <project id> <file of the brain's database | its URL> <a database file for commands>`; prints its port.
 */
const [projectId = "", database = "", ownFile = ""] = process.argv.slice(2)

type Row = Record<string, unknown>

interface Store {
  readonly findKey: (tokenHash: string) => Promise<Row | undefined> | Row | undefined
  readonly findTask: (taskId: string) => Promise<Row | undefined> | Row | undefined
  readonly listTasks: () => Promise<ReadonlyArray<Row>> | ReadonlyArray<Row>
  readonly insertCommand: (id: string, payload: string) => unknown
}

const statements = {
  key:
    "SELECT k.id, k.scopes, k.expires_at, k.revoked_at, u.is_active FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.token_hash = $1",
  task: "SELECT * FROM tasks WHERE project_id = $1 AND engine = 'celery' AND task_id = $2",
  list: "SELECT * FROM tasks WHERE project_id = $1 ORDER BY id DESC LIMIT 50",
  table: "CREATE TABLE bare_commands (id TEXT PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL)",
  command: "INSERT INTO bare_commands VALUES ($1, 'pending', $2)"
}

const openSqlite = (): Store => {
  const reader = new BetterSqlite3(database, { readonly: true })
  const writer = new BetterSqlite3(ownFile)
  writer.pragma("journal_mode = WAL")
  writer.pragma("synchronous = FULL")
  writer.exec(statements.table)
  const [key, task, list] = [statements.key, statements.task, statements.list].map((text) =>
    reader.prepare<Array<string>, Row>(text.replaceAll(/\$\d/g, "?"))
  )
  const command = writer.prepare(statements.command.replaceAll(/\$\d/g, "?"))
  return {
    findKey: (tokenHash) => key?.get(tokenHash),
    findTask: (taskId) => task?.get(projectId, taskId),
    listTasks: () => list?.all(projectId) ?? [],
    insertCommand: (id, payload) => command.run(id, payload)
  }
}

const openPostgres = async (): Promise<Store> => {
  const pool = new pg.Pool({ connectionString: database, max: 10 })
  await pool.query(statements.table)
  const rowsOf = async (name: "key" | "task" | "list" | "command", ...values: ReadonlyArray<string>) =>
    (await pool.query<Row>({ name, text: statements[name], values: [...values] })).rows
  return {
    findKey: async (tokenHash) => (await rowsOf("key", tokenHash))[0],
    findTask: async (taskId) => (await rowsOf("task", projectId, taskId))[0],
    listTasks: () => rowsOf("list", projectId),
    insertCommand: (id, payload) => rowsOf("command", id, payload)
  }
}

const store = database.startsWith("postgresql:") ? await openPostgres() : openSqlite()

const textOf = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // a request without setEncoding gives buffers
  return Buffer.concat(chunks).toString()
}

const send = (response: ServerResponse, status: number, value: unknown) => {
  const text = JSON.stringify(value)
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(
    text
  )
}

const respond = async (request: IncomingMessage, response: ServerResponse) => {
  const url = request.url ?? ""
  if (url.endsWith("/health")) return send(response, 200, { status: "ok" })
  const token = (request.headers.authorization ?? "").slice("Bearer ".length)
  const key = await store.findKey(createHash("sha256").update(token).digest("hex"))
  if (key === undefined || key["revoked_at"] !== null || key["is_active"] !== 1) return send(response, 401, {})
  if (request.method === "POST") {
    const body: unknown = JSON.parse(await textOf(request))
    const id = randomUUID()
    await store.insertCommand(id, JSON.stringify(body))
    return send(response, 202, { id, status: "pending", payload: body })
  }
  if (url.endsWith("/tasks")) return send(response, 200, { items: await store.listTasks() })
  const row = await store.findTask(url.slice(url.lastIndexOf("/") + 1))
  return send(response, row === undefined ? 404 : 200, row ?? {})
}

const server = createServer((request, response) => void respond(request, response))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) console.log(address.port)
})
