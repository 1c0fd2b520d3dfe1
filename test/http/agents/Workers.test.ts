import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientOf, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"

const recorded: { readonly frame_json: string } = JSON.parse(
  readFileSync(new URL("../../protocol/vectors/frames/heartbeat.celery.json", import.meta.url), "utf8")
)
const health: Record<string, string> = JSON.parse(recorded.frame_json).payload.adapter_health

const isNotEmpty = (rows: ReadonlyArray<unknown>) => rows.length > 0

describe.each(laneEngines)("workers and queues on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    const fresh = Effect.gen(function*() {
      const project = yield* freshProject()
      const credentials = yield* freshAgent(project)
      const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
      const base = yield* baseUrl
      const agent = yield* connected({ base, ...credentials })
      return {
        project,
        base,
        credentials,
        agent,
        agent_id: credentials.agent_id,
        key,
        viewer: yield* clientWith(key),
        path: { slug: project.slug }
      }
    })

    it.scoped("a heartbeat of the published Celery agent shows as workers and queues", () =>
      Effect.gen(function*() {
        const { agent, agent_id, key, path, project, viewer } = yield* fresh
        agent.heartbeat({ ...health, "celery.queue_depths": "{\"celery\": 7}" })
        const [worker] = yield* until(viewer.workers.list({ path, urlParams: {} }), isNotEmpty)
        assert.deepInclude(worker, {
          project_id: project.id,
          engine: "celery",
          name: "w3@box",
          hostname: "box",
          pid: 21750,
          concurrency: 1,
          queues: ["celery"],
          state: "online",
          load_average: null,
          active_tasks: 0,
          processed: 0,
          failed: 0,
          succeeded: 0,
          retried: 0
        })
        const onTheWire = yield* request("GET", `/projects/${path.slug}/workers`, key)
        assert.notProperty(onTheWire.json[0], "metadata")
        const lint = yield* viewer.workers.lint({ path })
        assert.deepInclude(lint, {
          workers_evaluated: 1,
          workers_not_evaluated: 0,
          findings_by_severity: { error: 0, warning: 1, info: 1 }
        })
        assert.deepInclude(lint.workers[0], { worker_id: worker!.id, worker_name: "w3@box", evaluated: true })
        assert.deepStrictEqual(lint.workers[0]?.findings.map(({ rule_id }) => rule_id), [
          "celery.no_time_limit",
          "celery.no_recycling"
        ])
        const detail = yield* viewer.workers.get({ path: { ...path, worker_id: worker!.id } })
        assert.strictEqual(detail.agent_id, agent_id)
        assert.include(detail.metadata.registered, "capp.add")
        const queues = yield* until(viewer.queues.list({ path, urlParams: {} }), isNotEmpty)
        assert.deepInclude(queues[0], {
          engine: "celery",
          name: "celery",
          broker_type: "redis",
          broker_url_hint: "redis://127.0.0.1:6379/12",
          depth: 7,
          depth_note: null
        })
      }))

    it.scoped("a worker that only events report has its started tasks counted, and a queue without a depth says why", () =>
      Effect.gen(function*() {
        const { agent, path, viewer } = yield* fresh
        const data = { task_name: "jobs.pay", queue: "default", worker: "rqw1" }
        const [first, second] = ["one", "two"].map((task_id) =>
          event({ engine: "rq", kind: "task.started", task_id, data })
        )
        yield* Effect.promise(() => agent.sendEvents([first!, second!]))
        const firstWorker = Effect.map(viewer.workers.list({ path, urlParams: {} }), ([worker]) => worker!)
        assert.deepInclude(yield* firstWorker, { engine: "rq", name: "rqw1", active_tasks: 2 })
        yield* Effect.promise(() =>
          agent.sendEvents([event({ engine: "rq", kind: "task.succeeded", task_id: "one", data })])
        )
        const worker = yield* firstWorker
        assert.strictEqual(worker.active_tasks, 1)
        assert.strictEqual((yield* viewer.workers.get({ path: { ...path, worker_id: worker.id } })).active_tasks, 1)
        agent.heartbeat({ "celery.queue_depths": "{\"celery\": null}" })
        const queues = yield* until(viewer.queues.list({ path, urlParams: {} }), ({ length }) => length === 2)
        const noteOf = (name: string) => queues.find(({ engine }) => engine === name)?.depth_note ?? ""
        assert.match(noteOf("celery"), /agent for celery does not report/)
        assert.match(noteOf("rq"), /not reported a depth yet/)
      }))

    it.scoped("a queue shows since when its oldest task waits, and what its tasks did in the last hour", () =>
      Effect.gen(function*() {
        const { agent, path, viewer } = yield* fresh
        const data = { task_name: "jobs.pay", queue: "mail", worker: "rqw1" }
        const now = Date.now()
        const minutesAgo = (minutes: number) => `${new Date(now - minutes * 60_000).toISOString().slice(0, 19)}Z`
        const eventAt = (kind: string, task_id: string, minutes: number) =>
          event({ engine: "rq", kind, task_id, occurred_at: minutesAgo(minutes), data })
        yield* Effect.promise(() =>
          agent.sendEvents([
            eventAt("task.received", "done", 9),
            eventAt("task.succeeded", "done", 8),
            eventAt("task.received", "oldest", 5),
            eventAt("task.received", "next", 2),
            eventAt("task.received", "yesterday", 1440),
            eventAt("task.failed", "yesterday", 1439)
          ])
        )
        const [queue] = yield* until(
          viewer.queues.list({ path, urlParams: {} }),
          ([one]) => one !== undefined && one.received_1h > 0 // sums are merged about once a second
        )
        assert.deepInclude(queue, { name: "mail", received_1h: 3, ended_1h: 1 })
        assert.strictEqual(Date.parse(queue?.oldest_waiting_at ?? ""), Date.parse(minutesAgo(5)))
      }))

    it.scoped("an agent process of huey, arq or taskiq is a worker, whose running tasks are unknown", () =>
      Effect.gen(function*() {
        const { agent, base, credentials, path, viewer } = yield* fresh
        const hello = {
          engines: ["huey"],
          capabilities: { huey: ["cancel_task"] },
          worker_id: "bare-77-1795000000000",
          worker_pid: 77
        }
        const huey = yield* connected({ base, ...credentials, hello })
        huey.heartbeat({})
        agent.heartbeat({})
        const workers = yield* until(viewer.workers.list({ path, urlParams: {} }), isNotEmpty)
        assert.lengthOf(workers, 1)
        assert.deepInclude(workers[0], {
          engine: "huey",
          name: "bare-77-1795000000000",
          pid: 77,
          state: "online",
          active_tasks: null
        })
      }))

    it.scoped("a stranger's worker is not there, and the list's parameters are checked", () =>
      Effect.gen(function*() {
        const { agent, key, path, viewer } = yield* fresh
        const stranger = yield* clientWith(yield* freshKey())
        const other = yield* freshProject()
        const otherClient = yield* clientOf("viewer", other)
        agent.heartbeat(health)
        const [worker] = yield* until(viewer.workers.list({ path, urlParams: {} }), isNotEmpty)
        const foreign = { slug: other.slug, worker_id: worker!.id }
        yield* assertRefused(otherClient.workers.get({ path: foreign }), "not_found")
        yield* assertRefused(stranger.workers.list({ path, urlParams: {} }), "not_found")
        yield* assertRefused(stranger.workers.listAgentWorkers({ path, urlParams: {} }), "not_found")
        yield* assertRefused(stranger.queues.list({ path, urlParams: {} }), "not_found")
        const projectPath = `/projects/${path.slug}`
        assert.strictEqual((yield* request("GET", `${projectPath}/workers/nope`, key)).status, 404)
        for (const query of ["limit=0", "limit=501", "limit=x", `state=${"x".repeat(41)}`]) {
          assert.strictEqual((yield* request("GET", `${projectPath}/agent-workers?${query}`, key)).status, 422, query)
        }
        for (const query of ["state=running", "search=", `search=${"x".repeat(201)}`, "stat=online", "q=w1"]) {
          assert.strictEqual((yield* request("GET", `${projectPath}/workers?${query}`, key)).status, 422, query)
        }
        for (const path of ["queues?search=x", "agents?state=online", "agent-workers?search=x"]) {
          assert.strictEqual((yield* request("GET", `${projectPath}/${path}`, key)).status, 422, path)
        }
        const scoped = yield* clientWith(yield* freshKey({ isAdmin: true, scopes: ["tasks:read"] }))
        yield* assertRefused(scoped.workers.list({ path, urlParams: {} }), "scope_missing")
        yield* assertRefused(scoped.queues.list({ path, urlParams: {} }), "scope_missing")
      }))

    it.scoped("workers are listed by state and by text, with the pattern of their names", () =>
      Effect.gen(function*() {
        const { agent, path, viewer } = yield* fresh
        const names = [
          "celery@web-7d9f8b6c5d-x2x4z",
          "celery@web-5f6d7c8b9d-bcdfg",
          "w1@shop",
          "rq:8c1f3b1e-9a2b-4c3d-8e4f-5a6b7c8d9e0f",
          "celery@0123456789ab"
        ]
        agent.heartbeat({
          "celery.worker_details": JSON.stringify(Object.fromEntries(names.map((name) => [name, {}])))
        })
        const list = (urlParams: { readonly state?: "online" | "gone"; readonly search?: string }) =>
          Effect.map(viewer.workers.list({ path, urlParams }), (rows) => rows.map(({ group, name }) => [name, group]))
        const all = yield* until(list({}), ({ length }) => length === names.length)
        assert.sameDeepMembers(all, [
          ["celery@web-7d9f8b6c5d-x2x4z", "celery@web-*"],
          ["celery@web-5f6d7c8b9d-bcdfg", "celery@web-*"],
          ["w1@shop", "w*@shop"],
          ["rq:8c1f3b1e-9a2b-4c3d-8e4f-5a6b7c8d9e0f", "rq:*"],
          ["celery@0123456789ab", "celery@*"]
        ])
        assert.deepStrictEqual(yield* list({ search: "SHOP" }), [["w1@shop", "w*@shop"]])
        assert.deepStrictEqual(yield* list({ search: "w_@" }), [], "no wildcard")
        assert.lengthOf(yield* list({ state: "online" }), names.length)
        assert.deepStrictEqual(yield* list({ state: "gone" }), [])
      }))

    it.scoped("agents' processes are listed newest first, filtered and limited", () =>
      Effect.gen(function*() {
        const { agent, agent_id, path, viewer } = yield* fresh
        yield* Effect.promise(() => agent.close())
        const list = (urlParams: { readonly state?: string; readonly limit?: number }) =>
          viewer.workers.listAgentWorkers({ path, urlParams })
        const gone = yield* until(list({ state: "offline" }), ({ length }) => length === 1)
        assert.deepInclude(gone[0], {
          agent_id,
          state: "offline",
          framework: "bare"
        })
        assert.strictEqual(gone[0]?.started_at, "2026-11-21T06:56:20.969198Z")
        assert.deepStrictEqual(yield* list({ state: "online" }), [])
        assert.lengthOf(yield* list({ limit: 1 }), 1)
      }))
  })
})
