import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"

/** A heartbeat of a Celery agent whose worker has a pool of this size and these queues after this uptime. */
const reportAt = (uptime: number, module: string, concurrency: number, ...queues: ReadonlyArray<string>) => ({
  "celery.worker_details": JSON.stringify({
    "w1@shop": {
      active: [],
      active_queues: queues.map((name) => ({ name })),
      stats: {
        pid: 7,
        uptime,
        pool: { implementation: `celery.concurrency.${module}:TaskPool`, "max-concurrency": concurrency }
      }
    }
  })
})

describe.each(laneEngines)("commands to workers on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("say what the worker's next report shows, whatever the agent's result", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ isAdmin: true })
        const call = (method: string, path: string, body?: unknown) =>
          Effect.map(
            request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body }),
            ({ json }) => json
          )
        const credentials = yield* freshAgent(project)
        const hello = { capabilities: { celery: ["pool_grow", "add_consumer"] } }
        const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello })
        agent.onCommand = (command) => {
          agent.ack(command)
          agent.sendResult(command, { status: "success", result: { worker: "w1@shop" } })
        }
        agent.heartbeat(reportAt(1, "gevent", 1, "celery"))
        yield* until(call("GET", "/workers"), (workers) => workers.length === 1)
        const issue = (action: string, more: object) =>
          Effect.gen(function*() {
            const { id } = yield* call("POST", `/commands/${action}`, {
              agent_id: credentials.agent_id,
              engine: "celery",
              worker_name: "w1@shop",
              ...more
            })
            const read = call("GET", `/commands/${id}`)
            yield* until(read, ({ status }) => status === "completed")
            return read
          })
        const resized = yield* issue("pool-resize", { delta: 2 })
        const added = yield* issue("add-consumer", { queue: "slow" })
        assert.match((yield* resized).note, /its next report will show/)
        assert.match((yield* added).note, /its next report will show/)
        const reported = (...what: Parameters<typeof reportAt>) =>
          Effect.suspend(() => {
            agent.heartbeat(reportAt(...what))
            return resized
          })
        // the agent repeats what it asked its worker a minute ago; another queue shows that it has arrived
        agent.heartbeat(reportAt(1, "gevent", 1, "celery", "seen"))
        yield* until(call("GET", "/workers"), ([worker]) => worker.queues.includes("seen"))
        assert.match((yield* resized).note, /its next report will show/)
        const failed = yield* until(reported(2, "gevent", 1, "celery"), ({ note }) => !note.includes("will show"))
        assert.strictEqual(
          failed.note,
          "The worker w1@shop was asked to have 3 processes; its last report has 1."
        )
        assert.match((yield* added).note, /does not list that queue/)
        assert.isNull((yield* until(reported(3, "gevent", 3, "celery", "slow"), ({ note }) => note === null)).note)
        assert.isNull((yield* added).note)
        const list = yield* call("GET", "/commands")
        assert.deepStrictEqual(list.items.map(({ note }: { readonly note: string | null }) => note), [null, null])
        agent.heartbeat(reportAt(4, "thread", 3, "celery", "slow"))
        const fixed = yield* issue("pool-resize", { delta: 1 })
        const resizeNote = /asked to have 4 processes; its last report has 3\. A threads pool cannot be resized/
        assert.match((yield* until(fixed, ({ note }) => String(note).includes("threads"))).note, resizeNote)
      }))
  })
})
