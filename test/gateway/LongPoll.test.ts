import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { system } from "../../src/domain/kernel/Actor.ts"
import { CommandId } from "../../src/domain/kernel/Id.ts"
import { Agents } from "../../src/services/agents/Agents.ts"
import { AgentSessions } from "../../src/services/agents/AgentSessions.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { event, freshAgent, longPoll } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { idOf } from "../ids.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  const options = { base: yield* baseUrl, project_id: project.id, ...credentials }
  return { ...options, project, poll: longPoll(options), again: () => longPoll(options) }
})

const run = <A>(promise: () => Promise<A>) => Effect.promise(promise)

const commandIds = ["c1", "c2", "c3"].map((text) => idOf(CommandId, text))

const command = {
  action: "submit_task",
  target: "{}",
  parameters: "{\"name\":\"madd\",\"args\":[1]}",
  timeout_seconds: 60,
  issued_by: null
}

/** The status of the response to a POST that names a body of 8 MiB and sends none of it. */
const statusBeforeBody = (base: string, token: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /api/v1/agent/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${8 * 1024 * 1024}\r\n\r\n`
      )
    })
    socket.once("error", reject)
    socket.once("data", (data) => {
      resolve(data.toString("utf8").slice(0, "HTTP/1.1 401".length))
      socket.destroy()
    })
  })

/** The requests of a recorded session of the published agent, with the frames taken apart. */
const recorded: ReadonlyArray<{ readonly step: string; readonly query?: string; readonly body_json?: string }> =
  JSON.parse(readFileSync(new URL("../protocol/vectors/longpoll.json", import.meta.url), "utf8")).exchange

describe.each(laneEngines)("long-poll on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("the probe's response comes at once with both ids, under both names, and hands out nothing", () =>
      Effect.gen(function*() {
        const { agent_id, poll, project, token } = yield* fresh
        const key = yield* freshKey({ roles: { [project.id]: "operator" } })
        const issued = yield* request("POST", `/projects/${project.slug}/commands/cancel-task`, {
          ...key,
          body: { agent_id, engine: "huey", task_id: "t1" }
        })
        assert.strictEqual(issued.status, 202)
        const response = yield* run(() => poll.probe())
        assert.strictEqual(response.status, 200)
        assert.deepStrictEqual(response.json, { frames: [] })
        for (const family of ["x-z4j", "x-svc"]) {
          assert.strictEqual(response.headers.get(`${family}-agent-id`), agent_id)
          assert.strictEqual(response.headers.get(`${family}-project-id`), project.id)
        }
        const line = yield* AgentSessions
        assert.deepStrictEqual(line.sessions(agent_id), [])
        const shown = yield* request("GET", `/projects/${project.slug}/commands/${issued.json.id}`, key)
        assert.strictEqual(shown.json.status, "pending")
        assert.notInclude(JSON.stringify(response.json), token)
      }))

    it.effect("the recorded session: probe, poll, heartbeat and status, a command, its ack, result and event", () =>
      Effect.gen(function*() {
        const { agent_id, poll, project } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const line = yield* AgentSessions
        assert.strictEqual((yield* run(() => poll.probe())).status, 200)
        const waiting = yield* Effect.fork(run(() => poll.pull(30, 50)))
        yield* until(Effect.sync(() => line.sessions(agent_id).length), (sessions) => sessions === 1)
        const queries = recorded.filter(({ step }) => step.startsWith("GET")).map(({ query }) => query)
        assert.deepStrictEqual(new Set(queries), new Set(["wait=0&max_frames=0", "wait=30&max_frames=50"])) // as here
        const posts = recorded.filter(({ step }) => step.startsWith("POST")).map(({ body_json }) =>
          JSON.parse(body_json ?? "").frames.map((frame: string) => JSON.parse(frame))
        )
        const resign = (frames: ReadonlyArray<{ type: "heartbeat"; id: string; payload: object }>, id?: string) =>
          frames.map((frame) => poll.seal(frame.type, frame.payload, frame.type.startsWith("command") ? id : frame.id))
        const first = yield* run(() => poll.push(resign(posts[0])))
        assert.deepStrictEqual([first.status, first.json], [200, {
          accepted: 2,
          rejected: 0,
          errors: [],
          error_code: null
        }])

        const key = yield* freshKey({ roles: { [project.id]: "operator" } })
        const issued = yield* request("POST", `/projects/${project.slug}/commands/cancel-task`, {
          ...key,
          body: { agent_id, engine: "huey", task_id: "t1" }
        })
        const pulled = yield* Fiber.join(waiting)
        assert.strictEqual(pulled.status, 200)
        const frame = poll.open(pulled.json.frames[0])
        assert.deepInclude({ id: frame.id, action: frame.payload.action }, {
          id: issued.json.id,
          action: "cancel_task"
        })

        const second = yield* run(() => poll.push(resign(posts[1], frame.id)))
        assert.deepStrictEqual([second.status, second.json.accepted], [200, 3])
        const shown = yield* request("GET", `/projects/${project.slug}/commands/${issued.json.id}`, key)
        assert.strictEqual(shown.json.status, "completed")
        const tasks = yield* sql`SELECT task_id, name, state FROM tasks WHERE project_id = ${project.id}`
        assert.deepStrictEqual(tasks, [{
          task_id: "526791ef-c3ad-4ff3-a656-a6a01701f8c0",
          name: "madd",
          state: "received"
        }])
        const [agent] = yield* sql<{ engine_adapters: string; agent_version: string; state: string }>`
          SELECT engine_adapters, agent_version, state FROM agents WHERE id = ${agent_id}`
        assert.deepStrictEqual({ ...agent }, {
          engine_adapters: "[\"huey\"]",
          agent_version: "1.13.0",
          state: "online"
        })
      }))

    it.effect("a poll is woken by a command, and frames are signed in order when they are handed out", () =>
      Effect.gen(function*() {
        const { agent_id, poll } = yield* fresh
        const line = yield* AgentSessions
        const waiting = yield* Effect.fork(run(() => poll.pull(30, 50)))
        yield* until(Effect.sync(() => line.sessions(agent_id).length), (sessions) => sessions === 1)
        const [session] = line.sessions(agent_id)
        assert.deepInclude(session, {
          transport: "longpoll",
          workerId: agent_id,
          sessionId: poll.nonce,
          engines: ["huey"],
          capabilities: {}
        })
        for (const id of commandIds) assert.isTrue(session?.send({ ...command, id }, () => {}))
        const first = yield* Fiber.join(waiting)
        const frames = [...first.json.frames]
        while (frames.length < 3) frames.push(...(yield* run(() => poll.pull(30, 1))).json.frames)
        assert.deepStrictEqual(frames.map((text: string) => poll.open(text).id), ["c1", "c2", "c3"])
        assert.deepStrictEqual((yield* run(() => poll.pull(0))).json, { frames: [] })
      }))

    it.effect("between two polls no command is taken, so that none waits where no poll may come again", () =>
      Effect.gen(function*() {
        const { agent_id, poll } = yield* fresh
        const line = yield* AgentSessions
        const waiting = yield* Effect.fork(run(() => poll.pull(30, 2)))
        yield* until(Effect.sync(() => line.sessions(agent_id).length), (sessions) => sessions === 1)
        const [session] = line.sessions(agent_id)
        assert.deepStrictEqual(commandIds.map((id) => session?.send({ ...command, id }, () => {})), [true, true, false])
        assert.strictEqual((yield* Fiber.join(waiting)).json.frames.length, 2)
        assert.deepStrictEqual(line.sessions(agent_id), [])
        assert.isFalse(session?.send({ ...command, id: idOf(CommandId, "c4") }, () => {}))
      }))

    it.effect("our own header names do as well, and each nonce is a session of its own", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const ours = longPoll(options, { family: "svc" })
        assert.strictEqual((yield* run(() => ours.push([ours.seal("heartbeat", {})]))).status, 200)
        const other = options.again()
        assert.strictEqual((yield* run(() => other.push([other.seal("heartbeat", {})]))).status, 200)
      }))

    it.effect("a frame that fails its checks ends the nonce, and a fresh one works", () =>
      Effect.gen(function*() {
        const { again, agent_id } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const metrics = yield* Metrics
        const tamperings = [
          ["bad_signature", { hmac: "0".repeat(64) }],
          ["bad_signature", { ids: { sessionId: "another-nonce-of-22-char" } }],
          ["stale", { skew: 90_000 }],
          ["bad_seq", { seq: 0 }]
        ] as const
        for (const [reason, tampering] of tamperings) {
          const poll = again()
          const good = poll.seal("heartbeat", {})
          const response = yield* run(() =>
            poll.push([good, poll.signed("event_batch", { events: [event()] }, tampering)])
          )
          assert.deepInclude(response.json, { status: 400, code: "frame_refused" }, reason)
          const after = yield* run(() => poll.push([poll.seal("heartbeat", {})]))
          assert.strictEqual(after.status, 400)
          assert.strictEqual((yield* run(() => poll.pull(0))).status, 400)
          yield* until(
            sql<{ last_refused_reason: string }>`SELECT last_refused_reason FROM agents WHERE id = ${agent_id}`,
            ([row]) => row?.last_refused_reason === reason
          )
        }
        const replaying = again()
        const frame = replaying.seal("heartbeat", {})
        assert.strictEqual((yield* run(() => replaying.push([frame]))).status, 200)
        assert.deepInclude((yield* run(() => replaying.push([frame]))).json, { status: 400, code: "frame_refused" })
        const next = again()
        assert.strictEqual((yield* run(() => next.push([next.seal("heartbeat", {})]))).status, 200)
        const counts = yield* run(() => metrics.framesRefused.get())
        assert.isAtLeast(counts.values.find(({ labels }) => labels.reason === "old_seq")?.value ?? 0, 1)
      }))

    it.effect("what the agent can take apart or give up on is 413 and 422, and the session continues", () =>
      Effect.gen(function*() {
        const { poll } = yield* fresh
        const long = poll.signed("event_batch", { events: ["x".repeat(1_048_577)] }, {})
        assert.strictEqual((yield* run(() => poll.push([long]))).status, 413)
        const huge = "x".repeat(1024 * 1024)
        assert.strictEqual((yield* run(() => poll.push(Array.from({ length: 9 }, () => huge)))).status, 413)
        const misfit = poll.signed("event_batch", { events: 1 }, {})
        const response = yield* run(() => poll.push([misfit]))
        assert.deepInclude(response.json, { status: 422, code: "validation_failed" })
        assert.strictEqual(response.json.details.issues[0].path, "frames.0")
        assert.strictEqual((yield* run(() => poll.push([]))).status, 422)
        assert.strictEqual((yield* run(() => poll.push(Array.from({ length: 501 }, () => "{}")))).status, 422)
        assert.strictEqual((yield* run(() => poll.pull(61))).status, 422)
        assert.strictEqual((yield* run(() => poll.pull(0, 501))).status, 422)
        assert.strictEqual((yield* run(() => poll.request("POST", "/agent/events", "{"))).status, 400)
        assert.strictEqual((yield* run(() => poll.push([poll.seal("heartbeat", {})]))).status, 200)
      }))

    it.effect("a frame of very many values is taken, an event beyond the bounds without its arguments, and the frame behind it too", () =>
      Effect.gen(function*() {
        const { poll, project } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [index.toString(36), 1]))
        const events = [
          event({ task_id: "a" }),
          event({ task_id: "wide", data: { kwargs: keys } }),
          event({ task_id: "b" })
        ]
        const frames = [
          poll.seal("event_batch", { events }),
          poll.seal("event_batch", { events: [event({ task_id: "c" })] })
        ]
        assert.strictEqual((yield* run(() => poll.push(frames))).status, 200)
        const rows = yield* sql<
          { task_id: string }
        >`SELECT task_id FROM tasks WHERE project_id = ${project.id} ORDER BY task_id`
        assert.deepStrictEqual(rows.map(({ task_id }) => task_id), ["a", "b", "c", "wide"])
      }))

    it.effect("without a good token 401, without a nonce 400; a person's key is no token", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const key = yield* freshKey({ isAdmin: true })
        for (const authorization of ["Bearer sva_wrong", "", `Bearer ${key.token}`]) {
          const poll = longPoll({ ...options, headers: { authorization } })
          assert.deepInclude((yield* run(() => poll.probe())).json, { status: 401, code: "unauthenticated" })
          assert.strictEqual((yield* run(() => poll.push([poll.seal("heartbeat", {})]))).status, 401)
        }
        const bearer = { token: options.token }
        assert.deepInclude((yield* request("GET", "/agent/commands?wait=0&max_frames=0", bearer)).json, {
          status: 400,
          code: "session_nonce_missing"
        })
        assert.strictEqual((yield* request("GET", "/projects", bearer)).status, 401)
      }))

    it.effect("a bad token is refused before the body is sent", () =>
      Effect.gen(function*() {
        const { base } = yield* fresh
        assert.strictEqual(yield* run(() => statusBeforeBody(base, "sva_wrong")), "HTTP/1.1 401")
      }))

    it.effect("a deleted agent's waiting poll ends with 401", () =>
      Effect.gen(function*() {
        const { agent_id, poll, project } = yield* fresh
        const line = yield* AgentSessions
        const agents = yield* Agents
        const waiting = yield* Effect.fork(run(() => poll.pull(60)))
        yield* until(Effect.sync(() => line.sessions(agent_id).length), (sessions) => sessions === 1)
        yield* agents.remove(agent_id).pipe(
          Effect.provideService(CurrentActor, system("test")),
          Effect.provideService(CurrentProject, project)
        )
        assert.strictEqual((yield* Fiber.join(waiting)).status, 401)
        assert.strictEqual((yield* run(() => poll.probe())).status, 401)
      }))

    it.effect("one agent has a bounded number of sessions", () =>
      Effect.gen(function*() {
        const { again } = yield* fresh
        const responses = yield* Effect.all(Array.from({ length: 70 }, () => run(() => again().probe())), {
          concurrency: 10
        })
        const statuses = responses.map(({ status }) => status)
        assert.strictEqual(statuses.filter((status) => status === 200).length, 64)
        assert.strictEqual(statuses.filter((status) => status === 429).length, 6)
      }))

    it.effect("two first requests of one nonce at once are one session", () =>
      Effect.gen(function*() {
        const { agent_id, poll } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const frames = [poll.seal("heartbeat", {})]
        const responses = yield* Effect.all([
          run(() => poll.pull(0)),
          run(() => poll.push(frames)),
          run(() => poll.pull(0))
        ], { concurrency: 3 })
        assert.deepStrictEqual(responses.map(({ status }) => status), [200, 200, 200])
        assert.deepStrictEqual(
          yield* sql`SELECT worker_id, session_id, state FROM agent_workers WHERE agent_id = ${agent_id}`,
          [{ worker_id: agent_id, session_id: poll.nonce, state: "online" }]
        )
      }))

    it.effect("the same event under another nonce, seq and signature is taken once", () =>
      Effect.gen(function*() {
        const { again, poll, project } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const events = [event({ id: randomUUID(), task_id: "once" })]
        const other = again()
        for (const session of [poll, poll, other]) {
          const response = yield* run(() => session.push([session.seal("event_batch", { events }, "ev_same")]))
          assert.deepStrictEqual([response.status, response.json.accepted], [200, 1])
        }
        const tasks = yield* sql`SELECT task_id, retry_count FROM tasks WHERE project_id = ${project.id}`
        assert.deepStrictEqual(tasks, [{ task_id: "once", retry_count: 0 }])
      }))

    it.effect("500 frames in one request are all counted", () =>
      Effect.gen(function*() {
        const { poll, project } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const frames = Array.from({ length: 500 }, (_, index) =>
          index % 5 === 0 ? poll.seal("heartbeat", {}) : poll.seal("event_batch", { events: [event()] }))
        const response = yield* run(() =>
          poll.push(frames)
        )
        assert.deepStrictEqual([response.status, response.json.accepted], [200, 500])
        const [row] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM tasks WHERE project_id = ${project.id}`
        assert.strictEqual(row?.n, 400)
      }))
  })
})
