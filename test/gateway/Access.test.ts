import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { AgentId } from "../../src/domain/kernel/Id.ts"
import { Agents } from "../../src/services/agents/Agents.ts"
import { AgentSessions } from "../../src/services/agents/AgentSessions.ts"
import { connected, freshAgent, longPoll } from "../agent.ts"
import { baseUrl, freshProject, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  return { project, base: yield* baseUrl, ...credentials }
})

describe.each(laneEngines)("an agent whose access ended without a hint, on %s", (engine) => {
  layer(serverOn(engine, { agentHeartbeat: 1 }), { excludeTestServices: true })((it) => {
    it.scoped("a silent connection of a deleted agent is closed with 4003", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const other = yield* connected(yield* fresh)
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM agents WHERE id = ${options.agent_id}`
        assert.strictEqual((yield* Effect.promise(() => agent.closed)).code, 4003)
        assert.strictEqual(other.ws.readyState, other.ws.OPEN)
      }))

    it.scoped("a silent connection of an inactive project is closed with 4003", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const agent = yield* connected(options)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE projects SET is_active = 0 WHERE id = ${options.project.id}`
        assert.strictEqual((yield* Effect.promise(() => agent.closed)).code, 4003)
      }))

    it.scoped("a waiting long-poll of a deleted agent gets 401 before its time", () =>
      Effect.gen(function*() {
        const options = yield* fresh
        const poll = longPoll({ ...options, project_id: options.project.id })
        yield* Effect.promise(() => poll.probe())
        const waiting = yield* Effect.fork(Effect.promise(() => poll.pull(30)))
        const { sessions } = yield* AgentSessions
        yield* until(Effect.sync(() => sessions(options.agent_id).length), (polls) => polls === 1)
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM agents WHERE id = ${options.agent_id}`
        const response = yield* Fiber.join(waiting)
        assert.strictEqual(response.status, 401)
      }))

    it.effect("listActiveIds leaves out unknown and deleted agents, for more ids than one slice has", () =>
      Effect.gen(function*() {
        const { agent_id } = yield* fresh
        const agents = yield* Agents
        const unknown = Array.from({ length: 1500 }, () => AgentId.make(crypto.randomUUID()))
        assert.deepStrictEqual(yield* agents.listActiveIds([...unknown, agent_id]), new Set([agent_id]))
      }))
  })
})
