import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { connected, event, freshAgent, type Result } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"

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
    /** A project with a connected agent that answers questions about tasks by `answers`, and one started task each. */
    const site = (answers: Readonly<Record<string, Result["result"]>>, worker: string | null = "w1@shop") =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
        agent.onCommand = (command) => {
          agent.ack(command)
          const id = String(command.parameters["task_id"])
          agent.answer(command, { status: "success", result: { task_id: id, ...answers[id] } })
        }
        const start = (id: string) =>
          Effect.promise(() =>
            agent.sendEvents([
              event({ kind: "task.started", task_id: id, occurred_at: minuteAgo(), data: { ...unknown(id), worker } })
            ])
          )
        const task = (id: string) =>
          Effect.map(request("GET", `/projects/${project.slug}/tasks/celery/${id}`, key), ({ json }) => json)
        const asked = (id: string) => agent.commands.filter(({ parameters }) => parameters["task_id"] === id).length
        return { agent, asked, key, project, start, task }
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

    it.scoped("run on while their worker lists them, without a question; or while it is there and lists nothing", () =>
      Effect.gen(function*() {
        const [listed, lost] = [randomUUID(), randomUUID()]
        const { agent, asked, key, project, start, task } = yield* site({ [listed]: pending, [lost]: pending })
        agent.heartbeat(running(listed))
        yield* until(request("GET", `/projects/${project.slug}/workers`, key), ({ json }) => json.length > 0)
        yield* start(listed)
        yield* start(lost)
        yield* until(task(lost), ({ state }) => state === "unknown")
        assert.strictEqual((yield* task(listed)).state, "started")
        assert.strictEqual(asked(listed), 0)

        const long = randomUUID()
        const silent = yield* site({ [long]: { ...pending, engine_state: "started" } })
        yield* silent.start(long)
        yield* until(Effect.sync(() => silent.asked(long)), (times) => times >= 2)
        assert.strictEqual((yield* silent.task(long)).state, "started")
      }))
  })
})
