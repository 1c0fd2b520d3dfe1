import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import * as Brain from "../../../../src/layers/Brain.ts"
import { verifyLog } from "../../../../src/services/audit/Verify.ts"
import { Keys } from "../../../../src/services/kernel/keys/Keys.ts"
import { Settings } from "../../../../src/services/kernel/Settings.ts"
import { Ingest } from "../../../../src/services/tasks/Ingest.ts"
import { appendAudit } from "../../../audit.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { eventOf, offerEvents, offerTo } from "./world.ts"

type Data = { readonly [key: string]: JsonInput }

const anEvent = (kind: string, task_id: string, second: number, data: Data = {}, id: string = randomUUID()) =>
  eventOf({
    id,
    kind,
    engine: "celery",
    task_id,
    occurred_at: `2026-11-21T12:00:${String(second).padStart(2, "0")}.000000+00:00`,
    data: { task_name: "mail.send", queue: "mail", worker: "w@h", ...data }
  })

const receivedEvent = (task: string, second = 0) => anEvent("task.received", task, second)
const startedEvent = (task: string, second = 1) => anEvent("task.started", task, second)
const failedEvent = (task: string, second = 2, data: Data = {}, id?: string) =>
  anEvent("task.failed", task, second, { exception: "ValueError", exception_message: "no such address", ...data }, id)

const source = Effect.map(freshProject(), ({ id }) => ({ projectId: id, agentId: AgentId.make(randomUUID()) }))

interface Row {
  readonly target_id: string
  readonly event_id: string | null
  readonly metadata: string
  readonly [column: string]: string | number | null
}

const rowsOf = (projectId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Row>`SELECT * FROM audit_log WHERE project_id = ${projectId} AND action = 'task.failed' ORDER BY seq`
  )

const idsOf = (projectId: string) => Effect.map(rowsOf(projectId), (rows) => rows.map((row) => row.target_id))

/** The whole log is one chain. */
const chained = Effect.gen(function*() {
  const found = yield* verifyLog(yield* SqlClient.SqlClient, yield* Keys)
  assert.isNull(Option.getOrThrow(found).problem)
})

describe.each(engines)("the audit log's rows of failed tasks on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("say which task of which agent failed, and why in a line", () =>
      Effect.gen(function*() {
        const from = yield* source
        const secret = "postgres://u:hunter22@db/x"
        const event = failedEvent("t1", 2, { exception_message: `cannot reach ${secret}\nand more` })
        yield* offerEvents(from, [
          receivedEvent("t1"),
          startedEvent("t1"),
          event,
          receivedEvent("t2"),
          startedEvent("t2")
        ])
        const [row, ...others] = yield* rowsOf(from.projectId)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(row, {
          target_type: "task",
          target_id: "t1",
          result: "failure",
          outcome: "allow",
          user_id: null,
          source_ip: null,
          event_id: event.id
        })
        assert.deepStrictEqual(JSON.parse(row!.metadata), {
          by: "agent",
          agent_id: from.agentId,
          engine: "celery",
          name: "mail.send",
          queue: "mail",
          exception: "ValueError: cannot reach postgres://[REDACTED]@db/x"
        })
        yield* offerEvents(from, [failedEvent("t3", 2, { exception_message: `${"x".repeat(290)}${"😀".repeat(20)}` })])
        const exception: string = JSON.parse((yield* rowsOf(from.projectId))[1]!.metadata).exception
        assert.strictEqual(exception.length, 300)
        assert.isTrue(exception.isWellFormed())
      }))

    it.effect("come once for each time that a task becomes failed", () =>
      Effect.gen(function*() {
        const from = yield* source
        const event = failedEvent("t1")
        yield* offerEvents(from, [receivedEvent("t1"), startedEvent("t1"), event, event])
        yield* offerEvents(from, [event])
        yield* offerEvents(from, [failedEvent("t1", 2)]) // the same failure under another event id
        assert.deepStrictEqual(yield* idsOf(from.projectId), ["t1"])
        yield* offerEvents(from, [receivedEvent("t1", 5), startedEvent("t1", 6)])
        yield* offerEvents(from, [failedEvent("t1", 7)])
        assert.deepStrictEqual(yield* idsOf(from.projectId), ["t1", "t1"])
        const ended = anEvent("task.succeeded", "t2", 9)
        yield* offerEvents(from, [
          receivedEvent("t2"),
          failedEvent("t2", 3),
          receivedEvent("t2", 5),
          startedEvent("t2", 6),
          ended
        ])
        // a run that failed counts, also where a later one of the same transaction succeeded
        assert.deepStrictEqual(yield* idsOf(from.projectId), ["t1", "t1", "t2"])
      }))

    it.effect("are in one chain with the rows of other writers", () =>
      Effect.gen(function*() {
        const from = yield* source
        const tasks = (part: string) => Array.from({ length: 40 }, (_, index) => failedEvent(`${part}${index}`))
        const others = Effect.repeatN(appendAudit([{ action: "test.done", target_type: "test" }]), 19)
        const batches = ["a", "b", "c", "d"].map((part) => offerEvents(from, tasks(part)))
        yield* Effect.all([...batches, others, others], { concurrency: "unbounded" })
        assert.strictEqual((yield* rowsOf(from.projectId)).length, 160)
        yield* chained
      }))

    it.effect("are left out where the setting says so", () =>
      Effect.gen(function*() {
        const from = yield* source
        const settings = Layer.succeed(Settings, { ...yield* Settings, auditTaskFailures: "off" })
        const quiet = Context.get(yield* Layer.build(Layer.fresh(Ingest.layer).pipe(Layer.provide(settings))), Ingest)
        yield* offerTo(quiet, from, [receivedEvent("t1"), failedEvent("t1")])
        assert.deepStrictEqual(yield* idsOf(from.projectId), [])
      }).pipe(Effect.scoped))
  })
})

describe("failed tasks that two brains receive, on PostgreSQL", () => {
  layer(brainOn("PostgreSQL"), { excludeTestServices: true })((it) => {
    it.scoped("are recorded once each, in one chain", () =>
      Effect.gen(function*() {
        const from = yield* source
        const settings = Layer.succeed(Settings, yield* Settings)
        const other = yield* Layer.build(Layer.fresh(Brain.layer.pipe(Layer.provide(settings))))
        const ingests = [yield* Ingest, Context.get(other, Ingest)]
        const events = Array.from({ length: 60 }, (_, index) => failedEvent(`t${index}`))
        yield* Effect.forEach(ingests, (ingest) => offerTo(ingest, from, events), { concurrency: "unbounded" })
        assert.strictEqual((yield* rowsOf(from.projectId)).length, 60)
        yield* chained
      }))
  })
})
