import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connected, type Credentials, event, freshAgent, longPoll, publishedCapabilities } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTask } from "../../tasks.ts"
import { until } from "../../until.ts"

type Engine = keyof typeof publishedCapabilities

const hello = (...names: ReadonlyArray<Engine>) => ({
  engines: names,
  capabilities: Object.fromEntries(names.map((name) => [name, publishedCapabilities[name]]))
})

/** A project with an agent, and what its commands say over REST. */
const world = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const project = yield* freshProject()
  const credentials: Credentials = yield* freshAgent(project, "shop")
  const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
  const base = yield* baseUrl
  const path = `/projects/${project.slug}/commands`
  const post = (route: string, body: object) =>
    Effect.map(
      request("POST", `${path}/${route}`, { token, body: { agent_id: credentials.agent_id, ...body } }),
      ({ json, status }) => {
        assert.strictEqual(status, 202, JSON.stringify(json))
        return json
      }
    )
  const get = (id: string) => Effect.map(request("GET", `${path}/${id}`, { token }), ({ json }) => json)
  const taskOf = (engine: string, id: string) =>
    Effect.map(request("GET", `/projects/${project.slug}/tasks/${engine}/${id}`, { token }), ({ json }) => json)
  const connect = (...names: ReadonlyArray<Engine>) => connected({ base, ...credentials, hello: hello(...names) })
  return { sql, project, credentials, token, base, path, post, get, taskOf, connect }
})

const both = { override_args: [], override_kwargs: {} }

describe.each(laneEngines)("what the brain says of a command at once on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("a resize by 0 is accepted, changes nothing, and says so; no agent is asked", () =>
      Effect.gen(function*() {
        const { connect, get, post } = yield* world
        const agent = yield* connect("celery", "rq")
        for (const name of ["celery", "rq"]) {
          const command = yield* post("pool-resize", { engine: name, worker_name: "w", delta: 0 })
          assert.deepInclude(command, { status: "completed", error: null, dispatched_at: null })
          assert.deepInclude(command.result, { noop: true })
          assert.strictEqual(command.completed_at, command.issued_at)
          assert.include(command.note, "the pool was left as it is")
          assert.deepStrictEqual(yield* get(command.id), command)
        }
        yield* post("pool-resize", { engine: "celery", worker_name: "w", delta: 1 })
        yield* Effect.promise(() => agent.when(() => agent.commands.length > 0))
        assert.deepStrictEqual(agent.commands.map(({ parameters }) => parameters.delta), [1])
      }))

    it.scoped("what an engine's adapter cannot do fails when it is issued, with the reason and what would do", () =>
      Effect.gen(function*() {
        const { connect, get, post, project } = yield* world
        const agent = yield* connect("rq", "dramatiq", "huey", "arq", "taskiq")
        const w = { worker_name: "w" }
        const named = { task_id: "named" }
        for (const name of ["rq", "dramatiq", "huey", "arq", "taskiq"] as const) {
          yield* insertTask(project.id, { engine: name, task_id: "named", name: "shop.pay", state: "failure" })
        }
        const cases: ReadonlyArray<readonly [string, Engine, object, RegExp]> = [
          [
            "pool-resize",
            "rq",
            { ...w, delta: 1 },
            /rq adapter cannot do pool_grow.*concurrency.*Supported actions: bulk_retry, cancel_task, .*submit_task\.$/
          ],
          ["pool-resize", "arq", { ...w, delta: -1 }, /arq adapter cannot do pool_shrink/],
          ["add-consumer", "dramatiq", { ...w, queue: "q" }, /cannot do add_consumer/],
          ["rate-limit", "taskiq", { task_name: "n", rate: "1/s" }, /cannot do rate_limit/],
          ["purge-queue", "huey", { queue: "q", force: true }, /cannot do purge_queue/],
          ["purge-queue", "rq", { queue: "q" }, /confirm_token.*observed_depth.*force/],
          ["cancel-task", "dramatiq", { task_id: "runs" }, /cannot do cancel_task.*dramatiq-abort/],
          ["cancel-task", "taskiq", { task_id: "runs" }, /cannot do cancel_task/],
          ["requeue-dead-letter", "huey", named, /cannot do requeue_dead_letter/],
          [
            "bulk-retry",
            "huey",
            { filter: { task_ids: ["named"], engine: "huey" } },
            /cannot do bulk_retry.*one by one/
          ],
          ["retry-task", "dramatiq", named, /override_args and override_kwargs/],
          ["retry-task", "huey", named, /override_args and override_kwargs/],
          ["retry-task", "arq", named, /override_args and override_kwargs/],
          ["retry-task", "taskiq", named, /override_args and override_kwargs/],
          ["retry-task", "rq", { task_id: "unreported", ...both }, /name of this task/],
          ["retry-task", "arq", { task_id: "unreported", ...both }, /name of this task/],
          ["retry-task", "dramatiq", { ...named, ...both, eta_seconds: 5 }, /eta_seconds/],
          ["retry-task", "taskiq", { ...named, ...both, eta_seconds: 5 }, /eta_seconds/]
        ]
        for (const [route, name, body, error] of cases) {
          const command = yield* post(route, { engine: name, ...body })
          assert.deepInclude(command, {
            status: "failed",
            result: null,
            dispatched_at: null,
            completed_at: command.issued_at
          }, `${route} ${name}`)
          assert.match(command.error, error)
          assert.deepStrictEqual(yield* get(command.id), command)
        }
        assert.deepStrictEqual(agent.commands, [])
        const fine: ReadonlyArray<readonly [string, Engine, object]> = [
          ["retry-task", "rq", named],
          ["retry-task", "dramatiq", { ...named, ...both }],
          ["retry-task", "huey", { ...named, ...both, eta_seconds: 5 }],
          ["retry-task", "arq", { ...named, ...both, eta_seconds: 5 }],
          ["retry-task", "taskiq", { ...named, ...both }],
          ["cancel-task", "huey", { task_id: "waits" }],
          ["purge-queue", "dramatiq", { queue: "q", observed_depth: 0 }]
        ]
        for (const [route, name, body] of fine) {
          assert.strictEqual((yield* post(route, { engine: name, ...body })).error, null, `${route} ${name}`)
        }
        yield* until(Effect.sync(() => agent.commands.length), (count) => count === fine.length)
      }))

    it.scoped("an engine that no process of the agent ever served is refused; one whose process is away is waited for", () =>
      Effect.gen(function*() {
        const { connect, post } = yield* world
        const rq = yield* connect("rq")
        yield* connect("celery")
        yield* Effect.promise(() => rq.close())
        yield* until(post("cancel-task", { engine: "rq", task_id: "t" }), ({ note }) => note !== null).pipe(
          Effect.map((command) => {
            assert.deepInclude(command, { status: "pending", error: null })
            assert.match(
              command.note,
              /^No process of the agent "shop" that serves rq is connected\. The command waits for one until /
            )
          })
        )
        const refused = yield* post("cancel-task", { engine: "huey", task_id: "t" })
        assert.deepInclude(refused, { status: "failed", note: null })
        assert.match(refused.error, /^The agent "shop" does not serve huey\. It serves celery, rq\./)
      }))

    it.scoped("of an agent that is away, what it last said counts; one that never connected is waited for", () =>
      Effect.gen(function*() {
        const { connect, get, post } = yield* world
        const first = yield* post("pool-resize", { engine: "rq", worker_name: "w", delta: 1 })
        assert.deepInclude(first, { status: "pending", error: null })
        assert.match(
          first.note,
          /^The agent "shop" has never connected\. The command waits for it until [-\d]+ [:\d]+ UTC, then it ends as timeout\.$/
        )
        assert.deepStrictEqual(yield* get(first.id), first)
        const agent = yield* connect("rq")
        agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: {} })
        yield* until(get(first.id), ({ status }) => status === "completed")
        yield* Effect.promise(() => agent.close())
        const pending = yield* until(
          post("cancel-task", { engine: "rq", task_id: "t" }),
          ({ note }) => note?.includes("offline")
        )
        assert.match(
          pending.note,
          /^The agent "shop" is offline, last seen [-\d]+ [:\d]+ UTC\. The command waits for it until /
        )
        assert.strictEqual((yield* get(pending.id)).note, pending.note)
        assert.strictEqual((yield* post("pool-resize", { engine: "rq", worker_name: "w", delta: 1 })).status, "failed")
      }))

    it.scoped("an agent that does not say what it can is asked", () =>
      Effect.gen(function*() {
        const { base, credentials, get, post, project } = yield* world
        const poll = longPoll({ base, ...credentials, project_id: project.id })
        yield* Effect.promise(() => poll.probe())
        const command = yield* post("pool-resize", { engine: "huey", worker_name: "w", delta: 1 })
        assert.deepInclude(command, { status: "pending", error: null })
        yield* Effect.promise(() => poll.pull(1))
        yield* until(get(command.id), ({ status }) => status === "dispatched")
      }))

    it.scoped("nothing is cancelled of a task that has ended, where its engine never runs it again under its id", () =>
      Effect.gen(function*() {
        const { connect, get, post, project } = yield* world
        const agent = yield* connect("celery", "rq")
        for (const state of ["success", "failure", "revoked", "rejected"] as const) {
          yield* insertTask(project.id, { engine: "celery", task_id: state, state })
          const command = yield* post("cancel-task", { engine: "celery", task_id: state })
          assert.deepInclude(command, {
            status: "completed",
            result: { noop: true, reason: `the task has ended: ${state}`, task_id: state },
            error: null,
            note: `There was nothing to cancel: the task has ended (${state}).`,
            completed_at: command.issued_at
          })
          assert.deepStrictEqual(yield* get(command.id), command)
        }
        assert.deepStrictEqual(agent.commands, [])
        const sent = [["celery", "unknown"], ["celery", "retry"], ["celery", "started"], ["rq", "failure"]] as const
        for (const [name, state] of sent) {
          yield* insertTask(project.id, { engine: name, task_id: `${name} ${state}`, state })
          yield* post("cancel-task", { engine: name, task_id: `${name} ${state}` })
        }
        yield* until(Effect.sync(() => agent.commands.length), (count) => count === sent.length)
      }))

    it.scoped("a cancelled task that still runs is said to, until it is seen to end", () =>
      Effect.gen(function*() {
        const { connect, get, path, post, project, token } = yield* world
        const agent = yield* connect("rq", "huey")
        const results: Record<string, Record<string, string | boolean>> = {
          rq: { soft: true, note: "stop requested" },
          huey: { revoked: true, pending_only: true }
        }
        agent.onCommand = (command) => {
          const { engine, id } = command.target
          agent.sendResult(command, { status: "success", result: { task_id: String(id), ...results[String(engine)] } })
        }
        for (const [name, pattern] of [["rq", /stop requested/], ["huey", /only.*not begun/]] as const) {
          yield* insertTask(project.id, { engine: name, task_id: "t", state: "started" })
          const { id } = yield* post("cancel-task", { engine: name, task_id: "t" })
          const done = yield* until(get(id), ({ status }) => status === "completed")
          assert.match(done.note, /^The task was asked to stop and still runs\./)
          assert.match(done.note, pattern)
          const [listed] = (yield* request("GET", `${path}?limit=1`, { token })).json.items
          assert.deepStrictEqual(listed, done)
        }
        yield* Effect.promise(() =>
          agent.sendEvents([event({ engine: "rq", task_id: "u", kind: "task.started", data: { task_name: "n" } })])
        )
        const { id } = yield* post("cancel-task", { engine: "rq", task_id: "u" })
        yield* until(get(id), ({ note }) => note?.includes("still runs"))
        yield* Effect.promise(() =>
          agent.sendEvents([event({ engine: "rq", task_id: "u", kind: "task.succeeded", data: { task_name: "n" } })])
        )
        assert.strictEqual((yield* get(id)).note, "The task was asked to stop, and has ended (success).")
      }))

    it.scoped("a task says beforehand what its retry needs, and a retry that lacked it what to set", () =>
      Effect.gen(function*() {
        const { connect, get, post, project, taskOf } = yield* world
        const agent = yield* connect("celery", "huey", "rq")
        for (const name of ["celery", "huey", "rq"]) {
          yield* insertTask(project.id, { engine: name, task_id: "t", name: "n", state: "failure" })
        }
        assert.match(
          (yield* taskOf("huey", "t")).retry_note,
          /^huey keeps no arguments.*override_args and override_kwargs/
        )
        assert.strictEqual((yield* taskOf("rq", "t")).retry_note, null)
        assert.match(
          (yield* taskOf("celery", "t")).retry_note,
          /^Celery keeps a task's arguments only where result_extended = True/
        )
        agent.onCommand = (command) =>
          agent.sendResult(command, {
            status: "failed",
            error: "the Celery result backend did not store the original arguments (result_extended is off by default)"
          })
        const { id } = yield* post("retry-task", { engine: "celery", task_id: "t" })
        const failed = yield* until(get(id), ({ status }) => status === "failed")
        assert.match(failed.note, /result_extended = True.*result backend.*override_args and override_kwargs/)
        assert.match((yield* taskOf("celery", "t")).retry_note, /^The last retry found no stored arguments/)
        agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { new_task_id: "x" } })
        const again = yield* post("retry-task", { engine: "celery", task_id: "t" })
        yield* until(get(again.id), ({ status }) => status === "completed")
        assert.strictEqual((yield* taskOf("celery", "t")).retry_note, null)
      }))
  })
})
