import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { canonicalTextOf } from "../../../src/domain/kernel/CanonicalJson.ts"
import { connected, type Credentials, freshAgent, longPoll } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"

/** A project with an agent, and its commands over REST. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials: Credentials = yield* freshAgent(project)
  const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
  const path = `/projects/${project.slug}/commands`
  const post = (route: string, body: object) =>
    Effect.map(
      request("POST", `${path}/${route}`, { token, body: { agent_id: credentials.agent_id, ...body } }),
      ({ json }) => String(json.id)
    )
  const text = (id: string) => Effect.map(request("GET", `${path}/${id}`, { token }), (response) => response.text)
  const reaches = (id: string, status: string) => until(text(id), (text) => text.includes(`"status":"${status}"`))
  return { project, credentials, token, path, base: yield* baseUrl, post, text, reaches }
})

describe.each(laneEngines)("commands over the real line on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("numbers keep their digits both ways, over a signed WebSocket", () =>
      Effect.gen(function*() {
        const { base, credentials, path, reaches, token } = yield* world
        const agent = yield* connected({ base, ...credentials })
        const { json } = yield* request("POST", `${path}/retry-task`, {
          token,
          raw: `{"agent_id":"${credentials.agent_id}","engine":"celery","task_id":"t/é",` +
            `"override_args":[12345678901234567890,1.0],"override_kwargs":{"é":1e22}}`
        })
        const command = yield* Effect.promise(() => agent.command("retry_task"))
        assert.deepInclude(command, { id: json.id, timeoutSeconds: 60 })
        assert.deepStrictEqual(command.target, { engine: "celery", id: "t/é", type: "task" })
        assert.deepStrictEqual(command.parameters, {
          override_args: [12345678901234567890n, 1],
          override_kwargs: { é: 1e22 },
          task_id: "t/é"
        })
        agent.sendResult(command, { status: "success", result: { big: 98765432109876543210n, half: 0.5 } })
        assert.include(yield* reaches(json.id, "completed"), `"result":{"big":98765432109876543210,"half":0.5}`)
      }))

    it.scoped("pool-resize is sent as the difference; an agent's refusal is the command's error", () =>
      Effect.gen(function*() {
        const { base, credentials, post, reaches } = yield* world
        const agent = yield* connected({ base, ...credentials })
        agent.onCommand = (command) =>
          agent.sendResult(command, {
            status: "failed",
            error: `adapter 'celery' does not support action '${command.action}'`
          })
        const id = yield* post("pool-resize", { worker_name: "w", delta: -3 })
        assert.include(yield* reaches(id, "failed"), `"error":"adapter 'celery' does not support action 'pool_shrink'"`)
        assert.deepStrictEqual(agent.commands[0]?.parameters, { delta: 3, worker_name: "w" })
      }))

    it.scoped("a process that reconnects gets what it left open under the same id, and can end it", () =>
      Effect.gen(function*() {
        const { base, credentials, post, reaches } = yield* world
        const hello = { worker_id: "bare-7-7" }
        const first = yield* connected({ base, ...credentials, hello })
        const id = yield* post("restart-worker", { worker_name: "w" })
        yield* Effect.promise(() => first.command())
        yield* Effect.promise(() => first.terminate())
        const second = yield* connected({ base, ...credentials, hello })
        const again = yield* Effect.promise(() => second.command())
        assert.strictEqual(again.id, id)
        second.sendResult(again, { status: "success", result: {} })
        yield* reaches(id, "completed")
      }))

    it.scoped("a restart that ends a process names one of the agent's processes; another name is refused at once", () =>
      Effect.gen(function*() {
        const { base, credentials, path, post, reaches, token } = yield* world
        const rq = { engines: ["rq"], capabilities: { rq: ["cancel_task"] } }
        const agent = yield* connected({ base, ...credentials, hello: { ...rq, worker_id: "bare-7-7" } })
        agent.onCommand = (command) =>
          agent.sendResult(command, { status: "success", result: { restarted_via: "self_exit" } })
        yield* connected({ base, ...credentials, hello: { worker_id: "bare-8-8" } }) // a process of Celery
        const body = { agent_id: credentials.agent_id, engine: "rq", worker_name: "rqw1" }
        const refusal = yield* until(
          request("POST", `${path}/restart-worker`, { token, body }),
          ({ json }) => JSON.stringify(json).includes("bare-7-7")
        )
        assert.strictEqual(refusal.status, 422)
        assert.deepInclude(refusal.json.details.issues[0], { path: "worker_name" })
        assert.notInclude(JSON.stringify(refusal.json), "bare-8-8")
        yield* reaches(yield* post("restart-worker", { engine: "rq", worker_name: "bare-7-7" }), "completed")
      }))

    it.scoped("over long-poll no process of the agent has a name: a restart that ends one is refused", () =>
      Effect.gen(function*() {
        const { base, credentials, path, project, token } = yield* world
        const agent = longPoll({ base, ...credentials, project_id: project.id })
        yield* Effect.promise(() => agent.probe())
        const body = { agent_id: credentials.agent_id, engine: "huey", worker_name: "w" }
        const refusal = yield* until(
          request("POST", `${path}/restart-worker`, { token, body }),
          ({ status }) => status === 422
        )
        assert.include(JSON.stringify(refusal.json), "long-poll")
      }))

    it.scoped("over long-poll: the poll gets the command, and its result is kept when the push gets its response", () =>
      Effect.gen(function*() {
        const { base, credentials, post, project, text } = yield* world
        const agent = longPoll({ base, ...credentials, project_id: project.id })
        yield* Effect.promise(() => agent.probe())
        const pull = yield* Effect.fork(Effect.promise(() => agent.pull(30)))
        const id = yield* post("cancel-task", { engine: "huey", task_id: "t" }) // the task that its headers name
        const { json } = yield* pull
        const frame = agent.open(json.frames[0])
        assert.strictEqual(frame.id, id)
        assert.strictEqual(canonicalTextOf(frame.payload.parameters), `{"task_id":"t"}`)
        const result = { status: "success", result: { noop: true }, error: null, delivery_claim_token: null } as const
        const pushed = yield* Effect.promise(() =>
          agent.push([
            agent.seal("command_ack", { delivery_claim_token: null }, id),
            agent.seal("command_result", result, id)
          ])
        )
        assert.deepInclude(pushed.json, { accepted: 2 })
        assert.include(yield* text(id), `"status":"completed"`)
      }))
  })
})
