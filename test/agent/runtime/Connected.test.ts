import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { diagnose } from "../../../src/agent/runtime/Doctor.ts"
import { EngineRefused } from "../../../src/agent/runtime/Engine.ts"
import type { AgentOptions } from "../../../src/agent/runtime/Options.ts"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { Commands } from "../../../src/services/commands/Commands.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import { freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { engines, temporaryHome } from "../../databases.ts"
import { until } from "../../until.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { drained, online, optionsFor, started, statusOf } from "./agents.ts"

const fresh = (engine: MemoryEngine, more: Partial<AgentOptions> = {}) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const credentials = yield* freshAgent(project)
    const { token } = yield* freshKey({ isAdmin: true })
    const agent = yield* started(yield* optionsFor(yield* baseUrl, credentials, { engines: [engine.engine], ...more }))
    const call = (method: string, path: string, body?: unknown) =>
      request(method, `/projects/${project.slug}${path}`, { token, ...(body === undefined ? {} : { body }) })
    const command = (path: string, body: object) =>
      Effect.gen(function*() {
        const { json, status, text } = yield* call("POST", `/commands/${path}`, {
          agent_id: credentials.agent_id,
          ...body
        })
        assert.strictEqual(status, 202, text)
        const { json: ended } = yield* until(
          call("GET", `/commands/${json.id}`),
          ({ json }) => !["pending", "dispatched"].includes(json.status)
        )
        return ended
      })
    return { agent, call, command, credentials, project }
  })

describe.each(engines)("the agent and its brain on %s", (database) => {
  layer(serverOn(database, { agentHeartbeat: 1 }), { excludeTestServices: true })((it) => {
    for (const transport of ["ws", "longpoll"] as const) {
      it.scoped(`is failed, not online, by ${transport} while an engine of it did not start`, () =>
        Effect.gen(function*() {
          const shop = new MemoryEngine()
          const refusal = Effect.fail(new EngineRefused({ message: "getBackend is not a function" }))
          const { call } = yield* fresh(shop, { transport, engines: [{ ...shop.engine, start: () => refusal }] })
          const { json } = yield* until(call("GET", "/agents"), ({ json }) => json[0].state === "failed")
          const detail = `The engine ${shop.engine.name} did not start: getBackend is not a function`
          assert.deepStrictEqual(json[0].setup_advice, [{ code: "engine_failed", detail }])
        }))

      it.scoped(`reports by ${transport}, and deletes what is acknowledged`, () =>
        Effect.gen(function*() {
          const shop = new MemoryEngine()
          const { agent, call } = yield* fresh(shop, { transport })
          yield* online(agent)
          const ids = Array.from({ length: 300 }, (_, n) =>
            shop.enqueue({ args: n % 3 === 0 ? ["fail"] : Object.assign([n], { 2: "behind a hole" }) }))
          for (const id of ids) {
            shop.work(id)
          }
          yield* drained(agent)
          const { json } = yield* call("GET", "/tasks?limit=500&include_total=true")
          assert.strictEqual(json.total_count, 300)
          const states = json.items.map(({ state }: { readonly state: string }) =>
            state
          )
          assert.strictEqual(states.filter((state: string) => state === "failure").length, 100)
          assert.strictEqual(states.filter((state: string) => state === "success").length, 200)
          assert.strictEqual(agent.status().lostEvents, 0)
        }))

      it.scoped(`sends lines and progress by ${transport}, also from before its first connection`, () =>
        Effect.gen(function*() {
          const shop = new MemoryEngine()
          const { agent, call } = yield* fresh(shop, { transport })
          const id = shop.enqueue({ args: [1] })
          const data = { lines: [{ level: "info", message: "hello" }] }
          shop.report({ kind: "task.started", taskId: id, occurredAt: Date.now(), data: {} })
          shop.report({ kind: "task.log", taskId: id, occurredAt: Date.now(), data })
          shop.report({ kind: "task.progress", taskId: id, occurredAt: Date.now(), data: { progress: 30 } })
          yield* online(agent)
          yield* drained(agent)
          const { json } = yield* until(
            call("GET", `/tasks/${shop.engine.name}/${id}`),
            ({ json }) => json.progress !== null
          )
          assert.deepInclude(json, { log_line_count: 1 })
          assert.strictEqual(json.progress.percent, 30)
        }))

      it.scoped(`is listed with its process by ${transport}, and gets its commands there`, () =>
        Effect.gen(function*() {
          const shop = new MemoryEngine()
          const { agent, call, command, credentials } = yield* fresh(shop, { transport })
          yield* online(agent)
          const processes = Effect.map(call("GET", "/agent-workers"), ({ json }) => json)
          const [process, ...others] = yield* until(processes, ({ length }) => length > 0)
          assert.deepStrictEqual(others, [])
          assert.deepInclude(process, {
            agent_id: credentials.agent_id,
            state: "online",
            pid: globalThis.process.pid
          })
          assert.isString(process.worker_id)
          assert.isString(process.started_at)
          const [listed] = (yield* call("GET", "/agents")).json
          assert.deepStrictEqual(listed.engine_adapters, [shop.engine.name])
          const id = shop.enqueue({ args: [1] })
          const ended = yield* command("cancel-task", { engine: shop.engine.name, task_id: id })
          assert.strictEqual(ended.status, "completed")
        }))

      it.scoped(`is not changed by a doctor that checks it by ${transport}`, () =>
        Effect.gen(function*() {
          const project = yield* freshProject()
          const credentials = yield* freshAgent(project)
          const { token } = yield* freshKey({ isAdmin: true })
          const call = (method: string, path: string, body?: object) =>
            request(method, `/projects/${project.slug}${path}`, { token, ...(body === undefined ? {} : { body }) })
          const options = yield* optionsFor(yield* baseUrl, credentials, { transport, home: yield* temporaryHome })
          const examined = Effect.gen(function*() {
            const findings = yield* diagnose({ ...options, home: yield* temporaryHome }, {
              websocket: transport === "ws"
            })
            assert.deepStrictEqual(findings.filter(({ status }) => status === "failed"), [])
          })
          const body = { agent_id: credentials.agent_id, engine: "memory", task_id: "t1" }
          const { json: issued, status, text } = yield* call("POST", "/commands/cancel-task", body)
          assert.strictEqual(status, 202, text)
          const command = Effect.map(call("GET", `/commands/${issued.id}`), ({ json }) => json.status)
          yield* examined
          assert.strictEqual(yield* command, "pending", "a doctor was given a command")

          const agent = yield* started({ ...options, engines: [new MemoryEngine().engine] })
          const sql = yield* SqlClient.SqlClient
          const known = Effect.all([
            Effect.map(call("GET", "/agents"), ({ json }) => {
              const [{ capabilities, engine_adapters, framework_adapter, scheduler_adapters }] = json
              return { capabilities, engine_adapters, framework_adapter, scheduler_adapters }
            }),
            sql`SELECT engines, capabilities FROM agent_workers WHERE agent_id = ${credentials.agent_id} AND engines <> '[]'`
          ])
          const before = yield* until(known, ([{ engine_adapters }, { length }]) =>
            engine_adapters.includes("memory") && length === 1)
          yield* until(command, (status) =>
            status !== "pending" && status !== "dispatched")
          yield* examined
          assert.deepStrictEqual(yield* known, before)
          assert.strictEqual(agent.status().state, "online")
        }))

      it.scoped(`carries out commands by ${transport}`, () =>
        Effect.gen(function*() {
          const shop = new MemoryEngine()
          const { agent, command } = yield* fresh(shop, { transport })
          yield* online(agent)
          const id = shop.enqueue({ args: ["fail"] })
          shop.work(id)
          yield* drained(agent)
          const retried = yield* command("retry-task", { engine: "memory", task_id: id })
          assert.strictEqual(retried.status, "completed", JSON.stringify(retried))
          assert.isTrue(shop.jobs.has(retried.result.new_task_id))
          const refused = yield* command("cancel-task", { engine: "memory", task_id: id })
          assert.deepInclude(refused, { status: "failed", error: `${id} does not wait any more` })
          assert.deepStrictEqual(shop.done, ["retry_task"])
          if (transport === "longpoll") yield* statusOf(agent, ({ commandsWaiting }) => commandsWaiting === 0)
        }))
    }

    it.scoped("publishes schedules to a brain that asks for them", () =>
      Effect.gen(function*() {
        const shop = new MemoryEngine("memory", [], new Map())
        shop.schedule("nightly")
        const { agent, call } = yield* fresh(shop, { transport: "ws" })
        yield* online(agent)
        const names = Effect.map(
          call("GET", "/schedules"),
          ({ json }) => json.items.map(({ name }: { readonly name: string }) => name).join()
        )
        yield* until(names, (shown) => shown === "nightly")
        shop.schedule("hourly")
        assert.strictEqual((yield* call("POST", "/schedules:resync")).status, 202)
        yield* until(names, (shown) => shown === "hourly,nightly")
        yield* statusOf(agent, ({ snapshotsWaiting }) => snapshotsWaiting === 0)
        assert.deepStrictEqual((yield* call("GET", "/tasks")).json.items, [])
      }))

    it.scoped("publishes no schedules by long-poll, whose hello does not say that it can", () =>
      Effect.gen(function*() {
        const shop = new MemoryEngine("memory", [], new Map())
        shop.schedule("nightly")
        const { agent, call, credentials, project } = yield* fresh(shop, { transport: "longpoll" })
        yield* online(agent)
        const shown = yield* until(call("GET", "/agents"), ({ json }) => json[0]?.scheduler_adapters.length > 0)
        assert.deepStrictEqual(shown.json[0].scheduler_adapters, ["memory-clock"])
        const commands = yield* Commands
        const resync = {
          action: "schedule.resync",
          parameters: {},
          engine: null,
          target_type: "schedule",
          target_id: null
        } as const
        const done = yield* Effect.gen(function*() {
          const { id } = yield* commands.issue({ ...resync, agent_id: credentials.agent_id, timeout_seconds: 60 })
          return yield* until(commands.get(id), ({ status }) => !["pending", "dispatched"].includes(status))
        }).pipe(Effect.provideService(CurrentActor, system("test")), Effect.provideService(CurrentProject, project))
        assert.deepInclude(done, { status: "completed", result: `{"schedulers_drained":1}` })
        assert.deepStrictEqual((yield* call("GET", "/schedules")).json.items, [])
      }))

    it.scoped("reports a result of what was under way when its process ended, and is the same process to the brain after a restart", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const credentials = yield* freshAgent(project)
        const { token } = yield* freshKey({ isAdmin: true })
        const shop = new MemoryEngine()
        const begun: Array<string> = []
        const stuck = {
          ...shop.engine,
          actions: {
            ...shop.engine.actions,
            cancel_task: ({ task_id }: { readonly task_id: string }) => (begun.push(task_id), Effect.never)
          }
        }
        const options = yield* optionsFor(yield* baseUrl, credentials, { engines: [stuck] })
        const call = (method: string, path: string, body?: unknown) =>
          request(method, `/projects/${project.slug}${path}`, { token, ...(body === undefined ? {} : { body }) })
        const issue = (task_id: string) =>
          Effect.map(
            call("POST", "/commands/cancel-task", { agent_id: credentials.agent_id, engine: "memory", task_id }),
            ({ json }) => String(json.id)
          )
        const first = yield* started(options)
        yield* online(first)
        const one = yield* issue("a")
        yield* until(Effect.sync(() => begun.length), (count) => count === 1)
        yield* Effect.promise(() => first.close())
        const second = yield* started(options)
        yield* online(second)
        const { json } = yield* until(call("GET", `/commands/${one}`), ({ json }) => json.status !== "dispatched")
        assert.deepInclude(json, { status: "failed", result: { indeterminate: true } })
        assert.deepStrictEqual(begun, ["a"])
        const { json: processes } = yield* call("GET", "/agent-workers")
        assert.strictEqual(processes.length, 1, "the process after a restart should be the same to the brain")
      }))

    it.scoped("reports queues, workers and what it can do", () =>
      Effect.gen(function*() {
        const shop = new MemoryEngine("memory", ["rate_limit"])
        const { agent, call, credentials } = yield* fresh(shop, { name: "till 1" })
        yield* online(agent)
        shop.enqueue()
        shop.enqueue()
        const { json: queues } = yield* until(call("GET", "/queues"), ({ json }) =>
          json[0]?.pending_count === 2 || json[0]?.depth === 2)
        assert.strictEqual(queues[0].name, "default")
        const { json: workers } = yield* until(call("GET", "/workers"), ({ json }) =>
          json.length === 1)
        assert.deepInclude(workers[0], { name: "w1@here", engine: "memory", concurrency: 1 })
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<Record<string, unknown>>`SELECT * FROM agents WHERE id = ${credentials.agent_id}`
        assert.strictEqual(row?.host_name, "till 1")
        assert.deepStrictEqual(JSON.parse(String(row?.capabilities)), {
          memory: [
            "add_consumer",
            "bulk_retry",
            "cancel_consumer",
            "cancel_task",
            "list_dead_letters",
            "pause_queue",
            "pool_grow",
            "pool_shrink",
            "purge_queue",
            "requeue_dead_letter",
            "restart_worker",
            "resume_queue",
            "retry_by_reference_v1",
            "retry_task",
            "submit_task"
          ]
        })
      }))
  })
})
