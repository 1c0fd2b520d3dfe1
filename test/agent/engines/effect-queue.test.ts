import { PersistedQueue } from "@effect/experimental"
import { SqlClient } from "@effect/sql"
import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  Cause,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  FiberId,
  Layer,
  Logger,
  Redacted,
  Ref,
  Schema,
  Scope
} from "effect"
import { randomBytes } from "node:crypto"
import * as EffectQueue from "../../../src/agent/engines/effect-queue/EffectQueue.ts"
import type { EngineEvent } from "../../../src/agent/runtime/Engine.ts"
import * as DatabaseLayer from "../../../src/layers/Database.ts"
import { type Engine, settingsOn } from "../../databases.ts"
import { freshPostgres } from "../../postgres.ts"
import { until } from "../../until.ts"
import { command, conforms } from "./conformance.ts"

const database = (engine: Engine) => DatabaseLayer.layerUnmigrated.pipe(Layer.provide(settingsOn(engine)), Layer.orDie)

// One PostgreSQL database for all, and a table for each: to make a database takes longer than most of the tests.
const whole = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(whole, Exit.void)))
const shared = Effect.runSync(Effect.cached(Scope.extend(freshPostgres, whole)))
const sharedPostgres = DatabaseLayer.layerUnmigrated.pipe(
  Layer.provide(
    Layer.unwrapEffect(Effect.map(shared, ({ url }) => settingsOn("SQLite", { databaseUrl: Redacted.make(url) })))
  ),
  Layer.orDie
)
const ownTable = Layer.unwrapEffect(
  Effect.sync(() =>
    EffectQueue.layerSql({ pollInterval: "10 millis", tableName: `queue_${randomBytes(6).toString("hex")}` })
  )
)
const onSql = (engine: Engine) =>
  ownTable.pipe(Layer.provideMerge(engine === "SQLite" ? database(engine) : sharedPostgres), Layer.orDie)

const stores = [
  ["memory", EffectQueue.layerMemory()],
  ["SQLite", onSql("SQLite")],
  ["PostgreSQL", onSql("PostgreSQL")]
] as const

const Anything = Schema.Array(Schema.Unknown)

/** One slot, which a task of the test's own occupies: what is offered waits behind it until `work`. */
const subject = (store: Layer.Layer<PersistedQueue.PersistedQueueFactory | EffectQueue.QueueRecords>) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(store)
    const queue = yield* Effect.provide(
      EffectQueue.make({ name: "default", schema: Anything, maxAttempts: 1 }),
      context
    )
    const engine = EffectQueue.engine([queue])
    let plugged = yield* Deferred.make<void>()
    let release = yield* Deferred.make<void>()
    const worker = queue.run(([what]) =>
      what === "plug"
        ? Effect.zipRight(Deferred.succeed(plugged, void 0), Deferred.await(release))
        : what === "endless" ?
        Effect.never
        : what === "fail"
        ? Effect.fail(new Error("it was told to"))
        : Effect.succeed("ok"), { workerName: "w1" })
    yield* Effect.forkScoped(worker)
    const plug = Effect.zipRight(queue.offer(["plug"]), Deferred.await(plugged))
    yield* Effect.orDie(plug)
    const idle = until(
      engine.inventory,
      ({ queueDepths, workers }) => queueDepths.default === 0 && (workers[0]?.activeTasks ?? 0) <= 1
    )
    return {
      engine,
      enqueue: (outcome: "success" | "failure" | "endless") =>
        Effect.orDie(queue.offer(outcome === "success" ? [] : [outcome === "failure" ? "fail" : outcome])),
      begin: Effect.suspend(() => Deferred.succeed(release, void 0)),
      work: Effect.gen(function*() {
        const old = release
        plugged = yield* Deferred.make<void>()
        release = yield* Deferred.make<void>()
        yield* Deferred.succeed(old, void 0)
        yield* plug
        yield* idle
      }).pipe(Effect.orDie),
      taskName: "default",
      queue: "default",
      worker: "w1"
    }
  })

for (const [name, store] of stores) conforms(`Effect queues on ${name}`, subject(store))

class Flaky extends Schema.TaggedError<Flaky>()("Flaky", { message: Schema.String }) {}

const Charge = Schema.TaggedStruct("charge", { amount: Schema.Number })
const Refund = Schema.TaggedStruct("refund", { amount: Schema.Number })
const Money = Schema.Union(Charge, Refund)

describe("an Effect queue in memory", () => {
  it.scopedLive("runs nothing that was purged, however much it was", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(EffectQueue.layerMemory({ remember: 2 }))
      const queue = yield* Effect.provide(EffectQueue.make({ name: "mail", schema: Schema.Number }), context)
      const engine = EffectQueue.engine([queue])
      for (let n = 0; n < 5; n++) yield* queue.offer(n)
      const outcome = yield* command(engine, "purge_queue", { queue: "mail", force: true })
      assert.strictEqual(outcome.status, "success")
      const ran: Array<number> = []
      const last = yield* Deferred.make<void>()
      yield* Effect.forkScoped(queue.run((n) => {
        ran.push(n)
        return Deferred.succeed(last, void 0)
      }))
      yield* queue.offer(99)
      yield* Deferred.await(last)
      assert.deepStrictEqual(ran, [99])
    }))
})

describe.each(stores)("an Effect queue on %s", (name, store) => {
  /** The queue, its engine and the events it reports. */
  const world = Effect.gen(function*() {
    const context = yield* Layer.build(store)
    const make = <A, I>(options: EffectQueue.QueueOptions<A, I>) => Effect.provide(EffectQueue.make(options), context)
    const queue = yield* make({ name: "payments", schema: Money, maxAttempts: 3 })
    const engine = EffectQueue.engine([queue])
    const events: Array<EngineEvent> = []
    yield* engine.start((event) => void events.push(event))
    const awaitEvent = (id: string, kind: EngineEvent["kind"]) =>
      until(
        Effect.sync(() => events.find((event) => event.taskId === id && event.kind === kind)),
        (event) => event !== undefined
      )
    // by their times, as a brain reads them: a worker may take a task before its offer returns and is reported
    const kinds = (id: string) =>
      events.filter(({ taskId }) => taskId === id).toSorted((a, b) => a.occurredAt - b.occurredAt)
        .map(({ kind }) => kind)
    return { context, make, queue, engine, events, awaitEvent, kinds }
  })

  it.scopedLive("reports each attempt with its arguments, its failure, its result and its worker", () =>
    Effect.gen(function*() {
      const { engine, events, kinds, queue, awaitEvent } = yield* world
      yield* Effect.forkScoped(
        queue.run(
          ({ amount }, { attempt }) =>
            attempt < 3 ? new Flaky({ message: `attempt ${attempt}` }) : Effect.succeed({ charged: amount }),
          {
            workerName: "till"
          }
        )
      )
      const id = yield* queue.offer({ _tag: "charge", amount: 12 })
      const success = yield* awaitEvent(id, "task.succeeded")
      assert.deepStrictEqual(kinds(id), [
        "task.received",
        "task.started",
        "task.retried",
        "task.started",
        "task.retried",
        "task.started",
        "task.succeeded"
      ])
      assert.deepInclude(success?.data, {
        task_name: "charge",
        queue: "payments",
        worker: "till",
        args: [],
        kwargs: { _tag: "charge", amount: 12 },
        result: { charged: 12 },
        attempt: 3
      })
      assert.isNumber(success?.data.runtime_ms)
      const retry = events.find(({ kind }) => kind === "task.retried")
      assert.deepInclude(retry?.data, { exception: "Flaky", exception_message: "attempt 1" })
      assert.include(String(retry?.data.traceback), "Flaky: attempt 1")
      const outcome = yield* engine.reconcile(id)
      assert.strictEqual(outcome.engine_state, "success")
      assert.closeTo(outcome.finished_at ?? 0, Date.now(), 60_000)
    }))

  it.scopedLive("sends what a handler logs, with level, cause and annotations, and how far it is", () =>
    Effect.gen(function*() {
      const { queue, awaitEvent } = yield* world
      yield* Effect.forkScoped(queue.run(({ amount }) =>
        Effect.gen(function*() {
          yield* Effect.log("charging", { amount }).pipe(Effect.annotateLogs("order", amount))
          yield* Effect.logError("refused", Cause.fail("no money"))
          yield* EffectQueue.reportProgress({ done: 1, total: 2 })
        }), { workerName: "till" }))
      yield* Effect.log("outside of a task")
      const id = yield* queue.offer({ _tag: "charge", amount: 12 })
      const log = yield* awaitEvent(id, "task.log")
      const progress = yield* awaitEvent(id, "task.progress")
      assert.deepStrictEqual(progress?.data, { progress: { done: 1, total: 2 } })
      const lines = Array.isArray(log?.data.lines) ? log.data.lines : []
      assert.strictEqual(lines.length, 2)
      assert.deepInclude(lines[0], { level: "info", fields: { order: 12 } })
      assert.match(lines[0].message, /^charging \{\s*"amount": 12\s*\}$/)
      assert.match(lines[1].message, /^refused .*no money/s)
      assert.strictEqual(lines[1].level, "error")
      assert.strictEqual(log?.data.attempt, 1)
    }))

  it.scopedLive("gives up after the last attempt, lists the task as dead, and takes it back", () =>
    Effect.gen(function*() {
      const { engine, events, kinds, queue, awaitEvent } = yield* world
      const works = yield* Ref.make(false)
      yield* Effect.forkScoped(
        queue.run(() => Effect.flatMap(works, (yes) => yes ? Effect.void : new Flaky({ message: "down" })))
      )
      const id = yield* queue.offer({ _tag: "refund", amount: 1 })
      yield* awaitEvent(id, "task.failed")
      assert.strictEqual(kinds(id).filter((kind) => kind === "task.started").length, 3)
      const listed = yield* until(
        command(engine, "dlq.list", { queue: "payments" }),
        ({ result }) => result?.total === 1
      )
      const [entry] = Array.isArray(listed.result?.entries) ? listed.result.entries : []
      assert.deepInclude(entry, { task_id: id, task_name: "refund", queue: "payments", attempts: 3 })
      assert.include(JSON.stringify(entry), "Flaky: down")
      yield* Ref.set(works, true)
      const outcome = yield* command(engine, "requeue_dead_letter", { task_id: id })
      const back = String(outcome.result?.new_task_id ?? outcome.result?.task_id)
      const done = yield* awaitEvent(back, "task.succeeded")
      assert.isNull(done?.data.result)
      assert.strictEqual(back === id, name !== "memory")
      assert.isAbove(events.length, 0)
      assert.strictEqual((yield* command(engine, "dlq.list", {})).result?.total, 0)
    }))

  it.scopedLive("two workers of one queue wait side by side, and each takes its share", () =>
    Effect.gen(function*() {
      const { events, queue, awaitEvent } = yield* world
      const logged: Array<unknown> = []
      const both = yield* Deferred.make<void>()
      const meeting = (): Effect.Effect<void> =>
        events.filter(({ kind }) => kind === "task.started").length < 2
          ? Deferred.await(both)
          : Effect.asVoid(Deferred.succeed(both, void 0))
      const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(message)))
      for (const workerName of ["left", "right"]) { // both wait for the one task
        yield* Effect.forkScoped(Effect.provide(queue.run(meeting, { workerName }), logger))
      }
      yield* until(Effect.sync(() => queue.workers.size), (size) => size === 2)
      yield* awaitEvent(yield* queue.offer({ _tag: "charge", amount: 1 }), "task.started")
      yield* queue.offer({ _tag: "charge", amount: 2 })
      yield* Deferred.await(both)
      const workers = events.filter(({ kind }) => kind === "task.started").map(({ data }) => data.worker)
      assert.sameMembers(workers, ["left", "right"])
      assert.deepStrictEqual(logged, [])
    }))

  it.scopedLive("a pause of another process holds a worker that starts, until that process resumes the queue", () =>
    Effect.gen(function*() {
      const { awaitEvent, kinds, make, queue } = yield* world
      const other = EffectQueue.engine([yield* make({ name: "payments", schema: Money })])
      assert.strictEqual((yield* command(other, "pause_queue", { queue: "payments" })).status, "success")
      const id = yield* queue.offer({ _tag: "charge", amount: 1 })
      yield* Effect.forkScoped(queue.run(() => Effect.void))
      const [worker] = yield* until(Effect.sync(() => [...queue.workers]), (workers) => workers.length === 1)
      yield* until(Effect.sync(() => worker?.isOpen), (isOpen) => isOpen === false)
      assert.deepStrictEqual(kinds(id), ["task.received"])
      assert.strictEqual((yield* command(other, "resume_queue", { queue: "payments" })).status, "success")
      yield* awaitEvent(id, "task.succeeded")
    }))

  it.scopedLive("gives up a task that fails while another part of it is interrupted", () =>
    Effect.gen(function*() {
      const { kinds, queue, awaitEvent } = yield* world
      const parts = Effect.all([new Flaky({ message: "down" }), Effect.never], { concurrency: 2 })
      yield* Effect.forkScoped(queue.run(() =>
        Effect.catchAllCause(parts, (cause) => Effect.failCause(Cause.parallel(cause, Cause.interrupt(FiberId.none))))
      ))
      const id = yield* queue.offer({ _tag: "charge", amount: 1 })
      const failed = yield* awaitEvent(id, "task.failed")
      assert.strictEqual(
        kinds(id).filter((kind) =>
          kind === "task.started"
        ).length,
        3
      )
      assert.strictEqual(failed?.data.attempt, 3)
    }))

  it.scopedLive("knows whose child a task is, over queues", () =>
    Effect.gen(function*() {
      const { context, events, make, queue } = yield* world
      const mail = yield* make({ name: "mail", schema: Schema.String })
      const both: Array<EngineEvent> = []
      yield* EffectQueue.engine([mail]).start((event) => void both.push(event))
      const print = yield* Effect.provide(EffectQueue.make({ name: "print", schema: Schema.String }), context)
      yield* EffectQueue.engine([print]).start((event) => void both.push(event))
      yield* Effect.forkScoped(queue.run(() => mail.offer("receipt")))
      yield* Effect.forkScoped(mail.run(() => print.offer("copy")))
      const root = yield* queue.offer({ _tag: "charge", amount: 5 })
      const copy = yield* until(Effect.sync(() => both.find(({ data }) => data.queue === "print")), (event) =>
        event !== undefined)
      const letter = both.find(({ data }) =>
        data.queue === "mail"
      )
      assert.deepInclude(letter?.data, { parent_task_id: root, root_task_id: root, args: ["receipt"] })
      assert.deepInclude(copy?.data, { parent_task_id: letter?.taskId, root_task_id: root, args: ["copy"] })
      assert.deepInclude(events.find(({ taskId }) => taskId === root)?.data, {
        parent_task_id: null,
        root_task_id: null
      })
    }))

  it.scopedLive("cancels what runs by interrupting it, and it does not come back", () =>
    Effect.gen(function*() {
      const { engine, kinds, queue, awaitEvent } = yield* world
      const interrupted = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        queue.run(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, void 0)))
      )
      const id = yield* queue.offer({ _tag: "charge", amount: 1 })
      yield* awaitEvent(id, "task.started")
      const outcome = yield* command(engine, "cancel_task", { task_id: id })
      assert.deepInclude(outcome.result, { task_id: id, terminated: true })
      yield* Deferred.await(interrupted)
      const revoked = yield* awaitEvent(id, "task.revoked")
      assert.strictEqual(revoked?.data.terminated, true)
      const after = yield* until(engine.reconcile(id), ({ engine_state }) => engine_state === "failure")
      assert.strictEqual(after.exception, "cancelled")
      assert.deepStrictEqual(kinds(id), ["task.received", "task.started", "task.revoked"])
      assert.strictEqual((yield* engine.inventory).workers[0]?.activeTasks, 0)
    }))

  it.scopedLive("puts what runs back when the worker stops; the next worker takes it, as no second attempt", () =>
    Effect.gen(function*() {
      const { kinds, queue, awaitEvent } = yield* world
      const first = yield* Effect.fork(queue.run(() => Effect.never))
      const id = yield* queue.offer({ _tag: "charge", amount: 1 })
      yield* awaitEvent(id, "task.started")
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(kinds(id), ["task.received", "task.started", "task.retried"])
      assert.strictEqual(queue.workers.size, 0)
      const attempts = yield* Ref.make(0)
      yield* Effect.forkScoped(queue.run((_, { attempt }) => Ref.set(attempts, attempt)))
      yield* awaitEvent(id, "task.succeeded")
      assert.strictEqual(yield* attempts, 1)
    }))

  it.scopedLive("takes nothing while it is paused, and continues once it is resumed", () =>
    Effect.gen(function*() {
      const { engine, kinds, queue, awaitEvent } = yield* world
      yield* Effect.forkScoped(queue.run(() => Effect.void, { workerName: "till" }))
      const before = yield* queue.offer({ _tag: "charge", amount: 1 })
      yield* awaitEvent(before, "task.succeeded")
      yield* command(engine, "cancel_consumer", { worker_name: "till", queue: "payments" })
      assert.deepStrictEqual((yield* engine.inventory).workers[0]?.queues, [])
      const ids = yield* Effect.all([1, 2, 3].map((amount) => queue.offer({ _tag: "charge", amount })))
      // the take that was waiting when the pause came hands its element back
      yield* until(engine.inventory, ({ queueDepths }) => queueDepths.payments === 3)
      for (const id of ids) assert.deepStrictEqual(kinds(id), ["task.received"])
      yield* command(engine, "add_consumer", { worker_name: "till", queue: "payments" })
      for (const id of ids) yield* awaitEvent(id, "task.succeeded")
      const unknownQueue = yield* command(engine, "add_consumer", { worker_name: "till", queue: "mail" })
      assert.strictEqual(unknownQueue.status, "failed")
    }))

  it.scopedLive("runs as many at once as its pool has slots", () =>
    Effect.gen(function*() {
      const { engine, queue } = yield* world
      const release = yield* Deferred.make<void>()
      yield* Effect.forkScoped(queue.run(() => Deferred.await(release), { concurrency: 2, workerName: "till" }))
      for (let amount = 0; amount < 6; amount++) yield* queue.offer({ _tag: "charge", amount })
      const active = Effect.map(
        engine.inventory,
        ({ queueDepths, workers }) => [workers[0]?.activeTasks, queueDepths.payments]
      )
      yield* until(active, ([running, waiting]) => running === 2 && waiting === 4)
      yield* command(engine, "pool_grow", { worker_name: "till", delta: 2 })
      yield* until(active, ([running, waiting]) => running === 4 && waiting === 2)
      yield* Deferred.succeed(release, void 0)
      yield* until(active, ([running, waiting]) => running === 0 && waiting === 0)
    }))

  it.scopedLive("begins no more tasks of a name than its limit, and all of them once it is lifted", () =>
    Effect.gen(function*() {
      const { engine, kinds, queue, awaitEvent } = yield* world
      const early = yield* command(engine, "rate_limit", { task_name: "charge", rate: "2/h" })
      assert.match(early.status === "failed" ? early.error : "", /This process runs no worker/)
      yield* Effect.forkScoped(queue.run(() => Effect.void, { concurrency: 8 }))
      yield* until(engine.inventory, ({ workers }) => workers.length === 1)
      assert.lengthOf(
        (yield* command(engine, "rate_limit", { task_name: "charge", rate: "2/h" })).result?.limited as Array<string>,
        1
      ) // names
      const charges = yield* Effect.all([1, 2, 3, 4].map((amount) => queue.offer({ _tag: "charge", amount })))
      const refund = yield* queue.offer({ _tag: "refund", amount: 5 })
      yield* awaitEvent(refund, "task.succeeded")
      const inventory = yield* until(engine.inventory, ({ workers }) => workers[0]?.activeTasks === 2)
      assert.strictEqual(inventory.queueDepths.payments, 0)
      assert.strictEqual(charges.filter((id) => kinds(id).includes("task.started")).length, 2)
      const waiting = charges.filter((id) => !kinds(id).includes("task.started"))
      assert.sameMembers([...(inventory.workers[0]?.activeTaskIds ?? [])], waiting)
      yield* command(engine, "rate_limit", { task_name: "charge", rate: "0" })
      for (const id of charges) yield* awaitEvent(id, "task.succeeded")
    }))

  it.scopedLive("submits what fits a schema and retries with other arguments; refuses the rest and delays", () =>
    Effect.gen(function*() {
      const { engine, queue, awaitEvent } = yield* world
      yield* Effect.forkScoped(queue.run(({ amount }) => Effect.succeed(amount)))
      const submit = (parameters: Record<string, never> | Parameters<typeof command>[2]) =>
        command(engine, "submit_task", parameters)
      const good = yield* submit({ name: "charge", args: [], kwargs: { _tag: "charge", amount: 7 } })
      const id = String(good.result?.task_id)
      assert.strictEqual((yield* awaitEvent(id, "task.succeeded"))?.data.result, 7)
      for (
        const bad of [
          { name: "charge", args: [], kwargs: { _tag: "charge", amount: "seven" } },
          { name: "refund", args: [], kwargs: { _tag: "charge", amount: 7 } },
          { name: "charge", args: [1], kwargs: { _tag: "charge", amount: 7 } },
          { name: "charge", args: [], kwargs: { _tag: "charge", amount: 7 }, queue: "mail" },
          { name: "charge", args: [], kwargs: { _tag: "charge", amount: 7 }, eta_seconds: 5 }
        ]
      ) {
        const outcome = yield* submit(bad)
        assert.strictEqual(outcome.status, "failed", JSON.stringify(bad))
      }
      yield* until(engine.reconcile(id), ({ engine_state }) => engine_state === "success")
      const again = yield* command(engine, "retry_task", {
        task_id: id,
        override_args: [],
        override_kwargs: { _tag: "refund", amount: 8 }
      })
      assert.strictEqual(
        (yield* awaitEvent(String(again.result?.new_task_id), "task.succeeded"))?.data.task_name,
        "refund"
      )
      const same = yield* command(engine, "retry_task", { task_id: id })
      assert.strictEqual((yield* awaitEvent(String(same.result?.new_task_id), "task.succeeded"))?.data.result, 7)
      assert.strictEqual(
        (yield* command(engine, "retry_task", { task_id: id, override_args: [], override_kwargs: { amount: 8 } }))
          .status,
        "failed"
      )
    }))

  it.scopedLive("offers an id once, and takes what was offered past it", () =>
    Effect.gen(function*() {
      const { context, events, kinds, queue, awaitEvent } = yield* world
      const plain = yield* Effect.provide(PersistedQueue.make({ name: "payments", schema: Money }), context)
      yield* plain.offer({ _tag: "charge", amount: 3 }, { id: "past-it" })
      yield* queue.offer({ _tag: "charge", amount: 4 }, { id: "once" })
      yield* queue.offer({ _tag: "charge", amount: 4 }, { id: "once" })
      yield* Effect.forkScoped(queue.run(({ amount }) => Effect.succeed(amount)))
      assert.strictEqual((yield* awaitEvent("past-it", "task.succeeded"))?.data.result, 3)
      yield* awaitEvent("once", "task.succeeded")
      assert.strictEqual(kinds("once").filter((kind) => kind === "task.received").length, 1)
      assert.strictEqual(events.filter(({ kind }) => kind === "task.succeeded").length, 2)
    }))
})

it.scopedLive("in memory only the last ended tasks are remembered", () =>
  Effect.gen(function*() {
    const context = yield* Layer.build(EffectQueue.layerMemory({ remember: 2 }))
    const queue = yield* Effect.provide(EffectQueue.make({ name: "few", schema: Schema.Number }), context)
    const engine = EffectQueue.engine([queue])
    yield* Effect.forkScoped(queue.run(() => Effect.void))
    const [first = "", , last = ""] = yield* Effect.all([1, 2, 3].map((n) => queue.offer(n)))
    yield* until(engine.reconcile(last), ({ engine_state }) => engine_state === "success")
    assert.strictEqual((yield* engine.reconcile(first)).engine_state, "unknown")
  }))

describe.each(["SQLite", "PostgreSQL"] as const)("an Effect queue on %s", (engine) => {
  it.scopedLive("outlives its process, and continues after the table was missing for a while", () =>
    Effect.gen(function*() {
      const client = yield* Layer.build(database(engine))
      const process = Layer.provide(EffectQueue.layerSql({ pollInterval: "10 millis" }), Layer.succeedContext(client))
      const options = { name: "mail", schema: Schema.String }
      const before = yield* Scope.make()
      const offering = yield* Scope.extend(Layer.build(process), before)
      const id = yield* Effect.flatMap(EffectQueue.make(options), (queue) => queue.offer("hello")).pipe(
        Effect.provide(offering)
      )
      yield* Scope.close(before, Exit.void)

      const context = yield* Layer.build(process)
      const queue = yield* Effect.provide(EffectQueue.make(options), context)
      const letters: Array<string> = []
      yield* Effect.forkScoped(queue.run((letter) => Effect.sync(() => void letters.push(letter))))
      const { reconcile } = EffectQueue.engine([queue])
      yield* until(reconcile(id), ({ engine_state }) => engine_state === "success")
      const sql = yield* Effect.provide(SqlClient.SqlClient, client)
      yield* sql`ALTER TABLE effect_queue RENAME TO away`
      assert.include((yield* Effect.flip(EffectQueue.engine([queue]).inventory)).message, "store failed")
      yield* sql`ALTER TABLE away RENAME TO effect_queue`
      yield* queue.offer("again")
      yield* until(Effect.sync(() => letters), (all) => all.length === 2)
      assert.deepStrictEqual(letters, ["hello", "again"])
    }))

  it.scopedLive("is left in peace when its store is closed under its worker", () =>
    Effect.gen(function*() {
      const client = yield* Layer.build(database(engine))
      const scope = yield* Scope.make()
      let takes = 0
      const counted = Layer.map(EffectQueue.layerSql({ pollInterval: "10 millis" }), (context) => {
        const factory = Context.get(context, PersistedQueue.PersistedQueueFactory)
        const make: typeof factory.make = (options) =>
          Effect.map(factory.make(options), (queue) => ({
            ...queue,
            take: (f, takeOptions) => Effect.suspend(() => (takes++, queue.take(f, takeOptions)))
          }))
        return Context.add(context, PersistedQueue.PersistedQueueFactory, { make })
      })
      const context = yield* Layer.build(Layer.provide(counted, Layer.succeedContext(client))).pipe(Scope.extend(scope))
      const queue = yield* Effect.provide(EffectQueue.make({ name: "mail", schema: Schema.String }), context)
      const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const worker = yield* Effect.fork(
        queue.run(() => Effect.zipRight(Deferred.succeed(begun, void 0), Deferred.await(release)))
      )
      yield* queue.offer("a letter")
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(release, void 0)
      yield* until(Effect.sync(() => takes), (count) => count > 1)
      for (let turn = 0; turn < 1000; turn++) yield* Effect.yieldNow()
      assert.strictEqual(takes, 2)
      yield* Fiber.interrupt(worker)
    }))
})
