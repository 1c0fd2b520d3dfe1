import { NodeContext } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Fiber, Layer, Redacted } from "effect"
import { system } from "../../src/domain/kernel/Actor.ts"
import * as Brain from "../../src/layers/Brain.ts"
import * as Server from "../../src/layers/Server.ts"
import * as SettingsLayer from "../../src/layers/Settings.ts"
import { Agents } from "../../src/services/agents/Agents.ts"
import { AgentSessions } from "../../src/services/agents/AgentSessions.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { connected, event, freshAgent, longPoll } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { freshPostgres } from "../postgres.ts"
import { activatePublisher, row, schedulerHello } from "../schedulePublisher.ts"
import { until } from "../until.ts"

type Replica = Context.Context<Layer.Layer.Success<typeof Server.layer> | Layer.Layer.Success<typeof Brain.layer>>

/** Two brains with a server each, over one database. */
const twins = Effect.gen(function*() {
  const home = yield* temporaryHome
  const { url } = yield* freshPostgres
  const settings = SettingsLayer.layer({ SVC_HOME: home }, {
    databaseUrl: Redacted.make(url),
    databasePoolSize: 8,
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://localhost",
    loginMinDuration: 0
  }).pipe(Layer.provideMerge(NodeContext.layer))
  const replica = Layer.build(
    Server.layer.pipe(Layer.provideMerge(Brain.layer), Layer.provideMerge(settings), Layer.orDie)
  )
  const a: Replica = yield* replica
  const b: Replica = yield* replica
  const fresh = Effect.gen(function*() {
    const project = yield* freshProject()
    const key = yield* freshKey({ roles: { [project.id]: "operator" } })
    return { project, key, credentials: yield* freshAgent(project) }
  }).pipe(Effect.provide(a))
  return { a, b, urlA: yield* Effect.provide(baseUrl, a), urlB: yield* Effect.provide(baseUrl, b), ...(yield* fresh) }
})

const run = <A>(promise: () => Promise<A>) => Effect.promise(promise)

describe("two replicas over one PostgreSQL", () => {
  it.scopedLive("a process that says hello at another replica is dropped by the first, and stays online", () =>
    Effect.gen(function*() {
      const { a, b, credentials, urlA, urlB } = yield* twins
      const hello = { worker_id: "bare-1-1" }
      const old = yield* connected({ base: urlA, ...credentials, hello })
      const current = yield* connected({ base: urlB, ...credentials, hello })
      old.heartbeat()
      assert.strictEqual((yield* run(() => old.closed)).code, 4409)
      const line = yield* Effect.provide(AgentSessions, b)
      assert.deepStrictEqual(line.sessions(credentials.agent_id).map(({ sessionId }) => sessionId), [
        current.ids.sessionId
      ])
      const sql = yield* Effect.provide(SqlClient.SqlClient, a)
      assert.deepStrictEqual(yield* sql`SELECT state FROM agents WHERE id = ${credentials.agent_id}`, [{
        state: "online"
      }])
    }))

  it.scopedLive("a deletion at one replica closes the connections at the other with 4003", () =>
    Effect.gen(function*() {
      const { a, credentials, project, urlB } = yield* twins
      const agent = yield* connected({ base: urlB, ...credentials })
      const agents = yield* Effect.provide(Agents, a)
      yield* agents.remove(credentials.agent_id).pipe(
        Effect.provideService(CurrentActor, system("test")),
        Effect.provideService(CurrentProject, project)
      )
      assert.strictEqual((yield* run(() => agent.closed)).code, 4003)
    }))

  it.scopedLive("a long-poll session whose requests reach either replica in turn", () =>
    Effect.gen(function*() {
      const { a, b, credentials, key, project, urlA, urlB } = yield* twins
      const options = { ...credentials, project_id: project.id }
      const atA = longPoll({ base: urlA, ...options })
      const atB = atA.through(urlB)
      const heartbeat = () => atA.seal("heartbeat", {})
      assert.strictEqual((yield* run(() => atA.push([heartbeat()]))).status, 200)
      assert.strictEqual(
        (yield* run(() => atB.push([heartbeat(), atA.seal("event_batch", { events: [event()] })]))).status,
        200
      )
      const seqs: Array<number> = []
      for (const [via, replica, poll] of [["t1", a, atB], ["t2", b, atA], ["t3", a, atB], ["t4", b, atA]] as const) {
        const other = replica === a ? b : a
        const waiting = yield* Effect.fork(run(() => poll.pull(30)))
        const line = yield* Effect.provide(AgentSessions, other)
        yield* until(Effect.sync(() => line.sessions(credentials.agent_id).length), (sessions) => sessions === 1)
        // issued at the replica that does not hold the poll
        const body = { agent_id: credentials.agent_id, engine: "huey", task_id: via }
        const issued = yield* Effect.provide(
          request("POST", `/projects/${project.slug}/commands/cancel-task`, { ...key, body }),
          replica
        )
        assert.strictEqual(issued.status, 202, JSON.stringify(issued.json))
        const response = yield* Fiber.join(waiting)
        const command = atA.open(response.json.frames[0]) // checks that the seq is above the last one
        assert.strictEqual(command.id, issued.json.id)
        seqs.push(JSON.parse(response.json.frames[0]).seq)
        const frames = [
          atA.seal("command_ack", {}, command.id),
          atA.seal("command_result", { status: "success", result: null, error: null }, command.id)
        ]
        assert.deepInclude((yield* run(() => poll.push(frames))).json, { accepted: 2 })
      }
      assert.deepStrictEqual(seqs, seqs.toSorted((left, right) => left - right))
      const sql = yield* Effect.provide(SqlClient.SqlClient, a)
      assert.deepStrictEqual(yield* sql`SELECT DISTINCT status FROM commands WHERE project_id = ${project.id}`, [{
        status: "completed"
      }])
    }))

  it.scopedLive("one replica asks a scheduler to publish, and another takes over when its process ends", () =>
    Effect.gen(function*() {
      const { a, credentials, urlA, urlB } = yield* twins
      const hello = schedulerHello(["celery-beat"])
      const [first, second] = yield* Effect.all([
        connected({ base: urlA, ...credentials, hello: { ...hello, worker_id: "bare-1-1" } }),
        connected({ base: urlB, ...credentials, hello: { ...hello, worker_id: "bare-2-2" } })
      ], { concurrency: 2 })
      const activations = () => [first, second].map(({ commands }) => commands.length)
      yield* until(Effect.sync(activations), ([one = 0, other = 0]) => one + other > 0)
      const [publisher, standby] = first.commands.length > 0 ? [first, second] : [second, first]
      const before = yield* activatePublisher(publisher)
      yield* before.publish([row()])
      assert.strictEqual(standby.commands.length, 0)
      yield* run(() => publisher.terminate())
      const after = yield* activatePublisher(standby)
      assert.strictEqual(after.epoch.stream_id, before.epoch.stream_id)
      assert.strictEqual(after.epoch.epoch_number, before.epoch.epoch_number + 1)
      yield* after.publish([row({ name: "later" })])
      const sql = yield* Effect.provide(SqlClient.SqlClient, a)
      assert.deepStrictEqual(yield* sql`SELECT name FROM schedules`, [{ name: "later" }])
    }))
})
