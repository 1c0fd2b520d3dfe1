import { Clock, Deferred, Effect, Exit, Fiber, FiberId, FiberSet, Layer, Option } from "effect"
import {
  BadRequest,
  PayloadTooLarge,
  RateLimited,
  Unauthenticated,
  Unavailable,
  ValidationFailed
} from "../../domain/Errors.ts"
import { AgentPolls, type PollHeaders } from "../../services/AgentPolls.ts"
import type { AgentIdentity } from "../../services/Agents.ts"
import { CurrentAgent } from "../../services/CurrentActor.ts"
import { Database } from "../../services/Database.ts"
import { turn } from "../../services/EventLoop.ts"
import type { EventBatch } from "../../services/Ingest.ts"
import { Loops } from "../../services/Loops.ts"
import { Metrics } from "../../services/Metrics.ts"
import { Presence } from "../../services/Presence.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { type AgentFrame, type FrameOf, openFromAgent, WireSession } from "../protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import { pollIntroduction, signingOf } from "./Introduce.ts"
import { PollSession, PollWire } from "./PollSession.ts"
import { Receiver } from "./Receiver.ts"
import { describe, Refusals } from "./Refusals.ts"
import { Sessions } from "./Sessions.ts"

const mostSessionsOfAgent = 64
/** As long as nonces are remembered: what was recorded under a forgotten session is stale by then. */
const idleMillis = 180_000
/** The agent gives up after 15 seconds. */
const pushPatience = "12 seconds"
const openPatience = "8 seconds"
/** A poll that will not wait still gives pending commands the time to come here. */
const leastPollMillis = 200
/** Characters of frames after which other work gets its turn: opening them takes about 10 ms. */
const charactersAtOnce = 256 * 1024

const deleted = new Unauthenticated({ detail: "The agent or its project was deleted, and the token is void." })
const later = new Unavailable({ detail: "The brain cannot take this now. Send it again in a moment." })
const refused = (detail: string) => new BadRequest({ code: "frame_refused", detail: `${detail} Go on with a fresh session nonce.` })

const validNonce = (nonce: string | undefined): nonce is string => nonce !== undefined && /^[A-Za-z0-9_-]{16,64}$/.test(nonce)

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
  const sessions = yield* Sessions
  const clock = yield* Effect.clock
  const fork = yield* FiberSet.makeRuntime<never>()
  const byAgent = new Map<string, Map<string, Fiber.RuntimeFiber<PollSession, Unauthenticated>>>()
  const live = new Set<PollSession>()

  const create = (identity: AgentIdentity, nonce: string, engines: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const about = pollIntroduction(identity, nonce, { engines, schedulers: [], agentVersion: null })
      const signing = signingOf(identity, nonce)
      const wire = database.dialect === "pg" ? new PollWire(clock, ...signing) : new WireSession(...signing)
      let session: PollSession | null = null
      const present = yield* presence.connect(about, { lost: () => {}, paused: () => (session?.polls ?? 0) > 0 })
      if (Option.isNone(present)) return yield* deleted
      session = new PollSession(identity, nonce, wire, about.engines, present.value, clock)
      live.add(session)
      metrics.agentSessions.set({ transport: "longpoll" }, live.size)
      return session
    })

  const drop = (agentId: string, nonce: string) => {
    const mine = byAgent.get(agentId)
    mine?.delete(nonce)
    if (mine?.size === 0) byAgent.delete(agentId)
  }

  const forget = (session: PollSession) => {
    live.delete(session)
    metrics.agentSessions.set({ transport: "longpoll" }, live.size)
    session.present.gone()
    drop(session.agentId, session.sessionId)
  }

  /** The session of a request, made on first sight. */
  const open = Effect.fnUntraced(function*({ nonce, retryContracts }: PollHeaders) {
    const identity = yield* CurrentAgent
    if (!validNonce(nonce)) {
      return yield* new BadRequest({ code: "session_nonce_missing", detail: "Send a session nonce of 22 URL-safe characters." })
    }
    const agentId = identity.agent_id
    const mine = byAgent.get(agentId) ?? new Map<string, Fiber.RuntimeFiber<PollSession, Unauthenticated>>()
    byAgent.set(agentId, mine)
    let found = mine.get(nonce)
    if (found === undefined) {
      if (mine.size >= mostSessionsOfAgent) {
        return yield* new RateLimited({ detail: "The agent has too many long-poll sessions; the idle ones end after three minutes." })
      }
      const engines = (retryContracts ?? "").split(",").flatMap((contract) => contract.trim().split("=", 1)).filter((name) => name !== "")
      // not the request's own fiber: others of this nonce wait for it too
      found = fork(Effect.tapErrorCause(create(identity, nonce, engines), () => Effect.sync(() => drop(agentId, nonce))))
      mine.set(nonce, found)
    }
    const session = yield* Effect.timeoutFail(Fiber.join(found), { duration: openPatience, onTimeout: () => later })
    if (session.over === "revoked") return yield* deleted
    if (session.over === "refused") return yield* refused("A frame of this session was refused.")
    return session
  })

  const pull = Effect.fn("AgentPolls.pull")(function*(headers: PollHeaders, wait: number, maxFrames: number) {
    const session = yield* open(headers)
    if (maxFrames === 0) {
      session.seen()
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
    const something = Effect.timeoutOption(session.something, `${Math.max(wait * 1000, leastPollMillis)} millis`)
    yield* Effect.onExit(something, (exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(end)))
    // from here to the answer nothing comes between: no command can be left behind
    const frames = session.handOut(maxFrames)
    end()
    if (session.over === "revoked") return yield* deleted
    return frames
  })

  /** All frames, or why none is taken. */
  const verify = Effect.fnUntraced(function*(session: PollSession, texts: ReadonlyArray<string>) {
    const frames: Array<AgentFrame> = []
    let characters = 0
    for (const [index, text] of texts.entries()) {
      if (characters >= charactersAtOnce) {
        characters = 0
        yield* turn
      }
      characters += text.length
      const frame = openFromAgent(text, session.wire, clock.unsafeCurrentTimeMillis())
      if (!(frame instanceof FrameRefusal)) {
        frames.push(frame)
        continue
      }
      refusals.refuse(session, frame.reason, describe(frame))
      if (frame.reason === "too_long") return yield* new PayloadTooLarge({ limit: MAX_FRAME_BYTES })
      if (frame.reason === "bad_payload") return yield* ValidationFailed.at(`frames.${index}`, describe(frame))
      session.end("refused")
      return yield* refused(describe(frame))
    }
    return frames
  })

  const room = Effect.async<void>((resume) => {
    const stop = receiver.ingest.onRoom(() => {
      stop()
      resume(Effect.void)
    })
    return Effect.sync(stop)
  })
  /** Looks again by itself too: room may have come before there was anyone to tell. */
  const offer = (batch: EventBatch) =>
    Effect.repeat(
      Effect.suspend(() => receiver.ingest.offer(batch) ? Effect.succeed(true) : Effect.as(Effect.timeoutOption(room, "250 millis"), false)),
      { until: (taken) => taken }
    )

  /** Ends once all events are committed. */
  const takeBatches = Effect.fnUntraced(function*(session: PollSession, frames: ReadonlyArray<FrameOf<"event_batch">>) {
    const committed = Deferred.unsafeMake<void>(FiberId.none)
    let open = frames.length
    const settle = () => {
      if (--open === 0) Deferred.unsafeDone(committed, Effect.void)
    }
    for (const frame of frames) {
      const batch = receiver.batchOf(frame, session, settle)
      if (batch !== null) yield* offer(batch)
    }
    if (frames.length > 0) yield* Deferred.await(committed)
  })

  /** agent_status is all that tells of a long-poll agent's engines and version. */
  const learn = Effect.fnUntraced(function*(session: PollSession, { payload }: FrameOf<"agent_status">) {
    const { agentVersion, engines, schedulers } = payload
    const told = JSON.stringify([engines, schedulers, agentVersion])
    if (told === session.told) return
    session.told = told
    const about = pollIntroduction(session.identity, session.sessionId, { engines, schedulers, agentVersion })
    const present = yield* presence.connect(about, { lost: () => {}, paused: () => session.polls > 0 })
    if (Option.isNone(present)) return
    session.present.gone()
    session.present = present.value
    session.engines = about.engines
  })

  const push = Effect.fn("AgentPolls.push")(function*(headers: PollHeaders, texts: ReadonlyArray<string>) {
    const session = yield* open(headers)
    session.seen()
    const frames = yield* verify(session, texts)
    const batches: Array<FrameOf<"event_batch">> = []
    const take = Effect.gen(function*() {
      for (const frame of frames) {
        if (frame.type === "event_batch") {
          batches.push(frame)
          continue
        }
        const work = receiver.take(frame, session)
        if (work !== null) yield* work
        if (frame.type === "agent_status") yield* learn(session, frame)
      }
      yield* takeBatches(session, batches)
      if (frames.some(({ type }) => type === "command_ack" || type === "command_result")) yield* receiver.commandsSettled
    })
    yield* Effect.timeoutFail(take, { duration: pushPatience, onTimeout: () => later })
    return texts.length
  })

  const expire = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const session of live) if (session.polls === 0 && now - session.usedAt > idleMillis) forget(session)
  })
  yield* loops.every("agents longpoll", "15 seconds", expire)

  return { pull, push }
}))
