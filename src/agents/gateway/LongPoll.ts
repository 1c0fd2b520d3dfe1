import { Clock, Deferred, Effect, Exit, Fiber, FiberId, FiberSet, Layer, Option } from "effect"
import { unitsOf } from "../../domain/CanonicalJson/Units.ts"
import {
  BadRequest,
  PayloadTooLarge,
  RateLimited,
  Unauthenticated,
  Unavailable,
  ValidationFailed
} from "../../domain/Errors.ts"
import { AgentPolls, type PollHeaders } from "../../services/AgentPolls.ts"
import type { AgentIdentity } from "../../services/CurrentActor.ts"
import { CurrentAgent } from "../../services/CurrentActor.ts"
import { Database } from "../../services/Database.ts"
import { yieldToEventLoop } from "../../services/EventLoop.ts"
import type { EventBatch } from "../../services/Ingest.ts"
import { Loops } from "../../services/Loops.ts"
import { Metrics } from "../../services/Metrics.ts"
import { Presence } from "../../services/Presence.ts"
import { FrameRefusal, isDense } from "../protocol/Envelope.ts"
import { type AgentFrame, type FrameOf, decodeAgentFrame, WireSession } from "../protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import { DenseFrames } from "./DenseFrames.ts"
import { processInfoFromPoll, wireSessionArgs } from "./ProcessInfo.ts"
import { PollSession, PollWireSession } from "./PollSession.ts"
import { Receiver } from "./Receiver.ts"
import { describeRefusal, Refusals } from "./Refusals.ts"
import { SessionRegistry } from "./SessionRegistry.ts"

const maxSessionsPerAgent = 64
/** As long as nonces are remembered: what was recorded under a forgotten session is stale by then. */
const idleTimeoutMillis = 180_000
/** The agent gives up after 15 seconds. */
const pushTimeout = "12 seconds"
const openTimeout = "8 seconds"
/** A poll that will not wait still gives pending commands the time to come here. */
const minPollMillis = 200
/** Characters of frames after which other work gets its turn: opening them takes about 10 ms. */
const sliceCharacters = 256 * 1024

const agentDeleted = new Unauthenticated({ detail: "The agent or its project was deleted, and the token is void." })
const temporarilyUnavailable = new Unavailable({ detail: "The brain cannot take this now. Send it again in a moment." })
const frameRefused = (detail: string) => new BadRequest({ code: "frame_refused", detail: `${detail} Go on with a fresh session nonce.` })

const isValidNonce = (nonce: string | undefined): nonce is string => nonce !== undefined && /^[A-Za-z0-9_-]{16,64}$/.test(nonce)

/**
 * The agents' line over plain HTTP (the agents' protocol, section 1.2). A session is an agent and the nonce that it
 * chose, made on first sight. Its replay memory is this replica's own: with several replicas each has its own for the
 * same nonce, and each takes a seq once. A frame that an eavesdropper sends to another replica within its minute can
 * so be taken twice; events are told apart by their ids and answers by their command, so nothing doubles.
 */
export const layer = Layer.scoped(AgentPolls, Effect.gen(function*() {
  const database = yield* Database
  const loops = yield* Loops
  const metrics = yield* Metrics
  const presence = yield* Presence
  const receiver = yield* Receiver
  const refusals = yield* Refusals
  const denseFrames = yield* DenseFrames
  const sessions = yield* SessionRegistry
  const clock = yield* Effect.clock
  const fork = yield* FiberSet.makeRuntime<never>()
  const byAgent = new Map<string, Map<string, Fiber.RuntimeFiber<PollSession, Unauthenticated>>>()
  const liveSessions = new Set<PollSession>()

  const createSession = (identity: AgentIdentity, nonce: string, engines: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const info = processInfoFromPoll(identity, nonce, { engines, schedulers: [], agentVersion: null })
      const signing = wireSessionArgs(identity, nonce)
      const wire = database.dialect === "pg" ? new PollWireSession(clock, ...signing) : new WireSession(...signing)
      let session: PollSession | null = null
      const handle = yield* presence.connect(info, { onLost: () => {}, isPaused: () => (session?.polls ?? 0) > 0 })
      if (Option.isNone(handle)) return yield* agentDeleted
      session = new PollSession(identity, nonce, wire, info.engines, handle.value, clock)
      liveSessions.add(session)
      metrics.agentSessions.set({ transport: "longpoll" }, liveSessions.size)
      return session
    })

  const removeSession = (agentId: string, nonce: string) => {
    const agentSessions = byAgent.get(agentId)
    agentSessions?.delete(nonce)
    if (agentSessions?.size === 0) byAgent.delete(agentId)
  }

  const closeSession = (session: PollSession) => {
    liveSessions.delete(session)
    metrics.agentSessions.set({ transport: "longpoll" }, liveSessions.size)
    session.presence.disconnect()
    removeSession(session.agentId, session.sessionId)
  }

  /** The session of a request, made on first sight. */
  const getSession = Effect.fnUntraced(function*({ nonce, retryContracts }: PollHeaders) {
    const identity = yield* CurrentAgent
    if (!isValidNonce(nonce)) {
      return yield* new BadRequest({ code: "session_nonce_missing", detail: "Send a session nonce of 22 URL-safe characters." })
    }
    const agentId = identity.agent_id
    const agentSessions = byAgent.get(agentId) ?? new Map<string, Fiber.RuntimeFiber<PollSession, Unauthenticated>>()
    byAgent.set(agentId, agentSessions)
    let sessionFiber = agentSessions.get(nonce)
    if (sessionFiber === undefined) {
      if (agentSessions.size >= maxSessionsPerAgent) {
        return yield* new RateLimited({ detail: "The agent has too many long-poll sessions; the idle ones end after three minutes." })
      }
      const engines = (retryContracts ?? "").split(",").flatMap((contract) => contract.trim().split("=", 1)).filter((name) => name !== "")
      // not the request's own fiber: others of this nonce wait for it too
      sessionFiber = fork(Effect.tapErrorCause(createSession(identity, nonce, engines), () => Effect.sync(() => removeSession(agentId, nonce))))
      agentSessions.set(nonce, sessionFiber)
    }
    const session = yield* Effect.timeoutFail(Fiber.join(sessionFiber), { duration: openTimeout, onTimeout: () => temporarilyUnavailable })
    if (session.endReason === "revoked") return yield* agentDeleted
    if (session.endReason === "refused") return yield* frameRefused("A frame of this session was refused.")
    return session
  })

  const pull = Effect.fn("AgentPolls.pull")(function*(headers: PollHeaders, wait: number, maxFrames: number) {
    const session = yield* getSession(headers)
    if (maxFrames === 0) {
      session.touch()
      return []
    }
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      session.endPoll(maxFrames)
      if (session.polls === 0) sessions.remove(session)
    }
    session.beginPoll(maxFrames)
    if (session.polls === 1) sessions.add(session)
    const awaitCommands = Effect.timeoutOption(session.awaitCommands, `${Math.max(wait * 1000, minPollMillis)} millis`)
    yield* Effect.onExit(awaitCommands, (exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(end)))
    // from here to the answer nothing comes between: no command can be left behind
    const frames = session.takeFrames(maxFrames)
    end()
    if (session.endReason === "revoked") return yield* agentDeleted
    return frames
  })

  /** All frames, or why none is taken. */
  const decodeFrames = Effect.fnUntraced(function*(session: PollSession, texts: ReadonlyArray<string>) {
    const frames: Array<AgentFrame> = []
    let characters = 0
    for (const [index, text] of texts.entries()) {
      if (characters >= sliceCharacters) {
        characters = 0
        yield* yieldToEventLoop
      }
      characters += text.length
      const now = clock.unsafeCurrentTimeMillis()
      const frame = isDense(unitsOf(text), text.length)
        ? yield* Effect.mapError(denseFrames.decode(text, session.wire, now), () => temporarilyUnavailable)
        : decodeAgentFrame(text, session.wire, now)
      if (!(frame instanceof FrameRefusal)) {
        frames.push(frame)
        continue
      }
      refusals.refuse(session, frame.reason, describeRefusal(frame))
      if (frame.reason === "too_long") return yield* new PayloadTooLarge({ limit: MAX_FRAME_BYTES })
      if (frame.reason === "bad_payload") return yield* ValidationFailed.at(`frames.${index}`, describeRefusal(frame))
      session.end("refused")
      return yield* frameRefused(describeRefusal(frame))
    }
    return frames
  })

  const awaitCapacity = Effect.async<void>((resume) => {
    const stop = receiver.ingest.onCapacity(() => {
      stop()
      resume(Effect.void)
    })
    return Effect.sync(stop)
  })
  /** Looks again by itself too: room may have come before there was anyone to tell. */
  const offerBatch = (batch: EventBatch) =>
    Effect.repeat(
      Effect.suspend(() => receiver.ingest.offer(batch) ? Effect.succeed(true) : Effect.as(Effect.timeoutOption(awaitCapacity, "250 millis"), false)),
      { until: (taken) => taken }
    )

  /** Ends once all events are committed. */
  const commitBatches = Effect.fnUntraced(function*(session: PollSession, frames: ReadonlyArray<FrameOf<"event_batch">>) {
    const committed = Deferred.unsafeMake<void>(FiberId.none)
    let remaining = frames.length
    const onCommit = () => {
      if (--remaining === 0) Deferred.unsafeDone(committed, Effect.void)
    }
    for (const frame of frames) {
      const batch = receiver.toEventBatch(frame, session, onCommit)
      if (batch !== null) yield* offerBatch(batch)
    }
    if (frames.length > 0) yield* Deferred.await(committed)
  })

  /** agent_status is all that tells of a long-poll agent's engines and version. */
  const updateProcessInfo = Effect.fnUntraced(function*(session: PollSession, { payload }: FrameOf<"agent_status">) {
    const { agentVersion, engines, schedulers } = payload
    const status = JSON.stringify([engines, schedulers, agentVersion])
    if (status === session.lastStatus) return
    session.lastStatus = status
    const info = processInfoFromPoll(session.identity, session.sessionId, { engines, schedulers, agentVersion })
    const handle = yield* presence.connect(info, { onLost: () => {}, isPaused: () => session.polls > 0 })
    if (Option.isNone(handle)) return
    session.presence.disconnect()
    session.presence = handle.value
    session.engines = info.engines
  })

  const push = Effect.fn("AgentPolls.push")(function*(headers: PollHeaders, texts: ReadonlyArray<string>) {
    const session = yield* getSession(headers)
    session.touch()
    const frames = yield* decodeFrames(session, texts)
    const batches: Array<FrameOf<"event_batch">> = []
    const take = Effect.gen(function*() {
      for (const frame of frames) {
        if (frame.type === "event_batch") {
          batches.push(frame)
          continue
        }
        const work = receiver.handleFrame(frame, session)
        if (work !== null) yield* work
        if (frame.type === "agent_status") yield* updateProcessInfo(session, frame)
      }
      yield* commitBatches(session, batches)
      if (frames.some(({ type }) => type === "command_ack" || type === "command_result")) yield* receiver.awaitCommandsCommitted
    })
    yield* Effect.timeoutFail(take, { duration: pushTimeout, onTimeout: () => temporarilyUnavailable })
    return texts.length
  })

  const expire = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const session of liveSessions) if (session.polls === 0 && now - session.lastUsedAt > idleTimeoutMillis) closeSession(session)
  })
  yield* loops.every("agents longpoll", "15 seconds", expire)

  return { pull, push }
}))
