import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Outage } from "../../../src/domain/agents/Uptime.ts"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { type AgentId } from "../../../src/domain/kernel/Id.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Agents } from "../../../src/services/agents/Agents.ts"
import { AgentUptimes } from "../../../src/services/agents/AgentUptimes.ts"
import { Presence } from "../../../src/services/agents/Presence.ts"
import type { PresenceCallbacks, ProcessInfo } from "../../../src/services/agents/Presence/Model.ts"
import { makePresenceSweeps } from "../../../src/services/agents/Presence/Sweeps.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Retention } from "../../../src/services/operations/Retention.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { engines, temporaryHome } from "../../databases.ts"
import { freshPostgres } from "../../postgres.ts"
import { insertTask } from "../../tasks.ts"
import { until } from "../../until.ts"
import { recordedEvents, subscribe, watchOutbox } from "../triggers/TriggerEvents/world.ts"

const asSystem = Effect.provideService(CurrentActor, system("test"))

const newAgent = (project: Project) =>
  Effect.gen(function*() {
    const agents = yield* Agents
    return (yield* agents.create({ name: randomUUID() })).agent
  }).pipe(asSystem, Effect.provideService(CurrentProject, project))

const about = (project: Project, agentId: AgentId, overrides: Partial<ProcessInfo> = {}): ProcessInfo => ({
  agentId,
  projectId: project.id,
  sessionId: Ids.uuidv7(1),
  workerId: "bare-1-1",
  exclusive: true,
  protocolVersion: "2",
  agentVersion: "1.13.0",
  framework: "django",
  engines: ["celery"],
  schedulers: [],
  features: [],
  capabilities: { celery: ["retry_task"] },
  hostName: "web-1",
  role: "task",
  pid: 7,
  startedAt: null,
  sources: {},
  ...overrides
})

const visitor = (overrides: Partial<PresenceCallbacks> = {}): PresenceCallbacks => ({
  onReplacedOrRevoked: () => {},
  isPaused: () => false,
  ...overrides
})

const agentRow = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<Record<string, unknown>>`SELECT * FROM agents WHERE id = ${id}`)
    .pipe(
      Effect.map(([row]) => row ?? {})
    )
const processes = (agentId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Record<string, unknown>>`SELECT * FROM agent_workers WHERE agent_id = ${agentId} ORDER BY worker_id`
  )

describe.each(engines)("presence on %s", (engine) => {
  layer(brainOn(engine, { agentOfflineAfter: 3600 }), { excludeTestServices: true })((it) => {
    it.effect("an arrival is written before connect returns, and a departure makes the agent offline", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const present = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        assert.deepInclude(yield* agentRow(agent.id), {
          state: "online",
          protocol_version: "2",
          agent_version: "1.13.0",
          framework_adapter: "django",
          engine_adapters: "[\"celery\"]",
          capabilities: "{\"celery\":[\"retry_task\"]}",
          host_name: "web-1"
        })
        const [row] = yield* processes(agent.id)
        assert.deepInclude(row, { worker_id: "bare-1-1", state: "online", role: "task", pid: 7, framework: "django" })
        present.disconnect(false)
        yield* presence.flush
        assert.strictEqual((yield* agentRow(agent.id)).state, "offline")
      }))

    it.effect("an agent is online as long as one of its processes is", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const join = (workerId: string) =>
          Effect.map(
            presence.connect(about(project, agent.id, { workerId, sessionId: workerId }), visitor()),
            Option.getOrThrow
          )
        const [one, two] = yield* Effect.all([join("one"), join("two")], { concurrency: 2 })
        one.disconnect(false)
        yield* presence.flush
        assert.strictEqual((yield* agentRow(agent.id)).state, "online")
        two.disconnect(false)
        yield* presence.flush
        assert.strictEqual((yield* agentRow(agent.id)).state, "offline")
        assert.deepStrictEqual((yield* processes(agent.id)).map((row) => row.state), ["offline", "offline"])
      }))

    it.effect("the session that was replaced learns of it, and neither its life nor its end counts any more", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const lost: Array<string> = []
        const old = Option.getOrThrow(
          yield* presence.connect(
            about(project, agent.id, { sessionId: "old" }),
            visitor({ onReplacedOrRevoked: (why) => lost.push(why) })
          )
        )
        yield* presence.connect(about(project, agent.id, { sessionId: "new" }), visitor())
        old.touch()
        yield* presence.flush
        assert.deepStrictEqual(lost, ["replaced"])
        old.disconnect(false)
        yield* presence.flush
        assert.deepStrictEqual((yield* processes(agent.id)).map((row) => [row.session_id, row.state]), [[
          "new",
          "online"
        ]])
      }))

    it.effect("a deleted agent is not let in, and its sessions learn of it", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const agents = yield* Agents
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const lost: Array<string> = []
        const present = Option.getOrThrow(
          yield* presence.connect(about(project, agent.id), visitor({ onReplacedOrRevoked: (why) => lost.push(why) }))
        )
        yield* agents.remove(agent.id).pipe(asSystem, Effect.provideService(CurrentProject, project))
        present.touch()
        present.reportAdapterHealth({ "celery.worker_details": "{\"w@h\":{}}" })
        present.reportTelemetryLoss("{}")
        present.setAdvice("events_off", "x")
        yield* presence.flush
        assert.deepStrictEqual(lost, ["revoked"])
        assert.isTrue(Option.isNone(yield* presence.connect(about(project, agent.id), visitor())))
      }))

    it.effect("why an agent was refused, its set-up advice and its losses are on record", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const agents = yield* Agents
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const present = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        presence.recordRefusal(agent.id, "stale", "the clock\0 is 75 s ahead")
        present.setAdvice("events_off", "start the worker with -E")
        present.reportTelemetryLoss("{\"buffer_id\":\"b\"}")
        present.reportTelemetryLoss("{\"buffer_id\":\"b\"}")
        present.reportTelemetryLoss("{\"buffer_id\":\"c\"}")
        yield* presence.flush
        const row = yield* agentRow(agent.id)
        assert.deepInclude(row, {
          last_refused_reason: "stale",
          last_refused_detail: "the clock is 75 s ahead",
          setup_advice: "[{\"code\":\"events_off\",\"detail\":\"start the worker with -E\"}]"
        })
        const health = yield* Effect.provideService(agents.listHealth(agent.id), CurrentProject, project)
        assert.deepStrictEqual(health.map(({ telemetry_loss, worker_id }) => ({ telemetry_loss, worker_id })), [
          { telemetry_loss: { buffer_id: "b" }, worker_id: "bare-1-1" }
        ])
        present.setAdvice("events_off", null)
        yield* presence.flush
        assert.strictEqual((yield* agentRow(agent.id)).setup_advice, "[]")
      }))

    it.effect("a heartbeat's worker details become workers and queues", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const present = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        const vector = JSON.parse(
          readFileSync(new URL("../../protocol/vectors/frames/heartbeat.celery.json", import.meta.url), "utf8")
        )
        const health = JSON.parse(vector.frame_json).payload.adapter_health
        present.reportAdapterHealth({
          ...health,
          "celery.queue_depths": "{\"celery\": 12, \"slow\": 3, \"bad\": \"x\", \"nul\\u0000\": 1}"
        })
        yield* presence.flush
        present.reportAdapterHealth(health)
        yield* presence.flush
        const [worker, ...others] = yield* sql<
          Record<string, unknown>
        >`SELECT * FROM workers WHERE project_id = ${project.id}`
        assert.strictEqual(others.length, 0)
        assert.deepInclude(worker, {
          engine: "celery",
          name: "w3@box",
          hostname: "box",
          pid: 21750,
          concurrency: 1,
          queues: "[\"celery\"]",
          state: "online",
          active_tasks: 0,
          agent_id: agent.id
        })
        const metadata = JSON.parse(String(worker?.metadata))
        assert.deepStrictEqual(metadata.registered, [
          "capp.add",
          "capp.fail",
          "capp.retry",
          "capp.secret",
          "capp.sleep"
        ])
        assert.strictEqual(metadata.conf.task_default_queue, "celery")
        const queues =
          yield* sql`SELECT name, broker_type, broker_url_hint, depth FROM queues WHERE project_id = ${project.id} ORDER BY name`
        assert.deepStrictEqual(queues, [
          { name: "bad", broker_type: "redis", broker_url_hint: null, depth: null },
          { name: "celery", broker_type: "redis", broker_url_hint: "redis://127.0.0.1:6379/12", depth: 12 },
          { name: "slow", broker_type: "redis", broker_url_hint: null, depth: 3 }
        ])
      }))

    it.effect("a heartbeat with values that no database holds stops neither its other reports nor those of other agents", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const [odd, usual] = [yield* newAgent(project), yield* newAgent(project)]
        const report = (agentId: AgentId, health: Record<string, string>) =>
          Effect.map(
            presence.connect(about(project, agentId), visitor()),
            (handle) => Option.getOrThrow(handle).reportAdapterHealth(health)
          )
        yield* report(odd.id, {
          "\0x.queue_depths": "{\"nul\": 1}",
          "\ud800.queue_depths": "{\"surrogate\": 1}",
          "\0x.worker_details": "{\"w@nul\": {}}",
          "celery.queue_depths": "{\"odd\": 1}"
        })
        yield* report(usual.id, {
          "celery.queue_depths": "{\"usual\": 2}",
          "celery.worker_details": "{\"w@usual\": {}}"
        })
        yield* presence.flush
        const queues = yield* sql`SELECT name, depth FROM queues WHERE project_id = ${project.id} ORDER BY name`
        assert.deepStrictEqual(queues, [{ name: "odd", depth: 1 }, { name: "usual", depth: 2 }])
        const workers = yield* sql`SELECT name FROM workers WHERE project_id = ${project.id}`
        assert.deepStrictEqual(workers, [{ name: "w@usual" }])
      }))

    it.effect("a row that the database refuses is left out alone", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        yield* sql.onDialectOrElse({
          pg: () => sql`ALTER TABLE queues ADD CONSTRAINT no_poison CHECK (name <> 'poison')`,
          orElse: () =>
            sql`CREATE TRIGGER no_poison BEFORE INSERT ON queues WHEN NEW.name = 'poison'
              BEGIN SELECT RAISE(ABORT, 'poison'); END`
        })
        const present = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        const depths = Object.fromEntries(["a", "b", "poison", "y", "z"].map((name) => [name, 1]))
        present.reportAdapterHealth({ "celery.queue_depths": JSON.stringify(depths) })
        yield* presence.flush
        const queues = yield* sql<{ name: string }>`
          SELECT name FROM queues WHERE project_id = ${project.id} ORDER BY name`
        assert.deepStrictEqual(queues.map(({ name }) => name), ["a", "b", "y", "z"])
      }))

    it.effect("a thousand processes of one agent arrive together", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        yield* Effect.forEach(
          Array.from({ length: 1000 }, (_, index) => `w${index}`),
          (workerId) => presence.connect(about(project, agent.id, { workerId, sessionId: workerId }), visitor()),
          { concurrency: "unbounded" }
        )
        assert.strictEqual((yield* processes(agent.id)).filter((row) => row.state === "online").length, 1000)
      }))
  })

  layer(brainOn(engine, { agentOfflineAfter: 2 }), {
    excludeTestServices: true
  })((it) => {
    it.effect("silence makes offline, a paused session's silence does not, and life makes online again", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const project = yield* freshProject()
        const mute = yield* newAgent(project)
        const paused = yield* newAgent(project)
        const present = Option.getOrThrow(yield* presence.connect(about(project, mute.id), visitor()))
        yield* presence.connect(about(project, paused.id), visitor({ isPaused: () => true }))
        yield* until(agentRow(mute.id), (row) => row.state === "offline")
        assert.strictEqual((yield* agentRow(paused.id)).state, "online")
        present.touch()
        yield* presence.flush
        assert.strictEqual((yield* agentRow(mute.id)).state, "online")
      }))

    it.effect("sweeps of several replicas at once change each row once", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sweeps = yield* makePresenceSweeps
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const agents = yield* Effect.replicateEffect(newAgent(project), 20)
        for (const agent of agents) yield* presence.connect(about(project, agent.id), visitor())
        yield* sql`UPDATE agent_workers SET last_seen_at = '2020-01-01T00:00:00.000000Z' WHERE project_id = ${project.id}`
        yield* Effect.all([sweeps.sweepProcesses(), sweeps.sweepProcesses(), sweeps.sweepProcesses()], {
          concurrency: 3
        })
        const states = yield* sql`SELECT DISTINCT state FROM agents WHERE project_id = ${project.id}`
        assert.deepStrictEqual(states, [{ state: "offline" }])
      }))

    it.effect("a worker known by events only may be idle as long as its agent is there", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sweeps = yield* makePresenceSweeps
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const present = Option.getOrThrow(
          yield* presence.connect(about(project, agent.id), visitor({ isPaused: () => true }))
        )
        const details = { "w@h": { stats: { pid: 1 } }, "idle@h": {}, "gone@h": {} }
        present.reportAdapterHealth({ "celery.worker_details": JSON.stringify(details) })
        yield* presence.flush
        const ago = (seconds: number) => Timestamp.fromEpochMicros((Date.now() - seconds * 1000) * 1000)
        const alter = (name: string, seconds: number, metadata: string) =>
          sql`UPDATE workers SET last_heartbeat = ${
            ago(seconds)
          }, metadata = ${metadata} WHERE project_id = ${project.id} AND name = ${name}`
        yield* alter("w@h", 10, "{\"pool\":{}}")
        yield* alter("idle@h", 10, "{}")
        yield* alter("gone@h", 25, "{}")
        const states = Effect.map(
          sql<
            { name: string; state: string }
          >`SELECT name, state FROM workers WHERE project_id = ${project.id} ORDER BY name`,
          (rows) => rows.map(({ name, state }) => `${name} ${state}`)
        )
        yield* sweeps.sweepWorkers()
        assert.deepStrictEqual(yield* states, ["gone@h offline", "idle@h online", "w@h offline"])
        yield* sql`UPDATE agents SET state = 'offline' WHERE id = ${agent.id}`
        yield* sweeps.sweepWorkers()
        assert.include(yield* states, "idle@h offline")
      }))

    it.effect("a worker whose only row has no sign of life is set offline", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const row = workerRow(project.id, "2026-01-01T00:00:00.000000Z" as Timestamp.Timestamp)
        yield* sql`INSERT INTO workers ${sql.insert({ ...row, last_heartbeat: null })}`
        yield* (yield* makePresenceSweeps).sweepWorkers()
        const rows = yield* sql`SELECT state FROM workers WHERE project_id = ${project.id}`
        assert.deepStrictEqual(rows, [{ state: "offline" }])
      }))

    it.effect("signs of life from the future are dated now", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const now = yield* Timestamp.now
        const row = { ...workerRow(project.id, now), last_heartbeat: "2136-01-01T00:00:00.000000Z" }
        yield* sql`INSERT INTO workers ${sql.insert(row)}`
        yield* sql`INSERT INTO queues ${
          sql.insert({
            id: yield* Ids.next,
            project_id: project.id,
            engine: "celery",
            name: "q",
            last_seen_at: "2136-01-01T00:00:00.000000Z",
            created_at: now
          })
        }`
        yield* (yield* makePresenceSweeps).clampFutureTimes()
        const latest = yield* Timestamp.now
        const [worker] = yield* sql<{ at: string }>`
          SELECT last_heartbeat AS at FROM workers WHERE project_id = ${project.id}`
        const [queue] = yield* sql<
          { at: string }
        >`SELECT last_seen_at AS at FROM queues WHERE project_id = ${project.id}`
        for (const seen of [worker, queue]) {
          assert.isTrue((seen?.at ?? "") >= now, seen?.at)
          assert.isTrue((seen?.at ?? "") <= latest, seen?.at)
        }
      }))

    it.effect.skipIf(engine === "SQLite")(
      "signs of life from the future do not deadlock with the ingest",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const sweeps = yield* makePresenceSweeps
          const project = yield* freshProject()
          const row = workerRow(project.id, yield* Timestamp.now)
          for (const name of ["b@x", "a@x"]) {
            yield* sql`INSERT INTO workers ${
              sql.insert({ ...row, id: yield* Ids.next, name, last_heartbeat: "2136-01-01T00:00:00.000000Z" })
            }`
          }
          const isLocked = yield* Deferred.make<void>()
          const write = (name: string) =>
            sql`UPDATE workers SET processed = processed + 1 WHERE project_id = ${project.id} AND name = ${name}`
          // the ingest writes workers in the order of their names
          const ingest = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
            yield* write("a@x")
            yield* Deferred.succeed(isLocked, undefined)
            yield* sql`SELECT pg_sleep(0.5)`
            yield* write("b@x")
          })))
          yield* Deferred.await(isLocked)
          yield* sweeps.clampFutureTimes()
          yield* Fiber.join(ingest)
          const latest = yield* Timestamp.now
          const workers = yield* sql<{ last_heartbeat: string }>`
          SELECT last_heartbeat FROM workers WHERE project_id = ${project.id}`
          assert.isTrue(workers.every(({ last_heartbeat }) => last_heartbeat <= latest))
        })
    )

    it.effect("what is older than its retention goes, in slices", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sweeps = yield* makePresenceSweeps
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        const present = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        present.reportTelemetryLoss("{}")
        present.reportAdapterHealth({ "celery.worker_details": "{\"w@h\":{\"active_queues\":[{\"name\":\"q\"}]}}" })
        yield* presence.flush
        const old = "2020-01-01T00:00:00.000000Z"
        yield* sql`UPDATE agent_health SET captured_at = ${old} WHERE agent_id = ${agent.id}`
        yield* sql`UPDATE workers SET last_heartbeat = ${old} WHERE project_id = ${project.id}`
        yield* sql`UPDATE queues SET last_seen_at = ${old} WHERE project_id = ${project.id}`
        yield* sql`UPDATE agent_workers SET last_seen_at = ${old} WHERE agent_id = ${agent.id}`
        yield* sql`INSERT INTO agent_outages ${
          sql.insert([
            { agent_id: agent.id, since: old, until: "2020-01-01T01:00:00.000000Z" },
            { agent_id: agent.id, since: "2020-01-02T00:00:00.000000Z", until: null }
          ])
        }`
        yield* sql`INSERT INTO presence_spans ${sql.insert({ since: old, until: old })}`
        yield* sweeps.sweepProcesses()
        yield* sweeps.sweepWorkers()
        yield* (yield* Retention).sweep()
        for (const table of ["agent_workers", "workers", "queues"]) {
          assert.deepStrictEqual(yield* sql`SELECT id FROM ${sql(table)} WHERE project_id = ${project.id}`, [], table)
        }
        assert.deepStrictEqual(yield* sql`SELECT id FROM agent_health WHERE agent_id = ${agent.id}`, [])
        assert.deepStrictEqual(
          yield* sql`SELECT since, until FROM agent_outages WHERE agent_id = ${agent.id}`,
          [{ since: "2020-01-02T00:00:00.000000Z", until: null }]
        )
        assert.deepStrictEqual(yield* sql`SELECT since FROM presence_spans WHERE until = ${old}`, [])
      }))
  })
})

const secondsOf = (outage: Outage | undefined): number =>
  outage?.until === undefined || outage.until === null ? 0 : Timestamp.secondsBetween(outage.since, outage.until)

/** An online worker without a heartbeat since `at`. */
const workerRow = (project_id: string, at: Timestamp.Timestamp, id: string = randomUUID()) => ({
  id,
  project_id,
  engine: "celery",
  name: "w@h",
  queues: "[]",
  state: "online",
  last_heartbeat: at,
  active_tasks: 0,
  processed: 0,
  failed: 0,
  succeeded: 0,
  retried: 0,
  metadata: "{}",
  created_at: at,
  updated_at: at
})

describe.each(engines)("trigger events of presence on %s", (engine) => {
  const settings = { agentOfflineAfter: 2, agentOfflineConfirm: 1 }
  const withWatch = Layer.effectDiscard(watchOutbox).pipe(Layer.provideMerge(brainOn(engine, settings)))
  layer(withWatch, { excludeTestServices: true })((it) => {
    it.effect("report an agent once when it stays offline, and when it is back", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sweeps = yield* makePresenceSweeps
        const project = yield* freshProject()
        yield* subscribe(project.id, "agent.offline")
        yield* subscribe(project.id, "agent.online")
        const agent = yield* newAgent(project)
        const triggers = Effect.map(recordedEvents(project.id), (events) =>
          events.map(({ condition, recovered, trigger }) => {
            assert.strictEqual(condition, agent.id)
            return recovered === true ? `${trigger} recovered` : trigger
          }))
        const first = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        first.disconnect(false)
        yield* presence.flush
        const restarted = Option.getOrThrow(yield* presence.connect(about(project, agent.id), visitor()))
        yield* sweeps.reportOfflineAgents()
        assert.deepStrictEqual(yield* triggers, [], "a restart is no outage")
        restarted.disconnect(false)
        yield* presence.flush
        yield* until(triggers, (all) =>
          all.length > 0)
        yield* sweeps.reportOfflineAgents()
        assert.deepStrictEqual(yield* triggers, ["agent.offline"])
        const uptime = (yield* AgentUptimes).list().pipe(
          Effect.provideService(CurrentProject, project),
          Effect.map(({ agents }) =>
            agents[0]
          )
        )
        const away = yield* uptime
        assert.deepStrictEqual(away?.outages.map(({ until }) => until), [null])
        yield* presence.connect(about(project, agent.id), visitor())
        assert.sameMembers(yield* triggers, ["agent.offline", "agent.online", "agent.offline recovered"])
        const back = yield* uptime
        assert.lengthOf(back?.outages ?? [], 1, "one that was reported, whatever number of sweeps saw it")
        assert.isAbove(secondsOf(back?.outages[0]), 0)
        assert.strictEqual(back?.cells.at(-1), "partly")
        assert.strictEqual(back?.cells[0], "unknown")
      }))

    it.effect("nothing is known of a time in which no brain ran, and a span is of all replicas", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sweeps = yield* makePresenceSweeps
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const agent = yield* newAgent(project)
        yield* presence.connect(about(project, agent.id), visitor())
        const now = Timestamp.fromEpochMicros(Timestamp.toEpochMillis(yield* Timestamp.now) * 1000)
        const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
        yield* sql`UPDATE agents SET first_connect_at = ${ago(90_000)} WHERE id = ${agent.id}`
        yield* sql`DELETE FROM presence_spans`
        yield* sql`INSERT INTO presence_spans ${sql.insert({ since: ago(90_000), until: ago(7200) })}`
        yield* sql`INSERT INTO agent_outages ${
          sql.insert({ agent_id: agent.id, since: ago(8900), until: Timestamp.addSeconds(now, 1) })
        }`
        yield* Effect.all([sweeps.extendSpan(), sweeps.extendSpan(), sweeps.extendSpan()], { concurrency: 3 })
        const spans = yield* sql<{ since: string }>`SELECT since FROM presence_spans ORDER BY since`
        assert.isAtMost(spans.length, 4, "two replicas may begin a span at once")
        yield* sweeps.extendSpan()
        assert.lengthOf(yield* sql`SELECT since FROM presence_spans`, spans.length)
        const { agents } = yield* (yield* AgentUptimes).list().pipe(Effect.provideService(CurrentProject, project))
        assert.deepStrictEqual(agents[0]?.cells.slice(-6, -1), ["connected", "partly", "unknown", "unknown", "unknown"])
        assert.strictEqual(agents[0]?.outages.at(-1)?.until, ago(7200))
        assert.approximately(agents[0]?.away_seconds ?? 0, 1700, 5)
      }))

    it.effect("report nothing of an agent that has never connected", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const sweeps = yield* makePresenceSweeps
        const project = yield* freshProject()
        yield* subscribe(project.id, "agent.offline")
        const agent = yield* newAgent(project)
        const created_at = Timestamp.addSeconds(yield* Timestamp.now, -600)
        yield* sql`UPDATE agents SET created_at = ${created_at}, updated_at = ${created_at} WHERE id = ${agent.id}`
        yield* sweeps.reportOfflineAgents()
        assert.deepStrictEqual(yield* recordedEvents(project.id), [])
      }))

    it.effect("report a worker that falls silent", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        yield* subscribe(project.id, "worker.offline", { engine: "celery" })
        const at = Timestamp.addSeconds(yield* Timestamp.now, -600)
        yield* sql`INSERT INTO workers ${sql.insert(workerRow(project.id, at))}`
        const [event, ...others] = yield* until(recordedEvents(project.id), (events) => events.length > 0)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(event, { trigger: "worker.offline", engine: "celery" })
        assert.strictEqual(event?.subject.name, "w@h")
      }))

    it.effect("report nothing of a worker that ended its tasks and left, unlike one that crashed or left a task behind", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        yield* subscribe(project.id, "worker.offline", { engine: "celery" })
        const agent = yield* newAgent(project)
        const report = (name: string, pid: number) => ({
          "celery.worker_details": JSON.stringify({ [name]: { stats: { pid }, active: [], active_queues: [] } })
        })
        const names = ["left@box", "crashed@box", "busy@box"]
        const sessions = yield* Effect.forEach(names, (name, pid) =>
          Effect.gen(function*() {
            const workerId = `bare-${pid}-1`
            const info = about(project, agent.id, { sessionId: Ids.uuidv7(pid + 1), workerId, pid })
            const session = Option.getOrThrow(yield* presence.connect(info, visitor()))
            session.reportAdapterHealth(report(name, pid))
            return session
          }))
        yield* presence.flush
        yield* insertTask(project.id, { state: "started", engine: "celery", worker_name: "busy@box" })
        const [left, crashed, busy] = sessions
        left?.disconnect(true)
        crashed?.disconnect(false)
        busy?.disconnect(true)
        const states = Effect.map(
          sql<{ name: string; state: string }>`SELECT name, state FROM workers WHERE project_id = ${project.id}`,
          (rows) => Object.fromEntries(rows.map(({ name, state }) => [name, state]))
        )
        const ended = yield* until(states, (all) => !Object.values(all).includes("online"))
        assert.deepStrictEqual(ended, { "left@box": "gone", "crashed@box": "offline", "busy@box": "offline" })
        const events = yield* recordedEvents(project.id)
        assert.sameMembers(events.map(({ subject }) => subject.name), ["crashed@box", "busy@box"])
        const back = Option.getOrThrow(
          yield* presence.connect(about(project, agent.id, { sessionId: Ids.uuidv7(9), pid: 0 }), visitor())
        )
        back.reportAdapterHealth(report("left@box", 0))
        yield* until(states, (all) => all["left@box"] === "online")
        back.disconnect(false)
      }))

    it.effect("report nothing of a worker that tasks alone name, when its process left; another process's is offline", () =>
      Effect.gen(function*() {
        const presence = yield* Presence
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        yield* subscribe(project.id, "worker.offline", { engine: "rq" })
        const agent = yield* newAgent(project)
        const startedAt = yield* Timestamp.now
        const before = Timestamp.addSeconds(startedAt, -1)
        for (const name of ["rq-1", "rq-killed"]) {
          yield* sql`INSERT INTO workers ${
            sql.insert({ ...workerRow(project.id, startedAt, randomUUID()), engine: "rq", name })
          }`
        }
        const session = Option.getOrThrow(yield* presence.connect(about(project, agent.id, { startedAt }), visitor()))
        session.reportTaskWorker("rq", "rq-1", startedAt)
        session.reportTaskWorker("rq", "rq-killed", before)
        session.disconnect(true)
        const states = sql<{ name: string; state: string }>`
          SELECT name, state FROM workers WHERE project_id = ${project.id} ORDER BY name`
        assert.deepStrictEqual(yield* until(states, (rows) => rows.every(({ state }) => state !== "online")), [
          { name: "rq-1", state: "gone" },
          { name: "rq-killed", state: "offline" }
        ])
        assert.deepStrictEqual((yield* recordedEvents(project.id)).map(({ subject }) => subject.name), ["rq-killed"])
      }))
  })
})

describe.each(engines)("a restart of the brain on %s", (engine) => {
  it.scopedLive("gives workers as long to report as they have while it runs", () =>
    Effect.gen(function*() {
      const url = engine === "PostgreSQL" ? { databaseUrl: Redacted.make((yield* freshPostgres).url) } : {}
      const brain = brainOn(engine, {
        home: yield* temporaryHome,
        agentOfflineAfter: 5,
        agentOfflineConfirm: 5,
        ...url
      })
      const id = randomUUID()
      const insert = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const at = Timestamp.addSeconds(yield* Timestamp.now, -600)
        const project = yield* freshProject()
        yield* sql`INSERT INTO workers ${sql.insert(workerRow(project.id, at, id))}`
        const agent = yield* newAgent(project)
        yield* sql`UPDATE agents SET last_connect_at = ${at}, last_seen_at = ${at}, updated_at = ${at}
          WHERE id = ${agent.id}`
      })
      // it ends before its own sweep
      yield* Effect.provide(insert, brain)
      const started = yield* Timestamp.now
      const offline = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        until(
          sql<
            { updated_at: Timestamp.Timestamp }
          >`SELECT updated_at FROM workers WHERE id = ${id} AND state = 'offline'`,
          (rows) => rows.length > 0
        ))
      const reported = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* until(sql`SELECT since FROM agent_outages`, (rows) => rows.length > 0)
        return yield* Timestamp.now
      })
      const [[worker], reportedAt] = yield* Effect.provide(
        Effect.all([offline, reported], { concurrency: 2 }),
        brain
      )
      assert.isTrue(reportedAt >= Timestamp.addSeconds(started, 5), `${started}, ${reportedAt}`)
      assert.isTrue((worker?.updated_at ?? "") >= Timestamp.addSeconds(started, 5), `${started}, ${worker?.updated_at}`)
    }))
})
