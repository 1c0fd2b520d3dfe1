import { HttpLayerRouter } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { type Clock, Effect, Layer, Logger } from "effect"
import { randomBytes } from "node:crypto"
import { system } from "../../src/domain/kernel/Actor.ts"
import { version } from "../../src/domain/kernel/Version.ts"
import * as Server from "../../src/layers/Server.ts"
import { decodeHelloAckFrame } from "../../src/protocol/Hello.ts"
import { Agents } from "../../src/services/agents/Agents.ts"
import { AgentSessions } from "../../src/services/agents/AgentSessions.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { isUuid } from "../../src/services/kernel/Ids.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { Hints } from "../../src/services/kernel/sql/Database.ts"
import { closeOf, connectAgent, connected, dial, freshAgent, helloPayload, type Options } from "../agent.ts"
import { baseUrl, brainOn, freshKey, freshProject, request, serverOn } from "../brain.ts"
import type { Engine } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { wire } from "../http/wire.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  return { project, base: yield* baseUrl, ...credentials }
})

const record = (agentId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.map(sql<Record<string, unknown>>`SELECT * FROM agents WHERE id = ${agentId}`, ([row]) => row ?? {})
  )

/** Sends one first message and returns how the brain closed. */
const firstMessage = (options: Options, message: Buffer | string) =>
  Effect.promise(async () => {
    const ws = await dial(options)
    const closed = closeOf(ws)
    ws.send(message)
    return closed
  })

const hello = (fields: Parameters<typeof helloPayload>[0], envelope: object = {}) =>
  JSON.stringify({ v: 2, id: "hello_1", ts: null, type: "hello", payload: helloPayload(fields), ...envelope })

const refusal = (promise: Promise<unknown>) =>
  Effect.promise(() => promise.then(() => "let in", (error: unknown) => String(error)))

const refusedCount = (reason: string) =>
  Effect.flatMap(
    Metrics,
    (metrics) =>
      Effect.promise(async () =>
        (await metrics.framesRefused.get()).values.find((value) => value.labels.reason === reason)?.value ?? 0
      )
  )

/** The response to an upgrade that is refused. */
const upgrade = (headers: Readonly<Record<string, string>>) =>
  wire({
    method: "GET",
    target: "/ws/agent",
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      ...headers
    }
  })

/** A server that serves its routes, and whose agents' WebSockets have not begun. */
const routesOn = (engine: Engine) =>
  HttpLayerRouter.serve(Server.layerRoutes, Server.options).pipe(
    Layer.provideMerge(Server.layerListener),
    Layer.provideMerge(brainOn(engine)),
    Layer.orDie
  )

const unauthenticated = {
  type: "about:blank",
  title: "Not signed in",
  status: 401,
  code: "unauthenticated",
  details: {}
}

describe.each(laneEngines)("the handshake on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("fact 2: a hello as binary message gets a hello_ack as text, the first message", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const message = yield* Effect.promise(async () => {
          const ws = await dial(options)
          const first = new Promise<{ data: Buffer; isBinary: boolean }>((resolve) =>
            ws.once("message", (data: Buffer, isBinary) => resolve({ data, isBinary }))
          )
          ws.send(Buffer.from(hello({})))
          const message = await first
          ws.terminate()
          return message
        })
        assert.isFalse(message.isBinary)
        const ack = decodeHelloAckFrame(message.data.toString())
        assert.deepInclude("payload" in ack ? { ...ack.payload } : {}, {
          protocolVersion: "2",
          // an agent of another version warns of any other at each connection
          brainVersion: "",
          agentId: options.agent_id,
          projectId: options.project.id,
          heartbeatIntervalSeconds: 10,
          maxFrameSizeBytes: 1_048_576
        })
      }))

    it.scoped("a connected agent is online with the fields of its hello, and offline when it goes", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const key = yield* freshKey({ roles: { [options.project.id]: "viewer" } })
        const agent = yield* connected({
          ...options,
          hello: { worker_id: "django-7-1", worker_role: "web", framework: "django", host: { name: "box" } }
        })
        const [shown] = (yield* request("GET", `/projects/${options.project.slug}/agents`, key)).json
        assert.deepInclude(shown, {
          state: "online",
          protocol_version: "2",
          framework_adapter: "django",
          engine_adapters: ["celery"],
          scheduler_adapters: [],
          host_name: "box",
          agent_version: "1.13.0",
          is_outdated: false
        })
        const processes = yield* request(
          "GET",
          `/projects/${options.project.slug}/agent-workers?state=online&role=web`,
          key
        )
        assert.deepInclude(processes.json[0], {
          worker_id: "django-7-1",
          role: "web",
          framework: "django",
          state: "online"
        })
        const none = yield* request("GET", `/projects/${options.project.slug}/agent-workers?role=task`, key)
        assert.deepStrictEqual(none.json, [])
        const line = yield* AgentSessions
        assert.deepInclude(line.sessions(options.agent_id)[0], {
          workerId: "django-7-1",
          transport: "websocket",
          role: "web"
        })
        yield* Effect.promise(() => agent.close())
        yield* until(record(options.agent_id), (row) => row.state === "offline")
        assert.deepStrictEqual(line.sessions(options.agent_id), [])
      }))

    it.scoped("fact 6: a bad token is refused by HTTP 401 on the upgrade", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        for (
          const headers of [{ authorization: "Bearer sva_wrong" }, { authorization: "Basic x" }, { authorization: "" }]
        ) {
          assert.include(yield* refusal(dial({ ...options, headers })), "401")
        }
      }))

    it.scoped("an agent of the brain's own version gets it in hello_ack", () =>
      Effect.gen(function*() {
        const agent = yield* connected({ ...(yield* fresh), hello: { agent_version: version } })
        assert.strictEqual(agent.helloAck.payload.brainVersion, version)
      }))

    it.effect("invalid tokens are counted, and logged in one line however many come", () =>
      Effect.gen(function*() {
        const agents = yield* Agents
        const before = yield* refusedCount("bad_token")
        const clock = yield* Effect.clock
        // past the line that an earlier test may have had
        const later: Clock.Clock = Object.create(clock, {
          currentTimeMillis: { value: Effect.sync(() => Date.now() + 60_000) }
        })
        const lines: Array<string> = []
        const logger = Logger.make(({ annotations, message }) => {
          lines.push(`${String(message)} ${JSON.stringify(Object.fromEntries(annotations))}`)
        })
        yield* Effect.ignore(agents.authenticate("Bearer sva_wrong")).pipe(
          Effect.repeatN(49),
          Effect.annotateLogs({ client: "203.0.113.9" }),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
          Effect.withClock(later)
        )
        assert.strictEqual(yield* refusedCount("bad_token"), before + 50)
        assert.lengthOf(lines, 1)
        assert.match(lines[0]!, /token is not valid.*203\.0\.113\.9/)
        assert.notInclude(lines[0], "sva_wrong")
      }))

    it.scoped("the response to a refused upgrade is a problem document, under its request id", () =>
      Effect.gen(function*() {
        const refused = yield* upgrade({ authorization: "Bearer sva_wrong", "x-request-id": "trace-1" })
        assert.strictEqual(refused.contentType, "application/problem+json")
        assert.strictEqual(refused.headers["x-request-id"], "trace-1")
        assert.deepStrictEqual({ ...refused.json, detail: "" }, {
          ...unauthenticated,
          detail: "",
          request_id: "trace-1"
        })
        assert.include(refused.json.detail, "token")
        const odd = yield* upgrade({ "x-request-id": "<odd>" })
        assert.isTrue(isUuid(odd.json.request_id))
        assert.strictEqual(odd.headers["x-request-id"], odd.json.request_id)
      }))

    it.scoped("another version of the protocol is closed with 4426 before hello_ack", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        assert.strictEqual((yield* firstMessage(options, hello({ protocol_version: "3" }))).code, 4426)
        assert.strictEqual((yield* firstMessage(options, hello({}, { v: 3 }))).code, 4426)
        const long = "\u{1f600}".repeat(40) // more bytes than a close frame has room for
        assert.strictEqual((yield* firstMessage(options, hello({ protocol_version: long }))).code, 4426)
        yield* until(record(options.agent_id), (row) => row.last_refused_reason === "protocol_version")
      }))

    it.scoped("a bad hello is closed with 4400 before hello_ack, and the record says why", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const before = yield* refusedCount("bad_hello")
        const bad = [
          "not json",
          "[]",
          hello({}, { type: "heartbeat" }),
          hello({}, { type: "frob" }),
          hello({}, { payload: [] }),
          `${"[".repeat(5000)}${"]".repeat(5000)}`
        ]
        for (const message of bad) {
          assert.strictEqual((yield* firstMessage(options, message)).code, 4400, message.slice(0, 80))
        }
        assert.strictEqual((yield* refusedCount("bad_hello")) - before, bad.length)
        const row = yield* until(record(options.agent_id), (row) => row.last_refused_reason === "bad_hello")
        assert.include(String(row.last_refused_detail), "is not a hello")
        assert.strictEqual((yield* firstMessage(options, "x".repeat(1_048_577))).code, 1009)
      }))

    it.scoped("no hello within 10 seconds ends the handshake", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const closed = yield* Effect.promise(async () => closeOf(await dial(options)))
        assert.strictEqual(closed.code, 4400)
        yield* until(record(options.agent_id), (row) => row.last_refused_reason === "hello_timeout")
      }))

    it.scoped("a message between hello and hello_ack ends the handshake", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const closed = yield* Effect.promise(async () => {
          const ws = await dial(options)
          const closed = closeOf(ws)
          ws.send(hello({}))
          ws.send(hello({}))
          return closed
        })
        assert.include([4400, 1008], closed.code)
      }))

    it.scoped("several processes of one token are connected at once", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agents = yield* Effect.all(Array.from({ length: 8 }, () => connected(options)), {
          concurrency: "unbounded"
        })
        const line = yield* AgentSessions
        assert.strictEqual(line.sessions(options.agent_id).length, 8)
        assert.strictEqual(new Set(agents.map(({ ids }) => ids.sessionId)).size, 8)
      }))

    it.scoped("fact 13: a second hello with the same worker_id replaces the first connection", () =>
      Effect.gen(function*() {
        const options = { ...(yield* fresh), hello: { worker_id: "bare-1-1" } }
        const first = yield* connected(options)
        const second = yield* connected(options)
        assert.strictEqual((yield* Effect.promise(() => first.closed)).code, 4409)
        const line = yield* AgentSessions
        assert.deepStrictEqual(line.sessions(options.agent_id).map(({ sessionId }) => sessionId), [
          second.ids.sessionId
        ])
        assert.strictEqual((yield* record(options.agent_id)).state, "online")
      }))

    it.scoped("a hello without worker_id is an old agent: one connection at a time", () =>
      Effect.gen(function*() {
        const options = { ...(yield* fresh), hello: { worker_id: null } }
        const first = yield* connected(options)
        yield* connected(options)
        assert.strictEqual((yield* Effect.promise(() => first.closed)).code, 4409)
        const key = yield* freshKey({ roles: { [options.project.id]: "viewer" } })
        const processes = yield* request("GET", `/projects/${options.project.slug}/agent-workers`, key)
        assert.deepStrictEqual(processes.json.map((row: { worker_id: string }) => row.worker_id), [null])
      }))

    it.scoped("a deleted agent's connections are closed with 4003, and its token is void", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const agents = yield* Agents
        yield* agents.remove(options.agent_id).pipe(
          Effect.provideService(CurrentActor, system("test")),
          Effect.provideService(CurrentProject, options.project)
        )
        assert.strictEqual((yield* Effect.promise(() => agent.closed)).code, 4003)
        assert.include(yield* refusal(connectAgent(options)), "401")
      }))

    it.scoped("a deletion whose hint was lost closes with 4003 too, at the next sign of life", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM agents WHERE id = ${options.agent_id}`
        agent.heartbeat()
        assert.strictEqual((yield* Effect.promise(() => agent.closed)).code, 4003)
      }))

    it.scoped("a revocation hinted on the access channel closes with 4003", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        yield* Effect.flatMap(Hints, (hints) => hints.publish("access", options.agent_id))
        assert.strictEqual((yield* Effect.promise(() => agent.closed)).code, 4003)
      }))

    it.scoped("a request to its path without an upgrade is 426, with another method 405", () =>
      Effect.gen(function*() {
        const { base } = yield* fresh
        const plain = yield* Effect.promise(() => fetch(`${base}/ws/agent`))
        const { code } = (yield* Effect.promise(() => plain.json())) as { readonly code: string } // a problem document
        assert.deepStrictEqual([plain.status, code, plain.headers.get("upgrade")], [
          426,
          "upgrade_required",
          "websocket"
        ])
        const post = yield* Effect.promise(() => fetch(`${base}/ws/agent`, { method: "POST" }))
        assert.deepStrictEqual([post.status, post.headers.get("allow")], [405, "GET"])
      }))
  })

  layer(routesOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("an upgrade between the start of the routes and that of the gateway is 503, as any request before", () =>
      Effect.gen(function*() {
        const { json, status } = yield* upgrade({})
        assert.deepStrictEqual([status, json.code], [503, "unavailable"])
      }))
  })

  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("an upgrade without a database is 503, with a problem document", () =>
      Effect.gen(function*() {
        const { token } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        yield* Effect.acquireRelease(
          sql`ALTER TABLE agents RENAME TO agents_away`,
          () => Effect.orDie(sql`ALTER TABLE agents_away RENAME TO agents`)
        )
        const { contentType, json, status } = yield* upgrade({ authorization: `Bearer ${token}` })
        assert.deepStrictEqual([status, contentType], [503, "application/problem+json"])
        assert.deepInclude(json, { status: 503, title: "Not available now", code: "unavailable", details: {} })
        assert.isString(json.request_id)
        assert.include(json.detail, "again")
      }))
  })

  layer(serverOn(engine, { trustedProxies: ["127.0.0.0/8"] }), { excludeTestServices: true })((it) => {
    it.scoped("over 600 connects a minute from one address are closed with 4429, counted by the real address", () =>
      Effect.gen(function*() {
        const { base, token } = yield* fresh
        const from = (address: string) => ({
          base,
          token,
          headers: { "x-forwarded-for": address, authorization: "Bearer wrong" }
        })
        // upgrades with an invalid token count as connects too, and are cheaper to make
        for (let sent = 0; sent < 600; sent += 50) {
          yield* Effect.all(Array.from({ length: 50 }, () => refusal(dial(from("203.0.113.7")))), {
            concurrency: "unbounded"
          })
        }
        const closed = yield* Effect.promise(async () =>
          closeOf(await dial({ base, token, headers: { "x-forwarded-for": "203.0.113.7" } }))
        )
        assert.strictEqual(closed.code, 4429)
        assert.include(yield* refusal(dial(from("203.0.113.8"))), "401")
        const spoofed = { "x-forwarded-for": "198.51.100.1, 203.0.113.7" }
        assert.strictEqual(
          (yield* Effect.promise(async () => closeOf(await dial({ base, token, headers: spoofed })))).code,
          4429
        )
      }))
  })
})
