import { assert, describe, it } from "@effect/vitest"
import { createPostgresBackend, FlowProducer, Queue, UnrecoverableError } from "bullmq"
import { Effect } from "effect"
import { inject } from "vitest"
import { bullmq } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import { has } from "../../../needs.ts"
import { until } from "../../../until.ts"
import { add, bull, connection, gate, kinds, listening } from "./world.ts"

const ready = await has("Redis")

describe.skipIf(!ready)("BullMQ, beside the app's workers", () => {
  it.scopedLive("an agent that ends while it connects leaves no rejected promise behind", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const options = { queues: [yield* queue("mail")], workers: [yield* worker("mail", async () => {})] }
      const rejections: Array<unknown> = []
      const note = (reason: unknown) => rejections.push(reason)
      process.on("unhandledRejection", note)
      for (let waitMillis = 0; waitMillis < 30; waitMillis += 2) {
        const engine = bullmq(options)
        yield* Effect.scoped(Effect.zipRight(engine.start(() => undefined), Effect.sleep(waitMillis)))
      }
      yield* Effect.sleep("100 millis")
      process.off("unhandledRejection", note)
      assert.deepStrictEqual(rejections, [])
    }))

  it.scopedLive("a job that succeeds: received, started, succeeded, with what each can report", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs = yield* worker("mail", async (job) => ({ sent: job.data.to, at: new Date(0) }), { name: "mailer" })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const job = yield* add(mail, "welcome", { to: "ada", copies: 2 }, { priority: 7, attempts: 3 })
      const events = yield* awaitEvents(`mail:${job.id}`, "task.succeeded")

      const [received] = events
      assert.deepStrictEqual(new Set(kinds(events)), new Set(["task.received", "task.started", "task.succeeded"]))
      assert.strictEqual(received?.occurredAt, job.timestamp)
      assert.deepInclude(received?.data, {
        task_name: "welcome",
        queue: "mail",
        args: [],
        kwargs: { to: "ada", copies: 2 }
      })
      const started = events.find(({ kind }) => kind === "task.started")
      assert.deepInclude(started?.data, { priority: 7, max_attempts: 3, attempt: 1 })
      assert.match(String(started?.data.worker), /^mailer-\d+@./)
      const succeeded = events.at(-1)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(succeeded?.data.result)), {
        sent: "ada",
        at: "1970-01-01T00:00:00.000Z"
      })
      assert.isAtLeast(Number(succeeded?.data.runtime_ms), 0)
      assert.isAtLeast(succeeded?.occurredAt ?? 0, started?.occurredAt ?? Infinity)
    }))

  it.scopedLive("arrays are args, anything else is the only arg; nothing returned is null", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const sums = yield* queue("sums")
      const runs = yield* worker("sums", async () => undefined)
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs] }))
      const list = yield* add(sums, "add", [1, 2.5, "x"])
      const text = yield* add(sums, "shout", "hello")
      const events = [
        ...(yield* awaitEvents(`sums:${list.id}`, "task.succeeded")),
        ...(yield* awaitEvents(`sums:${text.id}`, "task.succeeded"))
      ]
      const args = events.filter(({ kind }) => kind === "task.started").map(({ data }) => data.args)
      assert.deepStrictEqual(args, [[1, 2.5, "x"], ["hello"]])
      assert.strictEqual(events.at(-1)?.data.result, null)
    }))

  it.scopedLive("a job that fails is retried, with its delay, and fails for good with exception and stack", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs = yield* worker("mail", async () => {
        throw new RangeError("no such box")
      })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const job = yield* add(mail, "welcome", {}, { attempts: 2, backoff: { type: "fixed", delay: 50 } })
      const events = yield* awaitEvents(`mail:${job.id}`, "task.failed")
      assert.deepStrictEqual(kinds(events).filter((kind) => kind !== "task.received"), [
        "task.started",
        "task.retried",
        "task.started",
        "task.failed"
      ])
      const retried = events.find(({ kind }) => kind === "task.retried")
      assert.isAtLeast(Date.parse(String(retried?.data.eta)), (retried?.occurredAt ?? 0) + 49)
      const failed = events.at(-1)
      assert.deepInclude(failed?.data, { exception: "RangeError", exception_message: "no such box", attempt: 2 })
      assert.include(String(failed?.data.traceback), "InProcess.test.ts")
    }))

  it.scopedLive("an unrecoverable failure ends at once; a delayed job has an eta", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs = yield* worker("mail", async () => {
        throw new UnrecoverableError("never")
      })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const job = yield* add(mail, "welcome", {}, { attempts: 5, delay: 20 })
      const events = yield* awaitEvents(`mail:${job.id}`, "task.failed")
      assert.notInclude(kinds(events), "task.retried")
      assert.strictEqual(Date.parse(String(events[0]?.data.eta)), job.timestamp + 20)
    }))

  it.scopedLive("a delay beyond the calendar loses the job's eta and nothing else", () =>
    Effect.gen(function*() {
      const { queue } = yield* bull
      const mail = yield* queue("mail")
      const { awaitEvents } = yield* listening(bullmq({ queues: [mail] }))
      for (const delay of [8.64e15, Number.MAX_SAFE_INTEGER]) {
        const job = yield* add(mail, "never", { to: "ada" }, { delay })
        const [received] = yield* awaitEvents(`mail:${job.id}`, "task.received")
        assert.deepInclude(received?.data, {
          task_name: "never",
          kwargs: { to: "ada" },
          eta: String(job.timestamp + delay)
        })
      }
    }))

  it.scopedLive("a flow is a tree: each job names its parent and the root", () =>
    Effect.gen(function*() {
      const { prefix, worker } = yield* bull
      const runs = yield* worker("steps", async (job) => job.name, { concurrency: 2 })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs] }))
      const flows = yield* Effect.acquireRelease(
        Effect.sync(() => new FlowProducer({ connection, prefix })),
        (flows) => Effect.promise(() => flows.close())
      )
      const leaf = (name: string) => ({ name, queueName: "steps", data: {} })
      const tree = yield* Effect.promise(() =>
        flows.add({ ...leaf("order"), children: [{ ...leaf("parcel"), children: [leaf("label"), leaf("weigh")] }] })
      )
      const [parcel] = tree.children ?? []
      const root = `steps:${tree.job.id}`
      const middle = `steps:${parcel?.job.id}`
      const end = (events: ReadonlyArray<{ readonly kind: string; readonly data: object }>) =>
        events.find(({ kind }) => kind === "task.succeeded")?.data
      for (const child of parcel?.children ?? []) {
        const events = yield* awaitEvents(`steps:${child.job.id}`, "task.succeeded")
        assert.strictEqual(events.find(({ kind }) => kind === "task.started")?.data.parent_task_id, middle)
        assert.propertyVal(end(events), "root_task_id", root)
      }
      assert.propertyVal(end(yield* awaitEvents(middle, "task.succeeded")), "root_task_id", root)
      assert.propertyVal(end(yield* awaitEvents(root, "task.succeeded")), "root_task_id", undefined)
    }))

  it.scopedLive("jobs of addBulk and of flows are reported when they are added, and no more once the agent is gone", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const flows = yield* Effect.acquireRelease(
        Effect.sync(() => new FlowProducer({ connection, prefix })),
        (flows) => Effect.promise(() => flows.close())
      )
      const replaced =
        () => [Object.hasOwn(mail, "addBulk"), Object.hasOwn(flows, "add"), Object.hasOwn(flows, "addBulk")]
      const leaf = (name: string) => ({ name, queueName: "mail", data: { name } })
      yield* Effect.scoped(Effect.gen(function*() {
        const { of } = yield* listening(bullmq({ queues: [mail], flows: [flows] }))
        const jobs = yield* Effect.promise(() =>
          mail.addBulk([{ name: "welcome", data: { to: "ada" } }, { name: "bye", data: {}, opts: { delay: 60_000 } }])
        )
        const [welcome, bye] = jobs.map(({ id }) => of(`mail:${id}`))
        assert.deepStrictEqual(kinds(welcome ?? []), ["task.received"])
        assert.deepInclude(welcome?.[0]?.data, { task_name: "welcome", queue: "mail", kwargs: { to: "ada" } })
        assert.isString(bye?.[0]?.data.eta)

        const tree = yield* Effect.promise(() =>
          flows.add({ ...leaf("order"), children: [{ ...leaf("parcel"), children: [leaf("label")] }] })
        )
        const root = `mail:${tree.job.id}`
        const parcel = tree.children?.[0]
        const eventsOfNodes = [tree, parcel, parcel?.children?.[0]].map((node) => of(`mail:${node?.job.id}`))
        assert.deepStrictEqual(eventsOfNodes.map(kinds), [["task.received"], ["task.received"], ["task.received"]])
        assert.deepStrictEqual(
          eventsOfNodes.map((events) => [events[0]?.data.parent_task_id, events[0]?.data.root_task_id]),
          [
            [undefined, undefined],
            [root, root],
            [`mail:${parcel?.job.id}`, root]
          ]
        )
        const more = yield* Effect.promise(() =>
          flows.addBulk([leaf("one"), {
            ...leaf("two"),
            opts: { parent: { id: String(tree.job.id), queue: `${prefix}:mail` } }
          }])
        )
        assert.deepStrictEqual(more.map(({ job }) => kinds(of(`mail:${job.id}`))), [["task.received"], [
          "task.received"
        ]])
        const second = of(`mail:${more[1]?.job.id}`)[0]?.data
        assert.deepStrictEqual([second?.parent_task_id, second?.root_task_id], [root, undefined])
        assert.deepStrictEqual(replaced(), [true, true, true])
      }))
      assert.deepStrictEqual(replaced(), [false, false, false])
    }))

  it.scopedLive("the lines that a processor logs and its latest progress come before the end", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs = yield* worker("mail", async (job) => {
        for (let step = 0; step < 20; step++) await job.updateProgress({ done: step, total: 20 })
        await job.log("first")
        await job.log("second")
      })
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const job = yield* add(mail, "welcome", {})
      const events = yield* awaitEvents(`mail:${job.id}`, "task.succeeded")
      assert.deepStrictEqual(kinds(events).slice(-3), ["task.log", "task.progress", "task.succeeded"])
      const [log, progress] = events.slice(-3)
      assert.deepStrictEqual(progress?.data, { progress: { done: 19, total: 20 } })
      const lines = Array.isArray(log?.data.lines) ? log.data.lines : []
      assert.deepStrictEqual(lines.map(({ level, message }) => [level, message]), [["info", "first"], [
        "info",
        "second"
      ]])
      assert.strictEqual(log?.data.attempt, 1)
      const { logs } = yield* Effect.promise(() => mail.getJobLogs(job.id ?? ""))
      assert.deepStrictEqual(logs, ["first", "second"])
    }))

  it.scopedLive("nothing to listen to, or two prefixes, are refused with a sentence", () =>
    Effect.gen(function*() {
      const one = yield* (yield* bull).queue("mail")
      const other = yield* (yield* bull).queue("mail")
      const nothing = yield* Effect.flip(bullmq({}).start(() => undefined))
      assert.include(nothing.message, "workers, queues or both")
      const both = yield* Effect.flip(bullmq({ queues: [one, other] }).start(() => undefined))
      assert.include(both.message, "one prefix")
    }))

  it.scopedLive.skipIf(inject("bullmq") === 5)(
    "a queue of PostgreSQL's is refused with a sentence",
    () =>
      Effect.gen(function*() {
        const kept = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const created = new Queue(
              "mail",
              { connection: "postgres://postgres@127.0.0.1:1/none" },
              createPostgresBackend
            )
            created.on("error", () => undefined)
            return created as unknown as Queue // as a program without types would pass it
          }),
          (queue) => Effect.ignore(Effect.tryPromise(() => queue.close()))
        )
        assert.include(
          (yield* Effect.flip(bullmq({ queues: [kept] }).start(() => undefined))).message,
          "keeps its jobs elsewhere"
        )
      })
  )

  it.scopedLive("a client that gives up soon is good enough for a queue", () =>
    Effect.gen(function*() {
      const { prefix, redis } = yield* bull
      assert.isNotNull(redis.options.maxRetriesPerRequest)
      const shared = yield* Effect.acquireRelease(
        Effect.sync(() => new Queue("mail", { connection: redis, prefix })),
        (queue) => Effect.promise(() => queue.close())
      )
      const { awaitEvents } = yield* listening(bullmq({ queues: [shared] }))
      const job = yield* add(shared, "welcome", {})
      yield* awaitEvents(`mail:${job.id}`, "task.received")
    }))

  it.scopedLive("a job that stalled too often fails, and says so", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      let release: () => void = () => undefined
      const stuck = new Promise<void>((resolve) => (release = resolve))
      const options = { lockDuration: 100, stalledInterval: 100, maxStalledCount: 0 }
      yield* worker("mail", () => stuck, { ...options, skipLockRenewal: true, skipStalledCheck: true })
      const job = yield* add(mail, "welcome", {})
      yield* until(Effect.promise(() => mail.getActiveCount()), (count) => count === 1)
      const runs = yield* worker("mail", async () => 1, options)
      const { awaitEvents } = yield* listening(bullmq({ workers: [runs], queues: [mail] }))
      const events = yield* awaitEvents(`mail:${job.id}`, "task.failed")
      assert.deepInclude(events.find(({ kind }) => kind === "task.failed")?.data, {
        exception: "UnrecoverableError",
        exception_message: "job stalled more than allowable limit"
      })
      release()
    }))

  it.scopedLive("the inventory: depths, the worker as it is", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      const runs = yield* worker("mail", () => barrier.opened, { concurrency: 2 })
      const engine = bullmq({ workers: [runs], queues: [mail] })
      const { awaitEvents } = yield* listening(engine)
      const first = yield* add(mail, "welcome", {})
      const second = yield* add(mail, "bye", {})
      yield* awaitEvents(`mail:${first.id}`, "task.started")
      yield* awaitEvents(`mail:${second.id}`, "task.started")
      yield* add(mail, "later", {}, { delay: 60_000 })
      yield* add(mail, "next", {})
      const { brokerConnected, queueDepths, workers } = yield* engine.inventory
      assert.isTrue(brokerConnected)
      assert.strictEqual(queueDepths.mail, 2)
      assert.deepInclude(workers[0], {
        pid: process.pid,
        concurrency: 2,
        queues: ["mail"],
        activeTasks: 2,
        activeTaskIds: [`mail:${first.id}`, `mail:${second.id}`],
        registered: ["welcome", "bye"]
      })
      barrier.open()
    }))
})
