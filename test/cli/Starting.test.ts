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

interface HealthResponse {
  readonly status: number
  readonly type: string | null
  // tests read fields of any response
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/** The response; null while nothing listens. */
const get = (url: string, init: RequestInit = {}) =>
  Effect.promise((): Promise<HealthResponse | null> =>
    fetch(url, init).then(
      async (response) => ({
        status: response.status,
        type: response.headers.get("content-type"),
        json: await response.json()
      }),
      () => null
    )
  )

/** A proxy to PostgreSQL on which nothing listens until `openProxy`, and a program with its address. */
const waiting = (args: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const { url } = yield* freshPostgres
    const { hostname, port } = new URL(url)
    const way = yield* freePort
    const proxy = new Proxy({ host: hostname, port: port === "" ? 5432 : Number(port) })
    const server = createServer(proxy.accept)
    const openProxy = Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(way, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          proxy.drop()
          server.close()
        })
    )
    const through = new URL(url)
    through.host = `127.0.0.1:${way}`
    const httpPort = yield* freePort
    const program = yield* running(["serve", "--port", String(httpPort), ...args], {
      SVC_HOME: yield* temporaryHome,
      SVC_DATABASE_URL: through.toString()
    })
    return { base: `http://127.0.0.1:${httpPort}`, openProxy, program, url }
  })

const unready = (reason: string) => ({ status: 503, type: "application/json", json: { status: "unready", reason } })

describe("svc serve while PostgreSQL is not there", () => {
  it.scopedLive("listens, says so with 503, and serves once it is there", () =>
    Effect.gen(function*() {
      const { base, openProxy, program } = yield* waiting()
      yield* until(get(`${base}/health/ready`), (response) => response?.json.reason === "database")
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
      const refusal = yield* Effect.flip(
        Effect.tryPromise({ try: () => dial({ base, token: "sva_x" }), catch: String })
      )
      assert.include(refusal, "503")

      yield* openProxy
      yield* until(get(`${base}/health/ready`), (response) => response?.status === 200)
      assert.strictEqual((yield* get(`${base}/api/v1/projects`))?.status, 401)
      yield* until(Effect.sync(program.stderr), (text) => text.includes("is ready at"))
      assert.match(program.stdout(), /PostgreSQL does not answer \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)/)
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }))

  it.scopedLive("waits with several workers too, of which the first responds", () =>
    Effect.gen(function*() {
      const { base, openProxy, program } = yield* waiting(["--workers", "2"])
      yield* until(get(`${base}/health/ready`), (response) => response?.json.reason === "database")
      yield* openProxy
      yield* until(Effect.sync(program.stderr), (text) => text.includes("is ready at"))
      yield* until(Effect.sync(program.stdout), (text) => text.includes("is ready at"))
      assert.strictEqual((yield* get(`${base}/health/ready`))?.status, 200)
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }))

  it.scopedLive("ends on SIGTERM", () =>
    Effect.gen(function*() {
      const { base, program } = yield* waiting()
      yield* until(get(`${base}/health/ready`), (response) => response?.json.reason === "database")
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }))

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
    }))
})

describe("svc serve while it starts", () => {
  it.scopedLive("says starting, here behind another replica's migration", () =>
    Effect.gen(function*() {
      const { base, openProxy, program, url } = yield* waiting()
      const other = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          await client.query("SELECT pg_advisory_lock(7700001)")
          return client
        }),
        (client) => Effect.promise(() => client.end())
      )
      yield* openProxy
      yield* until(get(`${base}/health/ready`), (response) => response?.json.reason === "starting")
      yield* Effect.promise(() => other.query("SELECT pg_advisory_unlock(7700001)"))
      yield* until(get(`${base}/health/ready`), (response) => response?.status === 200)
      assert.strictEqual(yield* program.stop("SIGTERM"), 0)
    }))
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
    }))
})
