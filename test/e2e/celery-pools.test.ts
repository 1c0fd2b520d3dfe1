import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { has } from "../needs.ts"
import { recordedEvents, subscribe, watchOutbox } from "../services/triggers/TriggerEvents/world.ts"
import { until } from "../until.ts"
import { celeryHost } from "./celery.ts"

const ready = await has("Redis", "Python")

/** All that `celery worker --pool` takes. */
const pools = ["prefork", "processes", "solo", "threads", "gevent", "eventlet", "custom"]

/** Enqueues tasks for each pool's own queue; prints their ids. */
const sender = (tasks: string) =>
  `import json, shop; print(json.dumps({pool: {what: sent.id for what, sent in dict(${tasks}).items()} for pool in ${
    JSON.stringify(pools)
  }}))`

describe.skipIf(!ready)("Celery workers with the published agent, one for each pool", () => {
  layer(serverOn("PostgreSQL", { agentOfflineAfter: 6, agentHeartbeat: 1 }), {
    excludeTestServices: true
  })((it) => {
    it.scoped("report, cancel, resize and end as docs/agents.md says", () =>
      Effect.gen(function*() {
        yield* watchOutbox
        const project = yield* freshProject()
        yield* subscribe(project.id, "worker.offline", { engine: "celery" })
        const { token } = yield* freshKey({ isAdmin: true })
        const call = (method: string, path: string, body?: unknown) =>
          Effect.map(
            request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body }),
            ({ json }) => json
          )
        const { agent, hmac_secret, token: agentToken } = yield* call("POST", "/agents", { name: "celery" })
        const { python, start } = yield* celeryHost({
          brainUrl: yield* baseUrl,
          project: project.slug,
          agentId: agent.id,
          token: agentToken,
          hmacSecret: hmac_secret,
          redisDatabase: 6,
          node: "unused"
        })
        const nodeOf = (pool: string) => `${pool}@shop`
        const workers = yield* Effect.forEach(pools, (pool) =>
          start(
            "celery",
            ["-A", "shop", "worker", "-E", "-P", pool, "-c", "2", "--hostname", nodeOf(pool), "--queues", pool],
            "task",
            { Z4J_CELERY_LOCAL_HOSTNAME: nodeOf(pool), CELERY_CUSTOM_WORKER_POOL: "shop_pool:TaskPool" }
          ), { concurrency: "unbounded" })
        const states = Effect.map(
          call("GET", "/workers"),
          (rows: ReadonlyArray<{ name: string; state: string }>): Readonly<Record<string, string>> =>
            Object.fromEntries(rows.map(({ name, state }) => [name, state]))
        )
        const all = (state: string) => Object.fromEntries(pools.map((pool) => [nodeOf(pool), state]))
        const show = Effect.suspend(() => Effect.log(workers.map(({ log }) => log().slice(-3000)).join("\n---\n")))
        yield* Effect.tapError(
          until(states, (rows) => pools.every((pool) => rows[nodeOf(pool)] === "online")),
          () => show
        )
        const send = (tasks: string) =>
          Effect.map(
            python("-c", sender(tasks)),
            (printed): Readonly<Record<string, Readonly<Record<string, string>>>> => JSON.parse(printed)
          )
        const task = (id: string | undefined) => call("GET", `/tasks/celery/${id}`)
        const command = (path: string, body: object) =>
          Effect.map(call("POST", `/commands/${path}`, { agent_id: agent.id, ...body }), ({ id }) => {
            const read = call("GET", `/commands/${id}`)
            return until(read, ({ note, status }) => status === "completed" && !String(note).includes("will show"))
          })
        const sent = yield* send(
          "add=shop.add.apply_async((2, 3), queue=pool), fail=shop.fail.apply_async(('no stock',), queue=pool), " +
            "flaky=shop.flaky.apply_async(queue=pool), later=shop.add.apply_async((4, 5), queue=pool, countdown=20)"
        )
        const commands = yield* Effect.forEach(pools, (pool) =>
          Effect.all({
            pool: Effect.succeed(pool),
            cancelled: command("cancel-task", { engine: "celery", task_id: sent[pool]?.later }),
            resized: command("pool-resize", { worker_name: nodeOf(pool), delta: 1 })
          }))
        for (const pool of pools) {
          const { add, fail, flaky, later } = sent[pool] ?? {}
          const added = yield* until(task(add), ({ state }) => state === "success")
          assert.deepInclude(added, { name: "shop.add", worker_name: nodeOf(pool) })
          assert.strictEqual(Number(added.result), 5)
          assert.match((yield* until(task(fail), ({ state }) => state === "failure")).exception, /no stock/)
          assert.strictEqual((yield* until(task(flaky), ({ state }) => state === "success")).retry_count, 1)
          // a worker drops it when it is due
          yield* until(task(later), ({ state }) => state === "revoked")
        }
        const naps = yield* send("nap=shop.nap.apply_async((10,), queue=pool)")
        const stops = yield* Effect.forEach(pools, (pool) =>
          Effect.gen(function*() {
            const id = naps[pool]?.nap
            yield* until(task(id), ({ state }) => state === "started")
            const stopped = yield* command("cancel-task", { engine: "celery", task_id: id })
            yield* stopped
            yield* Effect.sleep("3 seconds")
            const { state } = yield* task(id)
            const { note } = yield* stopped
            return { pool, state, note }
          }), { concurrency: "unbounded" })
        const revoked = { state: "revoked", note: null }
        const stillRuns = { state: "started", note: "The task was asked to stop and still runs." }
        assert.deepStrictEqual(Object.fromEntries(stops.map(({ pool, ...stop }) => [pool, stop])), {
          prefork: revoked,
          processes: revoked,
          solo: stillRuns,
          threads: stillRuns,
          // stopped, but Celery reports an end with None after the revocation
          gevent: { state: "success", note: "The task was asked to stop, and has ended (success)." },
          eventlet: revoked,
          custom: stillRuns
        })
        const resizes: Record<string, string | null> = {}
        for (const { cancelled, pool, resized } of commands) {
          yield* cancelled
          resizes[pool] = (yield* resized).note
        }
        const unchanged = (pool: string, wanted: number, actual: number) =>
          `The worker ${nodeOf(pool)} was asked to have ${wanted} processes; its last report has ${actual}.`
        const fixed = (kind: string) => ` A ${kind} pool cannot be resized: start the worker with another concurrency.`
        assert.deepStrictEqual(resizes, {
          prefork: null,
          processes: null,
          solo: unchanged("solo", 2, 1) + fixed("solo"),
          threads: unchanged("threads", 3, 2) + fixed("threads"),
          gevent: null,
          eventlet: null,
          custom: unchanged("custom", 3, 2)
        })
        for (const { stop } of workers) yield* stop
        yield* Effect.tapError(
          until(states, (rows) => Object.values(rows).every((state) => state !== "online")),
          () => show
        )
        assert.deepStrictEqual(yield* states, all("gone"))
        assert.deepStrictEqual(yield* recordedEvents(project.id), [])
      }))
  })
})
