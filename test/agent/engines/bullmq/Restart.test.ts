import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hostname } from "node:os"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import type { Engine, EngineEvent } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { until } from "../../../until.ts"
import { redisServer } from "./redisServer.ts"
import { add, bull, gate, listening } from "./world.ts"

const ready = await has("redis-server", "Redis")

const actions = (engine: Engine) => engine.actions as Required<Engine["actions"]> // these engines have what is called here
const schedulesOf = ({ scheduler }: Engine) => scheduler?.list ?? Effect.dieMessage("no scheduler")
const ended = ["task.received", "task.started", "task.succeeded"]
/** In process, the addition of a job is reported twice with the same time, which the brain counts once: by its queue, and as it starts. */
const transitions = (events: ReadonlyArray<EngineEvent>) => [
  ...new Map(
    events.map((
      event
    ) => [`${event.kind} ${event.kind === "task.received" ? event.occurredAt : events.indexOf(event)}`, event.kind])
  ).values()
]

/** The queue `mail` with an agent beside its worker, and `post` with one from outside. */
const world = (keeps: boolean) =>
  Effect.gen(function*() {
    const redis = yield* redisServer({ keeps })
    const { connection } = redis
    const { prefix, queue, worker } = yield* bull
    const mail = yield* queue("mail", connection)
    const post = yield* queue("post", connection)
    const barrier = gate()
    const process = (job: { readonly name: string }, _token?: string, signal?: AbortSignal) =>
      job.name === "held"
        ? barrier.opened
        : job.name === "long"
        ? new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("told to stop"))))
        : Promise.resolve(1)
    const options = { connection, concurrency: 2, runRetryDelay: 100 }
    const runs = yield* worker("mail", (job, token, signal) => process(job, token, signal), options)
    yield* worker("post", (job, token, signal) => process(job, token, signal), options)
    const other = yield* worker("other", async () => 1, { connection })
    const engines = {
      beside: bullmq({ workers: [runs], queues: [mail] }),
      outside: bullmqFromOutside({ queues: ["post"], connection, prefix }),
      another: bullmq({ workers: [other] })
    }
    const listeners = {
      mail: yield* listening(engines.beside),
      post: yield* listening(engines.outside),
      another: yield* listening(engines.another)
    }
    const restartRedis = Effect.gen(function*() {
      yield* redis.kill
      for (const engine of Object.values(engines)) assert.isFalse((yield* engine.inventory).brokerConnected)
      // none would count as all deleted
      for (const engine of Object.values(engines)) {
        assert.include((yield* Effect.flip(schedulesOf(engine))).message, "the connection to Redis is")
      }
      barrier.open() // what runs ends while no event can be sent
      yield* redis.start
      for (const engine of Object.values(engines)) {
        yield* until(engine.inventory, ({ brokerConnected }) => brokerConnected)
      }
      for (const engine of Object.values(engines)) {
        assert.deepStrictEqual(yield* schedulesOf(engine), [])
      }
    })

    /** New jobs are reported, and every kind of command works: by a queue, in this process, and in another one. */
    const worksAgain = Effect.gen(function*() {
      for (const queue of [mail, post]) {
        const job = yield* add(queue, "after", {}, { jobId: "after" })
        assert.deepStrictEqual(
          transitions(
            yield* listeners[queue === mail ? "mail" : "post"].awaitEvents(`${queue.name}:${job.id}`, "task.succeeded")
          ),
          ended
        )
      }
      const call = { task_name: "submitted", args: [], kwargs: {} }
      for (const [name, engine] of [["mail", engines.beside], ["post", engines.outside]] as const) {
        const { task_id } = yield* actions(engine).submit_task({ ...call, queue: name })
        yield* listeners[name].awaitEvents(String(task_id), "task.succeeded")
        const later = yield* actions(engine).submit_task({ ...call, queue: name, eta_seconds: 3600 })
        yield* actions(engine).cancel_task({ task_id: String(later.task_id) })
        yield* listeners[name].awaitEvents(String(later.task_id), "task.revoked")
      }
      const long = yield* add(mail, "long", {}, { jobId: "long" })
      yield* listeners.mail.awaitEvents("mail:long", "task.started")
      yield* actions(engines.beside).cancel_task({ task_id: `mail:${long.id}` })
      yield* listeners.mail.awaitEvents("mail:long", "task.revoked")
      const worker_name = `mail-${globalThis.process.pid}@${hostname()}`
      assert.deepInclude(yield* actions(engines.another).pool_resize({ worker_name, delta: 1 }), { concurrency: 3 })
    })
    return { restartRedis, engines, mail, post, listeners, worksAgain }
  })

describe.skipIf(!ready)("Redis killed and started again", () => {
  it.scopedLive("with what it had: every transition of every job is reported, and once", () =>
    Effect.gen(function*() {
      const { restartRedis, mail, post, listeners, worksAgain } = yield* world(true)
      for (const queue of [mail, post]) {
        const { awaitEvents } = listeners[queue === mail ? "mail" : "post"]
        for (const name of ["before", "held"]) yield* add(queue, name, {}, { jobId: name })
        yield* add(queue, "soon", {}, { jobId: "soon", delay: 3_600_000 })
        yield* awaitEvents(`${queue.name}:before`, "task.succeeded")
        yield* awaitEvents(`${queue.name}:held`, "task.started")
        yield* awaitEvents(`${queue.name}:soon`, "task.received")
      }
      yield* restartRedis
      for (const queue of [mail, post]) {
        const { awaitEvents, of } = listeners[queue === mail ? "mail" : "post"]
        assert.deepStrictEqual(transitions(yield* awaitEvents(`${queue.name}:held`, "task.succeeded")), ended)
        const soon = yield* Effect.promise(() => queue.getJob("soon"))
        yield* Effect.promise(async () => soon?.promote())
        yield* awaitEvents(`${queue.name}:soon`, "task.succeeded")
        for (const name of ["before", "held"]) assert.deepStrictEqual(transitions(of(`${queue.name}:${name}`)), ended)
      }
      yield* worksAgain
    }))

  it.scopedLive("without what it had: what was lost is unknown when asked for, and all that comes after is reported", () =>
    Effect.gen(function*() {
      const { restartRedis, engines, mail, post, listeners, worksAgain } = yield* world(false)
      for (const queue of [mail, post]) {
        const { awaitEvents } = listeners[queue === mail ? "mail" : "post"]
        for (const name of ["before", "held"]) yield* add(queue, name, {}, { jobId: name })
        yield* awaitEvents(`${queue.name}:before`, "task.succeeded")
        yield* awaitEvents(`${queue.name}:held`, "task.started")
      }
      yield* restartRedis
      yield* worksAgain
      for (const [name, engine] of [["mail", engines.beside], ["post", engines.outside]] as const) {
        assert.deepStrictEqual(transitions(listeners[name].of(`${name}:before`)), ended)
        assert.deepStrictEqual(transitions(listeners[name].of(`${name}:held`)), ended.slice(0, 2))
        assert.strictEqual((yield* engine.reconcile(`${name}:held`)).engine_state, "unknown")
      }
      assert.strictEqual((yield* engines.beside.inventory).workers[0]?.activeTasks, 0)
    }))
})
