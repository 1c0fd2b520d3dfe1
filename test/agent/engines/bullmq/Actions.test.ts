import { assert, describe, it } from "@effect/vitest"
import type { JobsOptions, Queue, RepeatOptions } from "bullmq"
import { Effect } from "effect"
import { inject } from "vitest"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import { ActionFailed, type Engine } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { activation, SnapshotReader } from "../../../protocol/snapshots.ts"
import { until } from "../../../until.ts"
import { optionsFor, started } from "../../runtime/agents.ts"
import { fakeBrain } from "../../runtime/fakeBrain.ts"
import { add, bull, connection, gate, listening } from "./world.ts"

const ready = await has("Redis")

const actions = (engine: Engine) => engine.actions as Required<Engine["actions"]> // these engines have what is called here

const modes: ReadonlyArray<readonly [string, (prefix: string, queue: Queue) => Engine]> = [
  ["beside", (_, queue) => bullmq({ queues: [queue] })],
  ["from outside", (prefix, queue) => bullmqFromOutside({ queues: [queue.name], connection, prefix })]
]

const schedulerOf = ({ scheduler }: Engine) => {
  if (scheduler === undefined) throw new Error("no scheduler")
  return { ...scheduler, actions: scheduler.actions as Required<typeof scheduler.actions> } // as above
}

const upsert = (queue: Queue, ...[id, repeat, template]: Parameters<Queue["upsertJobScheduler"]>) =>
  Effect.promise(() => queue.upsertJobScheduler(id, repeat, template))

/** Options for a repeatable job, which only BullMQ 5 adds. The assertion: the types are those of 6. */
const repeatOf = (repeat: RepeatOptions): JobsOptions => ({ repeat }) as JobsOptions

const readRefusal = <A>(action: Effect.Effect<A, ActionFailed>) =>
  Effect.map(Effect.flip(action), ({ message }) => message)
const stateOf = (queue: Queue, id: string | undefined) => Effect.promise(() => queue.getJobState(id ?? ""))
const become = (queue: Queue, id: string | undefined, state: string) =>
  until(stateOf(queue, id), (now) => now === state)

describe.skipIf(!ready).each(modes)("what can be done to BullMQ's queues, %s", (mode, engineOf) => {
  it.scopedLive("submits: object, array, with a delay and a priority, and refuses what BullMQ cannot", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      const { awaitEvents } = yield* listening(engine)
      const { submit_task } = actions(engine)
      const named = yield* submit_task({
        task_name: "welcome",
        args: [],
        kwargs: { to: "ada" },
        eta_seconds: 60,
        priority: 3
      })
      const id = String(named.task_id)
      const job = yield* Effect.promise(() => mail.getJob(id.slice("mail:".length)))
      assert.deepInclude(job?.data, { to: "ada" })
      assert.strictEqual(job?.priority, 3)
      assert.strictEqual(yield* stateOf(mail, job?.id), "delayed")
      const [received] = yield* awaitEvents(id, "task.received")
      assert.deepInclude(received?.data, { task_name: "welcome", kwargs: { to: "ada" } })
      assert.approximately(Date.parse(String(received?.data.eta)), (job?.timestamp ?? 0) + 60_000, 1)

      const listed = yield* submit_task({ task_name: "sum", args: [1, 2n], kwargs: {}, queue: "mail" })
      assert.deepStrictEqual((yield* Effect.promise(() => mail.getJob(String(listed.task_id).slice(5))))?.data, [1, 2])
      assert.include(yield* readRefusal(submit_task({ task_name: "x", args: [1], kwargs: { a: 1 } })), "one value")
      assert.include(
        yield* readRefusal(submit_task({ task_name: "x", args: [], kwargs: {}, queue: "post" })),
        "no queue post, only: mail"
      )
      assert.include(
        yield* readRefusal(submit_task({ task_name: "x", args: [], kwargs: {}, priority: -1 })),
        "whole numbers"
      )
    }))

  it.scopedLive("a failed job runs again under its id, with all its attempts before it", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      let failures = 3
      yield* worker("mail", async () => {
        if (failures-- > 0) throw new Error("not yet")
        return "done"
      })
      const job = yield* add(mail, "welcome", { to: "ada" }, { attempts: 2 })
      yield* become(mail, job.id, "failed")
      const result = yield* actions(engine).retry_task({ task_id: `mail:${job.id}` })
      assert.deepInclude(result, { task_id: `mail:${job.id}`, source: "failed" })
      yield* become(mail, job.id, "completed")
    }))

  it.scopedLive("a retry takes the protocol's priorities: normal changes nothing, the others make a new job", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      const { retry_task } = actions(engine)
      const runs = yield* worker("mail", async () => {
        throw new Error("no")
      })
      const job = yield* add(mail, "welcome", {}, { priority: 7 })
      const task_id = `mail:${job.id}`
      yield* become(mail, job.id, "failed")
      yield* Effect.promise(() => runs.pause())
      assert.include(yield* readRefusal(retry_task({ task_id, priority: "urgent" })), "critical, high, normal and low")
      for (
        const [label, priority, lifo] of [["low", 2_097_151, undefined], ["high", 0, undefined], [
          "critical",
          0,
          true
        ]] as const
      ) {
        const { new_task_id } = yield* retry_task({ task_id, priority: label })
        const newJob = yield* Effect.promise(() => mail.getJob(String(new_task_id).slice(5)))
        assert.deepStrictEqual([newJob?.priority, newJob?.opts.lifo], [priority, lifo], label)
      }
      const waiting = yield* Effect.promise(() => mail.getWaiting())
      assert.deepStrictEqual(waiting.map(({ opts }) => opts.lifo), [true, undefined]) // the first runs next
      assert.deepInclude(yield* retry_task({ task_id, priority: "normal" }), { task_id, source: "failed" })
      assert.strictEqual((yield* Effect.promise(() => mail.getJob(String(job.id))))?.priority, 7)
    }))

  it.scopedLive("retries as a new job: with overrides, after success, later; not what is gone or still waits", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      const { retry_task } = actions(engine)
      const runs = yield* worker("mail", async (job) => job.data)
      const job = yield* add(mail, "welcome", { to: "ada" }, { attempts: 4 })
      yield* become(mail, job.id, "completed")
      const jobOf = (result: { readonly [member: string]: unknown }) =>
        Effect.promise(() => mail.getJob(String(result.new_task_id).slice(5)))

      const same = yield* jobOf(yield* retry_task({ task_id: `mail:${job.id}` }))
      assert.deepStrictEqual([same?.name, same?.data, same?.opts.attempts], ["welcome", { to: "ada" }, 4])
      assert.notStrictEqual(same?.id, job.id)
      const other = yield* jobOf(
        yield* retry_task({ task_id: `mail:${job.id}`, overrides: { args: [], kwargs: { to: "bob" } } })
      )
      assert.deepStrictEqual([other?.name, other?.data], ["welcome", { to: "bob" }])
      const later = yield* jobOf(yield* retry_task({ task_id: `mail:${job.id}`, eta_seconds: 60 }))
      assert.strictEqual(yield* stateOf(mail, later?.id), "delayed")
      const shout = yield* add(mail, "shout", "hello")
      yield* become(mail, shout.id, "completed")
      const louder = yield* jobOf(
        yield* retry_task({ task_id: `mail:${shout.id}`, overrides: { args: ["HELLO"], kwargs: {} } })
      )
      assert.strictEqual(louder?.data, "HELLO")

      yield* Effect.promise(() => runs.pause())
      const waiting = yield* add(mail, "welcome", {})
      assert.include(yield* readRefusal(retry_task({ task_id: `mail:${waiting.id}` })), "the job is waiting")
      assert.include(yield* readRefusal(retry_task({ task_id: "mail:no-such" })), "no longer has the job")
      assert.include(yield* readRefusal(retry_task({ task_id: "42" })), "<queue>:<job id>")
      const retried = yield* retry_task({
        task_id: "mail:no-such",
        task_name: "welcome",
        overrides: { args: [], kwargs: { to: "eve" } }
      })
      assert.deepStrictEqual((yield* jobOf(retried))?.data, { to: "eve" })
    }))

  it.scopedLive("cancels what waits: waiting, delayed, prioritized, a parent of a flow; the rest is no harm", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      const { awaitEvents } = yield* listening(engine)
      const { cancel_task } = actions(engine)
      const jobs = [
        yield* add(mail, "welcome", {}),
        yield* add(mail, "welcome", {}, { delay: 60_000 }),
        yield* add(mail, "welcome", {}, { priority: 5 })
      ]
      for (const { id } of jobs) {
        assert.deepInclude(yield* cancel_task({ task_id: `mail:${id}` }), { task_id: `mail:${id}`, cancelled: true })
        assert.strictEqual(yield* stateOf(mail, id), "unknown")
        const events = yield* awaitEvents(`mail:${id}`, "task.revoked")
        assert.include(events.find(({ kind }) => kind === "task.revoked")?.data, {
          task_name: "welcome",
          queue: "mail"
        })
      }
      assert.include(yield* readRefusal(cancel_task({ task_id: "mail:no-such" })), "no such job")
      yield* worker("mail", async () => 1)
      const done = yield* add(mail, "welcome", {})
      yield* become(mail, done.id, "completed")
      assert.deepInclude(yield* cancel_task({ task_id: `mail:${done.id}` }), {
        noop: true,
        reason: "the job has completed already"
      })
    }))

  it.scopedLive("purges what waits once the depth is confirmed, reports each, and leaves a refusal alone", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      const { events, awaitEvents } = yield* listening(engine)
      const { purge_queue } = actions(engine)
      const jobs = [
        yield* add(mail, "welcome", {}),
        yield* add(mail, "welcome", {}, { delay: 60_000 }),
        yield* add(mail, "welcome", {}, { priority: 5 })
      ]
      yield* Effect.promise(() => mail.upsertJobScheduler("digest", { pattern: "0 0 7 * * *" }))
      const no = purge_queue({
        queue: "mail",
        force: false,
        confirm: () => Effect.fail(new ActionFailed({ message: "not so deep" }))
      })
      assert.strictEqual(yield* readRefusal(no), "not so deep")
      assert.strictEqual(yield* Effect.promise(() => mail.count()), 4)
      let confirmed = -1
      const result = yield* purge_queue({
        queue: "mail",
        force: false,
        confirm: (depth) => Effect.sync(() => void (confirmed = depth))
      })
      assert.deepInclude(result, { queue: "mail", purged: 3 })
      assert.strictEqual(confirmed, 4)
      assert.strictEqual((yield* engine.inventory).queueDepths.mail, 1) // the scheduler's next
      for (const { id } of jobs) yield* awaitEvents(`mail:${id}`, "task.revoked")
      assert.strictEqual(events.filter(({ kind }) => kind === "task.revoked").length, 3)
    }))

  it.scopedLive("a purge empties a paused queue too, and sees a pause that was made elsewhere", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      yield* add(mail, "welcome", {})
      yield* Effect.promise(() => mail.pause())
      yield* add(mail, "welcome", {})
      assert.deepInclude(yield* engine.inventory, { queueDepths: { mail: 2 }, pausedQueues: ["mail"] })
      const { purged } = yield* actions(engine).purge_queue({
        queue: "mail",
        force: false,
        confirm: () => Effect.void
      })
      assert.strictEqual(purged, 2)
      assert.deepInclude(yield* engine.inventory, { queueDepths: { mail: 0 }, pausedQueues: ["mail"] })
    }))

  it.scopedLive("a purge of a queue at work reports what it removed, and no job that runs", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      const { events } = yield* listening(engine)
      const ran = new Set<string>()
      const runs = yield* worker("mail", async (job) => void ran.add(`mail:${job.id}`), {
        autorun: false,
        concurrency: 20
      })
      yield* Effect.promise(() => runs.waitUntilReady())
      const jobs = Array.from({ length: 3000 }, (_, n) => ({ name: "welcome", data: { n } }))
      yield* Effect.promise(() => mail.addBulk(jobs))
      const { purged } = yield* actions(engine).purge_queue({
        queue: "mail",
        force: false,
        confirm: () => Effect.sync(() => void runs.run())
      })
      yield* until(Effect.promise(() => mail.getJobCountByTypes("waiting", "active")), (count) => count === 0)
      const revoked = yield* until(
        Effect.sync(() => events.filter(({ kind }) => kind === "task.revoked")),
        (revocations) => revocations.length >= Number(purged)
      )
      assert.isAbove(Number(purged), 0)
      assert.strictEqual(ran.size + Number(purged), jobs.length)
      assert.strictEqual(revoked.length, purged)
      assert.isEmpty(revoked.filter(({ taskId }) => ran.has(taskId)))
      assert.include(revoked.map(({ data }) => data.task_name), "welcome")
    }))

  it.scopedLive("limits the rate of a queue, not of a task or a worker", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      const { rate_limit } = actions(engine)
      yield* rate_limit({ task_name: "mail", rate: "30/m" })
      assert.deepInclude(yield* Effect.promise(() => mail.getGlobalRateLimit()), { max: 30, duration: 60_000 })
      yield* rate_limit({ task_name: "mail", rate: "2/s" })
      yield* worker("mail", async () => 1)
      const jobs = yield* Effect.forEach([1, 2, 3], (n) => add(mail, "welcome", { n }))
      for (const { id } of jobs) yield* become(mail, id, "completed")
      const began = yield* Effect.forEach(jobs, ({ id = "" }) =>
        Effect.promise(async () => (await mail.getJob(id))?.processedOn ?? 0))
      // its own clock, which may be a little off from Redis's; a slow machine only makes it more
      assert.isAbove(Math.max(...began) - Math.min(...began), 900, "the third began a second after the first")
      yield* rate_limit({ task_name: "mail", rate: "0" })
      assert.isNull(
        yield* Effect.promise(() =>
          mail.getGlobalRateLimit()
        )
      )
      assert.include(yield* readRefusal(rate_limit({ task_name: "welcome", rate: "1/s" })), "limits queues, not tasks")
      assert.include(
        yield* readRefusal(rate_limit({ task_name: "mail", rate: "1/s", worker_name: "w" })),
        "leave the worker out"
      )
      assert.include(yield* readRefusal(rate_limit({ task_name: "mail", rate: "often" })), "is not a rate")
    }))

  it.scopedLive("lists dead letters page by page, over all queues or one, and requeues one of them", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      const { list_dead_letters, requeue_dead_letter } = actions(engine)
      let broken = true
      yield* worker("mail", async (job) => {
        if (broken) throw new Error(`no box ${job.data.n}`)
      })
      const jobs = yield* Effect.forEach([1, 2, 3], (n) => add(mail, "welcome", { n }))
      for (const { id } of jobs) yield* become(mail, id, "failed")
      const first = yield* list_dead_letters({ queue: null, limit: 2, cursor: null })
      assert.deepStrictEqual(first.entries.map(({ error_excerpt }) => error_excerpt), ["no box 3", "no box 2"])
      assert.strictEqual(first.total, 3)
      assert.isNotNull(first.next_cursor)
      const second = yield* list_dead_letters({ queue: "mail", limit: 2, cursor: first.next_cursor })
      assert.deepStrictEqual(second.entries.map(({ task_id }) => task_id), [`mail:${jobs[0]?.id}`])
      assert.isNull(second.next_cursor)
      assert.isNumber(second.entries[0]?.failed_at)
      broken = false
      yield* requeue_dead_letter({ task_id: `mail:${jobs[0]?.id}` })
      yield* become(mail, jobs[0]?.id, "completed")
      assert.include(
        yield* readRefusal(requeue_dead_letter({ task_id: `mail:${jobs[0]?.id}` })),
        "not among its queue's failed"
      )
    }))

  it.scopedLive("lists job schedulers: patterns with a zone and without, intervals, what has come to an end", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      const { list } = schedulerOf(engine)
      assert.deepStrictEqual(yield* list, [])
      yield* upsert(mail, "digest", { pattern: "0 0 7 * * *", tz: "Europe/Oslo" }, {
        name: "send",
        data: { all: true },
        opts: { attempts: 3 }
      })
      yield* upsert(mail, "sweep:all", { pattern: "*/5 * * * *" })
      yield* upsert(mail, "poll", { every: 90_500, startDate: Date.now() + 3_600_000 }, {
        name: "poll",
        data: [1, "zwei"]
      })
      const named = (id: string) => Effect.map(list, (all) => all.find((schedule) => schedule.id === id))
      const digest = yield* named("mail:digest")
      assert.deepStrictEqual(digest, {
        id: "mail:digest",
        name: "mail:digest",
        task_name: "send",
        kind: "cron",
        expression: "0 0 7 * * *",
        timezone: "Europe/Oslo",
        queue: "mail",
        args: [],
        kwargs: { all: true },
        is_enabled: true,
        next_run_at: digest?.next_run_at ?? 0,
        last_run_at: null,
        total_runs: 0,
        settings: { limit: undefined, startDate: undefined, endDate: undefined, offset: 0, options: { attempts: 3 } }
      })
      const oslo = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Oslo", hour: "2-digit", minute: "2-digit" })
      assert.strictEqual(oslo.format(digest?.next_run_at ?? 0), "07:00")
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
      assert.deepInclude(yield* named("mail:sweep:all"), {
        task_name: "sweep:all",
        expression: "*/5 * * * *",
        timezone: zone
      })
      assert.deepInclude(yield* named("mail:poll"), {
        kind: "interval",
        expression: "90.5",
        timezone: "UTC",
        args: [1, "zwei"]
      })

      // the first job of an interval is due at once; no worker takes it
      yield* Effect.promise(() => mail.pause())
      yield* upsert(mail, "twice", { every: 100, limit: 2 })
      yield* upsert(mail, "until", { every: 100, endDate: Date.now() + 400 })
      const due = yield* named("mail:twice")
      assert.deepInclude(due, { is_enabled: true, last_run_at: null, total_runs: 0 })
      assert.isAtMost(due?.next_run_at ?? Infinity, Date.now())
      yield* worker("mail", async () => 1)
      yield* Effect.promise(() => mail.resume())
      yield* until(named("mail:until"), (until) => until?.is_enabled === false)
      const twice = yield* until(named("mail:twice"), (twice) => twice?.is_enabled === false)
      assert.deepInclude(twice, { next_run_at: null, total_runs: 2 })
    }))

  it.scopedLive.skipIf(inject("bullmq") === 5)(
    "lists no job schedulers beside a repeatable job, which BullMQ 6 does not read",
    () =>
      Effect.gen(function*() {
        const { prefix, queue, redis } = yield* bull
        const mail = yield* queue("mail")
        const engine = engineOf(prefix, mail)
        yield* listening(engine)
        yield* upsert(mail, "digest", { pattern: "0 0 7 * * *" })
        // a list without it would be no list
        yield* Effect.promise(() => redis.zadd(`${prefix}:mail:repeat`, Date.now() + 60_000, "welcome:1:::0 0 7 * * *"))
        assert.include(yield* readRefusal(schedulerOf(engine).list), "Legacy repeatable job metadata is not supported")
        assert.isTrue((yield* engine.inventory).brokerConnected)
      })
  )

  it.scopedLive.skipIf(inject("bullmq") === 6)(
    "lists and deletes the repeatable jobs of BullMQ 5",
    () =>
      Effect.gen(function*() {
        const { prefix, queue, redis } = yield* bull
        const mail = yield* queue("mail")
        const engine = engineOf(prefix, mail)
        yield* listening(engine)
        const { actions: { delete: remove, trigger_now, update }, list } = schedulerOf(engine)
        yield* upsert(mail, "digest", { pattern: "0 0 7 * * *" })
        const added = yield* add(mail, "sweep", { all: true }, repeatOf({ pattern: "0 0 1 1 *", tz: "Europe/Oslo" }))
        // as BullMQ stored one before its version 5
        const due = Date.now() + 60_000
        yield* Effect.promise(() => redis.zadd(`${prefix}:mail:repeat`, due, "poll:1:::90500"))
        const byName = Object.fromEntries((yield* list).map((schedule) => [schedule.task_name, schedule]))
        assert.sameMembers(Object.keys(byName), ["digest", "sweep", "poll"])
        assert.deepInclude(byName.sweep, {
          id: `mail:${added.repeatJobKey}`,
          kind: "cron",
          expression: "0 0 1 1 *",
          timezone: "Europe/Oslo",
          kwargs: { all: true },
          is_enabled: true,
          last_run_at: null,
          total_runs: 0
        })
        assert.deepInclude(byName.poll, { kind: "interval", expression: "90.5", next_run_at: due, is_enabled: true })

        const schedule_id = byName.sweep?.id ?? ""
        assert.include(yield* readRefusal(trigger_now({ schedule_id })), "only list and delete")
        assert.include(
          yield* readRefusal(update({ schedule_id, definition: { task_name: "x" } })),
          "only list and delete"
        )
        yield* remove({ schedule_id })
        assert.sameMembers((yield* list).map(({ task_name }) => task_name), ["digest", "poll"])
        assert.strictEqual(yield* stateOf(mail, added.id), "unknown")
      })
  )

  it.scopedLive("publishes them to a brain that asks", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      yield* upsert(mail, "digest", { pattern: "0 0 7 * * *", tz: "Europe/Oslo" }, {
        name: "send",
        data: { password: "hunter2" }
      })
      const brain = yield* fakeBrain
      const reader = new SnapshotReader()
      const { onFrame } = brain.manners
      brain.manners.onFrame = (connection, frame) => {
        if (frame.type === "event_batch") frame.payload.events.forEach((event) => reader.take(event))
        onFrame(connection, frame)
      }
      // as soon as it is greeted, when the engine may not have begun
      brain.manners.onHello = (connection) => {
        connection.welcome()
        connection.command("c1", "schedule.external.activate", activation("bullmq-scheduler"))
      }
      yield* started(yield* optionsFor(brain.url, brain, { engines: [engineOf(prefix, mail)] }))
      const published = (count: number) => until(Effect.sync(() => reader.snapshots), (found) => found.length >= count)
      const [first] = yield* published(1)
      assert.deepStrictEqual(brain.connections[0]?.hello?.payload.schedulers, ["bullmq-scheduler"])
      assert.deepStrictEqual(brain.connections[0]?.hello?.payload.capabilities["bullmq-scheduler"], [
        "create",
        "delete",
        "external_schedule_mutation_v1",
        "external_schedule_stable_snapshot_v1",
        "list",
        "read",
        "trigger_now",
        "update"
      ])
      assert.deepInclude(first?.rows[0], {
        source_key: "mail:digest",
        engine: "bullmq",
        scheduler: "bullmq-scheduler",
        task_name: "send",
        kind: "cron",
        expression: "0 0 7 * * *",
        timezone: "Europe/Oslo",
        queue: "mail",
        kwargs: { password: "[REDACTED]" }
      })
      yield* Effect.promise(() => mail.removeJobScheduler("digest"))
      brain.connections[0]?.command("c2", "schedule.resync")
      const [, second] = yield* published(2)
      assert.deepInclude(second, { reason: "command", sequence: 2, rows: [] })
    }))

  it.scopedLive("runs a schedule now as its scheduler would, and deletes one with the job that waits", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      const { awaitEvents } = yield* listening(engine)
      const { actions: { delete: remove, trigger_now }, list } = schedulerOf(engine)
      yield* upsert(mail, "digest", { pattern: "0 0 1 1 *" }, {
        name: "send",
        data: { all: true },
        opts: { attempts: 3, priority: 4 }
      })
      const [before] = yield* list
      const { task_id, task_name } = yield* trigger_now({ schedule_id: "mail:digest" })
      assert.strictEqual(task_name, "send")
      const job = yield* Effect.promise(() => mail.getJob(String(task_id).slice(5)))
      assert.deepInclude({ ...job }, { name: "send", data: { all: true }, priority: 4 })
      assert.strictEqual(job?.opts.attempts, 3)
      yield* worker("mail", async () => 1)
      yield* become(mail, job?.id, "completed")
      if (before === undefined) throw new Error("no schedule")
      assert.deepStrictEqual(yield* list, [before], "when it runs next stays as it was")

      yield* remove({ schedule_id: "mail:digest" })
      assert.deepStrictEqual(yield* list, [])
      assert.strictEqual(yield* Effect.promise(() => mail.getDelayedCount()), 0)
      // in process, that job is reported when it starts
      if (mode === "from outside") yield* awaitEvents(`mail:repeat:digest:${before.next_run_at}`, "task.revoked")
      for (const action of [remove, trigger_now]) {
        assert.include(yield* readRefusal(action({ schedule_id: "mail:digest" })), "has no job scheduler digest")
        assert.include(yield* readRefusal(action({ schedule_id: "digest" })), "not the id of a BullMQ schedule")
        assert.include(yield* readRefusal(action({ schedule_id: "post:digest" })), "no queue post, only: mail")
      }
    }))

  it.scopedLive("reconciles: what became of a task", () =>
    Effect.gen(function*() {
      const { prefix, queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const engine = engineOf(prefix, mail)
      yield* listening(engine)
      const job = yield* add(mail, "welcome", {})
      assert.deepStrictEqual(yield* engine.reconcile(`mail:${job.id}`), {
        engine_state: "pending",
        finished_at: null,
        exception: null
      })
      assert.strictEqual((yield* engine.reconcile("mail:no-such")).engine_state, "unknown")
      yield* worker("mail", async () => {
        throw new Error("no box")
      })
      yield* become(mail, job.id, "failed")
      const after = yield* engine.reconcile(`mail:${job.id}`)
      assert.deepInclude(after, { engine_state: "failure", exception: "no box" })
      assert.isNumber(after.finished_at)
    }))
})

describe.skipIf(!ready)("what can be done, by mode", () => {
  it.scopedLive("advertised is what the mode can do: workers only beside them", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const runs = yield* worker("mail", async () => 1)
      const common = [
        "cancel_task",
        "list_dead_letters",
        "pause_queue",
        "purge_queue",
        "rate_limit",
        "requeue_dead_letter",
        "resume_queue",
        "retry_task",
        "submit_task"
      ]
      const workers = ["add_consumer", "cancel_consumer", "pool_resize", "restart_worker"]
      assert.sameMembers(Object.keys(bullmqFromOutside({ queues: ["mail"], connection }).actions), common)
      assert.sameMembers(Object.keys(bullmq({ queues: [mail] }).actions), common)
      assert.sameMembers(Object.keys(bullmq({ workers: [runs] }).actions), [...common, ...workers])
    }))
})

/** The object as a BullMQ without the method has it. */
const without = <A extends object>(object: A, method: keyof A): A =>
  new Proxy(object, { has: (target, name) => name !== method && Reflect.has(target, name) })

describe.skipIf(!ready)("what early versions of BullMQ 5 lack is refused with a sentence", () => {
  it.scopedLive("before 5.61 the rate of a queue", () =>
    Effect.gen(function*() {
      const { queue } = yield* bull
      const mail = yield* queue("mail")
      const engine = bullmq({ queues: [without(mail, "removeGlobalRateLimit")] })
      yield* listening(engine)
      assert.include(yield* readRefusal(actions(engine).rate_limit({ task_name: "mail", rate: "1/s" })), "since 5.61")
      assert.isNull(yield* Effect.promise(() => mail.getGlobalRateLimit()))
    }))

  it.scopedLive("before 5.64 the end of a running job, which then succeeds", () =>
    Effect.gen(function*() {
      const { queue, worker } = yield* bull
      const mail = yield* queue("mail")
      const barrier = gate()
      const runs = yield* worker("mail", () => barrier.opened)
      const engine = bullmq({ queues: [mail], workers: [without(runs, "cancelJob")] })
      const { awaitEvents } = yield* listening(engine)
      const job = yield* add(mail, "welcome", {})
      const task_id = `mail:${job.id}`
      yield* awaitEvents(task_id, "task.started")
      assert.include(yield* readRefusal(actions(engine).cancel_task({ task_id })), "since 5.64")
      barrier.open()
      yield* awaitEvents(task_id, "task.succeeded")
    }))
})
