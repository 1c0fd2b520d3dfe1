import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"

/** An agent of a deployment whose Redis has this name; a null one names none. */
const deployment = (project: Project, name: string, source: string | null, engine = "bullmq") =>
  Effect.gen(function*() {
    const credentials = yield* freshAgent(project, name)
    const sources = source === null ? {} : { [engine]: source }
    const hello = {
      engines: [engine],
      capabilities: { [engine]: ["retry_task", "cancel_task", "retry_by_reference_v1"] },
      host: { name, sources },
      worker_id: `bare-${name}-1`
    }
    const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello })
    const report = (task_id: string, kind: string, data: object = {}) =>
      Effect.promise(() =>
        agent.sendEvents([
          event({ kind, task_id, engine, data: { task_name: `${name}.send`, queue: "mail", ...data } })
        ])
      )
    return { agent, id: credentials.agent_id, report }
  })

describe.each(laneEngines)("agents whose engines give the same ids on %s", (engine) => {
  layer(serverOn(engine, { agentHeartbeat: 1 }), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const { token } = yield* freshKey({ isAdmin: true })
      const call = (method: string, path: string, body?: unknown) =>
        request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body })
      const get = (path: string) => Effect.map(call("GET", path), ({ json }) => json)
      const tasks = Effect.map(get("/tasks"), ({ items }) =>
        Object.fromEntries(
          items.map(({ name, state, task_id }: Record<string, string>) => [task_id, `${name} ${state}`])
        ))
      const advice = Effect.map(
        get("/agents"),
        (agents) =>
          agents.map((
            { name, setup_advice }: { name: string; setup_advice: ReadonlyArray<{ code: string }> }
          ) => [name, setup_advice.map(({ code }) => code)])
      )
      return { project, call, get, tasks, advice }
    })

    it.scoped("two deployments with two brokers: never one task from two, and both records say why", () =>
      Effect.gen(function*() {
        const { advice, call, get, project, tasks } = yield* site
        const eu = yield* deployment(project, "eu", "redis-eu")
        const us = yield* deployment(project, "us", "redis-us")
        yield* eu.report("mail:1", "task.received")
        yield* us.report("mail:1", "task.received")
        yield* eu.report("mail:1", "task.failed", { exception: "Error: no" })
        yield* us.report("mail:1", "task.succeeded")
        assert.deepStrictEqual(yield* tasks, { "mail:1": "eu.send failure", "us/mail:1": "us.send success" })
        const advisedAgents = yield* until(
          advice,
          (agents) => agents.every(([, codes]: [string, []]) => codes.length > 0)
        )
        assert.sameDeepMembers(advisedAgents, [["eu", ["ids_apart"]], ["us", ["ids_apart"]]])

        // the engine gets its own id back, and the result has the brain's
        const retried = yield* call("POST", "/commands/retry-task", {
          agent_id: us.id,
          engine: "bullmq",
          task_id: "us/mail:1"
        })
        assert.strictEqual(retried.status, 202, retried.text)
        const command = yield* Effect.promise(() => us.agent.command("retry_task"))
        assert.deepInclude(command.target, { id: "mail:1", type: "task" })
        assert.strictEqual(command.parameters["task_id"], "mail:1")
        us.agent.ack(command)
        us.agent.sendResult(command, { status: "success", result: { new_task_id: "mail:2", engine: "bullmq" } })
        const ended = yield* until(get(`/commands/${retried.json.id}`), ({ status }) => status === "completed")
        assert.strictEqual(ended.result.new_task_id, "us/mail:2")

        // a namespace that is set counts from the next heartbeat on, for every id
        const patched = yield* call("PATCH", `/agents/${us.id}`, { namespace: "america" })
        assert.deepInclude(patched.json, { namespace: "america", assigned_namespace: "us" })
        us.agent.heartbeat({})
        const uuid = randomUUID()
        yield* until(
          Effect.zipRight(us.report(uuid, "task.received"), tasks),
          (all) => all[`america/${uuid}`] !== undefined
        )
        assert.deepStrictEqual((yield* call("PATCH", `/agents/${us.id}`, { namespace: "Not valid" })).status, 422)
        const unadvised = yield* advice
        assert.sameDeepMembers(unadvised, [["eu", []], ["us", []]])
      }))

    it.scoped("one broker is one source; without its name only ids that are not globally unique are kept apart", () =>
      Effect.gen(function*() {
        const { advice, project, tasks } = yield* site
        const first = yield* deployment(project, "inside", "redis-1")
        const second = yield* deployment(project, "outside", "redis-1")
        yield* first.report("mail:7", "task.received")
        yield* second.report("mail:7", "task.succeeded")
        assert.deepStrictEqual(yield* tasks, { "mail:7": "outside.send success" })

        const [one, two] = [
          yield* deployment(project, "rq 1", null, "rq"),
          yield* deployment(project, "rq 2", null, "rq")
        ]
        const uuid = randomUUID()
        yield* one.report(uuid, "task.started")
        yield* two.report(uuid, "task.succeeded")
        assert.deepInclude(yield* tasks, { [uuid]: "rq 2.send success" })
        assert.deepStrictEqual((yield* advice).flatMap(([, codes]: [string, ReadonlyArray<string>]) => codes), [])
        yield* one.report("nightly", "task.started")
        yield* two.report("nightly", "task.succeeded")
        assert.deepInclude(yield* tasks, { nightly: "rq 1.send started", "rq-2/nightly": "rq 2.send success" })
        const codes = yield* until(
          advice,
          (agents) => agents.filter(([, codes]: [string, ReadonlyArray<string>]) => codes.length > 0).length === 2
        )
        assert.includeDeepMembers(codes, [["rq 1", ["ids_apart"]], ["rq 2", ["ids_apart"]]])
      }))
  })
})
