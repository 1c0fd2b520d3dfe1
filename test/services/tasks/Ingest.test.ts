import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../../../src/services/kernel/concurrency/EventLoop.ts"
import { TaskDeletion } from "../../../src/services/tasks/Deletion.ts"
import { Ingest } from "../../../src/services/tasks/Ingest.ts"
import type { BatchOutcome } from "../../../src/services/tasks/Ingest/Model.ts"
import { makeTaskRetention } from "../../../src/services/tasks/Retention.ts"
import { TaskChanges } from "../../../src/services/tasks/TaskChanges.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { eventOf, offerEvents, readRecording, readState } from "./Ingest/world.ts"

type Data = { readonly [key: string]: JsonInput }

const anEvent = (kind: string, engine: string, task_id: string, second: string, data: Data) =>
  eventOf({ id: randomUUID(), kind, engine, task_id, occurred_at: `2026-11-21T12:00:${second}+00:00`, data })

const taskEvent = (kind: string, taskId: string, second: string, data: Data) =>
  anEvent(kind, "celery", taskId, second, data)

const arrival: Data = { task_name: "mail.send", queue: "mail", args: [1], kwargs: {} }
const receivedEvent = (taskId: string, more: Data = {}) =>
  taskEvent("task.received", taskId, "00.000000", { ...arrival, ...more })
const startedEvent = (taskId: string, worker = "w1@host") =>
  taskEvent("task.started", taskId, "01.000000", { task_name: "<unknown:x>", worker })
const succeededEvent = (taskId: string, worker = "w1@host") =>
  taskEvent("task.succeeded", taskId, "02.000000", { task_name: "<unknown:x>", worker, result: "'ok'", runtime_ms: 7 })

const source = Effect.map(freshProject(), ({ id }) => ({ projectId: id, agentId: AgentId.make(randomUUID()) }))

/** The sessions of PostgreSQL that wait for a lock. */
const countWaiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    (waiting) => waiting.length
  ))

const readCounts = (projectId: string) =>
  Effect.gen(function*() {
    const { counted, counts } = yield* readState(projectId)
    assert.deepStrictEqual(counts, counted)
    return Object.fromEntries(counts.map(({ state, tasks }) => [state, tasks]))
  })

describe.each(engines)("ingest on %s", (engine) => {
  const brain = TaskDeletion.layer.pipe(Layer.provideMerge(brainOn(engine)))

  layer(brain, { excludeTestServices: true })((it) => {
    it.effect("a task's life is one row, its worker and its queue", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        yield* offerEvents(from, [receivedEvent("t1"), startedEvent("t1"), succeededEvent("t1")])
        const { counts, facets, queues, tasks, workers } = yield* readState(from.projectId)
        assert.strictEqual(tasks.length, 1)
        assert.deepInclude(tasks[0], {
          task_id: "t1",
          state: "success",
          name: "mail.send",
          queue: "mail",
          args: "[1]",
          result: "\"'ok'\"",
          runtime_ms: 7,
          worker_name: "w1@host"
        })
        assert.deepStrictEqual(counts, [{ state: "success", tasks: 1 }])
        assert.deepStrictEqual(facets, [
          { facet: "name", value: "mail.send" },
          { facet: "queue", value: "mail" },
          { facet: "worker_name", value: "w1@host" }
        ])
        assert.deepInclude(workers[0], {
          engine: "celery",
          name: "w1@host",
          hostname: "host",
          processed: 1,
          succeeded: 1,
          failed: 0,
          last_heartbeat: "2026-11-21T12:00:02.000000Z"
        })
        const last_seen_at = "2026-11-21T12:00:00.000000Z"
        assert.deepStrictEqual(queues, [{ engine: "celery", name: "mail", depth: null, last_seen_at }])
        const [row] = yield* sql<{ id: string; created_at: Timestamp.Timestamp; revision: number }>`
          SELECT id, created_at, revision FROM tasks WHERE project_id = ${from.projectId}`
        const idMillis = parseInt(row!.id.replaceAll("-", "").slice(0, 12), 16)
        assert.strictEqual(idMillis, Timestamp.toEpochMillis(row!.created_at))
        assert.strictEqual(row!.revision, 1)
      }))

    it.effect("is acknowledged after the commit, never before", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { offer } = yield* Ingest
        const from = yield* source
        const outcomes: Array<BatchOutcome> = []
        // the writer waits for this transaction: on SQLite for the connection, on PostgreSQL for the row
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`INSERT INTO tasks ${
            sql.insert({
              id: randomUUID(),
              project_id: from.projectId,
              engine: "celery",
              task_id: "t1",
              name: "x",
              state: "unknown",
              priority: "normal",
              retry_count: 0,
              tags: "[]",
              first_event_at: "2026",
              history: "[]",
              revision: 1,
              created_at: "2026",
              updated_at: "2026"
            })
          }`
          const onCommit = (outcome: BatchOutcome) => outcomes.push(outcome)
          assert.isTrue(offer({ ...from, reporter: "", size: 0, events: [receivedEvent("t1")], onCommit }))
          yield* Effect.repeatN(Effect.zipRight(yieldToEventLoop, sql`SELECT 1`), 200)
          assert.deepStrictEqual(outcomes, [])
          yield* sql`DELETE FROM tasks WHERE project_id = ${from.projectId}`
        }))
        yield* offerEvents(from, [startedEvent("t1")])
        assert.deepStrictEqual(outcomes, [{ accepted: 1, rejected: 0 }])
        assert.deepStrictEqual(yield* readCounts(from.projectId), { started: 1 })
      }))

    it.effect("each transaction has a moment of its own, later than the last", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        for (let index = 0; index < 20; index++) yield* offerEvents(from, [receivedEvent(`t${index}`)])
        const rows = yield* sql<{ updated_at: string }>`
          SELECT updated_at FROM tasks WHERE project_id = ${from.projectId} ORDER BY updated_at, id`
        assert.strictEqual(new Set(rows.map((row) => row.updated_at)).size, 20)
      }))

    it.effect("masks secrets before they are stored", () =>
      Effect.gen(function*() {
        const from = yield* source
        yield* offerEvents(from, [
          receivedEvent("t1", {
            kwargs: { password: "hunter2", n: 12345678901234567890n },
            args: [{ apiKey: "hunter2" }]
          }),
          taskEvent("task.failed", "t1", "03.000000", {
            task_name: "mail.send",
            exception: "ConnectionError",
            exception_message: "redis://:hunter2@cache",
            traceback: "password=hunter2\nline"
          })
        ])
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql`SELECT * FROM tasks WHERE project_id = ${from.projectId}`
        assert.notInclude(JSON.stringify(row), "hunter2")
        assert.deepInclude(row, {
          kwargs: `{"n":12345678901234567890,"password":"[REDACTED]"}`,
          args: `[{"apiKey":"[REDACTED]"}]`
        })
      }))

    it.effect("a value over the bound is truncated, in the row and in its history, after secrets are masked", () =>
      Effect.gen(function*() {
        const from = yield* source
        const kwargs = { password: "hidden", text: "x".repeat(300_000) }
        yield* offerEvents(from, [receivedEvent("large", { kwargs, tags: ["a", "b"] }), receivedEvent("small")])
        const { tasks } = yield* readState(from.projectId)
        const [large, small] = ["large", "small"].map((id) => tasks.find(({ task_id }) => task_id === id))
        const value = JSON.parse(String(large?.["kwargs"]))
        assert.strictEqual(value.svc_truncated, true)
        assert.isTrue(value.begins.startsWith("{\"password\":\"[REDACTED]\",\"text\":\"xxx"))
        assert.isAtMost(String(large?.["kwargs"]).length, 262_144)
        assert.isAtMost(String(large?.["history"]).length, 264_000)
        assert.deepInclude(small, { kwargs: "{}" })
      }))

    it.effect("an event without a task is rejected alone, at any place in its batch", () =>
      Effect.gen(function*() {
        const from = yield* source
        const unusable = taskEvent("task.received", "", "00.000000", { task_name: "x" })
        assert.deepStrictEqual(yield* offerEvents(from, [receivedEvent("t1"), unusable, startedEvent("t1")]), {
          accepted: 2,
          rejected: 1
        })
        assert.deepStrictEqual(yield* readCounts(from.projectId), { started: 1 })
      }))

    it.effect("a name over its bound is truncated with a hash: distinct names stay distinct, and a child names its parent's id", () =>
      Effect.gen(function*() {
        const from = yield* source
        const long = (end: string) => "n".repeat(600) + end
        const events = [
          receivedEvent(long("1"), { task_name: long("1") }),
          receivedEvent(long("2"), { task_name: long("2"), queue: long("q"), parent_task_id: long("1") })
        ]
        assert.deepStrictEqual(yield* offerEvents(from, events), { accepted: 2, rejected: 0 })
        const { facets, tasks } = yield* readState(from.projectId)
        const child = tasks.find(({ parent_task_id }) => parent_task_id !== null)
        assert.strictEqual(tasks.filter(({ task_id }) => task_id === child?.["parent_task_id"]).length, 1)
        assert.strictEqual(new Set(tasks.map(({ name }) => name)).size, 2)
        for (const { name, task_id } of tasks) {
          assert.match(String(name), /^n{486}\[[\da-f]{12}\]$/)
          assert.match(String(task_id), /^n{186}\[[\da-f]{12}\]$/)
        }
        assert.strictEqual(facets.filter(({ facet }) => facet === "name").length, 2)
      }))

    it.effect("an event that the database refuses is rejected alone, and its neighbours go in", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        // an example of a value that a database refuses
        yield* sql.onDialectOrElse({
          pg: () => sql`ALTER TABLE tasks ADD CONSTRAINT no_cursed CHECK (name <> 'cursed')`,
          orElse: () =>
            sql`CREATE TRIGGER no_cursed BEFORE INSERT ON tasks WHEN new.name = 'cursed'
              BEGIN SELECT RAISE(ABORT, 'cursed'); END`
        })
        const batches = Array.from(
          { length: 8 },
          (_, batch) =>
            Array.from(
              { length: 10 },
              (_, index) =>
                receivedEvent(`t${batch}-${index}`, batch === 3 && index === 7 ? { task_name: "cursed" } : {})
            )
        )
        const outcomes = yield* Effect.forEach(batches, (events) => offerEvents(from, events), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(outcomes.map(({ rejected }) => rejected), [0, 0, 0, 1, 0, 0, 0, 0])
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 79 })
        assert.notDeepInclude((yield* readState(from.projectId)).facets, { facet: "name", value: "cursed" })
        yield* sql.onDialectOrElse({
          pg: () => sql`ALTER TABLE tasks DROP CONSTRAINT no_cursed`,
          orElse: () => sql`DROP TRIGGER no_cursed`
        })
      }))

    it.effect("text that PostgreSQL cannot hold is kept without the part it cannot", () =>
      Effect.gen(function*() {
        const from = yield* source
        const data = { task_name: "x", exception: "a\0b", exception_message: "c", args: ["a\0"] }
        const failed = taskEvent("task.failed", "t1", "01.000000", data)
        assert.deepStrictEqual(yield* offerEvents(from, [failed]), { accepted: 1, rejected: 0 })
        assert.deepInclude((yield* readState(from.projectId)).tasks[0], {
          exception: "a\ufffdb: c",
          args: `["a\\u0000"]`
        })
      }))

    it.effect("a damaged history costs its own task's events only", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        yield* offerEvents(from, [receivedEvent("t1"), receivedEvent("t2")])
        yield* sql`
          UPDATE tasks SET history = '[99]', revision = 7 WHERE project_id = ${from.projectId} AND task_id = 't1'`
        assert.deepStrictEqual(yield* offerEvents(from, [startedEvent("t1"), startedEvent("t2")]), {
          accepted: 1,
          rejected: 1
        })
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 1, started: 1 })
      }))

    it.effect("a frame of 5000 events is acknowledged once, with its last", () =>
      Effect.gen(function*() {
        const from = yield* source
        const events = Array.from({ length: 5000 }, (_, index) => receivedEvent(`t${index}`))
        assert.deepStrictEqual(yield* offerEvents(from, events), { accepted: 5000, rejected: 0 })
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 5000 })
        assert.deepStrictEqual(yield* offerEvents(from, []), { accepted: 0, rejected: 0 })
      }))

    it.effect("a deleted task does not come back with its old history", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const deletion = yield* TaskDeletion
        const from = yield* source
        yield* offerEvents(from, [receivedEvent("t1"), startedEvent("t1"), receivedEvent("t2")])
        const [row] = yield* sql<{ id: string }>`
          SELECT id FROM tasks WHERE project_id = ${from.projectId} AND task_id = 't1'`
        yield* sql.withTransaction(deletion.deleteTasks(from.projectId, [row!.id]))
        yield* offerEvents(from, [succeededEvent("t1")])
        const { tasks } = yield* readState(from.projectId)
        const remaining = { received_at: null, started_at: "2026-11-21T12:00:01.993000Z", args: null }
        assert.deepInclude(tasks[0], { task_id: "t1", state: "success", ...remaining })
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 1, success: 1 })
      }))

    it.effect("a task without a name whose id is not truncated within a character is stored", () =>
      Effect.gen(function*() {
        const from = yield* source
        const outcome = yield* offerEvents(from, [
          taskEvent("task.started", "1234567\u{1f600}", "01.000000", { worker: "w" })
        ])
        assert.deepStrictEqual(outcome, { accepted: 1, rejected: 0 })
        assert.deepInclude((yield* readState(from.projectId)).tasks[0], { name: "<unknown:1234567\ufffd>" })
      }))

    it.effect("a task that changed since its id was read is not deleted as an old one", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const deletion = yield* TaskDeletion
        const from = yield* source
        yield* offerEvents(from, [receivedEvent("old"), receivedEvent("back")])
        const before = Timestamp.addSeconds(yield* Timestamp.now, -3600)
        const old = sql`project_id = ${from.projectId} AND task_id = 'old'`
        yield* sql`UPDATE tasks SET updated_at = ${Timestamp.addSeconds(before, -1)} WHERE ${old}`
        const rows = yield* sql<{ id: string }>`SELECT id FROM tasks WHERE project_id = ${from.projectId}`
        const deleted = yield* sql.withTransaction(
          deletion.deleteTasks(from.projectId, rows.map(({ id }) => id), before)
        )
        assert.strictEqual(deleted, 1)
        const { tasks } = yield* readState(from.projectId)
        assert.deepStrictEqual(tasks.map(({ task_id }) => task_id), ["back"])
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 1 })
      }))

    it.effect.skipIf(engine === "SQLite")(
      "a deletion locks tasks in the order of the ingest, and does not deadlock with it",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const deletion = yield* TaskDeletion
          const from = yield* source
          for (const taskId of ["b", "a"]) yield* offerEvents(from, [receivedEvent(taskId)])
          const rows = yield* sql<{ id: string }>`SELECT id FROM tasks WHERE project_id = ${from.projectId}`
          const change = (taskId: string) =>
            sql`UPDATE tasks SET queue = 'other' WHERE project_id = ${from.projectId} AND task_id = ${taskId}`
          const hasChanged = yield* Deferred.make<void>()
          const mayGoOn = yield* Deferred.make<void>()
          const changing = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
            yield* change("a")
            yield* Deferred.succeed(hasChanged, undefined)
            yield* Deferred.await(mayGoOn)
            yield* change("b")
          })))
          yield* Deferred.await(hasChanged)
          const deleting = yield* Effect.fork(
            sql.withTransaction(deletion.deleteTasks(from.projectId, rows.map(({ id }) => id)))
          )
          yield* until(countWaiting, (count) => count === 1)
          yield* Deferred.succeed(mayGoOn, undefined)
          yield* Fiber.join(changing)
          assert.strictEqual(yield* Fiber.join(deleting), 2)
        })
    )

    it.effect.skipIf(engine === "SQLite")(
      "events and outputs lock their tasks in one order",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const from = yield* source
          // of one writer: it goes by the end of the id
          yield* offerEvents(from, [receivedEvent("a:same"), receivedEvent("b:same")])
          const lock = (taskId: string) =>
            sql`SELECT id FROM tasks WHERE project_id = ${from.projectId} AND task_id = ${taskId} FOR UPDATE NOWAIT`
          const hasLocked = yield* Deferred.make<void>()
          const mayGoOn = yield* Deferred.make<void>()
          const locking = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
            yield* lock("a:same")
            yield* Deferred.succeed(hasLocked, undefined)
            yield* Deferred.await(mayGoOn)
            return yield* lock("b:same")
          })))
          yield* Deferred.await(hasLocked)
          const writing = yield* Effect.fork(offerEvents(from, [
            startedEvent("b:same"),
            taskEvent("task.log", "a:same", "02.000000", { lines: [{ level: "info", message: "begins" }] })
          ]))
          yield* until(countWaiting, (count) => count === 1)
          yield* Deferred.succeed(mayGoOn, undefined)
          assert.lengthOf(yield* Fiber.join(locking), 1)
          assert.deepStrictEqual(yield* Fiber.join(writing), { accepted: 2, rejected: 0 })
        })
    )

    it.effect("workers come and go by their own events, queues have their depth", () =>
      Effect.gen(function*() {
        const from = yield* source
        const side = (kind: string, second: number, data: Data, engine = "celery") =>
          anEvent(kind, engine, "", `0${second}`, data)
        yield* offerEvents(from, [
          side("worker.offline", 3, { worker: "a@x" }),
          side("worker.online", 1, { worker: "a@x" }),
          side("worker.heartbeat", 4, { worker: "b@x" }),
          side("queue.depth_report", 2, { queue: "mail", depth: 12 }),
          side("worker.heartbeat", 2, { nothing: "useful" }),
          side("schedule.snapshot", 2, { anything: [1] })
        ])
        yield* offerEvents(from, [side("worker.offline", 5, { worker_name: "b@x", reason: "restart" }, "")])
        const sql = yield* SqlClient.SqlClient
        const { facets, queues } = yield* readState(from.projectId)
        const workers = yield* sql`SELECT name, state FROM workers WHERE project_id = ${from.projectId} ORDER BY name`
        assert.deepStrictEqual(workers, [{ name: "a@x", state: "offline" }, { name: "b@x", state: "offline" }])
        assert.deepInclude(queues[0], { name: "mail", depth: 12 })
        assert.deepStrictEqual(facets, [])
      }))

    it.effect("a sign of life from the future counts as one from now", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        const ahead = (kind: string, task_id: string, data: Data, engine = "celery") =>
          eventOf({ id: randomUUID(), kind, engine, task_id, occurred_at: "2136-01-01T00:00:00.000000+00:00", data })
        yield* offerEvents(from, [
          ahead("task.started", "t1", { task_name: "mail.send", queue: "mail", worker: "a@x" }),
          ahead("worker.heartbeat", "", { worker: "b@x" }),
          ahead("queue.depth_report", "", { queue: "slow", depth: 3 })
        ])
        yield* offerEvents(from, [ahead("worker.offline", "", { worker: "b@x" }, "")])
        const now = yield* Timestamp.now
        const workers = yield* sql<{ name: string; state: string; last_heartbeat: string }>`
          SELECT name, state, last_heartbeat FROM workers WHERE project_id = ${from.projectId} ORDER BY name`
        assert.deepStrictEqual(workers.map(({ name, state }) => ({ name, state })), [
          { name: "a@x", state: "online" },
          { name: "b@x", state: "offline" }
        ])
        const queues = yield* sql<{ name: string; depth: number | null; last_seen_at: string }>`
          SELECT name, depth, last_seen_at FROM queues WHERE project_id = ${from.projectId} ORDER BY name`
        assert.deepStrictEqual(queues.map(({ depth, name }) => ({ name, depth })), [
          { name: "mail", depth: null },
          { name: "slow", depth: 3 }
        ])
        for (const at of [...workers.map((row) => row.last_heartbeat), ...queues.map((row) => row.last_seen_at)]) {
          assert.isTrue(at <= now, at)
        }
      }))

    it.effect("a clock that is ahead keeps the order of its signs of life in one batch", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        const ahead = (kind: string, second: number, data: Data, engine = "celery") =>
          eventOf({
            id: randomUUID(),
            kind,
            engine,
            task_id: "",
            occurred_at: `2136-01-01T00:00:0${second}.000000+00:00`,
            data
          })
        yield* offerEvents(from, [
          ahead("worker.offline", 1, { worker: "a@x" }),
          ahead("worker.online", 2, { worker: "a@x" }),
          ahead("worker.online", 2, { worker: "b@x" }),
          ahead("worker.offline", 1, { worker_name: "b@x" }, ""),
          ahead("worker.offline", 2, { worker_name: "c@x" }, ""),
          ahead("worker.online", 1, { worker: "c@x" }),
          ahead("queue.depth_report", 2, { queue: "mail", depth: 5 }),
          ahead("queue.depth_report", 1, { queue: "mail", depth: 9 })
        ])
        const now = yield* Timestamp.now
        const workers = yield* sql<{ name: string; state: string; last_heartbeat: string }>`
          SELECT name, state, last_heartbeat FROM workers WHERE project_id = ${from.projectId} ORDER BY name`
        assert.deepStrictEqual(workers.map(({ name, state }) => ({ name, state })), [
          { name: "a@x", state: "online" },
          { name: "b@x", state: "online" },
          { name: "c@x", state: "offline" }
        ])
        for (const { last_heartbeat } of workers) assert.isTrue(last_heartbeat <= now, last_heartbeat)
        assert.deepStrictEqual(
          yield* sql`SELECT depth FROM queues WHERE project_id = ${from.projectId}`,
          [{ depth: 5 }]
        )
      }))

    it.effect("a worker of whom only counts are known is not online", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        yield* offerEvents(from, [receivedEvent("t1"), startedEvent("t1")])
        yield* sql`DELETE FROM workers WHERE project_id = ${from.projectId}`
        yield* offerEvents(from, [taskEvent("task.succeeded", "t1", "02.000000", { result: "'ok'" })])
        const workers = yield* sql`
          SELECT name, state, last_heartbeat, succeeded FROM workers WHERE project_id = ${from.projectId}`
        assert.deepStrictEqual(workers, [{ name: "w1@host", state: "offline", last_heartbeat: null, succeeded: 1 }])
      }))

    it.effect("reports every change, and none when an event is repeated", () =>
      Effect.gen(function*() {
        const { changes } = yield* TaskChanges
        const from = yield* source
        const heard = yield* changes.pipe(
          Stream.filter((change) => change.project_id === from.projectId),
          Stream.take(2),
          Stream.runCollect,
          Effect.fork
        )
        yield* Effect.yieldNow()
        const first = receivedEvent("t1")
        yield* offerEvents(from, [first])
        yield* offerEvents(from, [first])
        yield* offerEvents(from, [startedEvent("t1")])
        const found = [...yield* Fiber.join(heard)].map(({ previous_state, state }) => [previous_state, state])
        assert.deepStrictEqual(found, [[null, "received"], ["received", "started"]])
      }))

    it.effect("what tasks said goes with them, and what was said of unknown ones goes when it is old", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const sweep = yield* makeTaskRetention
        const from = yield* source
        const log = (taskId: string) => taskEvent("task.log", taskId, "01.000000", { lines: [{ message: "hello" }] })
        const before = yield* Timestamp.now
        yield* offerEvents(from, [receivedEvent("old"), receivedEvent("new"), ...["old", "new", "lost"].map(log)])
        const touched = yield* sql<{ updated_at: string }>`SELECT updated_at FROM tasks
          WHERE project_id = ${from.projectId} AND task_id = 'new'`
        assert.isTrue((touched[0]?.updated_at ?? "") >= before)
        const longAgo = Timestamp.addSeconds(yield* Timestamp.now, -31 * 86_400)
        yield* sql`UPDATE tasks SET updated_at = ${longAgo} WHERE project_id = ${from.projectId} AND task_id = 'old'`
        yield* sql`UPDATE task_outputs SET updated_at = ${longAgo} WHERE project_id = ${from.projectId}`
        yield* sweep()
        for (const table of ["task_outputs", "task_log_chunks"]) {
          const rows = yield* sql`SELECT task_id FROM ${sql(table)} WHERE project_id = ${from.projectId}`
          assert.deepStrictEqual(rows, [{ task_id: "new" }])
        }
      }))

    it.effect("old tasks are deleted, and then what only they had", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const sweep = yield* makeTaskRetention
        const from = yield* source
        const names = { task_name: "old.task", queue: "old" }
        const old = Array.from({ length: 600 }, (_, index) => receivedEvent(`old${index}`, names))
        yield* offerEvents(from, [...old, receivedEvent("new")])
        const longAgo = Timestamp.addSeconds(yield* Timestamp.now, -31 * 86_400)
        yield* sql`UPDATE tasks SET updated_at = ${longAgo} WHERE project_id = ${from.projectId} AND name = 'old.task'`
        yield* sql`UPDATE task_facets SET seen_at = ${longAgo} WHERE project_id = ${from.projectId} AND value <> 'old'`
        yield* sweep()
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 1 })
        assert.deepStrictEqual((yield* readState(from.projectId)).facets, [
          { facet: "name", value: "mail.send" },
          { facet: "queue", value: "mail" },
          { facet: "queue", value: "old" } // in use lately
        ])
      }))
  })

  layer(brainOn(engine, { ingestQueueEvents: 100 }), { excludeTestServices: true })((it) => {
    it.effect("a full queue takes nothing more, and says when there is room", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { offer, onCapacity, pendingEvents } = yield* Ingest
        const from = yield* source
        const frames = Array.from({ length: 30 }, (_, frame) =>
          Array.from({ length: 10 }, (_, index) => receivedEvent(`t${frame}-${index}`)))
        const next = [...frames]
        let committed = 0
        let calls = 0
        yield* Effect.async<void>((resume) => {
          const onCommit = () => {
            if (++committed === frames.length) {
              resume(Effect.void)
            }
          }
          const push = () => {
            while (next.length > 0 && offer({ ...from, reporter: "", size: 0, events: next[0]!, onCommit })) {
              next.shift()
            }
          }
          const stop = onCapacity(() => {
            calls++
            push()
            if (next.length === 0) {
              stop()
            }
          })
          push()
          assert.strictEqual(frames.length - next.length, 10)
          assert.strictEqual(pendingEvents(), 100)
        })
        assert.isAtLeast(calls, 2)
        const [row] = yield* sql<{ n: number }>`
          SELECT CAST(count(*) AS INTEGER) AS n FROM tasks WHERE project_id = ${from.projectId}`
        assert.strictEqual(row?.n, 300)
      }))
  })

  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("large texts fill the queue too, and go in a few at a time", () =>
      Effect.gen(function*() {
        const { offer } = yield* Ingest
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        const size = 1024 * 1024
        // the queue goes by what the line says of a text's size; one is really as long as that
        const long = receivedEvent("t0", { kwargs: { text: "x".repeat(size) } })
        const frames = Array.from({ length: 20 }, (_, index) => [index === 0 ? long : receivedEvent(`t${index}`)])
        const taken = yield* Effect.async<number>((resume) => {
          let taken = 0
          let committed = 0
          const onCommit = () => {
            if (++committed === taken) resume(Effect.succeed(taken))
          }
          for (const events of frames) if (offer({ ...from, reporter: "", size, events, onCommit })) taken++
        })
        assert.strictEqual(taken, 16)
        const transactions = yield* sql<{ tasks: number; longest: number }>`
          SELECT CAST(count(*) AS INTEGER) AS tasks, max(length(kwargs)) AS longest FROM tasks
          WHERE project_id = ${from.projectId} GROUP BY updated_at`
        assert.deepStrictEqual(yield* readCounts(from.projectId), { received: 16 })
        const longest = Math.max(...transactions.map(({ longest }) => longest))
        assert.isTrue(longest > 262_000 && longest <= 262_144, String(longest)) // truncated
        assert.isAtMost(Math.max(...transactions.map(({ tasks }) => tasks)), 4)
      }))

    it.effect("going down, it writes what waits and takes nothing more", () =>
      Effect.gen(function*() {
        const from = yield* source
        const outcomes: Array<BatchOutcome> = []
        const events = readRecording("celery-solo")
        const ingest = yield* Effect.scoped(Effect.gen(function*() {
          const ingest = Context.get(yield* Layer.build(Layer.fresh(Ingest.layer)), Ingest)
          const onCommit = (outcome: BatchOutcome) => outcomes.push(outcome)
          for (let index = 0; index < 5; index++) ingest.offer({ ...from, reporter: "", size: 0, events, onCommit })
          return ingest
        }))
        assert.strictEqual(outcomes.length, 5)
        assert.isFalse(ingest.offer({ ...from, reporter: "", size: 0, events, onCommit: () => {} }))
      }))
  })
})

describe("ingest on SQLite, whose connection is waited for", () => {
  layer(brainOn("SQLite", { ingestBatchEvents: 300 }), { excludeTestServices: true })((it) => {
    it.effect("keeps the size of its batches: smaller ones would wait as long", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const from = yield* source
        yield* Effect.fork(Effect.forever(Effect.delay(sql.withTransaction(Effect.sleep("60 millis")), "5 millis")))
        yield* offerEvents(from, Array.from({ length: 3000 }, (_, index) => receivedEvent(`t${index}`)))
        const transactions = yield* sql`
          SELECT updated_at FROM tasks WHERE project_id = ${from.projectId} GROUP BY updated_at`
        // 14 with batches that shrink while they wait; a slow machine may spend the CPU time of one step
        assert.isAtMost(transactions.length, 12)
      }))
  })
})
