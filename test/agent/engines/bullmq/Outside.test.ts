import { assert, describe, it } from "@effect/vitest"
import { DelayedError, FlowProducer, type Queue } from "bullmq"
import { Effect, Exit, Scope } from "effect"
import type { Redis } from "ioredis"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import { FlowRoots } from "../../../../src/agent/engines/bullmq/FlowRoots.ts"
import { readMissedOf, readMissedSince } from "../../../../src/agent/engines/bullmq/MissedEvents.ts"
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
      const { events, sees } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      let failures = 1
      yield* worker("mail", async (job) => {
        await job.updateProgress({ half: true })
        if (job.name === "shaky" && failures-- > 0) throw new TypeError("not yet")
        return { sent: job.data.to }
      }, { name: "mailer" })
      const kept = yield* add(mail, "shaky", { to: "ada" }, { attempts: 2, backoff: { type: "fixed", delay: 50 } })
      const swept = yield* add(mail, "welcome", { to: "bob" }, { removeOnComplete: true })
      const told = yield* sees(`mail:${kept.id}`, "task.succeeded")
      assert.deepStrictEqual(kinds(told).filter((kind) => kind !== "unknown"), [
        "task.received",
        "task.started",
        "task.retried",
        "task.started",
        "task.succeeded"
      ])
      assert.isTrue(told.every((event, at) => at === 0 || event.occurredAt > (told[at - 1]?.occurredAt ?? 0)))
      assert.deepInclude(told[0]?.data, { task_name: "shaky", kwargs: { to: "ada" }, max_attempts: 2 })
      const retried = told.find(({ kind }) => kind === "task.retried")
      assert.deepInclude(retried?.data, { exception: "TypeError", exception_message: "not yet" })
      assert.isString(retried?.data.eta)
      assert.deepInclude(told.at(-1)?.data, { result: { sent: "ada" }, worker: "mailer" })
      const gone = yield* sees(`mail:${swept.id}`, "task.succeeded")
      assert.deepInclude(gone.at(-1)?.data, { task_name: "welcome", result: { sent: "bob" } })
      assert.isAtLeast(events.filter(({ kind }) => kind === "unknown").length, 1)
    }))

  it.scopedLive("a delay beyond the calendar loses the job's eta, and the stream is read on", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const { sees } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const never = yield* add(mail, "never", { to: "ada" }, { delay: 8.64e15 })
      const next = yield* add(mail, "welcome", {})
      const [received] = yield* sees(`mail:${never.id}`, "task.received")
      assert.deepInclude(received?.data, { task_name: "never", kwargs: { to: "ada" } })
      yield* sees(`mail:${next.id}`, "task.received")
    }))

  it.scopedLive("a job that goes on while the jobs are looked through is made up once", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const idle = yield* worker("mail", async () => 1, { autorun: false })
      const { id } = yield* add(mail, "welcome", {})
      // seen waiting, then taken before the running ones are asked for
      const asked: Queue["getJobs"] = async (states, ...range) => {
        if (Array.isArray(states) && states[0] === "active" && range[0] === 0) await idle.getNextJob("token")
        return mail.getJobs(states, ...range)
      }
      const missed = yield* collected(
        readMissedSince(Object.create(mail, { getJobs: { value: asked } }), new FlowRoots(), 0)
      )
      assert.deepStrictEqual(missed.map(({ entry, jobId }) => [entry, jobId]), [["added", id], ["active", id]])
    }))

  it.scopedLive("a job that goes back while the jobs are looked through is met in none, and is read by itself", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const idle = yield* worker("mail", async () => 1, { autorun: false })
      const { id } = yield* add(mail, "welcome", {}, { attempts: 2, backoff: { type: "fixed", delay: 60_000 } })
      const waiting = yield* add(mail, "waits", {}, { delay: 60_000 })
      const running = yield* Effect.promise(() => idle.getNextJob("token"))
      // runs until the delayed ones were asked for, then waits for its next attempt
      const asked: Queue["getJobs"] = async (states, ...range) => {
        const jobs = await mail.getJobs(states, ...range)
        if (Array.isArray(states) && states[0] === "delayed") {
          await running?.moveToFailed(new Error("no"), "token", false)
        }
        return jobs
      }
      const passing: Queue = Object.create(mail, { getJobs: { value: asked } })
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
      const told = new Map<string, ReadonlyArray<string>>()
      for (const { kind, taskId } of events) told.set(taskId, [...(told.get(taskId) ?? []), kind])
      const odd = [...told].filter(([, kinds]) => kinds.join(" ") !== "task.received task.started task.succeeded")
      assert.deepStrictEqual(odd, [])
      assert.strictEqual(told.size, jobs.length)
    }))

  it.scopedLive("failures, flows that wait for their children, jobs put back, removals", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const { sees } = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const removed = yield* add(mail, "never", {}, { delay: 60_000 })
      yield* sees(`mail:${removed.id}`, "task.received")
      yield* Effect.promise(() => removed.remove())
      assert.deepInclude((yield* sees(`mail:${removed.id}`, "task.revoked")).at(-1)?.data, { task_name: "never" })

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
      const failed = (yield* sees(`mail:${bad.id}`, "task.failed")).at(-1)
      assert.deepInclude(failed?.data, { exception: "SyntaxError", exception_message: "what is this" })
      assert.include(String(failed?.data.traceback), "Outside.test.ts")
      const later = yield* add(mail, "later", {})
      const back = yield* sees(`mail:${later.id}`, "task.succeeded")
      assert.deepInclude(back.find(({ kind }) => kind === "task.retried")?.data, {
        reason: "put back by its processor"
      })

      const flows = yield* Effect.acquireRelease(
        Effect.sync(() => new FlowProducer({ connection, prefix })),
        (flows) => Effect.promise(() => flows.close())
      )
      const leaf = (name: string) => ({ name, queueName: "mail", data: {} })
      const tree = yield* Effect.promise(() => flows.add({ ...leaf("order"), children: [leaf("label")] }))
      const parent = yield* sees(`mail:${tree.job.id}`, "task.succeeded")
      assert.deepInclude(parent.find(({ kind }) => kind === "unknown")?.data, { note: "waits for its children" })
      const child = yield* sees(`mail:${tree.children?.[0]?.job.id}`, "task.succeeded")
      assert.deepInclude(child[0]?.data, { parent_task_id: `mail:${tree.job.id}`, root_task_id: `mail:${tree.job.id}` })
    }))

  it.scopedLive("goes on where it left off; what it told last it tells again, in the same words", () =>
    Effect.gen(function*() {
      const { prefix, queue, redis, worker } = yield* bull
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const first = yield* Scope.make()
      const before = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix })).pipe(
        Scope.extend(first)
      )
      const zero = yield* add(mail, "welcome", {})
      yield* before.sees(`mail:${zero.id}`, "task.succeeded")
      yield* keptUpToNow(redis, prefix)
      const one = yield* add(mail, "welcome", {})
      yield* before.sees(`mail:${one.id}`, "task.succeeded")
      yield* Scope.close(first, Exit.void)
      const missed = yield* Effect.forEach(Array.from({ length: 50 }), () => add(mail, "welcome", {}))
      yield* until(Effect.promise(() => mail.getCompletedCount()), (count) => count === 52)
      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      for (const { id } of missed) {
        const told = yield* after.sees(`mail:${id}`, "task.succeeded")
        assert.deepStrictEqual(kinds(told), ["task.received", "task.started", "task.succeeded"])
      }
      const moments = (told: ReadonlyArray<EngineEvent>) => told.map(({ kind, occurredAt }) => `${kind} ${occurredAt}`)
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
      yield* before.sees(`mail:${one.id}`, "task.succeeded")
      yield* keptUpToNow(redis, prefix)
      yield* Scope.close(first, Exit.void)
      const after = yield* listening(bullmqFromOutside({ queues: ["mail"], connection, prefix }))
      const two = yield* add(mail, "welcome", {})
      yield* after.sees(`mail:${two.id}`, "task.succeeded")
      assert.isEmpty(after.of(`mail:${one.id}`))
    }))

  it.scopedLive("what the stream has dropped meanwhile is told from the jobs, and what was there before the first start", () =>
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
      const told = yield* before.sees(`mail:${old.id}`, "task.succeeded")
      assert.deepStrictEqual(kinds(told), ["task.received", "task.started", "task.succeeded"])
      assert.deepInclude(told.at(-1)?.data, { result: "welcome", task_name: "welcome" })
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
      yield* after.sees(`mail:${good.id}`, "task.succeeded")
      assert.deepInclude((yield* after.sees(`mail:${bad.id}`, "task.failed")).at(-1)?.data, { exception: "RangeError" })
      yield* after.sees(`mail:${waiting.id}`, "task.received")
    }))

  it.scopedLive("the inventory: the workers that Redis knows, and how many jobs those with a name run", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      yield* queue("post")
      const held = gate()
      const workers = [
        yield* worker("mail", () => held.opened, { name: "mailer", concurrency: 2 }),
        yield* worker("mail", () => held.opened, { name: "mailer:2" }),
        yield* worker("post", async () => 1)
      ]
      for (const each of workers) yield* Effect.promise(() => each.waitUntilReady())
      for (const n of [1, 2, 3]) yield* add(mail, "welcome", { n })
      yield* until(Effect.promise(() => mail.getActiveCount()), (count) => count === 3)
      const engine = bullmqFromOutside({ queues: ["mail", "post"], connection, prefix })
      yield* listening(engine)
      const inventory = yield* until(engine.inventory, ({ workers }) => workers.length === 3)
      const named = (name: string) => inventory.workers.find((worker) => worker.name === name)
      const common = { hostname: "127.0.0.1", concurrency: null, pid: null }
      assert.deepInclude(named("mailer"), { ...common, queues: ["mail"], activeTasks: 2 })
      assert.deepInclude(named("mailer:2"), { ...common, queues: ["mail"], activeTasks: 1 })
      const other = inventory.workers.find(({ queues }) => queues.includes("post"))
      assert.match(other?.name ?? "", /^post@127\.0\.0\.1:\d+$/)
      held.open()
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
  it.scopedLive("beside: the job that ran meanwhile is told of, and commands work again", () =>
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
      const { sees } = yield* listening(engine)
      const job = yield* add(mail, "long", {})
      yield* Effect.promise(() => began)
      yield* line.cut
      release()
      assert.isFalse((yield* engine.inventory).brokerConnected)
      assert.strictEqual((yield* engine.inventory).workers.length, 1)
      yield* line.mend
      yield* sees(`mail:${job.id}`, "task.succeeded")
      const next = yield* add(mail, "short", {})
      yield* sees(`mail:${next.id}`, "task.succeeded")
      assert.isTrue((yield* until(engine.inventory, ({ brokerConnected }) => brokerConnected)).brokerConnected)
    }))

  it.scopedLive("from outside: what happened meanwhile is read when the line is back", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const line = yield* cable
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const engine = bullmqFromOutside({ queues: ["mail"], connection: { ...connection, port: line.port }, prefix })
      const { sees } = yield* listening(engine)
      const before = yield* add(mail, "welcome", {})
      yield* sees(`mail:${before.id}`, "task.succeeded")
      yield* line.cut
      const meanwhile = yield* Effect.forEach([1, 2, 3], (n) => add(mail, "welcome", { n }))
      assert.isFalse((yield* engine.inventory).brokerConnected)
      yield* line.mend
      for (const { id } of meanwhile) {
        assert.deepStrictEqual(kinds(yield* sees(`mail:${id}`, "task.succeeded")), [
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
      yield* line.cut
      const mail = yield* queue("mail")
      yield* worker("mail", async () => 1)
      const { sees } = yield* listening(
        bullmqFromOutside({ queues: ["mail"], connection: { ...connection, port: line.port }, prefix })
      )
      yield* line.mend
      const job = yield* add(mail, "welcome", {})
      yield* sees(`mail:${job.id}`, "task.succeeded")
    }))
})
