import { Effect, Layer, PubSub, Stream } from "effect"
import type { AgentId } from "../domain/kernel/Id.ts"
import { type AgentSession, AgentSessions } from "../services/agents/AgentSessions.ts"
import { Metrics } from "../services/kernel/Metrics.ts"
import type { HintIds } from "../services/kernel/sql/Database.ts"

/** A session as the gateway holds it. */
export interface GatewaySession extends AgentSession {
  /** Whether a newer session with the same worker id replaces this one. */
  readonly exclusive: boolean
  readonly close: (why: "replaced" | "revoked") => void
}

/**
 * The sessions of this replica that accept commands now, by agent. A long-poll session accepts them while a poll waits.
 */
export class SessionRegistry extends Effect.Service<SessionRegistry>()("svc/gateway/SessionRegistry", {
  scoped: Effect.gen(function*() {
    const metrics = yield* Metrics
    const byAgent = new Map<AgentId, Map<string, GatewaySession>>()
    const newSessionHub = yield* Effect.acquireRelease(PubSub.unbounded<AgentSession>(), PubSub.shutdown)
    const endedSessionHub = yield* Effect.acquireRelease(PubSub.unbounded<AgentSession>(), PubSub.shutdown)

    const listOfAgent = (agentId: AgentId): ReadonlyArray<GatewaySession> => [...byAgent.get(agentId)?.values() ?? []]

    let isRouting = true

    /** The brain shuts down: services see no session any more, so that no further command is sent. */
    const stopRouting = (): void => {
      isRouting = false
    }

    /** Registers the session and closes an older one of the same process. */
    const add = (session: GatewaySession): void => {
      if (session.exclusive) {
        for (const other of listOfAgent(session.agentId)) {
          if (other.exclusive && other.workerId === session.workerId) other.close("replaced")
        }
      }
      const sessions = byAgent.get(session.agentId) ?? new Map<string, GatewaySession>()
      byAgent.set(session.agentId, sessions)
      sessions.set(session.sessionId, session)
      if (session.exclusive) metrics.agentSessions.inc({ transport: session.transport })
      newSessionHub.unsafeOffer(session)
    }

    const remove = (session: GatewaySession): void => {
      const sessions = byAgent.get(session.agentId)
      if (sessions?.delete(session.sessionId) !== true) return
      if (session.exclusive) metrics.agentSessions.dec({ transport: session.transport })
      if (sessions.size === 0) byAgent.delete(session.agentId)
      endedSessionHub.unsafeOffer(session)
    }

    /** Closes every session of an agent whose token was revoked. */
    const closeAgentSessions = (id: HintIds["access"]): void => {
      // the cast: an id of another kind of record finds no session
      for (const session of listOfAgent(id as AgentId)) session.close("revoked")
    }

    const listAll = (): ReadonlyArray<GatewaySession> =>
      [...byAgent.values()].flatMap((sessions) => [...sessions.values()])

    return {
      add,
      remove,
      closeAgentSessions,
      listAll,
      stopRouting,
      /** Of an agent, those that commands may be sent to. */
      listRoutable: (agentId: AgentId) => (isRouting ? listOfAgent(agentId) : []),
      agentIds: () => (isRouting ? [...byAgent.keys()] : []),
      newSessions: Stream.fromPubSub(newSessionHub),
      endedSessions: Stream.fromPubSub(endedSessionHub)
    } as const
  })
}) {
  static readonly layer = this.Default
}

/** The agents' sessions, for services. */
export const layerAgentSessions = Layer.effect(
  AgentSessions,
  Effect.map(
    SessionRegistry,
    ({ agentIds, endedSessions, listRoutable, newSessions }) => ({
      sessions: listRoutable,
      agentIds,
      newSessions,
      endedSessions
    })
  )
).pipe(Layer.provide(SessionRegistry.layer))
