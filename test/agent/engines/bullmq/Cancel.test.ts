import { assert, describe, it } from "@effect/vitest"
import { DelayedError, type Job, type JobsOptions, type Queue, WaitingError, Worker } from "bullmq"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import type { Engine } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { until } from "../../../until.ts"
import { workerProcess } from "./processes.ts"
import { add, bull, connection, gate, kinds, listening } from "./world.ts"

const ready = await has("Redis")

const backoff = { type: "fixed", delay: 60_000 }
const retries: ReadonlyArray<JobsOptions> = [{ attempts: 1 }, { attempts: 5 }, { attempts: 5, backoff }]

const cancel = (engine: Engine, task_id: string) =>
  (engine.actions as Required<Engine["actions"]>).cancel_task({ task_id }) // these engines have it

const stateOf = (queue: Queue, job: Job) => Effect.promise(() => queue.getJobState(job.id ?? ""))

const hasEnded = (queue: Queue, job: Job, state: string) => until(stateOf(queue, job), (now) => now === state)

/** The job as BullMQ has it is failed after one attempt, and says that it was cancelled. */
const failedOnce = Effect.fnUntraced(function*(queue: Queue, job: Job, suffix = "") {
  yield* hasEnded(queue, job, "failed")
  const now = yield* Effect.promise(() => queue.getJob(job.id ?? ""))
  assert.strictEqual(now?.failedReason, `cancelled by command${suffix}`)
  assert.strictEqual(now?.attemptsMade, 1)
})

/** What a processor throws when it is aborted, and what the job's failedReason says of it. */
const throwing: Readonly<
  Record<string, { readonly thrown: (signal: AbortSignal) => unknown; readonly suffix: string }>
> = {
  "the signal's reason": { thrown: (signal) => signal.reason, suffix: "" },
  "an AbortError": { thrown: () => new DOMException("no more", "AbortError"), suffix: ": no more" },
  "something else": { thrown: () => new RangeError("told to stop"), suffix: ": told to stop" },
  "nothing": { thrown: () => undefined, suffix: "" },
  "a rate limit": { thrown: () => Worker.RateLimitError(), suffix: ": bullmq:rateLimitExceeded" }
}

// Side by side: each has a prefix of its own, and several wait for a job to end.
describe.skipIf(!ready).concurrent("a BullMQ job that is cancelled while it runs", () => {
  for (const [what, { suffix, thrown }] of Object.entries(throwing)) {
    it.scopedLive(`fails once and for good when its processor throws ${what}, with any attempts and back-off`, () =>
      Effect.gen(function*() {
        const { queue, worker } = yield* bull
        const mail = yield* queue("mail")
        let runs = 0
        const runner = yield* worker("mail", (_job, _token, signal) => {
          runs++
          return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(thrown(signal))))
        })
        const engine = bullmq({ workers: [runner], queues: [mail] })
        const { awaitEvents, of } = yield* listening(engine)
        for (const [index, options] of retries.entries()) {
          const job = yield* add(mail, "long", {}, options)
          const task_id = `mail:${job.id}`
          yield* awaitEvents(task_id, "task.started")
          assert.deepInclude(yield* cancel(engine, task_id), { task_id, terminated: true })
          yield* failedOnce(mail, job, suffix)
          const events = yield* awaitEvents(task_id, "task.revoked")
          assert.deepInclude(events.at(-1)?.data, {
            terminated: true,
            exception_message: `cancelled by command${suffix}`
          })
          const again = yield* add(mail, "long", {}) // what BullMQ would run again would run before it
          yield* awaitEvents(`mail:${again.id}`, "task.started")
          yield* cancel(engine, `mail:${again.id}`)
          assert.deepStrictEqual(kinds(of(task_id)).slice(-2), ["task.started", "task.revoked"])
          assert.strictEqual(runs, 2 * (index + 1))
        }
      }))
  }

  it.scopedLive("that does not listen: the result says that it still runs; it fails once when it throws, and succeeds when it returns", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      let runs = 0
      const runner = yield* worker("mail", async (job, _token, _signal) => {
        runs++
        await barrier.opened
        if (job.name === "bad") throw new Error("late")
        return "sent"
      }, { concurrency: 2 })
      const engine = bullmq({ workers: [runner], queues: [mail] })
      const { awaitEvents, of } = yield* listening(engine)
      const [good, bad] = [yield* add(mail, "good", {}, { attempts: 5 }), yield* add(mail, "bad", {}, { attempts: 5 })]
      for (const job of [good, bad]) {
        yield* awaitEvents(`mail:${job.id}`, "task.started")
        const result = yield* cancel(engine, `mail:${job.id}`)
        assert.deepInclude(result, { soft: true, terminated: false })
        assert.include(result.note, "still running")
      }
      barrier.open()
      yield* hasEnded(mail, good, "completed")
      assert.include(kinds(yield* awaitEvents(`mail:${good.id}`, "task.succeeded")), "task.succeeded")
      assert.notInclude(kinds(of(`mail:${good.id}`)), "task.revoked")
      yield* failedOnce(mail, bad, ": late")
      yield* awaitEvents(`mail:${bad.id}`, "task.revoked")
      assert.notInclude(kinds(of(`mail:${bad.id}`)), "task.retried")
      assert.strictEqual(runs, 2)
      // nothing of the cancellation is left on the job that succeeded: it can run again
      assert.strictEqual(yield* Effect.promise(() => redis.hexists(`${prefix}:mail:${good.id}`, "defa")), 0)
      const done = yield* Effect.promise(() => mail.getJob(good.id ?? ""))
      yield* Effect.promise(() => done?.retry("completed") ?? Promise.resolve())
      yield* awaitEvents(`mail:${good.id}`, "task.succeeded", 2)
    }))

  it.scopedLive("whose processor returns normally has succeeded, and the result says so", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runner = yield* worker("mail", (_job, _token, signal) =>
        new Promise((resolve) => signal?.addEventListener("abort", () => resolve("half"))))
      const engine = bullmq({ workers: [runner], queues: [mail] })
      const { awaitEvents } = yield* listening(engine)
      const job = yield* add(mail, "long", {}, { attempts: 5 })
      const task_id = `mail:${job.id}`
      yield* awaitEvents(task_id, "task.started")
      const result = yield* cancel(engine, task_id)
      assert.deepInclude(result, { task_id, terminated: false, noop: true })
      assert.include(result.reason, "returned")
      yield* hasEnded(mail, job, "completed")
      const events = yield* awaitEvents(task_id, "task.succeeded")
      assert.deepInclude(events.at(-1)?.data, { result: "half" })
      assert.notInclude(kinds(events), "task.revoked")
    }))

  it.scopedLive("and put back by its processor is failed by BullMQ before it runs again", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      let runs = 0
      const runner = yield* worker("mail", (job, token, signal) => {
        runs++
        return new Promise((_, reject) =>
          signal?.addEventListener("abort", () => {
            const back = job.name === "later" ? job.moveToDelayed(Date.now() + 3_600_000, token) : job.moveToWait(token)
            back.then(() => reject(job.name === "later" ? new DelayedError() : new WaitingError()), reject)
          })
        )
      })
      const engine = bullmq({ workers: [runner], queues: [mail] })
      const { awaitEvents, of } = yield* listening(engine)
      for (const name of ["later", "again"]) {
        const job = yield* add(mail, name, {}, { attempts: 5 })
        const task_id = `mail:${job.id}`
        yield* awaitEvents(task_id, "task.started")
        assert.deepInclude(yield* cancel(engine, task_id), { task_id })
        yield* failedOnce(mail, job)
        yield* awaitEvents(task_id, "task.revoked")
        assert.strictEqual(kinds(of(task_id)).at(-1), "task.revoked")
      }
      assert.strictEqual(runs, 2)
    }))

  it.scopedLive("in a sandbox: as in the worker's own process", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const file = fileURLToPath(new URL("sandboxed.cjs", import.meta.url))
      const runner = yield* Effect.acquireRelease(
        Effect.sync(() => new Worker("mail", file, { connection, prefix })),
        (worker) => Effect.promise(() => worker.close(true))
      )
      const engine = bullmq({ workers: [runner], queues: [mail] })
      const { awaitEvents } = yield* listening(engine)
      const job = yield* add(mail, "long", {}, { attempts: 5 })
      yield* awaitEvents(`mail:${job.id}`, "task.started")
      yield* cancel(engine, `mail:${job.id}`) // the sandbox may still be starting: the result is one of two
      yield* failedOnce(mail, job, ": told to stop")
      yield* awaitEvents(`mail:${job.id}`, "task.revoked")
      const deaf = yield* add(mail, "deaf", {}, { attempts: 5 })
      yield* awaitEvents(`mail:${deaf.id}`, "task.started")
      yield* cancel(engine, `mail:${deaf.id}`)
      yield* hasEnded(mail, deaf, "completed")
      yield* awaitEvents(`mail:${deaf.id}`, "task.succeeded")
    }))

  it.scopedLive("in another process: cancelled over the relay, seen from outside as revoked, and failed if the process dies", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = bullmq({ queues: [mail] })
      yield* listening(engine)
      const there = yield* workerProcess(prefix, "mail")
      const outside = bullmqFromOutside({ queues: ["mail"], connection, prefix })
      const { awaitEvents } = yield* listening(outside)
      for (const options of retries) {
        const job = yield* add(mail, "wait", {}, options)
        const task_id = `mail:${job.id}`
        yield* there.awaitEvents(task_id, "task.started")
        assert.deepInclude(yield* cancel(engine, task_id), { task_id, terminated: true, worker: there.name })
        yield* failedOnce(mail, job, ": aborted")
        yield* there.awaitEvents(task_id, "task.revoked")
        const eventKinds = kinds(yield* awaitEvents(task_id, "task.revoked"))
        assert.notInclude(eventKinds, "task.retried")
        assert.notInclude(eventKinds, "task.failed")
      }
      const calm = yield* add(mail, "calm", {}, { attempts: 5 })
      yield* there.awaitEvents(`mail:${calm.id}`, "task.started")
      assert.deepInclude(yield* cancel(engine, `mail:${calm.id}`), { terminated: false, noop: true })
      yield* there.awaitEvents(`mail:${calm.id}`, "task.succeeded")

      // a process that dies with the job: BullMQ fails it instead of running it again
      const job = yield* add(mail, "stick", {}, { attempts: 5 })
      const task_id = `mail:${job.id}`
      yield* there.awaitEvents(task_id, "task.started")
      assert.deepInclude(yield* cancel(engine, task_id), { soft: true, worker: there.name })
      yield* there.kill
      let runs = 0
      const runner = yield* worker("mail", async () => runs++, { lockDuration: 1000, stalledInterval: 500 })
      const after = yield* listening(bullmq({ workers: [runner], queues: [mail] }))
      yield* failedOnce(mail, job)
      yield* after.awaitEvents(task_id, "task.revoked")
      assert.notInclude(kinds(after.of(task_id)), "task.failed")
      assert.strictEqual(runs, 0)
    }))
})
