import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { connected, event, freshAgent, type Result } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString().replace("Z", "000+00:00")

/** The heartbeat of a Celery agent whose only worker has two processes and runs these tasks. */
const running = (ids: ReadonlyArray<string>, prefetch_count = 8) => ({
  "celery.worker_details": JSON.stringify({
    "w1@shop": {
      active: ids.map((id) => ({ id })),
      stats: { pid: 7, pool: { "max-concurrency": 2 }, prefetch_count },
      active_queues: [{ name: "celery" }],
      registered: [],
      conf: { worker_prefetch_multiplier: 4 }
    }
  })
})

const pending = { engine_state: "pending", finished_at: null, exception: null }

describe.each(engines)("tasks that wait and whose later events were lost on %s", (engine) => {
  layer(serverOn(engine, { reconcileAfter: 1, agentOfflineAfter: 30 }), { excludeTestServices: true })((it) => {
    /** A project with a connected agent that sends `results` to questions about tasks. */
    const site = (results: Readonly<Record<string, Result["result"]>>) =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const agent = yield* connected({
          base: yield* baseUrl,
          ...(yield* freshAgent(project)),
          hello: { engines: ["celery", "bullmq", "huey"] }
        })
        agent.onCommand = (command) => {
          agent.ack(command)
          const id = String(command.parameters["task_id"])
          agent.sendResult(command, { status: "success", result: { task_id: id, ...results[id] } })
        }
        const send = (id: string, kind: string, occurred_at: string, data: object = {}, of = "celery") =>
          Effect.promise(() =>
            agent.sendEvents([event({
              kind,
              task_id: id,
              engine: of,
              occurred_at,
              data: { task_name: "shop.pay", queue: "celery", worker: null, ...data }
            })])
          )
        const get = (path: string) =>
          Effect.map(request("GET", `/projects/${project.slug}${path}`, key), ({ json }) => json)
        const task = (id: string, of = "celery") => get(`/tasks/${of}/${id}`)
        const describeWorker = (ids: ReadonlyArray<string>, prefetch?: number) => {
          agent.heartbeat(running(ids, prefetch))
          return until(get("/workers"), (rows) => rows.length > 0)
        }
        const countQuestions = (id: string) =>
          agent.commands.filter(({ parameters }) => parameters["task_id"] === id).length
        return { agent, countQuestions, describeWorker, get, project, send, task }
      })

    it.scoped("end as the engine says that they ended, whether they were sent, received or to be retried", () =>
      Effect.gen(function*() {
        const [sent, received, failed, retried] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
        const finished_at = ago(1)
        const traceback = `Traceback (most recent call last):\n${"  File app.py\n".repeat(100)}ValueError: no stock\n`
        const { send, task } = yield* site({
          [sent]: { engine_state: "success", finished_at, exception: null },
          [received]: { engine_state: "success", finished_at, exception: null },
          [failed]: { engine_state: "failure", finished_at, exception: traceback },
          [retried]: { engine_state: "success", finished_at, exception: null }
        })
        yield* send(sent, "task.sent", ago(60))
        yield* send(received, "task.received", ago(60))
        yield* send(failed, "task.received", ago(60))
        yield* send(retried, "task.started", ago(62))
        yield* send(retried, "task.retried", ago(61), { reason: "KeyError('again')" })
        const at = Timestamp.parse(finished_at)
        assert.deepInclude(yield* until(task(sent), ({ state }) => state !== "pending"), {
          state: "success",
          finished_at: at
        })
        assert.deepInclude(yield* until(task(received), ({ state }) => state !== "received"), {
          state: "success",
          finished_at: at
        })
        assert.deepInclude(yield* until(task(failed), ({ state }) => state !== "received"), {
          state: "failure",
          exception: "ValueError: no stock"
        })
        assert.deepInclude(yield* until(task(retried), ({ state }) => state !== "retry"), {
          state: "success",
          finished_at: at,
          retry_count: 1
        })
      }))

    it.scoped("keep their state where the end is of an earlier run, or the retry is not due", () =>
      Effect.gen(function*() {
        const [earlier, early] = [randomUUID(), randomUUID()]
        const { countQuestions, send, task } = yield* site({
          [earlier]: { engine_state: "success", finished_at: ago(600), exception: null },
          [early]: { engine_state: "failure", finished_at: null, exception: "never asked" }
        })
        yield* send(early, "task.retried", ago(61), { reason: "Retry in 3600s: KeyError('x')" })
        yield* send(earlier, "task.received", ago(60))
        yield* until(Effect.sync(() => countQuestions(earlier)), (times) => times >= 2)
        assert.strictEqual((yield* task(earlier)).state, "received")
        assert.strictEqual((yield* task(early)).state, "retry")
        assert.strictEqual(countQuestions(early), 0)
      }))

    it.scoped("are unknown once every worker lists its tasks and one is free, and what the engine learns later counts", () =>
      Effect.gen(function*() {
        const id = randomUUID()
        const results: Record<string, Result["result"]> = { [id]: pending }
        const { describeWorker, get, send, task } = yield* site(results)
        yield* send(id, "task.received", ago(60))
        yield* describeWorker([])
        const lost = yield* until(task(id), ({ state }) => state === "unknown")
        assert.match(
          lost.exception,
          /^Outcome unknown: of 1 online workers none runs it and 1 is free, and no end was reported. The engine says "pending"/
        )
        const [last] = (yield* get(`/tasks/celery/${id}/why`)).reasons.filter(
          ({ code }: { readonly code: string }) => code === "asked"
        )
        assert.match(last.sentence, /^Its agent was last asked at [-\d]+ [:\d]+ UTC and answered "pending"\.$/)
        assert.deepInclude(last.evidence, { status: "completed", engine_state: "pending" })
        results[id] = { engine_state: "success", finished_at: ago(0), exception: null }
        assert.deepInclude(yield* until(task(id), ({ state }) => state === "success"), { exception: null })
        const events = yield* get(`/events?engine=celery&task_id=${id}`)
        assert.deepStrictEqual(
          events.items.map(({ kind }: { readonly kind: string }) => kind),
          ["task.received", "task.reconciled", "task.reconciled"],
          "a result that changes nothing is no event"
        )
      }))

    it.scoped("wait on where a worker runs them, is busy, or holds tasks for their time", () =>
      Effect.gen(function*() {
        const [runs, waits] = [randomUUID(), randomUUID()]
        const busy = yield* site({ [runs]: pending, [waits]: pending })
        yield* busy.send(runs, "task.received", ago(60))
        yield* busy.send(waits, "task.received", ago(60))
        yield* busy.describeWorker([runs, randomUUID()])
        yield* until(Effect.sync(() => busy.countQuestions(waits)), (times) => times >= 2)
        assert.strictEqual(busy.countQuestions(runs), 0)
        assert.strictEqual((yield* busy.task(runs)).state, "received")
        assert.strictEqual((yield* busy.task(waits)).state, "received")

        const later = randomUUID()
        const holding = yield* site({ [later]: pending })
        yield* holding.send(later, "task.received", ago(60))
        yield* holding.describeWorker([], 9) // Celery raises the count for each task that it holds for its eta
        yield* until(Effect.sync(() => holding.countQuestions(later)), (times) => times >= 2)
        assert.strictEqual((yield* holding.task(later)).state, "received")
      }))

    it.scoped("are unknown at once where the engine lists all its tasks, and after a day where it does not", () =>
      Effect.gen(function*() {
        const [gone, here, old] = [`mail:${randomUUID()}`, `mail:${randomUUID()}`, randomUUID()]
        const unknownTask = { ...pending, engine_state: "unknown" }
        const { countQuestions, project, send, task } = yield* site({
          [gone]: unknownTask,
          [here]: pending,
          [old]: unknownTask
        })
        yield* send(gone, "task.received", ago(60), {}, "bullmq")
        yield* send(here, "task.received", ago(60), {}, "bullmq")
        yield* send(old, "task.received", ago(60), {}, "huey")
        yield* until(Effect.sync(() => countQuestions(here) + countQuestions(old)), (times) => times >= 4)
        const lost = yield* until(task(gone, "bullmq"), ({ state }) => state === "unknown")
        assert.match(lost.exception, /^Outcome unknown: bullmq has no such task, and no end was reported/)
        assert.strictEqual((yield* task(here, "bullmq")).state, "received")
        assert.strictEqual((yield* task(old, "huey")).state, "received")
        const sql = yield* SqlClient.SqlClient
        const updated_at = Timestamp.addSeconds(yield* Timestamp.now, -90_000)
        yield* sql`UPDATE tasks SET updated_at = ${updated_at} WHERE project_id = ${project.id} AND task_id = ${old}`
        yield* sql`DELETE FROM commands WHERE project_id = ${project.id} AND target_id = ${old}`
        assert.match(
          (yield* until(task(old, "huey"), ({ state }) => state === "unknown")).exception,
          /^Outcome unknown: nothing was heard of it since /
        )
      }))

    it.scoped("say why they wait: events are off, the broker does not respond, the agent refused", () =>
      Effect.gen(function*() {
        const id = randomUUID()
        const { agent, get, project, send } = yield* site({})
        agent.onCommand = (command) => {
          agent.ack(command)
          agent.sendResult(command, { status: "failed", error: "no result backend" })
        }
        yield* send(id, "task.received", ago(60))
        const sql = yield* SqlClient.SqlClient
        agent.heartbeat({ "celery.broker_type": "redis", "celery.broker_connected": "False" })
        const reasons = get(`/tasks/celery/${id}/why`).pipe(
          Effect.map(({ reasons }): ReadonlyArray<{ code: string; sentence: string; evidence: object }> => reasons)
        )
        const broken = yield* until(reasons, (all) =>
          all.some(({ code }) => code === "broker_absent") &&
          all.some(({ code, evidence }) => code === "asked" && "error" in evidence && evidence.error !== null))
        assert.deepInclude(broken.find(({ code }) => code === "asked")?.evidence, {
          status: "failed",
          engine_state: null,
          error: "no result backend"
        })
        agent.heartbeat({ "celery.broker_type": "redis", "celery.broker_connected": "True" })
        yield* until(reasons, (all) => all.every(({ code }) => code !== "broker_absent"))
        yield* sql`UPDATE agents SET setup_advice = ${
          JSON.stringify([{ code: "events_off", detail: "Only received." }])
        }
          WHERE project_id = ${project.id}`
        const [first] = yield* reasons
        assert.deepInclude(first, { code: "events_off" })
        assert.include(first?.sentence, "-E")
      }))
  })
})
