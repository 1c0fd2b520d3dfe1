import { assert, describe, it } from "@effect/vitest"
import { DelayedError, FlowProducer, type Queue } from "bullmq"
import { Effect, Exit, Scope } from "effect"
import type { Redis } from "ioredis"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import { makeEngineContext } from "../../../../src/agent/engines/bullmq/EngineContext.ts"
import { FlowRoots } from "../../../../src/agent/engines/bullmq/FlowRoots.ts"
import { readMissedOf, readMissedSince } from "../../../../src/agent/engines/bullmq/MissedEvents.ts"
import { StreamReporter } from "../../../../src/agent/engines/bullmq/StreamReporter.ts"
import type { EngineEvent } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { until } from "../../../until.ts"
import { cable } from "./cable.ts"
import { add, bull, connection, gate, kinds, listening } from "./world.ts"

const ready = await has("Redis")

/** Waits until the agent's place in the stream of `mail` is its end. */
const keptUpToNow = (redis: Redis, prefix: string) =>
  until(
    Effect.promise(async () => {
      const [newest] = await redis.xrevrange(`${prefix}:mail:events`, "+", "-", "COUNT", 1)
      return [await redis.get(`${prefix}:svc-agent:cursor:default:mail`), newest?.[0]]
    }),
    ([place, newest]) => place === newest
  )

const linesOf = (events: ReadonlyArray<EngineEvent>) =>
  events.flatMap(({ data }) => Array.isArray(data.lines) ? data.lines : []).map(({ message }) => message)

const retryInPlace = async (queue: Queue, id: string | undefined) => {
  const job = await queue.getJob(id ?? "")
  await job?.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true })
}

const collected = <A>(pages: AsyncGenerator<ReadonlyArray<A>>) =>
  Effect.promise(async () => {
    const all: Array<A> = []
    for await (const page of pages) all.push(...page)
    return all
  })

describe.skipIf(!ready)("BullMQ, from outside", () => {
  it.scopedLive("each transition once and in order, also of jobs that are removed as they end", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const { events, awaitEvents } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const kept = yield* add(mail, "shaky", { to: "ada" }, { attempts: 2, backoff: { type: "fixed", delay: 50 } })
      // an agent that begins during the first attempt does not see its start
      yield* awaitEvents(`mail:${kept.id}`, "task.received")
      let failures = 1
      yield* worker("mail", async (job) => {
        await job.updateProgress({ half: true })
        await job.log(`attempt ${job.attemptsStarted}`)
        if (job.name === "shaky" && failures-- > 0) throw new TypeError("not yet")
        return { sent: job.data.to }
      }, { name: "mailer" })
      const swept = yield* add(mail, "welcome", { to: "bob" }, { removeOnComplete: true })
      const eventsOfKept = yield* awaitEvents(`mail:${kept.id}`, "task.succeeded")
      assert.deepStrictEqual(kinds(eventsOfKept).filter((kind) => kind !== "task.log" && kind !== "task.progress"), [
        "task.received",
        "task.started",
        "task.retried",
        "task.started",
        "task.succeeded"
      ])
      const transitions = eventsOfKept.filter(({ kind }) => kind !== "task.log" && kind !== "task.progress")
      assert.isTrue(
        transitions.every((event, index) => index === 0 || event.occurredAt > (transitions[index - 1]?.occurredAt ?? 0))
      )
      assert.deepStrictEqual(linesOf(eventsOfKept), ["attempt 1", "attempt 2"])
      assert.deepInclude(eventsOfKept[0]?.data, { task_name: "shaky", kwargs: { to: "ada" }, max_attempts: 2 })
      const retried = eventsOfKept.find(({ kind }) => kind === "task.retried")
      assert.deepInclude(retried?.data, { exception: "TypeError", exception_message: "not yet" })
      assert.isString(retried?.data.eta)
      assert.deepInclude(eventsOfKept.at(-1)?.data, { result: { sent: "ada" }, worker: "mailer" })
      const eventsOfSwept = yield* awaitEvents(`mail:${swept.id}`, "task.succeeded")
      assert.deepInclude(eventsOfSwept.at(-1)?.data, { task_name: "welcome", result: { sent: "bob" } })
      assert.isAtLeast(events.filter(({ kind }) => kind === "task.progress").length, 1)
    }))

  it.scopedLive("the lines of a job that is retried in place once, also by an agent that has not seen its failure", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      let run = 0
      const first = yield* Scope.make()
      const before = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix })).pipe(
        Scope.extend(first)
      )
      const { id } = yield* add(mail, "shaky", {})
      yield* before.awaitEvents(`mail:${id}`, "task.received") // it has begun
      yield* worker("mail", async (job) => {
        if (++run === 3) await barrier.opened
        await job.log(`run ${run}`)
        throw new TypeError("not yet")
      })
      yield* before.awaitEvents(`mail:${id}`, "task.failed")
      yield* Effect.promise(() => retryInPlace(mail, id))
      assert.deepStrictEqual(linesOf(yield* before.awaitEvents(`mail:${id}`, "task.failed", 2)), ["run 1", "run 2"])
      yield* keptUpToNow(redis, prefix)
      yield* Scope.close(first, Exit.void)

      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      yield* Effect.promise(() => retryInPlace(mail, id))
      yield* after.awaitEvents(`mail:${id}`, "task.started")
      barrier.open()
      assert.deepStrictEqual(linesOf(yield* after.awaitEvents(`mail:${id}`, "task.failed")), ["run 3"])
    }))

  it.scopedLive("of a job that failed before the agent began only the lines after that, when it is retried in place", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      let run = 0
      yield* worker("mail", async (job) => {
        await job.log(`run ${++run}`)
        throw new TypeError("not yet")
      })
      const { id } = yield* add(mail, "shaky", {})
      yield* until(Effect.promise(() => mail.getFailedCount()), (count) => count === 1)
      const { awaitEvents } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      assert.deepStrictEqual(linesOf(yield* awaitEvents(`mail:${id}`, "task.failed")), [])
      yield* Effect.promise(() => retryInPlace(mail, id))
      assert.deepStrictEqual(linesOf(yield* awaitEvents(`mail:${id}`, "task.failed", 2)), ["run 2"])
    }))

  it.scopedLive("the lines of a job that runs while the agent begins anew, each once", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      const first = yield* Scope.make()
      const before = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix })).pipe(
        Scope.extend(first)
      )
      const { id } = yield* add(mail, "long", {})
      yield* before.awaitEvents(`mail:${id}`, "task.received") // it has begun
      yield* worker("mail", async (job) => {
        if (job.name !== "long") return
        await job.log("begins")
        await barrier.opened
        await job.log("ends")
      }, { concurrency: 2 })
      assert.deepStrictEqual(linesOf(yield* before.awaitEvents(`mail:${id}`, "task.log")), ["begins"])
      yield* keptUpToNow(redis, prefix)
      yield* Scope.close(first, Exit.void)

      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const short = yield* add(mail, "short", {})
      yield* after.awaitEvents(`mail:${short.id}`, "task.succeeded")
      barrier.open()
      assert.deepStrictEqual(linesOf(yield* after.awaitEvents(`mail:${id}`, "task.succeeded")), ["ends"])
    }))

  it.scopedLive("the lines of jobs once, also where a read fails", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      yield* worker("mail", async (job) => {
        await job.log(job.name)
        throw new TypeError("not yet")
      })
      const jobs = yield* Effect.forEach(["one", "two"], (name) => add(mail, name, {}))
      yield* until(Effect.promise(() => mail.getFailedCount()), (count) => count === jobs.length)
      const events: Array<EngineEvent> = []
      const context = makeEngineContext(true)
      context.report = (event) => events.push(event)
      let failures = 1
      const getJobLogs: Queue["getJobLogs"] = async (id, ...range) => {
        if (id === jobs[1]?.id && failures-- > 0) throw new Error("Redis is away")
        return mail.getJobLogs(id, ...range)
      }
      const broken: Queue = Object.create(mail, { getJobLogs: { value: getJobLogs } })
      const reporter = new StreamReporter(broken, context, new FlowRoots())
      const entries = ["added", "active", "failed"].flatMap((event, index) =>
        jobs.map(({ id = "" }) => ({ event, id: `${index + 1}-0`, jobId: id, fields: new Map<string, string>() }))
      )
      const report = Effect.tryPromise(() => reporter.report(entries))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(report)))
      yield* report
      assert.deepStrictEqual(linesOf(events), ["one", "two"])
    }))

  it.scopedLive("a delay beyond the calendar loses the job's eta, and the stream is read on", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const { awaitEvents } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const never = yield* add(mail, "never", { to: "ada" }, { delay: 8.64e15 })
      const next = yield* add(mail, "welcome", {})
      const [received] = yield* awaitEvents(`mail:${never.id}`, "task.received")
      assert.deepInclude(received?.data, { task_name: "never", kwargs: { to: "ada" } })
      yield* awaitEvents(`mail:${next.id}`, "task.received")
    }))

  it.scopedLive("a job that moves on while the jobs are read is reported once", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const idle = yield* worker("mail", async () => 1, { autorun: false })
      const { id } = yield* add(mail, "welcome", {})
      // seen waiting, then taken before the running ones are asked for
      const getJobs: Queue["getJobs"] = async (states, ...range) => {
        if (Array.isArray(states) && states[0] === "active" && range[0] === 0) await idle.getNextJob("token")
        return mail.getJobs(states, ...range)
      }
      const missed = yield* collected(
        readMissedSince(Object.create(mail, { getJobs: { value: getJobs } }), new FlowRoots(), 0)
      )
      assert.deepStrictEqual(missed.map(({ entry, jobId }) => [entry, jobId]), [["added", id], ["active", id]])
    }))

  it.scopedLive("a job that moves back while the jobs are read is met in none, and is read by itself", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const idle = yield* worker("mail", async () => 1, { autorun: false })
      const { id } = yield* add(mail, "welcome", {}, { attempts: 2, backoff: { type: "fixed", delay: 60_000 } })
      const waiting = yield* add(mail, "waits", {}, { delay: 60_000 })
      const running = yield* Effect.promise(() => idle.getNextJob("token"))
      // runs until the delayed ones were asked for, then waits for its next attempt
      const getJobs: Queue["getJobs"] = async (states, ...range) => {
        const jobs = await mail.getJobs(states, ...range)
        if (Array.isArray(states) && states[0] === "delayed") {
          await running?.moveToFailed(new Error("no"), "token", false)
        }
        return jobs
      }
      const passing: Queue = Object.create(mail, { getJobs: { value: getJobs } })
      const missed = yield* collected(readMissedSince(passing, new FlowRoots(), 0))
      assert.deepStrictEqual(missed.map(({ jobId }) => jobId), [waiting.id])
      const between = yield* collected(readMissedOf(mail, new FlowRoots(), new Set([String(id), "gone"]), 0))
      assert.deepStrictEqual(between.map(({ entry, jobId }) => [entry, jobId]), [["added", id], ["active", id]])
    }))

  it.scopedLive("begun while a worker is busy with several pages of jobs: each transition once and in order", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const jobs = yield* Effect.promise(() =>
        mail.addBulk(Array.from({ length: 1200 }, (_, n) => ({ name: "welcome", data: { n } })))
      )
      yield* worker("mail", async () => 1, { concurrency: 5 })
      yield* until(Effect.promise(() => mail.getCompletedCount()), (count) => count > 0)
      const { events } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const ends = Effect.sync(() => events.filter(({ kind }) => kind === "task.succeeded").length)
      yield* until(ends, (count) => count >= jobs.length)
      const kindsByTask = new Map<string, ReadonlyArray<string>>()
      for (const { kind, taskId } of events) kindsByTask.set(taskId, [...(kindsByTask.get(taskId) ?? []), kind])
      const odd = [...kindsByTask].filter(([, kinds]) =>
        kinds.join(" ") !== "task.received task.started task.succeeded"
      )
      assert.deepStrictEqual(odd, [])
      assert.strictEqual(kindsByTask.size, jobs.length)
    }))

  it.scopedLive("failures, flows that wait for their children, jobs put back, removals", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const { awaitEvents } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const removed = yield* add(mail, "never", {}, { delay: 60_000 })
      yield* awaitEvents(`mail:${removed.id}`, "task.received")
      yield* Effect.promise(() => removed.remove())
      assert.deepInclude((yield* awaitEvents(`mail:${removed.id}`, "task.revoked")).at(-1)?.data, {
        task_name: "never"
      })

      let put = false
      yield* worker("mail", async (job, token) => {
        if (job.name === "later" && !put) {
          put = true
          await job.moveToDelayed(Date.now() + 20, token)
          throw new DelayedError()
        }
        if (job.name === "bad") throw new SyntaxError("what is this")
      })
      const bad = yield* add(mail, "bad", {})
      const failed = (yield* awaitEvents(`mail:${bad.id}`, "task.failed")).at(-1)
      assert.deepInclude(failed?.data, { exception: "SyntaxError", exception_message: "what is this" })
      assert.include(String(failed?.data.traceback), "Outside.test.ts")
      const later = yield* add(mail, "later", {})
      const back = yield* awaitEvents(`mail:${later.id}`, "task.succeeded")
      assert.deepInclude(back.find(({ kind }) => kind === "task.retried")?.data, {
        reason: "put back by its processor"
      })

      const flows = yield* Effect.acquireRelease(
        Effect.sync(() => new FlowProducer({ connection, prefix })),
        (flows) => Effect.promise(() => flows.close())
      )
      const leaf = (name: string) => ({ name, queueName: "mail", data: {} })
      const tree = yield* Effect.promise(() => flows.add({ ...leaf("order"), children: [leaf("label")] }))
      const parent = yield* awaitEvents(`mail:${tree.job.id}`, "task.succeeded")
      assert.deepInclude(parent.find(({ kind }) => kind === "unknown")?.data, { note: "waits for its children" })
      const child = yield* awaitEvents(`mail:${tree.children?.[0]?.job.id}`, "task.succeeded")
      assert.deepInclude(child[0]?.data, { parent_task_id: `mail:${tree.job.id}`, root_task_id: `mail:${tree.job.id}` })
    }))

  it.scopedLive("continues where it stopped; what it reported last it reports again, unchanged", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const first = yield* Scope.make()
      const before = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix })).pipe(
        Scope.extend(first)
      )
      const zero = yield* add(mail, "welcome", {})
      yield* before.awaitEvents(`mail:${zero.id}`, "task.succeeded")
      yield* keptUpToNow(redis, prefix)
      const one = yield* add(mail, "welcome", {})
      yield* before.awaitEvents(`mail:${one.id}`, "task.succeeded")
      yield* Scope.close(first, Exit.void)
      const missed = yield* Effect.forEach(Array.from({ length: 50 }), () => add(mail, "welcome", {}))
      yield* until(Effect.promise(() => mail.getCompletedCount()), (count) => count === 52)
      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      for (const { id } of missed) {
        const events = yield* after.awaitEvents(`mail:${id}`, "task.succeeded")
        assert.deepStrictEqual(kinds(events), ["task.received", "task.started", "task.succeeded"])
      }
      const moments = (events: ReadonlyArray<EngineEvent>) =>
        events.map(({ kind, occurredAt }) => `${kind} ${occurredAt}`)
      assert.includeMembers(moments(before.of(`mail:${one.id}`)), moments(after.of(`mail:${one.id}`)))
    }))

  it.scopedLive("a place that was kept is where the next one begins", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const first = yield* Scope.make()
      const before = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix })).pipe(
        Scope.extend(first)
      )
      const one = yield* add(mail, "welcome", {})
      yield* before.awaitEvents(`mail:${one.id}`, "task.succeeded")
      yield* keptUpToNow(redis, prefix)
      yield* Scope.close(first, Exit.void)
      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const two = yield* add(mail, "welcome", {})
      yield* after.awaitEvents(`mail:${two.id}`, "task.succeeded")
      assert.isEmpty(after.of(`mail:${one.id}`))
    }))

  it.scopedLive("what the stream has dropped since is reported from the jobs, and what was there before the first start", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs = yield* worker("mail", async (job) => {
        if (job.name === "bad") throw new RangeError("no box")
        return job.name
      })
      const old = yield* add(mail, "welcome", { to: "ada" })
      yield* until(Effect.promise(() => mail.getCompletedCount()), (count) => count === 1)
      const first = yield* Scope.make()
      const before = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix })).pipe(
        Scope.extend(first)
      )
      const events = yield* before.awaitEvents(`mail:${old.id}`, "task.succeeded")
      assert.deepStrictEqual(kinds(events), ["task.received", "task.started", "task.succeeded"])
      assert.deepInclude(events.at(-1)?.data, { result: "welcome", task_name: "welcome" })
      yield* keptUpToNow(redis, prefix)
      yield* Scope.close(first, Exit.void)

      const good = yield* add(mail, "welcome", {})
      const bad = yield* add(mail, "bad", {})
      yield* until(Effect.promise(() => mail.getFailedCount()), (count) => count === 1)
      yield* until(Effect.promise(() => mail.getCompletedCount()), (count) => count === 2)
      yield* Effect.promise(() => runs.pause())
      const waiting = yield* add(mail, "welcome", {})
      yield* Effect.promise(() => redis.xtrim(`${prefix}:mail:events`, "MAXLEN", 1))
      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      yield* after.awaitEvents(`mail:${good.id}`, "task.succeeded")
      assert.deepInclude((yield* after.awaitEvents(`mail:${bad.id}`, "task.failed")).at(-1)?.data, {
        exception: "RangeError"
      })
      yield* after.awaitEvents(`mail:${waiting.id}`, "task.received")
    }))

  it.scopedLive("the inventory: the workers that Redis knows, and how many jobs those with a name run", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      yield* queue("post")
      const barrier = gate()
      const workers = [
        yield* worker("mail", () => barrier.opened, { name: "mailer", concurrency: 2 }),
        yield* worker("mail", () => barrier.opened, { name: "mailer:2" }),
        yield* worker("post", async () => 1)
      ]
      for (const each of workers) yield* Effect.promise(() => each.waitUntilReady())
      const ids: Array<string> = []
      for (const n of [1, 2, 3]) ids.push(`mail:${(yield* add(mail, "welcome", { n })).id}`)
      yield* until(Effect.promise(() => mail.getActiveCount()), (count) => count === 3)
      const engine = bullmqFromOutside({ queues: ["mail", "post"], connection, prefix })
      yield* listening(engine)
      const inventory = yield* until(engine.inventory, ({ workers }) => workers.length === 3)
      const named = (name: string) => inventory.workers.find((worker) => worker.name === name)
      const common = { hostname: "127.0.0.1", concurrency: null, pid: null }
      assert.deepInclude(named("mailer"), { ...common, queues: ["mail"], activeTasks: 2 })
      assert.deepInclude(named("mailer:2"), { ...common, queues: ["mail"], activeTasks: 1 })
      const listed = ["mailer", "mailer:2"].flatMap((name) => named(name)?.activeTaskIds ?? [])
      assert.sameMembers(listed, ids)
      const other = inventory.workers.find(({ queues }) => queues.includes("post"))
      assert.isUndefined(other?.activeTaskIds, "a worker without a name may run any of its queue's jobs")
      assert.match(other?.name ?? "", /^post@127\.0\.0\.1:\d+$/)
      barrier.open()
    }))

  it.scopedLive("no queues, or what is no queue, is refused with a sentence", () =>
    Effect.gen(function*() {
      const start = (queues: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(bullmqFromOutside({ queues, connection }).start(() => undefined)), ({ message }) =>
          message)
      assert.include(yield* start([]), "name the queues")
      assert.include(yield* start(["bull:mail"]), "contains a colon")
    }))
})

describe.skipIf(!ready)("Redis away and back", () => {
  it.scopedLive("in process: the job that ran meanwhile is reported, and commands work again", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const line = yield* cable
      const mail = yield* queue("mail")
      const through = { connection: { ...connection, port: line.port }, runRetryDelay: 200 }
      let running: () => void = () => undefined
      let release: () => void = () => undefined
      const began = new Promise<void>((resolve) => (running = resolve))
      const released = new Promise<void>((resolve) => (release = resolve))
      const runs = yield* worker("mail", async (job) => {
        if (job.name !== "long") return
        running()
        await released
      }, through)
      const engine = bullmq({ workers: [runs] })
      const { awaitEvents } = yield* listening(engine)
      const job = yield* add(mail, "long", {})
      yield* Effect.promise(() => began)
      yield* line.disconnect
      release()
      assert.isFalse((yield* engine.inventory).brokerConnected)
      assert.strictEqual((yield* engine.inventory).workers.length, 1)
      yield* line.mend
      yield* awaitEvents(`mail:${job.id}`, "task.succeeded")
      const next = yield* add(mail, "short", {})
      yield* awaitEvents(`mail:${next.id}`, "task.succeeded")
      assert.isTrue((yield* until(engine.inventory, ({ brokerConnected }) => brokerConnected)).brokerConnected)
    }))

  it.scopedLive("from outside: what happened meanwhile is read when the line is back", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const line = yield* cable
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const engine = bullmqFromOutside({ queues: ["mail"], connection: { ...connection, port: line.port }, prefix })
      const { awaitEvents } = yield* listening(engine)
      const before = yield* add(mail, "welcome", {})
      yield* awaitEvents(`mail:${before.id}`, "task.succeeded")
      yield* line.disconnect
      const meanwhile = yield* Effect.forEach([1, 2, 3], (n) => add(mail, "welcome", { n }))
      assert.isFalse((yield* engine.inventory).brokerConnected)
      yield* line.mend
      for (const { id } of meanwhile) {
        assert.deepStrictEqual(kinds(yield* awaitEvents(`mail:${id}`, "task.succeeded")), [
          "task.received",
          "task.started",
          "task.succeeded"
        ])
      }
    }))

  it.scopedLive("away at the start is no failure", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const line = yield* cable
      yield* line.disconnect
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const { awaitEvents } = yield* listening(
        bullmqFromOutside({ queues: ["mail"], connection: { ...connection, port: line.port }, prefix })
      )
      yield* line.mend
      const job = yield* add(mail, "welcome", {})
      yield* awaitEvents(`mail:${job.id}`, "task.succeeded")
    }))
})
