import { assert, describe, it } from "@effect/vitest"
import { DelayedError, WaitingChildrenError, WaitingError, Worker } from "bullmq"
import { Effect, Fiber } from "effect"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import type { ActionFailed, Engine } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { until } from "../../../until.ts"
import { workerProcess } from "./processes.ts"
import { add, bull, connection, gate, kinds, listening } from "./world.ts"

const ready = await has("Redis")

const actions = (engine: Engine) => engine.actions as Required<Engine["actions"]> // these engines have what is called here
const readRefusal = <A>(action: Effect.Effect<A, ActionFailed>) =>
  Effect.map(Effect.flip(action), ({ message }) => message)
const nameOf = (engine: Engine) => Effect.map(engine.inventory, ({ workers }) => workers[0]?.name ?? "")

// Side by side: each has a prefix of its own, and several wait for the relay's patience or for a job to stall.
describe.skipIf(!ready).concurrent("what can be done to BullMQ's workers", () => {
  it.scopedLive("refuses to cancel a job whose processor takes no signal, or that runs where no agent is", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      const runs = yield* worker("mail", (_job) => barrier.opened)
      const engine = bullmq({ workers: [runs], queues: [mail] })
      const { awaitEvents } = yield* listening(engine)
      const job = yield* add(mail, "long", {})
      yield* awaitEvents(`mail:${job.id}`, "task.started")
      const task_id = `mail:${job.id}`
      assert.include(yield* readRefusal(actions(engine).cancel_task({ task_id })), "takes no abort signal")
      const outside = bullmqFromOutside({ queues: ["mail"], connection, prefix })
      yield* listening(outside)
      assert.include(yield* readRefusal(actions(outside).cancel_task({ task_id })), "from outside cannot cancel it")
      barrier.open()
      yield* awaitEvents(task_id, "task.succeeded")
    }))

  it.scopedLive("grows and shrinks a worker, not below one", () =>
    Effect.gen(function*() {
      const { worker } = yield* bull
      const runs = yield* worker("mail", async () => 1, { concurrency: 2 })
      const engine = bullmq({ workers: [runs] })
      yield* listening(engine)
      const worker_name = yield* nameOf(engine)
      const { pool_resize } = actions(engine)
      assert.deepInclude(yield* pool_resize({ worker_name, delta: 3 }), { concurrency: 5 })
      assert.strictEqual(runs.concurrency, 5)
      yield* pool_resize({ worker_name, delta: -4 })
      assert.strictEqual((yield* engine.inventory).workers[0]?.concurrency, 1)
      assert.include(yield* readRefusal(pool_resize({ worker_name, delta: -1 })), "the minimum is 1")
      assert.include(
        yield* readRefusal(pool_resize({ worker_name: "nobody", delta: 1 })),
        "no process with an agent that answers has a worker nobody"
      )
    }))

  it.scopedLive("a job that its processor puts back runs no more: it waits, and is not the worker's", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs: Worker = yield* worker("mail", async (job, token) => {
        if (job.attemptsStarted > 1) return "done"
        switch (job.name) {
          case "later":
            await job.moveToDelayed(Date.now() + 3_600_000, token)
            throw new DelayedError()
          case "again":
            await runs.pause(true)
            await job.moveToWait(token)
            throw new WaitingError()
          case "limited":
            await runs.pause(true)
            throw Worker.RateLimitError()
          case "parent":
            await mail.add("child", {}, {
              delay: 3_600_000,
              parent: { id: String(job.id), queue: job.queueQualifiedName }
            })
            if (await job.moveToWaitingChildren(String(token))) throw new WaitingChildrenError()
        }
      })
      const engine = bullmq({ workers: [runs], queues: [mail] })
      const { awaitEvents } = yield* listening(engine)
      const busy = Effect.map(engine.inventory, ({ workers }) => workers[0]?.activeTasks)
      const back = { reason: "put back by its processor" }
      const cases = [["later", "task.retried", back], ["parent", "unknown", { note: "waits for its children" }], [
        "again",
        "task.retried",
        back
      ], ["limited", "task.retried", back]] as const
      for (const [name, kind, data] of cases) {
        const job = yield* add(mail, name, {})
        const events = yield* awaitEvents(`mail:${job.id}`, kind)
        assert.deepInclude(events.at(-1)?.data, { ...data, task_name: name, queue: "mail" })
        assert.strictEqual(events.at(-1)?.data.eta === undefined, name !== "later")
        assert.strictEqual(yield* busy, 0, name)
        if (name !== "again" && name !== "limited") continue
        yield* until(Effect.promise(() => mail.getWaitingCount()), (count) => count === 1)
        yield* Effect.promise(async () => runs.resume())
        yield* awaitEvents(`mail:${job.id}`, "task.succeeded")
        assert.strictEqual(yield* busy, 0, name)
      }
    }))

  it.scopedLive("a job whose end Redis stored without the worker receiving a reply is reported all the same", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      // as when the connection breaks before the reply: the worker repeats the call, and Redis replies that the job does not run
      const runs = yield* worker("mail", async (job, token = "") => {
        const same = await mail.getJob(job.id ?? "")
        if (job.name === "fine") return same?.moveToCompleted("sent", token, false).then(() => "sent")
        await same?.moveToFailed(new RangeError("no box"), token, false)
        throw new RangeError("no box")
      })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const fine = yield* add(mail, "fine", {})
      const succeeded = (yield* awaitEvents(`mail:${fine.id}`, "task.succeeded")).at(-1)
      assert.deepInclude(succeeded?.data, { result: "sent", task_name: "fine" })
      for (const [attempts, kind] of [[1, "task.failed"], [2, "task.retried"]] as const) {
        const bad = yield* add(mail, "bad", {}, { attempts, backoff: { type: "fixed", delay: 60_000 } })
        const ended = (yield* awaitEvents(`mail:${bad.id}`, kind)).at(-1)
        assert.deepInclude(ended?.data, { exception: "RangeError", exception_message: "no box" })
        assert.strictEqual(ended?.data.eta === undefined, kind === "task.failed")
      }
    }))

  it.scopedLive("pauses and resumes a worker, and restarts it with jobs left to do", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      const runs = yield* worker("mail", (job) => job.name === "long" ? barrier.opened : Promise.resolve())
      const engine = bullmq({ workers: [runs], queues: [mail] })
      const { awaitEvents } = yield* listening(engine)
      const worker_name = yield* nameOf(engine)
      const { add_consumer, cancel_consumer, restart_worker } = actions(engine)
      yield* cancel_consumer({ worker_name, queue: "mail" })
      assert.deepStrictEqual((yield* engine.inventory).workers[0]?.queues, [])
      const waits = yield* add(mail, "short", {})
      yield* add(mail, "short", {})
      assert.strictEqual(yield* Effect.promise(() => mail.getWaitingCount()), 2)
      assert.include(yield* readRefusal(add_consumer({ worker_name, queue: "post" })), "has one queue")
      yield* add_consumer({ worker_name, queue: "mail" })
      yield* awaitEvents(`mail:${waits.id}`, "task.succeeded")

      assert.deepInclude(yield* restart_worker({ worker_name }), { restarted: true })
      const after = yield* add(mail, "short", {})
      yield* awaitEvents(`mail:${after.id}`, "task.succeeded")

      const long = yield* add(mail, "long", {})
      yield* awaitEvents(`mail:${long.id}`, "task.started")
      assert.deepInclude(yield* restart_worker({ worker_name }), { restarted: false, waiting_for: 1 })
      const next = yield* add(mail, "short", {})
      barrier.open()
      yield* awaitEvents(`mail:${next.id}`, "task.succeeded")
    }))

  it.scopedLive("reaches the workers and running jobs of other processes", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = bullmq({ queues: [mail], workers: [yield* worker("other", async () => 1)] })
      yield* listening(engine)
      const there = yield* workerProcess(prefix, "mail")

      const job = yield* add(mail, "wait", {})
      yield* there.awaitEvents(`mail:${job.id}`, "task.started")
      assert.deepInclude(yield* actions(engine).cancel_task({ task_id: `mail:${job.id}` }), {
        terminated: true,
        worker: there.name
      })
      yield* there.awaitEvents(`mail:${job.id}`, "task.revoked")

      const resized = yield* actions(engine).pool_resize({ worker_name: there.name, delta: 2 })
      assert.deepInclude(resized, { worker: there.name, concurrency: 4 })
      const foreign = actions(engine).add_consumer({ worker_name: there.name, queue: "post" })
      assert.include(yield* readRefusal(foreign), "has one queue")

      // what was reported as not done is not done later either
      yield* there.stop
      const tooLate = yield* Effect.flip(actions(engine).pool_resize({ worker_name: there.name, delta: 2 }))
      assert.include(tooLate.message, `no process with an agent that answers has a worker ${there.name}`)
      assert.isUndefined(tooLate.indeterminate)
      yield* there.goOn
      assert.deepInclude(yield* actions(engine).pool_resize({ worker_name: there.name, delta: 1 }), { concurrency: 5 })
    }))

  it.scopedLive("what another process claimed without a reply may be done", () =>
    Effect.gen(function*() {
      const { prefix, redis, worker } = yield* bull
      const engine = bullmq({ workers: [yield* worker("mail", async () => 1)] })
      yield* listening(engine)
      const asking = yield* Effect.fork(Effect.flip(actions(engine).pool_resize({ worker_name: "another", delta: 1 })))
      const [requestKey = ""] = yield* until(Effect.promise(() => redis.keys(`${prefix}:svc-agent:ask:*`)), (keys) =>
        keys.length === 1)
      yield* Effect.promise(() =>
        redis.del(requestKey)
      )
      const failure = yield* Fiber.join(asking)
      assert.isTrue(failure.indeterminate)
      assert.include(failure.message, "did not report its outcome")
    }))

  it.scopedLive("a worker killed at work: the job stalls, is retried by another worker, and ends", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const there = yield* workerProcess(prefix, "mail")
      const job = yield* add(mail, "stick", {})
      const [, started] = yield* there.awaitEvents(`mail:${job.id}`, "task.started")
      yield* there.kill
      const outside = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const runs = yield* worker("mail", async () => "at last", { lockDuration: 1000, stalledInterval: 500 })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const events = yield* awaitEvents(`mail:${job.id}`, "task.succeeded")
      yield* awaitEvents(`mail:${job.id}`, "task.retried")
      const retried = events.find(({ kind }) => kind === "task.retried")
      const again = events.find(({ kind }) => kind === "task.started")
      assert.match(String(retried?.data.reason), /^stalled/)
      assert.isAbove(retried?.occurredAt ?? 0, started?.occurredAt ?? Infinity)
      assert.isBelow(retried?.occurredAt ?? Infinity, again?.occurredAt ?? 0)
      assert.deepInclude(again?.data, { attempt: 2, task_name: "stick" })
      const outsideEvents = yield* outside.awaitEvents(`mail:${job.id}`, "task.succeeded")
      assert.deepStrictEqual(kinds(outsideEvents).slice(-3), ["task.retried", "task.started", "task.succeeded"])
      assert.match(String(outsideEvents.at(-3)?.data.reason), /^stalled/)
    }))
})
