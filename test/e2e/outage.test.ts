import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import { connectAgent, connected, event, longPoll } from "../agent.ts"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { adminKey, siteOf } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { proxyTo } from "./faults/Proxy.ts"
import { expectStoredOnce, runOf, streaming } from "./streaming.ts"

const outageMillis = 10_000

/** A brain whose connections to PostgreSQL a proxy can close, and how many of its connections listen for hints. */
const cuttable = Effect.gen(function*() {
  const { name, url } = yield* freshPostgres
  const { hostname, port } = new URL(url)
  const way = yield* proxyTo({ host: hostname, port: port === "" ? 5432 : Number(port) })
  const through = new URL(url)
  through.host = `127.0.0.1:${way.port}`
  const site = yield* siteOf(inject("program"), { SVC_DATABASE_URL: through.toString() })
  const brain = yield* site.brain
  const listening = Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'LISTEN%' AND state = 'idle'",
      [name]
    )
    await client.end()
    return Number(rows[0].count)
  })
  return { brain, proxy: way.proxy, listening, home: site.env.SVC_HOME ?? "" }
})

/** Such a brain in the midst of an agent's events. */
const busy = Effect.gen(function*() {
  const { brain, proxy } = yield* cuttable
  const call = callAt(brain, yield* adminKey(brain))
  const { json: created } = yield* call("POST", "/projects/default/agents", { name: "agent" })
  const run = runOf(60, 1)
  const agent = { token: String(created.token), hmac_secret: String(created.hmac_secret) }
  const { done, streamer } = yield* streaming(agent, [brain.url], run.batches, 20)
  yield* Effect.promise(() => streamer.when(30))
  return { brain, proxy, call, run, done, streamer }
})

describe("PostgreSQL that goes away for ten seconds", () => {
  it.scopedLive("is noticed, loses nothing, and all recovers by itself", () =>
    Effect.gen(function*() {
      const { brain, home, listening, proxy } = yield* cuttable
      const call = callAt(brain, yield* adminKey(brain))
      const { json: created } = yield* call("POST", "/projects/default/agents", { name: "agent" })
      const agent = {
        token: String(created.token),
        hmac_secret: String(created.hmac_secret),
        agent_id: String(created.agent.id)
      }
      const { json: project } = yield* call("GET", "/projects/default")
      const metrics = callAt(brain, readFileSync(join(home, "metrics.token"), "utf8").trim())("GET", "//metrics")

      const before = runOf(100, 1)
      const sent = yield* streaming(agent, [brain.url], before.batches, 256)
      yield* Effect.promise(() => sent.done)
      const commanded = yield* connected({ base: brain.url, ...agent })
      const executed: Array<string> = []
      commanded.onCommand = (command) => {
        executed.push(command.id)
        commanded.sendResult(command, { status: "success", result: {} })
      }
      assert.strictEqual(yield* listening, 1)

      const during = runOf(100, 1)
      const streamer = yield* streaming(agent, [brain.url], during.batches, 40)
      yield* Effect.promise(() => streamer.streamer.when(60))
      const ended = Date.now() + outageMillis
      proxy.refuse(true)
      proxy.drop()
      const acked = streamer.streamer.acked

      const unready = yield* until(call("GET", "/health/ready"), ({ status }) => status === 503)
      assert.deepStrictEqual(unready.json, { status: "unready", reason: "database" })
      assert.strictEqual((yield* call("GET", "/health")).status, 200)
      const restart = { agent_id: agent.agent_id, worker_name: "w@box" }
      const poll = longPoll({ base: brain.url, ...agent, project_id: project.id })
      const refused = yield* Effect.all([
        call("GET", "/projects"),
        call("GET", "/projects/default/tasks?search=x"),
        call("GET", "/projects/default/events?engine=celery&task_id=x"),
        call("POST", "/projects/default/commands/restart-worker", restart),
        call("POST", "/projects", { slug: "never", name: "never" }),
        call("POST", "/auth/login", { email: "admin@example.com", password: "correct horse battery" }),
        call("GET", "/health/deep"),
        Effect.promise(() => poll.push([poll.seal("event_batch", { events: [event()] })]))
      ], { concurrency: "unbounded" })
      for (const { json, status } of refused) {
        assert.strictEqual(status, 503, JSON.stringify(json))
        assert.deepInclude(json, { code: "unavailable", status: 503 })
        assert.isString(json.request_id)
      }
      const upgrade = yield* Effect.promise(() =>
        connectAgent({ base: brain.url, ...agent }).then(() => "let in", String)
      )
      assert.include(upgrade, "503")
      // metrics that need no database are still exposed
      const metricsResponse = yield* until(metrics, ({ text }) =>
        /svc_background_task_error_active\{task="ingest"\} 1/.test(text))
      assert.strictEqual(metricsResponse.status, 200)
      assert.strictEqual(streamer.streamer.acked, acked)

      yield* Effect.sleep(Math.max(0, ended - Date.now()))
      assert.strictEqual((yield* call("GET", "/health/ready")).status, 503)
      assert.strictEqual(streamer.streamer.acked, acked)
      proxy.refuse(false)

      yield* until(call("GET", "/health/ready"), ({ status }) =>
        status === 200)
      yield* Effect.promise(() => streamer.done)
      assert.strictEqual(streamer.streamer.connections, 1)
      yield* expectStoredOnce(call, "default", before, during)
      yield* until(listening, (count) => count === 1)
      const posted = yield* call("POST", "/projects/default/commands/restart-worker", restart)
      assert.strictEqual(posted.status, 202)
      yield* until(
        call("GET", `/projects/default/commands/${posted.json.id}`),
        ({ json }) => json.status === "completed"
      )
      assert.deepStrictEqual(executed, [posted.json.id])
      yield* until(call("GET", "/health/deep"), ({ json }) => json?.status === "ok")
      const recovered = yield* metrics
      assert.notMatch(recovered.text, /svc_background_task_error_active\{task="[^"]*"\} 1/)
      assert.strictEqual((yield* call("GET", `/projects/default/tasks/celery/${randomUUID()}`)).status, 404)
    }))

  it.scopedLive("may also just be silent: what waits continues when it responds again", () =>
    Effect.gen(function*() {
      const { call, done, proxy, run } = yield* busy
      proxy.delay(true)
      const waiting = yield* Effect.fork(call("GET", "/projects/default/tasks"))
      const unready = yield* until(call("GET", "/health/ready"), ({ status }) => status === 503)
      assert.deepStrictEqual(unready.json, { status: "unready", reason: "database" })
      proxy.delay(false)
      assert.strictEqual((yield* Fiber.join(waiting)).status, 200)
      yield* Effect.promise(() => done)
      yield* until(call("GET", "/health/ready"), ({ status }) => status === 200)
      yield* expectStoredOnce(call, "default", run)
    }))

  it.scopedLive(
    "may hang for long: requests end with 503, the readiness shows it at once, and nothing is lost",
    () =>
      Effect.gen(function*() {
        const { brain, call, done, proxy, run, streamer } = yield* busy

        proxy.delay(true)
        const waiting = yield* Effect.fork(Effect.all([
          call("GET", "/projects/default/tasks"),
          call("GET", "/auth/me"),
          call("POST", "/projects", { slug: "perhaps", name: "perhaps" })
        ], { concurrency: "unbounded" }))
        const unready = yield* call("GET", "/health/ready")
        assert.deepStrictEqual(unready, { ...unready, status: 503, json: { status: "unready", reason: "database" } })
        assert.isNull(waiting.unsafePoll(), "the readiness waited as long as everybody else")
        const acked = streamer.acked
        for (const { json, status } of yield* Fiber.join(waiting)) {
          assert.strictEqual(status, 503, JSON.stringify(json))
          assert.deepInclude(json, { code: "unavailable", status: 503 })
        }
        assert.strictEqual((yield* call("GET", "/health/ready")).status, 503)
        assert.strictEqual((yield* call("GET", "/projects/default/tasks")).status, 503) // on new connections
        assert.strictEqual(streamer.acked, acked)

        proxy.delay(false)
        yield* until(call("GET", "/health/ready"), ({ status }) => status === 200)
        yield* Effect.promise(() => done)
        assert.strictEqual(streamer.connections, 1)
        yield* expectStoredOnce(call, "default", run)
        yield* until(call("GET", "/health/deep"), ({ json }) => json?.status === "ok")
        assert.notInclude(brain.log(), "DeprecationWarning")
      })
  )
})
