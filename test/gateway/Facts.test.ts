import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { makePurgeToken } from "../../src/domain/commands/PurgeToken.ts"
import { asString, type JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import { connected, event, freshAgent, type ReceivedCommand, type TestAgent } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { readVectors, recordedFrames, recordedResults } from "../protocol/Vectors.ts"
import { until } from "../until.ts"

/**
 * The fifteen facts about the published agents (agents' protocol, section 0), each where a reader finds it by its
 * number: 1, 3 and 11 in gateway/Frames.test.ts, 2, 6 and 13 in gateway/Handshake.test.ts, 4 and 5 in
 * gateway/Events.test.ts, the advice that belongs to 7 in gateway/SetupAdvisor.test.ts, the reading of depths that
 * belongs to 14 in test/services/agents/Presence/AdapterHealth.test.ts, and the others here.
 */

type Event = Readonly<Record<string, JsonInput>>

/** A recorded stream, of one task or of all. */
const recorded = (sequence: string, taskId = ""): ReadonlyArray<Event> =>
  readVectors<ReadonlyArray<{ readonly event: Event }>>(`sequences/${sequence}.json`).map(({ event }) => event)
    .filter(({ task_id }) => taskId === "" || task_id === taskId)

const nameOf = ({ data }: Event): string =>
  typeof data === "object" && data !== null && "task_name" in data ? String(data.task_name) : ""

/** A project with an agent on the line, and its API as an admin sees it. */
const world = (hello: Readonly<Record<string, JsonInput>> = {}) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const credentials = yield* freshAgent(project)
    const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
    const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello })
    const path = `/projects/${project.slug}`
    const get = (rest: string) => Effect.map(request("GET", path + rest, { token }), ({ json }) => json)
    const command = (route: string, body: object) =>
      Effect.map(
        request("POST", `${path}/commands/${route}`, {
          token,
          body: { agent_id: credentials.agent_id, engine: "celery", ...body }
        }),
        ({ json }) => String(json.id)
      )
    const retry = (body: object) => command("retry-task", body)
    const ended = (id: string) =>
      until(get(`/commands/${id}`), ({ status }) => status !== "pending" && status !== "dispatched")
    const sendEvents = (events: ReadonlyArray<Event>) =>
      Effect.forEach(events, (one) => Effect.promise(() => agent.sendEvents([one])), { discard: true })
    return { agent, key: Buffer.from(credentials.hmac_secret, "base64url"), get, command, retry, ended, sendEvents }
  })

const respondToCommands = (
  agent: TestAgent,
  result: (command: ReceivedCommand) => Parameters<TestAgent["sendResult"]>[1]
) => {
  agent.onCommand = (command) => agent.sendResult(command, result(command))
}

const added = "8f4fa933-d691-4897-9dcf-388ffd14a917"
const doubled = "f90a4cc5-3d51-47d7-941f-4ad71e68b372"

describe.each(laneEngines)("the published agents and the brain on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped.each(["as it came", "backwards"])(
      "fact 7: prefork's later events know no name, which stays that of received, %s",
      (order) =>
        Effect.gen(function*() {
          const { get, sendEvents } = yield* world()
          const events = recorded("celery-prefork-with-E", added)
          assert.deepStrictEqual(events.map(nameOf), ["capp.add", "<unknown:8f4fa933>", "<unknown:8f4fa933>"])
          yield* sendEvents(order === "backwards" ? events.toReversed() : events)
          assert.deepInclude(yield* get(`/tasks/celery/${added}`), {
            name: "capp.add",
            queue: "celery",
            state: "success",
            result: "5"
          })
        })
    )

    it.scoped("fact 7: without -E a task is only received, and that is no failure", () =>
      Effect.gen(function*() {
        const { get, sendEvents } = yield* world()
        const events = recorded("celery-prefork-without-E")
        assert.deepStrictEqual(new Set(events.map(({ kind }) => kind)), new Set(["task.received", "task.revoked"]))
        yield* sendEvents(events)
        const { items } = yield* get("/tasks")
        const states = new Set(items.map(({ state }: { readonly state: string }) => state))
        assert.isTrue(states.has("received"))
        assert.isTrue([...states].every((state) => state === "received" || state === "revoked"))
      }))

    it.scoped("fact 8: the solo pool reports each transition twice, and it counts once", () =>
      Effect.gen(function*() {
        const both = yield* world()
        const one = yield* world()
        const events = recorded("celery-solo", doubled)
        const named = events.filter((event) => !nameOf(event).startsWith("<unknown:"))
        assert.strictEqual(events.length, named.length + 4) // two attempts, of which the broker reports the start and the end
        yield* both.sendEvents(events)
        yield* one.sendEvents(named)
        const pickShown = ({ args, kwargs, name, queue, retry_count, state }: Record<string, unknown>) => ({
          args,
          kwargs,
          name,
          queue,
          retry_count,
          state
        })
        const row = pickShown(yield* both.get(`/tasks/celery/${doubled}`))
        assert.deepInclude(row, { name: "capp.retry", state: "failure", retry_count: 1 })
        assert.deepStrictEqual(row, pickShown(yield* one.get(`/tasks/celery/${doubled}`)))
      }))

    it.scoped("fact 9: what an agent reports of schedules is taken, and is no task", () =>
      Effect.gen(function*() {
        const { agent, get } = yield* world({
          schedulers: ["apscheduler"],
          runtime_features: ["external_schedule_protocol_v1"]
        })
        const frames = recordedFrames.filter(({ name }) => /^event_batch\..*schedule\./.test(name))
        const events: ReadonlyArray<Event> = frames.flatMap(({ frame_json }) => JSON.parse(frame_json).payload.events)
        assert.deepStrictEqual(
          new Set(events.map(({ kind }) => kind)),
          new Set(["schedule.snapshot", "schedule.updated"])
        )
        // kinds that no published agent sends are taken, too
        const never = ["run_started", "run_completed", "created", "deleted"].map((kind) =>
          event({ kind: `schedule.${kind}`, engine: "apscheduler", task_id: "", data: {} })
        )
        const sent = [...events.map((one) => ({ ...one, id: randomUUID() })), ...never]
        const ack = yield* Effect.promise(() => agent.sendEvents(sent))
        assert.deepInclude(ack, { received: sent.length, accepted: sent.length, rejected: 0 })
        assert.deepStrictEqual((yield* get("/tasks")).items, [])
        assert.deepStrictEqual(agent.commands, []) // the stream begins only when the brain asks for it
      }))

    it.scoped("fact 10: a retry carries the operator's arguments or none, never remembered ones, and may be refused", () =>
      Effect.gen(function*() {
        const { agent, ended, get, retry, sendEvents } = yield* world()
        const refused = recordedResults.find(({ id }) => id === "c-retry-noover")
        const error = asString(refused?.result.get("error")) ?? ""
        respondToCommands(
          agent,
          ({ parameters }) =>
            "override_args" in parameters
              ? { status: "success", result: { new_task_id: "t2" } }
              : { status: "failed", error }
        )
        yield* sendEvents(recorded("celery-prefork-with-E", added))
        assert.strictEqual((yield* get(`/tasks/celery/${added}`)).args.length, 2) // it has them, and they may be masked
        const plain = yield* ended(yield* retry({ task_id: added }))
        assert.deepInclude(plain, { status: "failed", error })
        const retriedCommand = yield* ended(
          yield* retry({ task_id: added, override_args: [7, 8], override_kwargs: {} })
        )
        assert.deepInclude(retriedCommand, { status: "completed", result: { new_task_id: "t2" } })
        assert.deepStrictEqual(agent.commands.map(({ parameters }) => parameters), [
          { task_id: added, task_name: "capp.add" },
          { task_id: added, task_name: "capp.add", override_args: [7, 8], override_kwargs: {} }
        ])
      }))

    it.scoped("fact 14: a purge binds the depth that the caller names, since Celery on Redis reports none", () =>
      Effect.gen(function*() {
        const { agent, command, get, key } = yield* world()
        const heartbeat = recordedFrames.find(({ name }) => name === "heartbeat.celery")?.frame_json ?? ""
        agent.heartbeat(JSON.parse(heartbeat).payload.adapter_health)
        const [queue] = yield* until(get("/queues"), ({ length }) => length > 0)
        assert.isNull(queue.depth)
        yield* command("purge-queue", { queue: queue.name, observed_depth: 3 })
        const { parameters } = yield* Effect.promise(() => agent.command("purge_queue"))
        assert.deepStrictEqual(parameters, { queue: queue.name, confirm_token: makePurgeToken(key, queue.name, 3) })
      }))

    it.scoped.each(["huey", "taskiq"])(
      "fact 15: what %s does not mask is masked on arrival",
      (engine) =>
        Effect.gen(function*() {
          const { get, sendEvents } = yield* world({ engines: [engine] })
          const [failed] = recorded(engine).filter(({ kind }) => kind === "task.failed")
          assert.isDefined(failed)
          const exception = "ValueError: amqp://shop:hunter2@mq/ refused, password=hunter2"
          yield* sendEvents([{ ...failed, data: { task_name: nameOf(failed), exception } }])
          const text = JSON.stringify(yield* get(`/tasks/${engine}/${String(failed.task_id)}`))
          assert.notInclude(text, "hunter2")
          assert.include(text, "ValueError: amqp://[REDACTED]@mq/ refused, password=[REDACTED]")
        })
    )

    it.scoped("fact 15: nor do results of commands bring secrets in", () =>
      Effect.gen(function*() {
        const { agent, ended, retry } = yield* world()
        const exception = "OperationalError: redis://:hunter2@cache/0"
        respondToCommands(agent, ({ parameters }) =>
          parameters.task_id === "known"
            ? { status: "success", result: { engine_state: "failure", exception } }
            : { status: "failed", error: exception })
        for (const task_id of ["known", "strange"]) {
          const command = JSON.stringify(yield* ended(yield* retry({ task_id })))
          assert.notInclude(command, "hunter2")
          assert.include(command, "redis://[REDACTED]@cache/0")
        }
      }))
  })

  layer(serverOn(engine, { commandTimeout: 1 }), { excludeTestServices: true })((it) => {
    it.scoped("fact 12: an agent keeps no time, so the brain ends what is overdue, and takes a late result", () =>
      Effect.gen(function*() {
        const { agent, ended, get, retry } = yield* world()
        const id = yield* retry({ task_id: "slow" })
        const command = yield* Effect.promise(() => agent.command("retry_task"))
        assert.strictEqual(command.timeoutSeconds, 1)
        assert.deepInclude(yield* ended(id), { status: "timeout", result: null })
        agent.sendResult(command, { status: "success", result: { new_task_id: "t2" } })
        const late = yield* until(get(`/commands/${id}`), ({ status }) => status !== "timeout")
        assert.deepInclude(late, { status: "completed", result: { new_task_id: "t2" } })
      }))
  })
})
