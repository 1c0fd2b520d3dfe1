import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { connected, type Credentials, freshAgent, type Result } from "../../../agent.ts"
import { baseUrl, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { until } from "../../../until.ts"
import { seedTasks, settings } from "./seedTasks.ts"

const retrying = ["retry_task", "bulk_retry", "submit_task"]
const names = ["celery", "rq", "dramatiq", "huey", "arq", "bullmq"]
const both = { override_args: [], override_kwargs: {} }

/** A project with an agent of every engine, failed tasks, and a function that retries them and waits for the end. */
const world = (tasks: ReadonlyArray<readonly [engine: string, id: string]>) =>
  Effect.gen(function*() {
    const { basePath, key, one, project } = yield* seedTasks(
      tasks.map(([engine, task_id]) => ({ engine, task_id, state: "failure" }))
    )
    const credentials: Credentials = yield* freshAgent(project)
    const hello = { engines: names, capabilities: Object.fromEntries(names.map((name) => [name, retrying])) }
    const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello })
    const run = (route: string, body: object, result: Result) =>
      Effect.gen(function*() {
        agent.onCommand = (command) => agent.sendResult(command, result)
        const issued = yield* request("POST", `${basePath}/commands/${route}`, {
          ...key,
          body: { agent_id: credentials.agent_id, ...body }
        })
        assert.strictEqual(issued.status, 202, issued.text)
        const path = `${basePath}/commands/${issued.json.id}`
        yield* until(
          request("GET", path, key),
          ({ json }) => json.status === (result.status === "success" ? "completed" : "failed")
        )
      })
    const links = (engine: string, task_id: string) =>
      Effect.map(one({ engine, task_id }), ({ json }) => ({ from: json.retried_from, as: json.retried_as }))
    return { links, project, run }
  })

describe.each(laneEngines)("a retried task on %s", (database) => {
  layer(serverOn(database, settings), { excludeTestServices: true })((it) => {
    it.scoped("links to the task that its retry created, and back, from the result of each engine's agent", () =>
      Effect.gen(function*() {
        const results = {
          celery: { new_task_id: "new", task_name: "n", priority: null },
          rq: { task_id: "new", queue: "q", previous_task_id: "old", scheduled_for: null },
          dramatiq: { task_id: "new", queue: "q", previous_task_id: "old" },
          huey: { new_task_id: "new", original_task_id: "old" },
          arq: { task_id: "new", engine: "arq" }
        }
        const tasks = Object.keys(results).flatMap((engine) => [[engine, "old"], [engine, "new"]] as const)
        const { links, run } = yield* world([...tasks, ["bullmq", "old"]])
        for (const [engine, result] of Object.entries(results)) {
          yield* run("retry-task", { engine, task_id: "old", ...both }, { status: "success", result })
          assert.deepStrictEqual(yield* links(engine, "old"), { from: null, as: ["new"] }, engine)
          assert.deepStrictEqual(yield* links(engine, "new"), { from: "old", as: [] }, engine)
        }
        yield* run("retry-task", { engine: "bullmq", task_id: "old" }, {
          status: "success",
          result: { task_id: "old" }
        })
        assert.deepStrictEqual(yield* links("bullmq", "old"), { from: null, as: [] })
      }))

    it.scoped("has no link by a retry that failed or whose result names no task", () =>
      Effect.gen(function*() {
        const { links, run } = yield* world([["celery", "old"], ["celery", "new"]])
        const results: ReadonlyArray<Result> = [
          { status: "failed", result: { new_task_id: "new" }, error: "no broker" },
          { status: "success", result: null },
          { status: "success", result: { new_task_id: 7 } },
          { status: "success", result: { new_task_id: "" } },
          { status: "success", result: { new_task_id: "n\0" } },
          { status: "success", result: { new_task_id: "x".repeat(201) } }
        ]
        for (const result of results) yield* run("retry-task", { engine: "celery", task_id: "old", ...both }, result)
        assert.deepStrictEqual(yield* links("celery", "old"), { from: null, as: [] })
        assert.deepStrictEqual(yield* links("celery", "new"), { from: null, as: [] })
      }))

    it.scoped("links to what a bulk retry created; jobs that RQ requeues stay the same", () =>
      Effect.gen(function*() {
        const { links, run } = yield* world([["celery", "a"], ["celery", "b"], ["celery", "a2"], ["rq", "a"], [
          "rq",
          "b"
        ]])
        const bulk = (engine: string, result: NonNullable<Result["result"]>) =>
          run("bulk-retry", { filter: { task_ids: ["a", "b"], engine } }, { status: "success", result })
        yield* bulk("celery", {
          requested: 2,
          succeeded: 1,
          failed: 1,
          new_task_ids: { a: "a2", b: null },
          failures: { b: "gone" }
        })
        assert.deepStrictEqual(yield* links("celery", "a"), { from: null, as: ["a2"] })
        assert.deepStrictEqual(yield* links("celery", "b"), { from: null, as: [] })
        assert.deepStrictEqual(yield* links("celery", "a2"), { from: "a", as: [] })
        const many = Object.fromEntries(
          Array.from({ length: 1500 }, (_, n) => [`b${n}`, n === 1499 ? "b" : `made ${n}`])
        )
        yield* bulk("celery", { new_task_ids: many })
        assert.deepStrictEqual(yield* links("celery", "b"), { from: "b1499", as: [] })
        yield* bulk("rq", { retried: 2, skipped: 0, new_task_ids: ["a", "b"], errors: {} })
        assert.deepStrictEqual(yield* links("rq", "a"), { from: null, as: [] })
      }))

    it.scoped("names its retries newest first, twenty at most, and a retry of a retry continues the chain", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { links, project, run } = yield* world([["celery", "old"], ["celery", "new 24"], ["celery", "last"]])
        for (let n = 0; n < 25; n++) {
          const link = {
            project_id: project.id,
            engine: "celery",
            task_id: "old",
            new_task_id: `new ${n}`,
            command_id: Ids.minIdAt(Date.now() + n)
          }
          yield* sql`INSERT INTO task_retries ${sql.insert(link)}`
        }
        yield* run("retry-task", { engine: "celery", task_id: "new 24", ...both }, {
          status: "success",
          result: { new_task_id: "last" }
        })
        assert.deepStrictEqual(
          (yield* links("celery", "old")).as,
          Array.from({ length: 20 }, (_, n) => `new ${24 - n}`)
        )
        assert.deepStrictEqual(yield* links("celery", "new 24"), { from: "old", as: ["last"] })
        assert.deepStrictEqual(yield* links("celery", "last"), { from: "new 24", as: [] })
      }))
  })
})
