import { assert, describe, layer } from "@effect/vitest"
import { FlowProducer } from "bullmq"
import { Effect } from "effect"
import { bullmq, bullmqFromOutside } from "../../src/agent/engines/bullmq/BullMQ.ts"
import { startAgent } from "../../src/agent/runtime/startAgent.ts"
import { redisServer } from "../agent/engines/bullmq/redisServer.ts"
import { add, bull, connection, gate } from "../agent/engines/bullmq/world.ts"
import { baseUrl, serverOn } from "../brain.ts"
import { enginesOr } from "../engines.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { prepareFixture, twoWorkers, workerProcess } from "./bullmq/fixture.ts"

const ready = await has("Redis")

describe.skipIf(!ready).each(enginesOr("SQLite"))("BullMQ's agents on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("report what happens and obey: an app and two worker processes with one token", () =>
      Effect.gen(function*() {
        const { call, command, home, hmacSecret, waitForState, token } = yield* prepareFixture
        const { prefix, queue } = yield* bull
        const shop = yield* queue("shop")
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({ brainUrl, token, hmacSecret, home, role: "web", engines: [bullmq({ queues: [shop] })] })
          ),
          (app) => Effect.promise(() => app.close())
        )
        const first = yield* workerProcess(prefix, brainUrl, token, hmacSecret, home, String(connection.port))
        const second = yield* workerProcess(prefix, brainUrl, token, hmacSecret, home, String(connection.port))
        const workers = yield* twoWorkers(call)
        const ofProcess = (pid: number | undefined) => workers.find((worker) => worker.pid === pid)?.name

        const fine = yield* add(shop, "greet", { to: "ada", password: "not-for-eyes" }) // masked by its name
        assert.deepInclude(yield* waitForState(`shop:${fine.id}`, "success"), {
          name: "greet",
          queue: "shop",
          kwargs: { to: "ada", password: "[REDACTED]" },
          args: []
        })

        const charge = yield* add(shop, "charge", { closed: true })
        const failed = yield* waitForState(`shop:${charge.id}`, "failure")
        assert.strictEqual(failed.exception, "RangeError: the till is closed")
        assert.include(failed.traceback, "bullmq-app.js")
        const retried = yield* command("retry-task", { engine: "bullmq", task_id: `shop:${charge.id}` })
        assert.deepInclude(retried, { status: "completed", error: null })
        assert.deepInclude(yield* waitForState(`shop:${charge.id}`, "success"), { result: "charged" })
        const overridden = yield* command("retry-task", {
          engine: "bullmq",
          task_id: `shop:${fine.id}`,
          override_args: [],
          override_kwargs: { to: "bob" }
        })
        assert.deepInclude(yield* waitForState(overridden.result.new_task_id, "success"), { kwargs: { to: "bob" } })

        const broken = yield* Effect.forEach([1, 2, 3], () => add(shop, "charge", { closed: true }))
        const ids = broken.map(({ id }) => `shop:${id}`)
        for (const id of ids) yield* waitForState(id, "failure")
        const bulk = yield* command("bulk-retry", { filter: { task_ids: ids, engine: "bullmq" } })
        assert.strictEqual(bulk.status, "completed", JSON.stringify(bulk))
        for (const id of ids) yield* waitForState(id, "success")

        const flows = yield* Effect.acquireRelease(
          Effect.sync(() => new FlowProducer({ connection, prefix })),
          (flows) => Effect.promise(() => flows.close())
        )
        const step = (name: string) => ({ name, queueName: "shop", data: {} })
        const flow = yield* Effect.promise(() =>
          flows.add({ ...step("order"), children: [{ ...step("parcel"), children: [step("label"), step("weigh")] }] })
        )
        const root = `shop:${flow.job.id}`
        yield* waitForState(root, "success")
        const leaf = `shop:${flow.children?.[0]?.children?.[0]?.job.id}`
        const tree = yield* until(
          call("GET", `/tasks/bullmq/${encodeURIComponent(leaf)}/tree`),
          ({ json }) => json.node_count === 4
        )
        assert.deepInclude(tree.json, { root_task_id: root, truncated: false })

        const done = (action: string, body: object) =>
          Effect.tap(
            command(action, body),
            ({ error, status }) => assert.strictEqual(status, "completed", `${action}: ${error}`)
          )
        const dead = yield* add(shop, "charge", { closed: true })
        yield* waitForState(`shop:${dead.id}`, "failure")
        const { json: letters } = yield* call("GET", "/dead-letters?engine=bullmq&queue=shop")
        assert.deepInclude(letters.entries.find(({ task_id }: { task_id: string }) => task_id === `shop:${dead.id}`), {
          task_name: "charge",
          queue: "shop",
          error_excerpt: "the till is closed",
          attempts: 1
        })
        yield* done("requeue-dead-letter", { engine: "bullmq", task_id: `shop:${dead.id}` })
        assert.deepInclude(yield* waitForState(`shop:${dead.id}`, "success"), { result: "charged" })

        // two each, and now three: as many run at once, of which each is cancelled wherever it runs
        for (const pid of [first.pid, second.pid]) yield* done("pool-resize", { worker_name: ofProcess(pid), delta: 1 })
        const long = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => add(shop, "long", {}, { attempts: 5 }))
        for (const { id } of long) yield* waitForState(`shop:${id}`, "started")
        assert.strictEqual(yield* Effect.promise(() => shop.getActiveCount()), 6)
        for (const { id } of long) yield* done("cancel-task", { engine: "bullmq", task_id: `shop:${id}` })
        for (const { id } of long) yield* waitForState(`shop:${id}`, "revoked")
        assert.strictEqual(yield* Effect.promise(() => shop.getFailedCount()), 6) // BullMQ has them as its own failed ones

        yield* done("rate-limit", { engine: "bullmq", task_name: "shop", rate: "1/h" })
        const limited = yield* Effect.forEach([1, 2], () => add(shop, "greet", {}))
        yield* waitForState(`shop:${limited[0]?.id}`, "success")
        assert.isAbove(yield* Effect.promise(() => shop.getRateLimitTtl(1)), 0)
        assert.strictEqual(yield* Effect.promise(() => shop.getJobState(limited[1]?.id ?? "")), "waiting")
        yield* done("rate-limit", { engine: "bullmq", task_name: "shop", rate: "0" })
        yield* waitForState(`shop:${limited[1]?.id}`, "success")

        for (const pid of [first.pid, second.pid]) {
          yield* done("cancel-consumer", { worker_name: ofProcess(pid), queue: "shop" })
        }
        const parked = yield* Effect.forEach([1, 2], () => add(shop, "greet", {}))
        const mismatch = yield* command("purge-queue", { engine: "bullmq", queue: "shop", observed_depth: 7 })
        assert.strictEqual(mismatch.status, "failed")
        const purged = yield* command("purge-queue", { engine: "bullmq", queue: "shop", observed_depth: 2 })
        assert.deepInclude(purged.result, { queue: "shop", purged: 2 }, purged.error)
        for (const { id } of parked) yield* waitForState(`shop:${id}`, "revoked")

        // who alone consumes the queue runs what comes
        const runsIt = (pid: number | undefined) =>
          Effect.gen(function*() {
            const { id } = yield* add(shop, "greet", {})
            assert.strictEqual((yield* waitForState(`shop:${id}`, "success")).worker_name, ofProcess(pid))
          })
        yield* done("add-consumer", { worker_name: ofProcess(first.pid), queue: "shop" })
        yield* runsIt(first.pid)
        yield* done("cancel-consumer", { worker_name: ofProcess(first.pid), queue: "shop" })
        const lines = Effect.map(Effect.promise(() => shop.getWorkers()), (clients) => clients.map(({ id }) => id))
        const before = yield* lines
        yield* done("restart-worker", { worker_name: ofProcess(second.pid) })
        assert.strictEqual(
          (yield* lines).filter((id) => before.includes(id)).length,
          1,
          "of two connections one is new"
        )
        yield* runsIt(second.pid)
        yield* done("add-consumer", { worker_name: ofProcess(first.pid), queue: "shop" })

        const crash = yield* add(shop, "crash", {})
        const { worker_name } = yield* waitForState(`shop:${crash.id}`, "started")
        const runningProcess = worker_name === ofProcess(first.pid) ? first : second
        runningProcess.kill("SIGKILL")
        assert.deepInclude(yield* waitForState(`shop:${crash.id}`, "success"), { result: "survived", retry_count: 1 })
      }))

    it.scoped("obey over long-poll: a worker is restarted by its name, and a job that runs is cancelled for good", () =>
      Effect.gen(function*() {
        const { call, command, home, hmacSecret, waitForState, token } = yield* prepareFixture
        const { queue, worker } = yield* bull
        const mail = yield* queue("mail")
        const runs = yield* worker("mail", (job, _token, signal) =>
          job.name === "long"
            ? new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("told to stop"))))
            : Promise.resolve("sent"))
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({
              brainUrl,
              token,
              hmacSecret,
              home,
              transport: "longpoll",
              engines: [bullmq({ workers: [runs], queues: [mail] })]
            })
          ),
          (agent) => Effect.promise(() => agent.close())
        )
        const [shown] = yield* until(
          Effect.map(call("GET", "/workers"), ({ json }) => json),
          (workers) => workers.length > 0
        )
        const restarted = yield* command("restart-worker", { engine: "bullmq", worker_name: shown.name })
        assert.deepInclude(restarted, { status: "completed", result: { worker: shown.name, restarted: true } })
        const long = yield* add(mail, "long", {}, { attempts: 5 })
        const task_id = `mail:${long.id}`
        yield* waitForState(task_id, "started")
        const cancelled = yield* command("cancel-task", { engine: "bullmq", task_id })
        assert.deepInclude(cancelled.result, { terminated: true })
        yield* waitForState(task_id, "revoked")
        const short = yield* add(mail, "short", {}) // what ran again would have come before it
        yield* waitForState(`mail:${short.id}`, "success")
        assert.deepInclude(yield* waitForState(task_id, "revoked"), { state: "revoked", retry_count: 0 })
        assert.strictEqual(yield* Effect.promise(() => mail.getJobState(String(long.id))), "failed")
      }))

    it.scoped("report and obey from outside, as far as that goes", () =>
      Effect.gen(function*() {
        const { call, command, home, hmacSecret, waitForState, token } = yield* prepareFixture
        const { prefix, queue, worker } = yield* bull
        const mail = yield* queue("mail")
        const longJob = gate()
        let closed = true
        yield* worker("mail", async (job) => {
          if (job.name === "long") return longJob.opened
          if (closed) throw new RangeError("the box is closed")
          return job.data
        }, { concurrency: 2 })
        const old = yield* add(mail, "welcome", { to: "ada" }) // before there was an agent
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({
              brainUrl,
              token,
              hmacSecret,
              home,
              engines: [bullmqFromOutside({ queues: ["mail"], connection, prefix })]
            })
          ),
          (agent) => Effect.promise(() => agent.close())
        )
        const task_id = `mail:${old.id}`
        assert.deepInclude(yield* waitForState(task_id, "failure"), {
          exception: "RangeError: the box is closed",
          kwargs: { to: "ada" }
        })
        closed = false
        assert.deepInclude(yield* command("retry-task", { engine: "bullmq", task_id }), { status: "completed" })
        assert.deepInclude(yield* waitForState(task_id, "success"), { result: { to: "ada" } })

        const later = yield* add(mail, "welcome", {}, { delay: 3_600_000 })
        yield* waitForState(`mail:${later.id}`, "received")
        yield* command("cancel-task", { engine: "bullmq", task_id: `mail:${later.id}` })
        yield* waitForState(`mail:${later.id}`, "revoked")
        const long = yield* add(mail, "long", {})
        yield* waitForState(`mail:${long.id}`, "started")
        const refused = yield* command("cancel-task", { engine: "bullmq", task_id: `mail:${long.id}` })
        assert.strictEqual(refused.status, "failed")
        assert.include(refused.error, "from outside cannot cancel it")
        longJob.open()
        yield* waitForState(`mail:${long.id}`, "success")
        const [shown] = yield* until(Effect.map(call("GET", "/workers"), ({ json }) => json), (workers) =>
          workers.length > 0)
        const restart = yield* command("restart-worker", { engine: "bullmq", worker_name: shown.name })
        assert.strictEqual(restart.status, "failed")
        assert.include(restart.error, "cannot do restart_worker")
        yield* until(call("GET", "/queues"), ({ json }) =>
          json.some((queue: { name: string; depth: number }) =>
            queue.name === "mail" && queue.depth === 0
          ))
      }))
  })
})

describe.skipIf(!await has("redis-server", "Redis"))("BullMQ's agents and a Redis that is killed", () => {
  layer(serverOn("SQLite"), { excludeTestServices: true })((it) => {
    it.scoped("two worker processes with one token: in the end the brain has what Redis has", () =>
      Effect.gen(function*() {
        const { call, home, hmacSecret, token } = yield* prepareFixture
        const redis = yield* redisServer({ keeps: true })
        const { prefix, queue } = yield* bull
        const shop = yield* queue("shop", redis.connection)
        const brainUrl = yield* baseUrl
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            startAgent({ brainUrl, token, hmacSecret, home, role: "web", engines: [bullmq({ queues: [shop] })] })
          ),
          (app) => Effect.promise(() => app.close())
        )
        for (const _ of [1, 2]) {
          yield* workerProcess(prefix, brainUrl, token, hmacSecret, home, String(redis.connection.port))
        }
        yield* twoWorkers(call)

        const naps = (count: number) =>
          Effect.promise(() => shop.addBulk(Array.from({ length: count }, (_, n) => ({ name: "nap", data: { n } }))))
        yield* naps(120)
        yield* until(Effect.promise(() => shop.getCompletedCount()), (count) => count > 30)
        yield* redis.kill
        yield* redis.start
        yield* naps(60)
        const inRedis = yield* until(
          Effect.promise(() => shop.getJobCounts()),
          ({ completed = 0, failed = 0 }) => completed + failed === 180
        )
        const inBrain = Effect.gen(function*() {
          const states: Record<string, number> = {}
          let cursor = ""
          do {
            const { json } = yield* call(
              "GET",
              `/tasks?limit=200${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
            )
            for (const { state } of json.items) states[state] = (states[state] ?? 0) + 1
            cursor = json.next_cursor ?? ""
          } while (cursor !== "")
          return states
        })
        const endedCounts = yield* until(inBrain, ({ failure = 0, success = 0 }) => success + failure === 180)
        assert.deepStrictEqual([endedCounts.success, endedCounts.failure ?? 0], [inRedis.completed, inRedis.failed])
        assert.strictEqual(Object.values(endedCounts).reduce((sum, count) => sum + count, 0), 180)
      }))
  })
})
