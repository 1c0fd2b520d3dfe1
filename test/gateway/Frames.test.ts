import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { vi } from "vitest"
import { generateNonce } from "../../src/protocol/Nonce.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { connected, event, freshAgent, type TestAgent } from "../agent.ts"
import { baseUrl, freshProject, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

const batch = () => ({ events: [event()] })

/** An agent's violations of the protocol, and how each is refused. */
interface Misdeed {
  readonly title: string
  readonly reason: string
  readonly code?: number
  readonly detail?: string
  readonly commit: (agent: TestAgent) => void
}

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
/** The frame with its payload's text replaced; the signature no longer matters where the text itself is refused. */
const withPayload = (agent: TestAgent, payload: string) =>
  agent.seal("event_batch", { events: [] }).replace("{\"events\":[]}", payload)

const misdeeds: ReadonlyArray<Misdeed> = [
  {
    title: "a message of over 1 MiB",
    reason: "too_long",
    code: 1009,
    commit: (agent) => agent.raw(Buffer.alloc(1_048_577, 32))
  },
  { title: "text that is not JSON", reason: "not_json", commit: (agent) => agent.raw("{\"v\":2,") },
  {
    title: "bytes that are not UTF-8",
    reason: "not_json",
    commit: (agent) => agent.raw(Buffer.from([0xff, 0xfe, 0x00]))
  },
  { title: "NaN", reason: "not_json", commit: (agent) => agent.raw(withPayload(agent, "{\"events\":NaN}")) },
  {
    title: "nesting of 129",
    reason: "too_deep",
    commit: (agent) => agent.raw(withPayload(agent, `{"events":${nested(127)}}`))
  },
  { title: "nesting of 100 000", reason: "too_deep", commit: (agent) => agent.raw(nested(100_000)) },
  {
    title: "a lone surrogate",
    reason: "lone_surrogate",
    commit: (agent) => agent.raw(withPayload(agent, "{\"events\":[\"\\ud800\"]}"))
  },
  {
    title: "a float beyond binary64",
    reason: "number_overflow",
    commit: (agent) => agent.raw(withPayload(agent, "{\"events\":[1e999]}"))
  },
  { title: "an array", reason: "malformed", commit: (agent) => agent.raw("[]") },
  { title: "no version", reason: "malformed", commit: (agent) => agent.raw("{\"type\":\"heartbeat\",\"payload\":{}}") },
  { title: "no type", reason: "malformed", commit: (agent) => agent.raw("{\"v\":2,\"payload\":{}}") },
  {
    title: "a payload that is no object",
    reason: "malformed",
    commit: (agent) => agent.raw("{\"v\":2,\"type\":\"heartbeat\",\"payload\":[]}")
  },
  { title: "no id", reason: "malformed", commit: (agent) => void agent.signed("event_batch", batch(), { id: "" }) },
  {
    title: "another version",
    reason: "version",
    commit: (agent) => agent.raw(agent.seal("event_batch", batch()).replace("\"v\":2", "\"v\":3"))
  },
  { title: "an unknown type", reason: "unknown_type", commit: (agent) => void agent.signed("frob", {}, {}) },
  {
    title: "a type of the brain's",
    reason: "unexpected_type",
    commit: (agent) => void agent.signed("command", { action: "purge_queue", target: {}, parameters: {} }, {})
  },
  {
    title: "hello again",
    reason: "unexpected_type",
    commit: (agent) => void agent.signed("hello", { protocol_version: "2" }, {})
  },
  {
    title: "a bad signature",
    reason: "bad_signature",
    commit: (agent) => void agent.signed("event_batch", batch(), { hmac: "0".repeat(64) })
  },
  {
    title: "no signature",
    reason: "bad_signature",
    commit: (agent) => void agent.signed("event_batch", batch(), { hmac: "" })
  },
  {
    title: "another key",
    reason: "bad_signature",
    commit: (agent) => void agent.signed("event_batch", batch(), { key: randomBytes(32) })
  },
  ...(["agentId", "projectId", "sessionId"] as const).map((id): Misdeed => ({
    title: `a wrong binding of ${id}`,
    reason: "bad_signature",
    commit: (agent) => void agent.signed("event_batch", batch(), { ids: { [id]: randomUUID() } })
  })),
  {
    title: "an altered payload",
    reason: "bad_signature",
    commit: (agent) => agent.raw(agent.seal("event_batch", batch()).replace("shop.pay", "shop.pray"))
  },
  {
    title: "a clock 75 s ahead",
    reason: "stale",
    detail: " s ahead",
    commit: (agent) => void agent.signed("event_batch", batch(), { skew: 75_000 })
  },
  {
    title: "a clock 2 minutes behind",
    reason: "stale",
    detail: "behind",
    commit: (agent) => void agent.signed("event_batch", batch(), { skew: -120_000 })
  },
  {
    title: "a time without offset",
    reason: "bad_ts",
    commit: (agent) => void agent.signed("event_batch", batch(), { ts: "2026-11-21T06:46:26" })
  },
  { title: "seq 0", reason: "bad_seq", commit: (agent) => void agent.signed("event_batch", batch(), { seq: 0 }) },
  {
    title: "a nonce of 33 characters",
    reason: "bad_nonce",
    commit: (agent) => void agent.signed("event_batch", batch(), { nonce: "n".repeat(33) })
  },
  {
    title: "an empty nonce",
    reason: "bad_nonce",
    commit: (agent) => void agent.signed("event_batch", batch(), { nonce: "" })
  },
  {
    title: "an old seq",
    reason: "old_seq",
    commit: (agent) => {
      agent.heartbeat()
      agent.heartbeat()
      agent.signed("event_batch", batch(), { seq: 1 })
    }
  },
  {
    title: "the same frame again",
    reason: "old_seq",
    commit: (agent) => agent.raw(agent.signed("heartbeat", {}, {}))
  },
  {
    title: "a nonce again",
    reason: "replayed_nonce",
    commit: (agent) => {
      const nonce = generateNonce()
      agent.signed("heartbeat", {}, { nonce })
      agent.signed("event_batch", batch(), { nonce })
    }
  },
  {
    title: "events that are no list",
    reason: "bad_payload",
    commit: (agent) => void agent.signed("event_batch", { events: {} }, {})
  },
  {
    title: "5001 events",
    reason: "bad_payload",
    commit: (agent) => void agent.signed("event_batch", { events: Array.from({ length: 5001 }, () => 0) }, {})
  },
  {
    title: "a result of timeout",
    reason: "malformed",
    commit: (agent) => void agent.signed("command_result", { status: "timeout" }, {})
  }
]

describe.each(laneEngines)("refused frames on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    const fresh = Effect.gen(function*() {
      const project = yield* freshProject()
      const credentials = yield* freshAgent(project)
      return { project, ...credentials, agent: yield* connected({ base: yield* baseUrl, ...credentials }) }
    })
    const counted = (reason: string) =>
      Effect.flatMap(
        Metrics,
        (metrics) =>
          Effect.promise(async () =>
            (await metrics.framesRefused.get()).values.find((value) => value.labels.reason === reason)?.value ?? 0
          )
      )

    it.scoped.each(misdeeds)(
      "$title: closed, counted, recorded, nothing stored",
      ({ code, commit, detail, reason }) =>
        Effect.gen(function*() {
          const { agent, agent_id, project } = yield* fresh
          const sql = yield* SqlClient.SqlClient
          const before = yield* counted(reason)
          commit(agent)
          const closed = yield* Effect.promise(() => agent.closed)
          assert.strictEqual(closed.code, code ?? 1008)
          assert.strictEqual((yield* counted(reason)) - before, 1)
          const [row] = yield* until(
            sql<{ last_refused_at: string; last_refused_reason: string; last_refused_detail: string }>`
            SELECT last_refused_at, last_refused_reason, last_refused_detail FROM agents WHERE id = ${agent_id}`,
            ([row]) => row?.last_refused_reason === reason
          )
          if (detail !== undefined) assert.include(row?.last_refused_detail, detail)
          assert.isNotNull(row?.last_refused_at)
          assert.deepStrictEqual(yield* sql`SELECT id FROM tasks WHERE project_id = ${project.id}`, [])
        })
    )

    it.scoped("a part of a heartbeat that exceeds a bound costs that part; the agent's record says which", () =>
      Effect.gen(function*() {
        const { agent, agent_id, project } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const depths = JSON.stringify({ default: 7 })
        const health = { "celery.queue_depths": depths, ["\u{1f600}".repeat(600)]: 5 }
        agent.signed("heartbeat", { buffer_size: "many", dropped_events: 10_000_001, adapter_health: health }, {})
        const queues = sql`SELECT name, depth FROM queues WHERE project_id = ${project.id}`
        assert.deepStrictEqual(yield* until(queues, (rows) => rows.length > 0), [{ name: "default", depth: 7 }])
        const [row] = yield* until(
          sql<{ last_refused_reason: string; last_refused_detail: string }>`
            SELECT last_refused_reason, last_refused_detail FROM agents WHERE id = ${agent_id}`,
          ([row]) => row?.last_refused_reason === "left_out"
        )
        assert.include(row?.last_refused_detail, "Parts of a heartbeat")
        assert.include(row?.last_refused_detail, "buffer_size, dropped_events")
        yield* Effect.promise(() => agent.sendEvents([event({ task_id: "after" })])) // the session continues
      }))

    it.scoped("fact 1: floats may be spelled in any way on the wire", () =>
      Effect.gen(function*() {
        const { agent } = yield* fresh
        const status = { current_session_age_seconds: 1e-7, buffer_oldest_age_seconds: 0.00001, auth_failure_streak: 0 }
        const text = agent.seal("agent_status", { ...status, telemetry_loss: null })
        assert.include(text, "1e-07")
        agent.raw(Buffer.from(text.replace("1e-07", "1e-7").replace("1e-05", "0.00001")))
        agent.raw(Buffer.from(agent.seal("heartbeat", {})))
        agent.raw(agent.seal("heartbeat", {})) // as text
        yield* Effect.promise(() => ponged(agent))
        assert.strictEqual(agent.ws.readyState, agent.ws.OPEN)
      }))

    it.scoped("fact 3: ids that stand in a frame are not believed", () =>
      Effect.gen(function*() {
        const { agent } = yield* fresh
        // signed with the session's ids in their place, as the agent and the brain both do
        agent.raw(agent.seal("heartbeat", {}).replace("{", `{"agent_id":"${randomUUID()}",`))
        yield* Effect.promise(() => ponged(agent))
        assert.strictEqual(agent.ws.readyState, agent.ws.OPEN)
      }))

    it.scoped("fact 11: registry_delta and error are taken, though no published agent sends them", () =>
      Effect.gen(function*() {
        const { agent } = yield* fresh
        agent.send("registry_delta", { engine: "celery", added: [{ name: "shop.pay" }] })
        agent.send("error", { code: "odd", message: "x", fatal: false })
        yield* Effect.promise(() => ponged(agent))
        assert.strictEqual(agent.ws.readyState, agent.ws.OPEN)
      }))

    it.scoped("a refusal is logged once, however often it comes", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const credentials = yield* freshAgent(project)
        const base = yield* baseUrl
        const before = yield* counted("bad_signature")
        const log = vi.spyOn(console, "log")
        for (let attempt = 0; attempt < 3; attempt++) {
          const agent = yield* connected({ base, ...credentials })
          agent.signed("heartbeat", {}, { hmac: "0".repeat(64) })
          yield* Effect.promise(() => agent.closed)
        }
        assert.strictEqual((yield* counted("bad_signature")) - before, 3)
        const lines = log.mock.calls.map((args) => args.join(" ")).filter((line) => line.includes(credentials.agent_id))
        log.mockRestore()
        assert.strictEqual(lines.length, 1)
        assert.include(lines[0], "bad_signature")
      }))
  })
})

/** Resolves once everything sent before has been read. */
const ponged = (agent: TestAgent): Promise<void> =>
  new Promise((resolve) => {
    agent.ws.once("pong", () => resolve())
    agent.ws.once("close", () => resolve())
    agent.ws.ping()
  })
