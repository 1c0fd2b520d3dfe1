import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { Ingest } from "../../src/services/tasks/Ingest.ts"
import { type Ack, connectAgent, connected, event, freshAgent } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  return { project, base: yield* baseUrl, ...credentials }
})

const tasksOf = (projectId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ task_id: string; state: string; retry_count: number }>`
      SELECT task_id, state, retry_count FROM tasks WHERE project_id = ${projectId} ORDER BY task_id`)

/** What the published agents have in flight: batches of one event each. */
const batches = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `ev_${randomUUID().replaceAll("-", "")}`,
    event: event({ task_id: `task-${String(index).padStart(4, "0")}` })
  }))

describe.each(laneEngines)("events on %s", (engine) => {
  layer(serverOn(engine, { ingestQueueEvents: 100 }), { excludeTestServices: true })((it) => {
    it.scoped("fact 4: 256 batches of one event in flight, each with an ack of its own once it is stored", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const sent = batches(256)
        const acks = yield* Effect.promise(() =>
          Promise.all(sent.map(({ event, id }) => agent.sendEvents([event], id)))
        )
        assert.deepStrictEqual(
          new Set(acks.map((ack) => JSON.stringify(ack))),
          new Set(
            sent.map(({ id }) => JSON.stringify({ ackedId: id, received: 1, accepted: 1, rejected: 0 } satisfies Ack))
          )
        )
        assert.strictEqual((yield* tasksOf(options.project.id)).length, 256)
        assert.isNull(agent.refusal)
      }))

    it.scoped("an event is stored before its ack is sent", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        for (let index = 0; index < 5; index++) {
          const task_id = `t${index}`
          yield* Effect.promise(() => agent.sendEvents([event({ task_id })]))
          assert.include((yield* tasksOf(options.project.id)).map((task) => task.task_id), task_id)
        }
      }))

    it.scoped("an agent that is disconnected mid-way sends again, and nothing doubles", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const queue = new Map(
          Array.from({ length: 200 }, (_, index) => {
            const task_id = `task-${index}`
            return [
              [`ev_${index}_r`, event({ task_id, occurred_at: "2026-11-21T06:00:00.000000+00:00" })],
              [
                `ev_${index}_s`,
                event({ task_id, kind: "task.started", occurred_at: "2026-11-21T06:00:01.000000+00:00" })
              ]
            ] as const
          }).flat()
        )
        for (let life = 0; queue.size > 0; life++) {
          const agent = yield* Effect.promise(() => connectAgent({ ...options, hello: { worker_id: "bare-1-1" } }))
          const acked = [...queue].map(([id, sent]) =>
            agent.sendEvents([sent], id).then(() => void queue.delete(id), () => {})
          ) // sent again in the next life
          // the first lives end when some acks are there, others under way
          if (life < 3) {
            yield* Effect.promise(() =>
              agent.when(() => agent.acks.length >= 50).then(() => agent.terminate(), () => {})
            )
          }
          yield* Effect.promise(() => Promise.all(acked))
          yield* Effect.promise(() => agent.terminate())
        }
        const stored = yield* tasksOf(options.project.id)
        assert.strictEqual(stored.length, 200)
        assert.deepStrictEqual(
          new Set(stored.map(({ retry_count, state }) => `${state} ${retry_count}`)),
          new Set(["started 0"])
        )
      }))

    it.scoped("the same batch again is acknowledged again", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const again = event({ task_id: "again" })
        for (let times = 0; times < 3; times++) {
          assert.deepInclude(yield* Effect.promise(() => agent.sendEvents([again], "ev_again")), {
            received: 1,
            accepted: 1,
            rejected: 0
          })
        }
        assert.strictEqual((yield* tasksOf(options.project.id)).length, 1)
      }))

    it.scoped("an unusable event is rejected in its ack, and its neighbours are not", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const unusable = [event({ task_id: "" }), event({ task_id: null })]
        const good = [event({ task_id: "a" }), event({ task_id: "b" })]
        const ack = yield* Effect.promise(() => agent.sendEvents([good[0]!, ...unusable, good[1]!]))
        assert.deepInclude(ack, { received: 4, accepted: 2, rejected: 2 })
        assert.deepInclude(yield* Effect.promise(() => agent.sendEvents(unusable)), {
          received: 2,
          accepted: 0,
          rejected: 2
        })
        assert.deepInclude(yield* Effect.promise(() => agent.sendEvents([])), { received: 0, accepted: 0, rejected: 0 })
        assert.deepStrictEqual((yield* tasksOf(options.project.id)).map((task) => task.task_id), ["a", "b"])
        assert.strictEqual(agent.ws.readyState, agent.ws.OPEN)
      }))

    it.scoped("an event of 110 000 keys loses them alone, its neighbours are stored, and the agent stays", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const kwargs = Object.fromEntries(Array.from({ length: 110_000 }, (_, index) => [index.toString(36), 1]))
        const data = { task_name: "shop.pay", kwargs }
        const events = [event({ task_id: "a" }), event({ task_id: "wide", data }), event({ task_id: "b" })]
        assert.deepInclude(yield* Effect.promise(() => agent.sendEvents(events)), {
          received: 3,
          accepted: 3,
          rejected: 0
        })
        const sql = yield* SqlClient.SqlClient
        const [wide] = yield* sql`
          SELECT name, kwargs FROM tasks WHERE project_id = ${options.project.id} AND task_id = 'wide'`
        assert.deepStrictEqual(wide, {
          name: "shop.pay",
          kwargs: "\"[an object of more than 1000 keys: left out]\""
        })
        assert.strictEqual(agent.ws.readyState, agent.ws.OPEN)
      }))

    it.scoped("frames behind one of very many values are taken in their order, and one with a wrong signature ends the session", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const list = Array.from({ length: 15_000 }, () => 0)
        const dense = Array.from({ length: 4 }, (_, index) => event({ task_id: `dense-${index}`, data: { list } }))
        const acks = yield* Effect.promise(() =>
          Promise.all([agent.sendEvents(dense), agent.sendEvents([event({ task_id: "behind" })])])
        )
        assert.deepStrictEqual(acks.map(({ accepted }) => accepted), [4, 1])
        assert.includeMembers((yield* tasksOf(options.project.id)).map((task) => task.task_id), [
          "dense-0",
          "dense-3",
          "behind"
        ])
        agent.signed("event_batch", { events: dense }, { hmac: "0".repeat(64) })
        assert.deepInclude(yield* Effect.promise(() => agent.closed), { code: 1008 })
      }))

    it.scoped("fact 5: command_ack and command_result carry the command's id; the command is completed", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const { project } = options
        const key = yield* freshKey({ roles: { [project.id]: "operator" } })
        const agent = yield* connected(options)
        agent.onCommand = (command) =>
          agent.sendResult(command, { status: "success", result: { n: 12345678901234567890n } })
        const body = { agent_id: options.agent_id, engine: "celery", task_id: "t1" }
        const issued = yield* request("POST", `/projects/${project.slug}/commands/cancel-task`, { ...key, body })
        const done = yield* until(
          request("GET", `/projects/${project.slug}/commands/${issued.json.id}`, key),
          ({ json }) => json.status === "completed"
        )
        assert.include(done.text, "12345678901234567890")
        assert.deepStrictEqual([...agent.deliveries], [[issued.json.id, 1]])
      }))

    it.scoped("200 commands to a paused agent wait for it and all get results", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const { project } = options
        const key = yield* freshKey({ roles: { [project.id]: "operator" } })
        const agent = yield* connected(options)
        agent.onCommand = (command) => agent.sendResult(command, { status: "success" })
        agent.ws.pause()
        const issue = (index: number) =>
          request("POST", `/projects/${project.slug}/commands/cancel-task`, {
            ...key,
            body: { agent_id: options.agent_id, engine: "celery", task_id: `t${index}` }
          })
        yield* Effect.forEach(Array.from({ length: 200 }, (_, index) => index), issue, { concurrency: 10 })
        agent.ws.resume()
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql<
            { n: number }
          >`SELECT count(*) AS n FROM commands WHERE project_id = ${project.id} AND status = 'completed'`,
          ([row]) => row?.n === 200
        )
        assert.deepStrictEqual(new Set(agent.deliveries.values()), new Set([1]))
      }))

    it.scoped("events of two workers through one process: the agent's record has the advice", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const { project } = options
        const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const agent = yield* connected(options)
        const of = (worker: string) =>
          event({ kind: "task.started", data: { task_name: "<unknown:12345678>", worker } })
        yield* Effect.promise(() => agent.sendEvents([of("w1@a"), of("w2@b")]))
        const [shown] = (yield* until(request("GET", `/projects/${project.slug}/agents`, key), ({ json }) =>
          json[0].setup_advice.length > 0)).json
        assert.strictEqual(shown.setup_advice[0].code, "foreign_workers")
      }))
  })

  layer(serverOn(engine, { ingestQueueEvents: 100, agentOfflineAfter: 2 }), { excludeTestServices: true })((it) => {
    it.scoped("back-pressure: a full ingest stops the reading of the socket, loses nothing, and is not taken for silence", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        const agent = yield* connected(options)
        const free = yield* Deferred.make<void>()
        const blocked = yield* Deferred.make<void>()
        // on SQLite the transaction that writes holds the one writer; on PostgreSQL the table is locked
        const lock = sql.onDialectOrElse({
          pg: () => Effect.asVoid(sql`LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE`),
          orElse: () => Effect.void
        })
        const holder = yield* Effect.fork(
          sql.withTransaction(
            Effect.zipRight(Effect.zipRight(lock, Deferred.succeed(blocked, void 0)), Deferred.await(free))
          )
        )
        yield* Deferred.await(blocked)
        const sent = batches(600)
        const acks = sent.map(({ event, id }) => agent.sendEvents([event], id))
        yield* until(Effect.sync(() => ingest.pendingEvents()), (waiting) => waiting >= 100)
        if (engine === "PostgreSQL") {
          const seen = sql<
            { last_seen_at: string; state: string }
          >`SELECT last_seen_at, state FROM agent_workers WHERE agent_id = ${options.agent_id}`
          const [before] = yield* seen
          const [after] = yield* until(
            seen,
            ([row]) => Date.parse(row?.last_seen_at ?? "") - Date.parse(before?.last_seen_at ?? "") > 3000
          )
          assert.strictEqual(after?.state, "online")
        }
        assert.deepStrictEqual(agent.acks, [])
        assert.isBelow(ingest.pendingEvents(), 300)
        yield* Deferred.succeed(free, void 0)
        yield* Fiber.join(holder)
        yield* Effect.promise(() => Promise.all(acks))
        assert.strictEqual((yield* tasksOf(options.project.id)).length, 600)
        assert.strictEqual(agent.ws.readyState, agent.ws.OPEN)
      }))
  })
})
