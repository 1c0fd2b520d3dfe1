import { Effect, Layer, Stream } from "effect"
import { Agents } from "../services/agents/Agents.ts"
import { Loops } from "../services/kernel/concurrency/Loops.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { Hints } from "../services/kernel/sql/Database.ts"
import { SessionRegistry } from "./SessionRegistry.ts"

const longestIntervalSeconds = 15

/**
 * Closes the sessions of agents that were deleted, by themselves or with their project. A hint on `access` closes them
 * at once. Hints may be lost, so all agents of this replica are also checked together, once per heartbeat interval and
 * at least every 15 s.
 */
export const layer = Layer.scopedDiscard(Effect.gen(function*() {
  const settings = yield* Settings
  const agents = yield* Agents
  const hints = yield* Hints
  const loops = yield* Loops
  const sessions = yield* SessionRegistry

  yield* loops.forever(
    "agents access",
    Stream.runForEach(hints.subscribe("access"), (id) => Effect.sync(() => sessions.closeAgentSessions(id)))
  )

  const checkAccess = Effect.gen(function*() {
    const agentIds = sessions.agentIds()
    const activeIds = yield* agents.listActiveIds(agentIds)
    for (const id of agentIds) if (!activeIds.has(id)) sessions.closeAgentSessions(id)
  })
  const intervalSeconds = Math.min(settings.agentHeartbeat, longestIntervalSeconds)
  yield* loops.every("agents access check", `${intervalSeconds} seconds`, checkAccess)
})).pipe(Layer.provide([Agents.layer, SessionRegistry.layer]))
