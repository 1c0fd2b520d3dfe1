import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, serverOn } from "../../brain.ts"
import { assertRefused, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"

/** The result of an agent of rq, with what no agent should send. */
const entries: ReadonlyArray<JsonInput> = [
  {
    task_id: "job-1",
    task_name: "shop.pay",
    queue: "default",
    failed_at: "2026-01-31T09:26:53+00:00",
    error_excerpt: "ValueError: password=hunter2-of-ada refused",
    attempts: 3
  },
  { task_id: "job-2", error_excerpt: "x".repeat(600), attempts: -1, failed_at: "yesterday" },
  { task_id: "", queue: "default" },
  { task_id: "j".repeat(201) },
  { task_name: "without an id" }
]

describe.each(laneEngines)("dead letters on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    /** A project with a viewer and an agent. */
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const viewer = yield* clientWith(yield* freshKey({ roles: { [project.id]: "viewer" } }))
      const agent = yield* freshAgent(project)
      const list = (urlParams: Parameters<typeof viewer.dead_letters.list>[0]["urlParams"]) =>
        viewer.dead_letters.list({ path: { slug: project.slug }, urlParams })
      const connect = (name: string, capabilities: ReadonlyArray<string>, credentials = agent) =>
        Effect.gen(function*() {
          const hello = { engines: [name], capabilities: { [name]: [...capabilities] } }
          const connection = yield* connected({ base: yield* baseUrl, ...credentials, hello })
          const sql = yield* SqlClient.SqlClient
          yield* until(
            sql`SELECT 1 FROM agent_workers WHERE agent_id = ${credentials.agent_id} AND engines LIKE ${`%${name}%`}`,
            (rows) => rows.length > 0
          )
          return connection
        })
      return { project, agent, list, connect }
    })

    it.scoped("the agent is asked now; its result is bounded and masked, and leaves no command", () =>
      Effect.gen(function*() {
        const { agent, connect, list, project } = yield* site
        const rq = yield* connect("rq", ["list_dead_letters", "requeue_dead_letter"])
        rq.onCommand = (command) =>
          rq.sendResult(command, { status: "success", result: { entries, next_cursor: "2", total: 7, engine: "rq" } })
        const page = yield* list({ engine: "rq", queue: "default", limit: 2 })
        const [first] = rq.commands
        assert.strictEqual(first?.action, "dlq.list")
        assert.deepStrictEqual(first?.parameters, { queue: "default", limit: 2, cursor: null })
        assert.deepStrictEqual({ ...page, entries: [], next_cursor: null }, {
          engine: "rq",
          agent_id: agent.agent_id,
          entries: [],
          next_cursor: null,
          total: 7
        })
        const [masked, odd, ...rest] = page.entries
        assert.deepStrictEqual(rest, [])
        assert.deepStrictEqual(
          [masked?.task_id, masked?.task_name, masked?.failed_at, masked?.attempts],
          ["job-1", "shop.pay", "2026-01-31T09:26:53.000000Z", 3]
        )
        assert.notInclude(JSON.stringify(page), "hunter2")
        assert.deepStrictEqual(odd, {
          task_id: "job-2",
          task_name: "",
          queue: "default",
          failed_at: null,
          error_excerpt: "x".repeat(512),
          attempts: null
        })
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`SELECT id FROM commands WHERE project_id = ${project.id}`, [])
        const cursor = page.next_cursor ?? ""
        yield* list({ engine: "rq", cursor })
        assert.deepInclude(rq.commands.at(-1)?.parameters, { cursor: "2" })
        yield* assertRefused(list({ engine: "rq", cursor, agent_id: AgentId.make(randomUUID()) }), "validation_failed")
      }))

    it.scoped("an engine that no agent serves, agents that are away or cannot, and a refusal: each says so", () =>
      Effect.gen(function*() {
        const { agent, connect, list, project } = yield* site
        yield* assertRefused(list({ engine: "rq" }), "validation_failed")
        const celery = yield* connect("celery", ["retry_task"])
        yield* assertRefused(list({ engine: "celery" }), "dead_letters_unsupported")
        yield* Effect.promise(() => celery.terminate())
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE agent_workers SET state = 'offline' WHERE agent_id = ${agent.agent_id}`
        yield* assertRefused(list({ engine: "celery" }), "agent_offline")

        const other = yield* freshAgent(project)
        const rq = yield* connect("rq", ["list_dead_letters"], other)
        yield* assertRefused(list({ engine: "rq", agent_id: agent.agent_id }), "validation_failed")
        rq.onCommand = (command) =>
          rq.sendResult(command, { status: "failed", error: "no such queue, password=hunter2-of-ada" })
        const refused = yield* Effect.flip(list({ engine: "rq", agent_id: other.agent_id }))
        assert.deepInclude(refused, { code: "agent_refused" })
        assert.include(String(refused), "could not list the dead letters: no such queue")
        assert.notInclude(String(refused), "hunter2")
        rq.onCommand = (command) => rq.sendResult(command, { status: "success", result: { noop: true } })
        yield* assertRefused(list({ engine: "rq" }), "agent_refused")
        // the time of a question runs out without 15 s of waiting
        rq.onCommand = () => {}
        const pending = yield* Effect.fork(Effect.flip(list({ engine: "rq" })))
        yield* until(
          sql`UPDATE commands SET timeout_at = issued_at WHERE project_id = ${project.id} AND status = 'dispatched' RETURNING id`,
          (rows) => rows.length > 0
        )
        assert.deepInclude(yield* pending, { code: "agent_no_answer" })
      }))
  })
})
