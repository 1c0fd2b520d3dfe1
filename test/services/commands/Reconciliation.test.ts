import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { connected, event, freshAgent, type Result } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { recordedEvents, subscribe, watchOutbox } from "../triggers/TriggerEvents/world.ts"

const minuteAgo = () => new Date(Date.now() - 60_000).toISOString().replace("Z", "000+00:00")
const unknown = (id: string) => ({ task_name: `<unknown:${id.slice(0, 8)}>`, worker: "w1@shop" })

/** The heartbeat of a Celery agent whose worker runs these tasks. */
const running = (...ids: ReadonlyArray<string>) => ({
  "celery.worker_details": JSON.stringify({
    "w1@shop": { active: ids.map((id) => ({ id })), stats: { pid: 7 }, active_queues: [], registered: [], conf: {} }
  })
})

describe.each(engines)("tasks whose end never comes on %s", (engine) => {
  layer(serverOn(engine, { reconcileAfter: 1, agentOfflineAfter: 30 }), { excludeTestServices: true })((it) => {
    /** A project with a connected agent that sends `results` to questions about tasks, and how to start a task. */
    const site = (results: Readonly<Record<string, Result["result"]>>, worker: string | null = "w1@shop") =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
        agent.onCommand = (command) => {
          agent.ack(command)
          const id = String(command.parameters["task_id"])
          agent.sendResult(command, { status: "success", result: { task_id: id, ...results[id] } })
        }
        const start = (id: string) =>
          Effect.promise(() =>
            agent.sendEvents([
              event({ kind: "task.started", task_id: id, occurred_at: minuteAgo(), data: { ...unknown(id), worker } })
            ])
          )
        const task = (id: string) =>
          Effect.map(request("GET", `/projects/${project.slug}/tasks/celery/${id}`, key), ({ json }) => json)
        const countQuestions = (id: string) =>
          agent.commands.filter(({ parameters }) => parameters["task_id"] === id).length
        /** The worker is offline, and was last heard of 50 s ago. */
        const loseWorker = Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          agent.heartbeat(running())
          const last_heartbeat = Timestamp.addSeconds(yield* Timestamp.now, -50)
          yield* until(
            sql`UPDATE workers SET state = 'offline', last_heartbeat = ${last_heartbeat}, metadata = '{}'
              WHERE project_id = ${project.id} RETURNING id`,
            (rows) => rows.length > 0
          )
        })
        const why = (id: string) =>
          Effect.map(
            request("GET", `/projects/${project.slug}/tasks/celery/${id}/why`, key),
            ({ json }): ReadonlyArray<string> => json.reasons.map(({ code }: { code: string }) => code)
          )
        return { agent, countQuestions, key, loseWorker, project, start, task, why }
      })

    const pending = { engine_state: "pending", finished_at: null, exception: null }

    it.scoped("are shown as unknown with a reason, and a later event of the agent counts more", () =>
      Effect.gen(function*() {
        const id = randomUUID()
        const { agent, key, project, start, task } = yield* site({ [id]: pending })
        agent.heartbeat(running())
        yield* start(id)
        const lost = yield* until(task(id), ({ state }) => state === "unknown")
        assert.match(
          lost.exception,
          /^Outcome unknown: worker w1@shop no longer runs it, and no end was reported. The engine says "pending"/
        )
        assert.deepInclude(lost, { finished_at: null, worker_name: "w1@shop" })
        const events = yield* request("GET", `/projects/${project.slug}/events?engine=celery&task_id=${id}`, key)
        assert.deepInclude(events.json.items[1], { kind: "task.reconciled", id: agent.commands[0]?.id })
        // what the worker had buffered is older than the question
        const ended = event({
          kind: "task.succeeded",
          task_id: id,
          occurred_at: minuteAgo(),
          data: { ...unknown(id), result: "5" }
        })
        yield* Effect.promise(() => agent.sendEvents([ended]))
        assert.deepInclude(yield* task(id), { state: "success", exception: null, result: "5" })
      }))

    it.scoped("end as the engine says that they ended", () =>
      Effect.gen(function*() {
        const [good, bad] = [randomUUID(), randomUUID()]
        const at = new Date(Date.now() - 1000).toISOString()
        const { agent, start, task } = yield* site({
          [good]: { engine_state: "success", finished_at: at, exception: null },
          [bad]: { engine_state: "failure", finished_at: null, exception: "ValueError: no stock" }
        })
        agent.heartbeat(running())
        yield* start(good)
        yield* start(bad)
        const ended = yield* until(task(good), ({ state }) => state !== "started")
        assert.deepInclude(ended, { state: "success", finished_at: at.replace("Z", "000Z"), exception: null })
        assert.deepInclude(yield* until(task(bad), ({ state }) => state !== "started"), {
          state: "failure",
          exception: "ValueError: no stock"
        })
      }))

    it.scoped("end as the engine says where another host's clock dates the end before the start", () =>
      Effect.gen(function*() {
        const id = randomUUID()
        const at = new Date(Date.now() - 70_000).toISOString() // the start is a minute ago
        const { agent, start, task } = yield* site({
          [id]: { engine_state: "success", finished_at: at, exception: null }
        })
        agent.heartbeat(running())
        yield* start(id)
        const ended = yield* until(task(id), ({ state }) => state !== "started")
        assert.deepInclude(ended, { state: "success", finished_at: at.replace("Z", "000Z") })
      }))

    it.scoped("end as the engine says, however early its clock dates the end, once their worker runs them no more", () =>
      Effect.gen(function*() {
        const [left, listed] = [randomUUID(), randomUUID()]
        const finished_at = new Date(Date.now() - 3_600_000).toISOString()
        const success = { engine_state: "success", finished_at, exception: null } as const
        const { agent, start, task } = yield* site({ [left]: success, [listed]: success })
        agent.heartbeat(running(listed))
        yield* start(listed) // it may be another attempt, which its worker runs
        yield* start(left)
        assert.deepInclude(yield* until(task(left), ({ state }) => state !== "started"), { state: "success" })
        assert.strictEqual((yield* task(listed)).state, "started")
      }))

    it.scoped("are asked about at the agent that reported their worker", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const questioned = new Map<string, string>()
        const own = new Map<string, string>()
        for (const name of ["one", "other"]) {
          const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
          agent.onCommand = (command) => {
            questioned.set(String(command.parameters["task_id"]), name)
            agent.ack(command)
          }
          const id = randomUUID()
          own.set(id, name)
          const data = { ...unknown(id), worker: `w@${name}` }
          yield* Effect.promise(() =>
            agent.sendEvents([event({ kind: "task.started", task_id: id, occurred_at: minuteAgo(), data })])
          )
        }
        yield* until(Effect.sync(() => questioned), ({ size }) => size === own.size)
        assert.deepStrictEqual(questioned, own)
      }))

    it.scoped("are orphaned when their worker is gone: reported once an attempt, until the task shows life", () =>
      Effect.gen(function*() {
        yield* watchOutbox
        const [id, mute] = [randomUUID(), randomUUID()]
        const { agent, loseWorker, project, start, task, why } = yield* site({ [id]: pending })
        yield* subscribe(project.id, "task.orphaned")
        const onOtherCommand = agent.onCommand
        // the question about the second task is refused
        agent.onCommand = (command) =>
          command.parameters["task_id"] === mute
            ? agent.sendResult(command, { status: "failed", error: "no result backend" })
            : onOtherCommand?.(command)
        yield* loseWorker
        yield* start(id)
        yield* start(mute)
        const lost = yield* until(task(id), ({ orphaned_at, state }) => state === "unknown" && orphaned_at !== null)
        assert.deepStrictEqual(yield* why(id), ["outcome_unknown", "orphaned", "worker_gone", "asked"])
        const silent = yield* until(task(mute), ({ orphaned_at }) => orphaned_at !== null)
        assert.strictEqual(silent.state, "started")
        assert.deepStrictEqual(yield* why(mute), ["orphaned", "worker_gone", "asked"])
        const questions = agent.commands.length
        yield* until(Effect.sync(() => agent.commands.length), (count) => count > questions + 1)
        const events = yield* recordedEvents(project.id)
        assert.sameMembers(events.map(({ occurrences }) => occurrences[0].task_id), [id, mute], "once each")
        assert.deepStrictEqual(new Set(events.map(({ condition }) => condition)), new Set(["celery w1@shop"]))
        assert.include(
          events.find(({ occurrences }) => occurrences[0].task_id === mute)?.occurrences[0].detail,
          "and its agent did not say what became of the task."
        )
        assert.strictEqual((yield* task(mute)).orphaned_at, silent.orphaned_at)

        const data = { ...unknown(id), result: "5" }
        const ended = event({ kind: "task.succeeded", task_id: id, occurred_at: minuteAgo(), data })
        yield* Effect.promise(() => agent.sendEvents([ended]))
        assert.deepInclude(yield* task(id), { state: "success", orphaned_at: null })
        assert.deepStrictEqual(yield* why(id), ["ended"])
        assert.isNotNull(lost.orphaned_at)
      }))

    it.scoped("run on while their worker lists them, without a question; or while it is there and lists nothing", () =>
      Effect.gen(function*() {
        const [listed, lost] = [randomUUID(), randomUUID()]
        const { agent, countQuestions, key, project, start, task } = yield* site({ [listed]: pending, [lost]: pending })
        agent.heartbeat(running(listed))
        yield* until(request("GET", `/projects/${project.slug}/workers`, key), ({ json }) => json.length > 0)
        yield* start(listed)
        yield* start(lost)
        yield* until(task(lost), ({ state }) => state === "unknown")
        assert.strictEqual((yield* task(listed)).state, "started")
        assert.strictEqual(countQuestions(listed), 0)

        const long = randomUUID()
        const silent = yield* site({ [long]: { ...pending, engine_state: "started" } })
        yield* silent.start(long)
        yield* until(Effect.sync(() => silent.countQuestions(long)), (times) => times >= 2)
        assert.strictEqual((yield* silent.task(long)).state, "started")
      }))
  })
})
