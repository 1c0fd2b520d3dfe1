import { Clock, Effect, Fiber, FiberSet, Option } from "effect"
import { BadRequest, RateLimited, Unauthenticated, Unavailable } from "../domain/kernel/Errors.ts"
import type { AgentId } from "../domain/kernel/Id.ts"
import { WireSession } from "../protocol/Frame.ts"
import type { PollHeaders } from "../services/agents/AgentLongPoll.ts"
import { Presence } from "../services/agents/Presence.ts"
import type { ProcessInfo } from "../services/agents/Presence/Model.ts"
import { Loops } from "../services/kernel/concurrency/Loops.ts"
import { type AgentIdentity, CurrentAgent } from "../services/kernel/CurrentActor.ts"
import { Metrics } from "../services/kernel/Metrics.ts"
import { Database } from "../services/kernel/sql/Database.ts"
import { PollSession, PollWireSession } from "./PollSession.ts"
import { processInfoFromPoll, processInfoFromPollHello, wireSessionArgs } from "./ProcessInfo.ts"

const maxSessionsPerAgent = 64
/** Equal to the memory for nonces: frames recorded under an expired session are stale by then. */
const idleTimeoutMillis = 180_000
const openTimeout = "8 seconds"

export const agentDeleted = new Unauthenticated({
  detail: "The agent or its project was deleted, and the token is void."
})
export const temporarilyUnavailable = new Unavailable({
  detail: "The brain cannot take this now. Send it again in a moment."
})
export const frameRefused = (detail: string) =>
  new BadRequest({ code: "frame_refused", detail: `${detail} Go on with a fresh session nonce.` })

/** The engines, schedulers and version that an agent names for itself. */
type Adapters = Pick<ProcessInfo, "engines" | "schedulers" | "agentVersion">

type SessionFiber = Fiber.RuntimeFiber<PollSession, Unauthenticated>

/**
 * The long-poll sessions of this replica, by agent and by the nonce that the agent chose. The first request with a nonce
 * creates its session; three minutes without a request end it.
 *
 * Each replica has its own replay memory for a nonce. A frame that an eavesdropper re-sends to another replica within
 * the nonce's minute is therefore accepted twice. Nothing doubles: events are deduplicated by id, results by command.
 */
export const makePollSessions = Effect.gen(function*() {
  const database = yield* Database
  const loops = yield* Loops
  const metrics = yield* Metrics
  const presence = yield* Presence
  const clock = yield* Effect.clock
  const fork = yield* FiberSet.makeRuntime<never>()
  const byAgent = new Map<string, Map<string, SessionFiber>>()
  const liveSessions = new Set<PollSession>()

  const create = (identity: AgentIdentity, { hello, retryContracts }: PollHeaders, nonce: string) =>
    Effect.gen(function*() {
      const engines = enginesOfContracts(retryContracts)
      const info = processInfoFromPollHello(identity, nonce, hello) ??
        processInfoFromPoll(identity, nonce, { engines, schedulers: [], agentVersion: null })
      const signing = wireSessionArgs(identity, nonce)
      const wire = database.dialect === "pg" ? new PollWireSession(clock, ...signing) : new WireSession(...signing)
      let session: PollSession | null = null
      const handle = yield* presence.connect(info, {
        onReplacedOrRevoked: () => {},
        isPaused: () => (session?.polls ?? 0) > 0
      })
      if (Option.isNone(handle)) return yield* agentDeleted
      session = new PollSession(identity, nonce, wire, info, handle.value, clock)
      liveSessions.add(session)
      metrics.agentSessions.set({ transport: "longpoll" }, liveSessions.size)
      return session
    })

  const removeSession = (agentId: AgentId, nonce: string) => {
    const agentSessions = byAgent.get(agentId)
    agentSessions?.delete(nonce)
    if (agentSessions?.size === 0) byAgent.delete(agentId)
  }

  const close = (session: PollSession) => {
    liveSessions.delete(session)
    metrics.agentSessions.set({ transport: "longpoll" }, liveSessions.size)
    session.presence.disconnect(false)
    removeSession(session.agentId, session.sessionId)
  }

  /** The session of a request. Concurrent first requests with one nonce wait for the same session. */
  const get = Effect.fnUntraced(function*(headers: PollHeaders) {
    const { nonce } = headers
    const identity = yield* CurrentAgent
    if (!isValidNonce(nonce)) {
      const detail = "Send a session nonce of 22 URL-safe characters."
      return yield* new BadRequest({ code: "session_nonce_missing", detail })
    }
    const agentId = identity.agent_id
    const agentSessions = byAgent.get(agentId) ?? new Map<string, SessionFiber>()
    byAgent.set(agentId, agentSessions)
    let sessionFiber = agentSessions.get(nonce)
    if (sessionFiber === undefined) {
      if (agentSessions.size >= maxSessionsPerAgent) {
        const detail = "The agent has too many long-poll sessions; the idle ones end after three minutes."
        return yield* new RateLimited({ detail })
      }
      // Not in the request's own fiber, which ends when its client leaves.
      const created = create(identity, headers, nonce)
      sessionFiber = fork(Effect.tapErrorCause(created, () => Effect.sync(() => removeSession(agentId, nonce))))
      agentSessions.set(nonce, sessionFiber)
    }
    const session = yield* Effect.timeoutFail(Fiber.join(sessionFiber), {
      duration: openTimeout,
      onTimeout: () => temporarilyUnavailable
    })
    if (session.endReason === "revoked") return yield* agentDeleted
    if (session.endReason === "refused") return yield* frameRefused("A frame of this session was refused.")
    return session
  })

  /** Stores what `agent_status` says. Without a hello nothing else names the agent's engines and version. */
  const updateAdapters = Effect.fnUntraced(function*(session: PollSession, adapters: Adapters) {
    if (session.workerId !== session.agentId) return // its hello has said it
    const { agentVersion, engines, schedulers } = adapters
    const status = JSON.stringify([engines, schedulers, agentVersion])
    if (status === session.lastStatus) return
    session.lastStatus = status
    const info = processInfoFromPoll(session.identity, session.sessionId, { engines, schedulers, agentVersion })
    const handle = yield* presence.connect(info, { onReplacedOrRevoked: () => {}, isPaused: () => session.polls > 0 })
    if (Option.isNone(handle)) return
    session.presence.disconnect(false)
    session.presence = handle.value
    session.engines = info.engines
  })

  const closeIdle = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const session of liveSessions) {
      if (session.polls === 0 && now - session.lastUsedAt > idleTimeoutMillis) close(session)
    }
  })
  yield* loops.every("agents longpoll", "15 seconds", closeIdle)

  return { get, updateAdapters } as const
})

const isValidNonce = (nonce: string | undefined): nonce is string =>
  nonce !== undefined && /^[A-Za-z0-9_-]{16,64}$/.test(nonce)

/** `huey=1,rq=1` names two engines. */
const enginesOfContracts = (retryContracts: string | undefined): ReadonlyArray<string> =>
  (retryContracts ?? "").split(",").flatMap((contract) => contract.trim().split("=", 1)).filter((name) => name !== "")
