import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { get } from "node:http"
import type { JsonInput } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import { baseUrl, freshKey, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { eventOf, offerEvents } from "../../../services/tasks/Ingest/world.ts"
import { insertTasks, type StoredTask, storedTask } from "../../../tasks.ts"
import { seedTasks, settings, start } from "./seedTasks.ts"

const oddIds = [
  "a/b/c",
  "100%",
  "%2F",
  "..",
  "tree",
  "a b+c",
  "quote\"'`",
  "naïve-Ünïcode-Ω",
  "😀😀",
  "x".repeat(200),
  "é".repeat(200),
  "semi;colon&amp=1?x#y",
  "back\\slash",
  "line\nfeed\ttab",
  "<unknown:1>",
  "{json}"
]

/** Without fetch, which rewrites paths. */
const rawGet = (path: string, token: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(() =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(base)
        get({ hostname, port, path: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        }).on("error", reject)
      })
    ))

describe.each(laneEngines)("one task on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("is found under any id", () =>
      Effect.gen(function*() {
        const { basePath, key, one, tasks } = yield* seedTasks(oddIds.map((task_id) => ({ task_id })))
        for (const task of tasks) {
          if (task.task_id === "..") {
            assert.strictEqual(yield* rawGet(`${basePath}/tasks/celery/%2E%2E`, key.token), 200)
            continue
          }
          const response = yield* one(task)
          assert.strictEqual(response.status, 200, task.task_id)
          assert.strictEqual(response.json.id, task.id)
          assert.strictEqual(response.json.task_id, task.task_id)
          assert.strictEqual((yield* one(task, "/tree")).json.root_task_id, task.task_id)
          const events = yield* request(
            "GET",
            `${basePath}/events?engine=celery&task_id=${encodeURIComponent(task.task_id)}`,
            key
          )
          assert.deepStrictEqual(events.json, { items: [], next_cursor: null })
        }
      }))

    it.effect("names the fields of its events that exceeded a bound", () =>
      Effect.gen(function*() {
        const { one, project } = yield* seedTasks([])
        const event = (kind: string, data: JsonInput) =>
          eventOf({
            id: randomUUID(),
            kind,
            engine: "celery",
            task_id: "t1",
            occurred_at: "2026-11-21T12:00:00Z",
            data
          })
        const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, index]))
        yield* offerEvents({ projectId: project.id, agentId: AgentId.make(randomUUID()) }, [
          event("task.received", { task_name: "n".repeat(501), kwargs: wide, anything: "x".repeat(900) }),
          event("task.succeeded", { task_name: "n".repeat(501), result: wide })
        ])
        const { json } = yield* one({ engine: "celery", task_id: "t1" })
        assert.deepStrictEqual(json.altered_fields, ["kwargs", "result", "task_name"])
        assert.strictEqual(json.result, "[an object of more than 1000 keys: left out]")
      }))

    it.effect("lists the attempts of its latest run, each with its own times, here and in its tree", () =>
      Effect.gen(function*() {
        const { one, project } = yield* seedTasks([])
        const event = (kind: string, second: number, data: JsonInput = {}) =>
          eventOf({
            id: randomUUID(),
            kind,
            engine: "effect-queue",
            task_id: "t1",
            occurred_at: `2026-11-21T12:00:0${second}.000Z`,
            data: { task_name: "payment.charge", worker: "payments", ...Object(data) }
          })
        yield* offerEvents({ projectId: project.id, agentId: AgentId.make(randomUUID()) }, [
          event("task.received", 0),
          event("task.started", 1),
          event("task.retried", 3, { exception: "GatewayTimeout", exception_message: "no answer", runtime_ms: 2000 }),
          event("task.started", 4),
          event("task.succeeded", 9, { runtime_ms: 5000 })
        ])
        const key = { engine: "effect-queue", task_id: "t1" }
        const { json } = yield* one(key)
        assert.deepInclude(json, {
          received_at: "2026-11-21T12:00:00.000000Z",
          first_started_at: "2026-11-21T12:00:01.000000Z",
          started_at: "2026-11-21T12:00:04.000000Z",
          runtime_ms: 5000
        })
        const common = { worker_name: "payments" } as const
        assert.deepStrictEqual(json.attempt_list, [
          {
            number: 1,
            state: "failure",
            started_at: "2026-11-21T12:00:01.000000Z",
            finished_at: "2026-11-21T12:00:03.000000Z",
            runtime_ms: 2000,
            ...common,
            exception: "GatewayTimeout: no answer"
          },
          {
            number: 2,
            state: "success",
            started_at: "2026-11-21T12:00:04.000000Z",
            finished_at: "2026-11-21T12:00:09.000000Z",
            runtime_ms: 5000,
            ...common,
            exception: null
          }
        ])
        assert.deepStrictEqual((yield* one(key, "/tree")).json.nodes[0].attempt_list, json.attempt_list)
      }))

    it.effect("names in its tree the exception of a task that failed at its only attempt", () =>
      Effect.gen(function*() {
        const { one, project } = yield* seedTasks([])
        const event = (task_id: string, kind: string, data: JsonInput = {}) =>
          eventOf({ id: randomUUID(), kind, engine: "celery", task_id, occurred_at: "2026-11-21T12:00:00Z", data })
        yield* offerEvents({ projectId: project.id, agentId: AgentId.make(randomUUID()) }, [
          event("t1", "task.started", { task_name: "mail.send" }),
          event("t1", "task.failed", { exception: "GatewayTimeout", exception_message: "no answer" }),
          event("t2", "task.started", { task_name: "mail.send" }),
          event("t2", "task.succeeded")
        ])
        const nodeOf = (task_id: string) =>
          Effect.map(one({ engine: "celery", task_id }, "/tree"), ({ json }) => json.nodes[0])
        const { attempt_list: [attempt] } = yield* nodeOf("t1")
        assert.deepInclude(attempt, { state: "failure", exception: "GatewayTimeout: no answer" })
        assert.notProperty(yield* nodeOf("t2"), "attempt_list")
      }))

    it.effect("is the same text as in the list, and what is known of its retries", () =>
      Effect.gen(function*() {
        const { list, one, tasks: [task] } = yield* seedTasks([{ args: "[12345678901234567890,1.0]", result: "\"x\"" }])
        const text = (yield* one(task!)).text.replace(
          /,"payload_hidden":false,"retry_note":"[^"]+","retried_from":null,"orphaned_at":null,"attempts":0,"run_count":1,"first_started_at":null,"attempt_list":\[\],"retried_as":\[\],"failure_group":null,"fired_by":null,"altered_fields":\[\],"log_line_count":0,"log_url":null}$/,
          "}"
        )
        assert.strictEqual((yield* list()).text, `{"items":[${text}],"next_cursor":null}`)
      }))

    it.effect("is not found where it is not, whatever the path", () =>
      Effect.gen(function*() {
        const { basePath, key, one, tasks: [task] } = yield* seedTasks([{}])
        const elsewhere = yield* seedTasks([{}])
        const missing = [
          yield* one({ engine: "rq", task_id: task!.task_id }),
          yield* one({ engine: "celery", task_id: "nope" }),
          yield* one({ engine: "celery", task_id: "y".repeat(1500) }),
          yield* one({ engine: "celery", task_id: "nul\0" }),
          yield* one({ engine: "\0", task_id: "x" }),
          yield* one(elsewhere.tasks[0]!),
          yield* one({ engine: "celery", task_id: "nope" }, "/tree"),
          yield* one({ engine: "celery", task_id: "nul\0" }, "/tree"),
          yield* request("GET", `${basePath}/tasks/celery/${task!.task_id}`, elsewhere.key)
        ]
        for (const response of missing) assert.deepInclude(response.json, { status: 404, code: "not_found" })
        for (const path of ["%ff", "%", "%zz", "%ED%A0%80"]) {
          assert.strictEqual(yield* rawGet(`${basePath}/tasks/celery/${path}`, key.token), 400, path)
        }
        assert.strictEqual(yield* rawGet(`${basePath}/tasks/celery/${"y".repeat(5000)}`, key.token), 404)
        assert.strictEqual((yield* request("GET", `${basePath}/tasks/celery/${task!.task_id}`)).status, 401)
      }))

    it.effect("has a tree: all tasks of its project that share its root, of any engine", () =>
      Effect.gen(function*() {
        const { one, tasks } = yield* seedTasks([
          { task_id: "root" },
          { task_id: "child", root_task_id: "root", parent_task_id: "root" },
          { task_id: "grandchild", root_task_id: "root", parent_task_id: "child", state: "failure" },
          { task_id: "other" },
          { task_id: "foreign", root_task_id: "root", engine: "rq" }
        ])
        for (const task of [...tasks.slice(0, 3), tasks[4]!]) {
          const { json } = yield* one(task, "/tree")
          assert.deepInclude(json, { root_task_id: "root", node_count: 4, truncated: false })
          assert.deepStrictEqual(json.nodes.map((node: StoredTask) => node.task_id), [
            "root",
            "child",
            "grandchild",
            "foreign"
          ])
          assert.deepStrictEqual(json.nodes[2], {
            engine: "celery",
            task_id: "grandchild",
            name: "shop.orders.ship",
            state: "failure",
            parent_task_id: "child",
            root_task_id: "root",
            received_at: "2026-03-10T12:00:02.000000Z",
            started_at: null,
            finished_at: null
          })
        }
        assert.strictEqual((yield* one(tasks[3]!, "/tree")).json.node_count, 1)
      }))

    it.effect("follows parents where a task does not name its root, and ends in a circle", () =>
      Effect.gen(function*() {
        const { one, tasks } = yield* seedTasks([
          { task_id: "top" },
          { task_id: "middle", parent_task_id: "top" },
          { task_id: "leaf", parent_task_id: "middle" },
          { task_id: "orphan", parent_task_id: "gone" },
          { task_id: "a", parent_task_id: "b" },
          { task_id: "b", parent_task_id: "a" }
        ])
        const { json } = yield* one(tasks[2]!, "/tree")
        assert.strictEqual(json.root_task_id, "top")
        assert.deepStrictEqual(json.nodes.map((node: StoredTask) => node.task_id), ["top", "middle", "leaf"])
        assert.deepInclude((yield* one(tasks[3]!, "/tree")).json, { root_task_id: "gone", node_count: 1 })
        assert.strictEqual((yield* one(tasks[4]!, "/tree")).json.node_count, 2)
      }))

    it.effect("has the root of a chain of any length, and says where it does not show all of it", () =>
      Effect.gen(function*() {
        const length = 650
        const { one, tasks } = yield* seedTasks(
          Array.from(
            { length },
            (_, index) => ({ task_id: `n${index}`, parent_task_id: index === 0 ? null : `n${index - 1}` })
          )
        )
        const treeAt = (index: number) => Effect.map(one(tasks[index]!, "/tree"), ({ json }) => json)
        for (const index of [100, 101, 150, 201, 401, 499]) {
          assert.deepInclude(yield* treeAt(index), { root_task_id: "n0", node_count: index + 1, truncated: false })
        }
        const tree = yield* treeAt(length - 1)
        assert.deepInclude(tree, { root_task_id: "n0", node_count: 500, truncated: true })
        const shown = tree.nodes.map((node: StoredTask) => node.task_id)
        assert.includeMembers(shown, ["n0", `n${length - 1}`, `n${length - 2}`])
      }))

    it.effect("has the root of its own engine, where another engine has a task of the same id", () =>
      Effect.gen(function*() {
        const { one, tasks } = yield* seedTasks([
          { task_id: "7", engine: "arq", name: "other" },
          { task_id: "7", engine: "rq", parent_task_id: "top" },
          { task_id: "top", engine: "bullmq" },
          { task_id: "leaf", engine: "rq", parent_task_id: "7" }
        ])
        const { json } = yield* one(tasks[3]!, "/tree")
        assert.strictEqual(json.root_task_id, "top")
        assert.deepStrictEqual(json.nodes.map((node: StoredTask) => `${node.engine} ${node.task_id}`), [
          "rq 7",
          "bullmq top",
          "rq leaf"
        ])
      }))

    it.effect("has a tree of at most 500 nodes, the root and itself among them", () =>
      Effect.gen(function*() {
        const { one, project, tasks } = yield* seedTasks([{ task_id: "big" }])
        const children = Array.from({ length: 499 }, (_, index) =>
          storedTask(project.id, start + 10_000 + index, {
            task_id: `c${index}`,
            root_task_id: "big",
            parent_task_id: "big"
          }))
        yield* insertTasks(children)
        assert.deepInclude((yield* one(tasks[0]!, "/tree")).json, { node_count: 500, truncated: false })
        const last = storedTask(project.id, start + 90_000, {
          task_id: "last",
          root_task_id: "big",
          parent_task_id: "c3"
        })
        yield* insertTasks([last])
        const { json } = yield* one(last, "/tree")
        assert.deepInclude(json, { root_task_id: "big", node_count: 500, truncated: true })
        assert.includeMembers(
          json.nodes.map((node: StoredTask) => node.task_id),
          ["big", "last", "c0"]
        )
      }))

    it.effect("is for members of the project only", () =>
      Effect.gen(function*() {
        const { basePath, project, tasks: [task] } = yield* seedTasks([{}])
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" }, scopes: ["tasks:read"] })
        const stranger = yield* freshKey()
        for (const rest of ["", "/tree"]) {
          const path = `${basePath}/tasks/celery/${task!.task_id}${rest}`
          assert.strictEqual((yield* request("GET", path, viewer)).status, 200)
          assert.strictEqual((yield* request("GET", path, stranger)).status, 404)
        }
      }))
  })
})
