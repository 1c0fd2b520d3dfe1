import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { type WebSocket, WebSocketServer } from "ws"
import { freshPostgres } from "../brain.ts"
import { bundled } from "../bundled.ts"
import { percentile } from "../percentile.ts"
import type { Database } from "../run.ts"

const table = "CREATE TABLE journeys (id TEXT PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL, result TEXT)"
const steps = [
  "INSERT INTO journeys VALUES ($1, 'pending', $2, NULL)",
  "UPDATE journeys SET status = 'dispatched', payload = $2 WHERE id = $1",
  "UPDATE journeys SET status = 'completed', result = $2 WHERE id = $1"
]
const payload = JSON.stringify({ task_id: randomUUID() })

/** Commits one step of a command's journey. */
type Commit = (step: number, id: string) => unknown

const openSqlite = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-bench-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new BetterSqlite3(join(folder, "bare.db"))),
    (db) => Effect.sync(() => db.close())
  )
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.exec(table)
  const statements = steps.map((text) => db.prepare(text.replaceAll("$1", "@id").replaceAll("$2", "@payload")))
  const commit: Commit = (step, id) => statements[step]?.run({ id, payload })
  return commit
})

const openPostgres = Effect.gen(function*() {
  const { url } = yield* freshPostgres
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(table)
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
  const commit: Commit = (step, id) =>
    client.query({ name: `step ${step}`, text: steps[step] ?? "", values: [id, payload] })
  return commit
})

/** A message to another process and back, over a WebSocket. */
const openEcho = Effect.gen(function*() {
  const program = yield* bundled("command/echo", "external")
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocketServer({ port: 0, host: "127.0.0.1" })),
    (server) => Effect.async<void>((resume) => server.close(() => resume(Effect.void)))
  )
  const connected = once(server, "connection")
  yield* Effect.promise(async () => server.address() ?? once(server, "listening"))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, String(port)], { stdio: ["ignore", "ignore", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const [socket]: Array<WebSocket> = yield* Effect.promise(() => connected)
  if (socket === undefined) return yield* Effect.dieMessage("the echo did not connect")
  return async (message: string) => {
    const reply = once(socket, "message")
    socket.send(message)
    await reply
  }
})

const takeAll = async (commit: Commit, count: number) => {
  const began = performance.now()
  for (let index = 0; index < count; index++) {
    const id = randomUUID()
    for (const step of steps.keys()) await commit(step, id)
  }
  return Math.round(count / ((performance.now() - began) / 1000))
}

const takeWithHop = async (commit: Commit, hop: (message: string) => Promise<void>, count: number) => {
  const times: Array<number> = []
  for (let index = -50; index < count; index++) { // the first ones warm up
    const began = performance.now()
    const id = randomUUID()
    await commit(0, id)
    await commit(1, id)
    await hop(payload)
    await commit(2, id)
    if (index >= 0) times.push(performance.now() - began)
  }
  return { p50: percentile(times, 50), p99: percentile(times, 99) }
}

/**
 * What the bare driver does of a command's three states, one commit each, one by one: journeys a second, and the
 * milliseconds of a journey with a hop over a WebSocket to another process and back after the second commit.
 */
export const measureDriver = (database: Database, count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const commit = yield* (database === "sqlite" ? openSqlite : openPostgres)
    const hop = yield* openEcho
    return yield* Effect.promise(async () => ({
      journeysPerSecond: await takeAll(commit, count),
      withHop: await takeWithHop(commit, hop, Math.min(500, count))
    }))
  }))
