/**
 * What the agent's runtime relies on in an engine's adapter. Any adapter runs it:
 *
 *     conforms("memory", Effect.sync(() => { … return { engine, enqueue, work, taskName, queue, worker } }))
 *
 * Actions go through the runtime's own dispatch, as a brain's commands do. An action that the adapter does not
 * implement must be refused with a sentence; the others must do what they say.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, type Scope } from "effect"
import type { TestContext } from "vitest"
import { capabilitiesOf } from "../../../src/agent/runtime/Capabilities.ts"
import { dispatch, type DispatchResult } from "../../../src/agent/runtime/Dispatch.ts"
import type { Actions, Engine, EngineEvent } from "../../../src/agent/runtime/Engine.ts"
import { makeScheduleStreams, type ScheduleStream } from "../../../src/agent/runtime/ScheduleStream.ts"
import { SnapshotQueue } from "../../../src/agent/runtime/SnapshotQueue.ts"
import { makePurgeToken } from "../../../src/domain/commands/PurgeToken.ts"
import { canonicalize, type JsonInput, JsonObject, parse } from "../../../src/domain/kernel/CanonicalJson.ts"
import * as Redaction from "../../../src/domain/kernel/Redaction.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"
import { activation, nodeOf, SnapshotReader } from "../../protocol/snapshots.ts"
import { until } from "../../until.ts"

/** An adapter over a task engine of its own, with one worker. */
export interface Subject {
  readonly engine: Engine
  /** Puts a task into the queue, where it waits until `work` or `begin`; returns its id. `endless` runs until it is cancelled. */
  readonly enqueue: (outcome: "success" | "failure" | "endless") => Effect.Effect<string>
  /** Lets the worker run until nothing waits any more. */
  readonly work: Effect.Effect<void>
  /** From now on the worker takes whatever it may; `work` is not called after it. */
  readonly begin: Effect.Effect<void>
  /** Name and queue of the task that `enqueue` enqueues, and the worker's name. */
  readonly taskName: string
  readonly queue: string
  readonly worker: string
  /** Makes a schedule of the task `taskName` that runs in an hour at the earliest, under a key like this; returns its id. */
  readonly schedule?: (key: string) => Effect.Effect<string>
}

const key = signingKey(Buffer.alloc(32, 7))

const objectOf = (value: { readonly [name: string]: JsonInput }): JsonObject => {
  const node = parse(canonicalize(value))
  if (!(node instanceof JsonObject)) throw new Error("no object")
  return node
}

/** Has the engine carry out a command as the brain would send it. */
export const command = (
  engine: Engine,
  action: string,
  parameters: { readonly [name: string]: JsonInput } = {},
  purgeThreshold = 1000,
  streams: ReadonlyArray<ScheduleStream> = publishing(engine).streams
): Effect.Effect<DispatchResult> =>
  dispatch(
    {
      action,
      target: objectOf({}),
      parameters: objectOf(parameters),
      timeoutSeconds: 60,
      issuedBy: null,
      deliveryClaimToken: null
    },
    { engines: [engine], streams, key, purgeThreshold, redaction: Redaction.make([]) }
  )

/** The stream of the engine's schedules, with a brain at its end that acknowledges everything at once, or nothing. */
export const publishing = (engine: Engine, now: () => number = Date.now, acknowledges = true) => {
  const snapshots = new SnapshotQueue(() => {})
  const reader = new SnapshotReader()
  const streams = makeScheduleStreams([engine], {
    snapshots,
    now,
    redaction: Redaction.make([]),
    log: () => {},
    maxBytes: () => 1_048_576,
    wake: () => {
      if (!acknowledges) return
      for (let parcel = snapshots.next(1_048_576, 0); parcel !== null; parcel = snapshots.next(1_048_576, 0)) {
        parcel.bodies.forEach((body) => reader.take(nodeOf(body)))
        snapshots.ack(parcel.id)
      }
    },
    stateOf: () => "running"
  })
  return { streams, snapshots: reader.snapshots, controls: reader.controls }
}

const assertSuccess = (outcome: DispatchResult) => {
  assert.strictEqual(outcome.status, "success", JSON.stringify(outcome))
  return outcome.result ?? {}
}

/** Refused by a sentence, and by nothing that broke. */
const assertRefusal = (outcome: DispatchResult) => {
  if (outcome.status !== "failed") throw new Error(`was not refused: ${JSON.stringify(outcome)}`)
  assert.isNull(outcome.result, outcome.error)
  assert.notInclude(outcome.error, "adapter failed")
  assert.isAbove(outcome.error.length, 5)
}

export const conforms = (name: string, make: Effect.Effect<Subject, never, Scope.Scope>) =>
  describe(`the adapter of ${name}`, () => {
    const withSubject = (
      title: string,
      body: (
        subject: Subject & { readonly events: ReadonlyArray<EngineEvent> },
        context: TestContext
      ) => Effect.Effect<void, unknown, Scope.Scope>,
      needs?: keyof Actions
    ) =>
      it.scopedLive(title, (context) =>
        Effect.gen(function*() {
          const subject = yield* make
          if (needs !== undefined && subject.engine.actions[needs] === undefined) return context.skip()
          const events: Array<EngineEvent> = []
          yield* subject.engine.start((event) => void events.push(event))
          yield* body({ ...subject, events }, context)
        }))
    const kindsOf = (events: ReadonlyArray<EngineEvent>, id: string) =>
      events.filter(({ taskId }) => taskId === id).map(({ kind }) => kind)
    /** Checks for longer than any of the workers needs to begin a task: no event reports what does not happen. */
    const doesNotStart = (events: ReadonlyArray<EngineEvent>, id: string) =>
      Effect.repeat(Effect.sync(() => assert.notInclude(kindsOf(events, id), "task.started")), {
        schedule: Schedule.spaced("5 millis"),
        times: 40
      })
    const awaitEvent = (events: ReadonlyArray<EngineEvent>, id: string, kind: EngineEvent["kind"]) =>
      until(Effect.sync(() => kindsOf(events, id)), (kinds) => kinds.includes(kind))

    withSubject(
      "has a name that the brain takes",
      ({ engine }) => Effect.sync(() => assert.match(engine.name, /^[^A-Z\s]{1,40}$/))
    )

    withSubject(
      "reports a task from its arrival to its success",
      ({ enqueue, events, queue, taskName, work }) =>
        Effect.gen(function*() {
          const begun = Date.now()
          const id = yield* enqueue("success")
          yield* work
          yield* awaitEvent(events, id, "task.succeeded")
          assert.includeMembers(kindsOf(events, id), ["task.received", "task.started", "task.succeeded"])
          const mine = events.filter(({ taskId }) => taskId === id)
          for (const { data, occurredAt } of mine) {
            assert.isAtLeast(occurredAt, begun - 60_000)
            assert.isAtMost(occurredAt, Date.now() + 60_000)
            assert.strictEqual(
              JSON.stringify(JSON.parse(canonicalize(data))),
              canonicalize(data),
              "the data is not plain JSON"
            )
          }
          const received = mine.find(({ kind }) => kind === "task.received")
          assert.deepInclude(received?.data, { task_name: taskName, queue })
        })
    )

    withSubject("reports why a task failed", ({ enqueue, events, work }) =>
      Effect.gen(function*() {
        const id = yield* enqueue("failure")
        yield* work
        yield* awaitEvent(events, id, "task.failed")
        const failure = events.find(({ kind, taskId }) => taskId === id && kind === "task.failed")
        assert.isAbove(String(failure?.data.exception ?? "").length, 0)
        assert.notInclude(kindsOf(events, id), "task.succeeded")
      }))

    it.scopedLive("reports nothing more once its scope is closed", () =>
      Effect.gen(function*() {
        const { engine, enqueue, work } = yield* make
        const events: Array<EngineEvent> = []
        yield* Effect.scoped(engine.start((event) => void events.push(event)))
        const before = events.length
        yield* enqueue("success")
        yield* work
        assert.strictEqual(events.length, before)
      }))

    withSubject(
      "counts what waits, and names its workers",
      ({ engine, enqueue, queue, worker }) =>
        Effect.gen(function*() {
          const before = (yield* engine.inventory).queueDepths[queue] ?? 0
          yield* enqueue("success")
          yield* enqueue("success")
          const inventory = yield* until(engine.inventory, ({ queueDepths }) => queueDepths[queue] === before + 2)
          assert.isTrue(inventory.brokerConnected)
          assert.isAbove(inventory.brokerType.length, 0)
          const found = inventory.workers.find((each) => each.name === worker)
          if (inventory.workers.length > 0) assert.include(found?.queues ?? [], queue)
        })
    )

    withSubject("knows what became of a task", ({ engine, enqueue, events, work }) =>
      Effect.gen(function*() {
        const waiting = yield* enqueue("success")
        assert.strictEqual((yield* engine.reconcile(waiting)).engine_state, "pending")
        const failing = yield* enqueue("failure")
        yield* work
        yield* awaitEvent(events, waiting, "task.succeeded")
        yield* awaitEvent(events, failing, "task.failed")
        const states = yield* Effect.all([waiting, failing, "no-such-task"].map((id) => engine.reconcile(id)))
        // an engine that keeps no finished tasks says so
        assert.include(["success", "unknown"], states[0]?.engine_state)
        assert.include(["failure", "unknown"], states[1]?.engine_state)
        assert.strictEqual(states[2]?.engine_state, "unknown")
        assert.deepInclude(assertSuccess(yield* command(engine, "reconcile_task", { task_id: failing })), {
          task_id: failing,
          engine_state: states[1]?.engine_state
        })
      }))

    withSubject("refuses what it does not do, by a sentence", ({ engine }) =>
      Effect.gen(function*() {
        const all = [
          "submit_task",
          "retry_task",
          "bulk_retry",
          "cancel_task",
          "purge_queue",
          "pause_queue",
          "resume_queue",
          "restart_worker",
          "pool_grow",
          "pool_shrink",
          "add_consumer",
          "cancel_consumer",
          "rate_limit",
          "requeue_dead_letter",
          "no_such_action",
          "schedule.no_such",
          "schedule.enable",
          "schedule.disable",
          "schedule.external.control"
        ]
        const can = capabilitiesOf(engine)
        for (const action of all) {
          if (!can.includes(action)) {
            assertRefusal(yield* command(engine, action, { task_id: "x", queue: "x", worker_name: "x" }))
          }
        }
        if (!can.includes("list_dead_letters")) assertRefusal(yield* command(engine, "dlq.list"))
      }))

    withSubject("submits a task", ({ engine, events, queue, taskName, work }) =>
      Effect.gen(function*() {
        const { task_id } = assertSuccess(
          yield* command(engine, "submit_task", { name: taskName, args: [1, "zwei"], kwargs: {}, queue })
        )
        assert.isString(task_id)
        yield* work
        yield* awaitEvent(events, String(task_id), "task.started")
      }), "submit_task")

    withSubject(
      "submits a schedule's fire once, also after its task has ended",
      ({ engine, events, queue, taskName, work }) =>
        Effect.gen(function*() {
          const fire = (fire_id: string) =>
            Effect.map(
              command(engine, "schedule.fire", { task_name: taskName, args: [1, "zwei"], kwargs: {}, queue, fire_id }),
              (outcome) => String(assertSuccess(outcome).task_id)
            )
          const first = yield* fire("1b9d6bcd-bbfd-5b2d-9b5d-ab8dfbbd4bed")
          assert.strictEqual(yield* fire("1b9d6bcd-bbfd-5b2d-9b5d-ab8dfbbd4bed"), first)
          const second = yield* fire("the id of another brain:1")
          assert.notStrictEqual(second, first)
          yield* work
          for (const id of [first, second]) yield* awaitEvent(events, id, "task.succeeded")
          const ofFires = () => events.filter(({ taskId }) => taskId === first || taskId === second)
          const reported = ofFires().length
          assert.strictEqual(yield* fire("1b9d6bcd-bbfd-5b2d-9b5d-ab8dfbbd4bed"), first)
          assert.strictEqual(yield* fire("the id of another brain:1"), second)
          yield* work
          assert.strictEqual(ofFires().length, reported, "nothing is reported of the second time")
          const started = ofFires().filter(({ kind }) => kind === "task.started").map(({ taskId }) => taskId)
          assert.sameMembers(started, [first, second])
        }),
      "submit_task"
    )

    withSubject("retries a failed task", ({ engine, enqueue, events, taskName, work }) =>
      Effect.gen(function*() {
        const id = yield* enqueue("failure")
        yield* work
        yield* awaitEvent(events, id, "task.failed")
        const plain = yield* command(engine, "retry_task", { task_id: id, task_name: taskName })
        if (engine.retriesByReference) assertSuccess(plain)
        else assertRefusal(plain)
        const again = yield* command(engine, "retry_task", {
          task_id: id,
          task_name: taskName,
          override_args: [],
          override_kwargs: {}
        })
        const result = again.status === "success" ? again.result : {}
        const newId = String(result.new_task_id ?? result.task_id ?? "")
        if (again.status === "failed") assertRefusal(again)
        yield* work
        if (newId !== "") yield* awaitEvent(events, newId, "task.received")
        assertRefusal(yield* command(engine, "retry_task", { task_id: id, override_args: [] }))
      }), "retry_task")

    withSubject(
      "refuses to retry by its own record what it does not remember",
      ({ engine }) => Effect.map(command(engine, "retry_task", { task_id: "no-such-task" }), assertRefusal),
      "retry_task"
    )

    withSubject("retries many, and says which failed", ({ engine, enqueue, events, work }) =>
      Effect.gen(function*() {
        const id = yield* enqueue("failure")
        yield* work
        yield* awaitEvent(events, id, "task.failed")
        const result = assertSuccess(
          yield* command(engine, "bulk_retry", { filter: { task_ids: [id, "no-such-task", id] }, max: 10 })
        )
        assert.deepInclude(result, {
          requested: 2,
          succeeded: engine.retriesByReference ? 1 : 0,
          circuit_broken: false,
          capped: false
        })
        assert.property(result.failures, "no-such-task")
      }), "retry_task")

    withSubject("cancels a waiting task", ({ engine, enqueue, events, work }) =>
      Effect.gen(function*() {
        const id = yield* enqueue("success")
        assertSuccess(yield* command(engine, "cancel_task", { task_id: id }))
        yield* work
        assert.notInclude(kindsOf(events, id), "task.succeeded")
        assertRefusal(yield* command(engine, "cancel_task", { task_id: "no-such-task" }))
      }), "cancel_task")

    withSubject(
      "ends a task that runs and is free for the next, or leaves it alone and says why",
      ({ begin, engine, enqueue, events }) =>
        Effect.gen(function*() {
          const id = yield* enqueue("endless")
          yield* begin
          yield* awaitEvent(events, id, "task.started")
          const outcome = yield* command(engine, "cancel_task", { task_id: id })
          if (outcome.status === "failed") {
            assertRefusal(outcome)
            assert.strictEqual((yield* engine.reconcile(id)).engine_state, "started")
            return assert.notInclude(kindsOf(events, id), "task.revoked")
          }
          yield* awaitEvent(events, id, "task.revoked")
          yield* awaitEvent(events, yield* enqueue("success"), "task.succeeded")
          assert.notIncludeMembers(kindsOf(events, id), ["task.succeeded"])
        }),
      "cancel_task"
    )

    withSubject(
      "empties a queue only at the confirmed depth, below the threshold, or by force",
      ({ engine, enqueue, queue }) =>
        Effect.gen(function*() {
          const depth = (expected: number) =>
            until(engine.inventory, ({ queueDepths }) => (queueDepths[queue] ?? 0) === expected)
          yield* enqueue("success")
          yield* enqueue("success")
          yield* depth(2)
          assertRefusal(yield* command(engine, "purge_queue", { queue }))
          assertRefusal(yield* command(engine, "purge_queue", { queue, confirm_token: makePurgeToken(key, queue, 3) }))
          assertRefusal(
            yield* command(engine, "purge_queue", { queue, confirm_token: makePurgeToken(key, queue, 2) }, 1)
          )
          yield* depth(2)
          const result = assertSuccess(
            yield* command(engine, "purge_queue", { queue, confirm_token: makePurgeToken(key, queue, 2) })
          )
          assert.deepInclude(result, { queue, purged: 2 })
          yield* depth(0)
          yield* enqueue("success")
          assert.deepInclude(assertSuccess(yield* command(engine, "purge_queue", { queue, force: true })), {
            purged: 1
          })
          yield* depth(0)
        }),
      "purge_queue"
    )

    withSubject(
      "takes nothing from a paused queue until it is resumed, and shows the pause",
      ({ begin, engine, enqueue, events, queue }) =>
        Effect.gen(function*() {
          assert.deepInclude(assertSuccess(yield* command(engine, "pause_queue", { queue })), { queue, paused: true })
          assertSuccess(yield* command(engine, "pause_queue", { queue })) // is so already
          assert.deepStrictEqual((yield* engine.inventory).pausedQueues, [queue])
          const task = yield* enqueue("success")
          yield* begin
          yield* until(engine.inventory, ({ queueDepths }) => (queueDepths[queue] ?? 0) === 1)
          assert.strictEqual((yield* engine.reconcile(task)).engine_state, "pending")
          assert.deepInclude(assertSuccess(yield* command(engine, "resume_queue", { queue })), { queue, paused: false })
          yield* awaitEvent(events, task, "task.succeeded")
          assert.deepStrictEqual((yield* engine.inventory).pausedQueues, [])
        }),
      "pause_queue"
    )

    withSubject("changes its pool, and does not go below one", ({ engine, worker }) =>
      Effect.gen(function*() {
        const size = Effect.map(engine.inventory, ({ workers }) =>
          workers.find((each) => each.name === worker)?.concurrency ?? 0)
        const before = yield* size
        assertSuccess(yield* command(engine, "pool_grow", { worker_name: worker, delta: 2 }))
        yield* until(size, (now) =>
          now === before + 2)
        assertSuccess(yield* command(engine, "pool_shrink", { worker_name: worker, delta: 1 }))
        yield* until(size, (now) => now === before + 1)
        assertRefusal(yield* command(engine, "pool_shrink", { worker_name: worker, delta: 1000 }))
      }), "pool_resize")

    withSubject(
      "stops and begins to consume a queue",
      ({ begin, engine, enqueue, events, queue, worker }) =>
        Effect.gen(function*() {
          const consumed = Effect.map(
            engine.inventory,
            ({ workers }) => workers.find(({ name }) => name === worker)?.queues ?? []
          )
          yield* begin
          yield* awaitEvent(events, yield* enqueue("success"), "task.succeeded")
          assertSuccess(yield* command(engine, "cancel_consumer", { worker_name: worker, queue }))
          assert.notInclude(yield* consumed, queue)
          const id = yield* enqueue("success")
          yield* doesNotStart(events, id)
          assertSuccess(yield* command(engine, "add_consumer", { worker_name: worker, queue }))
          yield* awaitEvent(events, id, "task.succeeded")
          assert.include(yield* consumed, queue)
        }),
      "add_consumer"
    )

    withSubject(
      "restarts a worker, which then takes tasks as before",
      ({ begin, engine, enqueue, events, worker }) =>
        Effect.gen(function*() {
          yield* begin
          yield* awaitEvent(events, yield* enqueue("success"), "task.succeeded")
          assertSuccess(yield* command(engine, "restart_worker", { worker_name: worker }))
          yield* awaitEvent(events, yield* enqueue("success"), "task.succeeded")
        }),
      "restart_worker"
    )

    withSubject(
      "limits a rate, and takes the limit away",
      ({ begin, engine, enqueue, events, taskName }) =>
        Effect.gen(function*() {
          assertSuccess(yield* command(engine, "rate_limit", { task_name: taskName, rate: "1/h" }))
          yield* begin
          yield* awaitEvent(events, yield* enqueue("success"), "task.succeeded")
          const id = yield* enqueue("success")
          yield* doesNotStart(events, id)
          assertSuccess(yield* command(engine, "rate_limit", { task_name: taskName, rate: "0" }))
          yield* awaitEvent(events, id, "task.succeeded")
          assertRefusal(yield* command(engine, "rate_limit", { task_name: taskName, rate: "often" }))
        }),
      "rate_limit"
    )

    withSubject(
      "publishes its schedules, runs one now, and deletes one",
      ({ engine, events, schedule, taskName, work }, context) =>
        Effect.gen(function*() {
          const { scheduler } = engine
          if (scheduler === undefined || schedule === undefined) return context.skip()
          assert.match(scheduler.name, /^[^A-Z\s]{1,40}$/)
          assert.notStrictEqual(scheduler.name, engine.name)
          const first = yield* schedule("first")
          const second = yield* schedule("second")
          const { snapshots, streams } = publishing(engine)
          const run = (action: string, parameters: { readonly [name: string]: JsonInput } = {}) =>
            command(engine, action, parameters, 1000, streams)
          const begun = activation(scheduler.name)
          assert.deepInclude(assertSuccess(yield* run("schedule.external.activate", begun)), {
            scheduler: scheduler.name,
            sequence: 1,
            schedule_count: 2,
            frame_count: 2
          })
          const rows = snapshots[0]?.rows ?? []
          assert.deepStrictEqual(rows.map(({ source_key }) => source_key), [first, second].sort())
          for (const row of rows) {
            assert.deepInclude(row, {
              engine: engine.name,
              scheduler: scheduler.name,
              task_name: taskName,
              is_enabled: true,
              total_runs: 0
            })
            assert.isAtMost(String(row.source_key).length, 200)
            assert.include(["cron", "interval", "solar", "clocked"], row.kind)
            assert.match(String(row.next_run_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
            assert.isArray(row.args)
            assert.isObject(row.kwargs)
            assert.notInclude(JSON.stringify(row), "hunter2")
          }
          const { trigger_now, delete: remove } = scheduler.actions
          assertRefusal(yield* run("schedule.trigger_now", { schedule_id: "no such schedule" }))
          assertRefusal(yield* run("schedule.delete", { schedule_id: "no such schedule" }))
          if (trigger_now !== undefined) {
            const { task_id } = assertSuccess(yield* run("schedule.trigger_now", { schedule_id: first }))
            yield* work
            yield* awaitEvent(events, String(task_id), "task.succeeded")
          }
          if (remove !== undefined) {
            const expected = rows.find(({ source_key }) => source_key === second)
            // The cast: a row that was read from JSON.
            const mutation = {
              ...begun,
              operation: "delete",
              operation_id: begun.stream_id,
              schedule_id: second,
              expected: expected as JsonInput,
              definition: {}
            }
            assertSuccess(yield* run("schedule.external.mutate", mutation))
            assertRefusal(yield* run("schedule.external.mutate", mutation))
            assert.deepInclude(assertSuccess(yield* run("schedule.delete", { schedule_id: first })), {
              schedule_id: first
            })
            const left = snapshots.map(({ rows }) => rows.length)
            assert.deepStrictEqual(left, [2, 1, 0], "each deletion is published")
          }
        })
    )

    withSubject(
      "lists dead letters a page at a time, and puts one back",
      ({ engine, enqueue, events, queue, taskName, work }) =>
        Effect.gen(function*() {
          const ids = yield* Effect.all([enqueue("failure"), enqueue("failure"), enqueue("failure")])
          yield* work
          for (const id of ids) yield* awaitEvent(events, id, "task.failed")
          const listedIds: Array<string> = []
          let cursor: JsonInput = null
          for (let page = 0; page < 5; page++) {
            const result: { readonly [member: string]: JsonInput | undefined } = assertSuccess(
              yield* command(engine, "dlq.list", { queue, limit: page === 0 ? 200 : 2, cursor })
            )
            if (!Array.isArray(result.entries)) throw new Error("no entries")
            for (const entry of result.entries) {
              assert.deepInclude(entry, { task_name: taskName, queue })
              assert.match(String(entry.failed_at), /^\d{4}-.*Z$/)
              listedIds.push(String(entry.task_id))
            }
            cursor = result.next_cursor ?? null
            if (cursor === null) break
          }
          assert.includeMembers(listedIds, ids)
          if (engine.actions.requeue_dead_letter === undefined) return
          assertSuccess(yield* command(engine, "requeue_dead_letter", { task_id: ids[0] ?? "" }))
          const left = assertSuccess(yield* command(engine, "dlq.list", { queue }))
          assert.notInclude(JSON.stringify(left.entries), ids[0])
        }),
      "list_dead_letters"
    )
  })
