import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:net"
import pg from "pg"
import { dial } from "../agent.ts"
import { temporaryHome } from "../databases.ts"
import { Proxy } from "../e2e/faults/Proxy.ts"
import { freePort } from "../ports.ts"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { running, serving } from "./svc.ts"

interface Answer {
  readonly status: number
  readonly type: string | null
  // tests look into whatever came back
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/** The answer; null while nothing listens. */
const get = (url: string, init: RequestInit = {}) =>
  Effect.promise((): Promise<Answer | null> =>
    fetch(url, init).then(
      async (answer) => ({
        status: answer.status,
        type: answer.headers.get("content-type"),
        json: await answer.json()
      }),
      () => null
    )
  )

/** A way to PostgreSQL on which nothing listens until `open`, and a program that is told to use it. */
const waiting = (args: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const { url } = yield* freshPostgres
    const { hostname, port } = new URL(url)
    const way = yield* freePort
    const proxy = new Proxy({ host: hostname, port: port === "" ? 5432 : Number(port) })
    const server = createServer(proxy.accept)
    const open = Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(way, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          proxy.drop()
          server.close()
        })
    )
    const through = new URL(url)
    through.host = `127.0.0.1:${way}`
    const at = yield* freePort
    const program = yield* running(["serve", "--port", String(at), ...args], {
      SVC_HOME: yield* temporaryHome,
      SVC_DATABASE_URL: through.toString()
    })
    return { base: `http://127.0.0.1:${at}`, open, program, url }
  })

const unready = (reason: string) => ({ status: 503, type: "application/json", json: { status: "unready", reason } })

describe("svc serve while PostgreSQL is not there", () => {
  it.scopedLive("listens, says so with 503, and serves once it is there", () =>
    Effect.gen(function*() {
      const { base, open, program } = yield* waiting()
      yield* until(get(`${base}/health/ready`), (answer) => answer?.json.reason === "database")
      assert.deepStrictEqual(yield* get(`${base}/health/ready`), unready("database"))
      assert.deepStrictEqual(yield* get(`${base}/api/v1/health/ready`), unready("database"))
      assert.deepStrictEqual(yield* get(`${base}/health`), {
        status: 200,
        type: "application/json",
        json: { status: "ok" }
      })
      const task = yield* get(`${base}/api/v1/projects`, { method: "POST", body: "{}" })
      assert.deepStrictEqual([task?.status, task?.type, task?.json.code], [
        503,
        "application/problem+json",
        "unavailable"
      ])
      const refused = yield* Effect.flip(
        Effect.tryPromise({ try: () => dial({ base, token: "sva_x" }), catch: String })
      )
      assert.include(refused, "503")

      yield* open
      yield* until(get(`${base}/health/ready`), (answer) => answer?.status === 200)
      assert.strictEqual((yield* get(`${base}/api/v1/projects`))?.status, 401)
      yield* until(Effect.sync(program.stderr), (text) => text.includes("is ready at"))
      assert.match(program.stdout(), /PostgreSQL does not answer \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)/)
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }), 180_000)

  it.scopedLive("waits with several workers too, of which the first answers", () =>
    Effect.gen(function*() {
      const { base, open, program } = yield* waiting(["--workers", "2"])
      yield* until(get(`${base}/health/ready`), (answer) => answer?.json.reason === "database")
      yield* open
      yield* until(Effect.sync(program.stderr), (text) => text.includes("is ready at"))
      yield* until(Effect.sync(program.stdout), (text) => text.includes("is ready at"))
      assert.strictEqual((yield* get(`${base}/health/ready`))?.status, 200)
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }), 180_000)

  it.scopedLive("ends on SIGTERM", () =>
    Effect.gen(function*() {
      const { base, program } = yield* waiting()
      yield* until(get(`${base}/health/ready`), (answer) => answer?.json.reason === "database")
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }), 180_000)

  it.scopedLive("ends with a sentence when the database it then finds is the wrong one", () =>
    Effect.gen(function*() {
      const { url } = yield* freshPostgres
      const missing = new URL(url)
      missing.pathname = "/svc_test_nowhere"
      const program = yield* running(["serve", "--port", String(yield* freePort)], {
        SVC_HOME: yield* temporaryHome,
        SVC_DATABASE_URL: missing.toString()
      })
      assert.strictEqual(yield* program.exit, 1)
      assert.include(program.stderr(), "that database does not exist")
    }), 180_000)
})

describe("svc serve while it starts", () => {
  it.scopedLive("says starting, here behind another replica's migration", () =>
    Effect.gen(function*() {
      const { base, open, program, url } = yield* waiting()
      const other = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          await client.query("SELECT pg_advisory_lock(7700001)")
          return client
        }),
        (client) => Effect.promise(() => client.end())
      )
      yield* open
      yield* until(get(`${base}/health/ready`), (answer) => answer?.json.reason === "starting")
      yield* Effect.promise(() => other.query("SELECT pg_advisory_unlock(7700001)"))
      yield* until(get(`${base}/health/ready`), (answer) => answer?.status === 200)
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }), 180_000)
})

describe("svc serve --workers 4 on SQLite", () => {
  it.scopedLive("runs one worker and says so", () =>
    Effect.gen(function*() {
      const brain = yield* serving({ SVC_HOME: yield* temporaryHome }, ["--workers", "4"])
      assert.include(
        brain.stderr(),
        "Warning: one worker runs instead of 4, because SQLite allows one writing process."
      )
      assert.strictEqual((yield* get(`${brain.url}/health/ready`))?.status, 200)
      assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
    }), 180_000)
})
