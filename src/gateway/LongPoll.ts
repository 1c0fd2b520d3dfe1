import { Deferred, Effect, Exit, FiberId, Layer } from "effect"
import { toCodeUnits } from "../domain/kernel/CanonicalJson/CodeUnits.ts"
import { PayloadTooLarge, ValidationFailed } from "../domain/kernel/Errors.ts"
import { FrameRefusal, isDense } from "../protocol/Envelope.ts"
import { type AgentFrame, decodeAgentFrame, type FrameOf } from "../protocol/Frame.ts"
import { MAX_FRAME_BYTES, TASK_OUTPUT } from "../protocol/Payload.ts"
import { AgentLongPoll, type PollHeaders } from "../services/agents/AgentLongPoll.ts"
import { Presence } from "../services/agents/Presence.ts"
import { yieldToEventLoop } from "../services/kernel/concurrency/EventLoop.ts"
import type { EventBatch } from "../services/tasks/Ingest/Model.ts"
import { DenseFrames } from "./DenseFrames.ts"
import type { PollSession } from "./PollSession.ts"
import { agentDeleted, frameRefused, makePollSessions, temporarilyUnavailable } from "./PollSessions.ts"
import { Receiver } from "./Receiver.ts"
import { describeGatewayRefusal, Refusals } from "./Refusals.ts"
import { SessionRegistry } from "./SessionRegistry.ts"

/** Below the 15 s after which the agent gives up. */
const pushTimeout = "12 seconds"
/** A poll with `wait=0` still waits this long, so that pending commands can reach it. */
const minPollMillis = 200
/** Frames are decoded in slices of this many characters, about 10 ms each, with a turn of the event loop in between. */
const sliceCharacters = 256 * 1024

const makeDecodeFrames = Effect.gen(function*() {
  const refusals = yield* Refusals
  const denseFrames = yield* DenseFrames
  const clock = yield* Effect.clock

  const refuseFrame = (session: PollSession, refusal: FrameRefusal, index: number) => {
    const detail = describeGatewayRefusal(refusal)
    refusals.refuse(session, refusal.reason, detail)
    if (refusal.reason === "too_long") return new PayloadTooLarge({ limit: MAX_FRAME_BYTES })
    if (refusal.reason === "bad_payload") return ValidationFailed.at(`frames.${index}`, detail)
    session.end("refused")
    return frameRefused(detail)
  }

  /** Decodes all frames before the first is used; fails with the first invalid one. */
  return Effect.fnUntraced(function*(session: PollSession, texts: ReadonlyArray<string>) {
    const frames: Array<AgentFrame> = []
    let characters = 0
    for (const [index, text] of texts.entries()) {
      if (characters >= sliceCharacters) {
        characters = 0
        yield* yieldToEventLoop
      }
      characters += text.length
      const now = clock.unsafeCurrentTimeMillis()
      const frame = isDense(toCodeUnits(text), text.length)
        ? yield* denseFrames.decode(text, session.wire, now).pipe(
          Effect.tapError((error) => Effect.logError("a large frame could not be read", error)),
          Effect.mapError(() => temporarilyUnavailable)
        )
        : decodeAgentFrame(text, session.wire, now)
      if (frame instanceof FrameRefusal) return yield* refuseFrame(session, frame, index)
      frames.push(frame)
    }
    return frames
  })
})

/** Suspends while the ingest is full. It asks every 250 ms too: capacity may have come before the listener. */
const offerBatch = (ingest: Receiver["ingest"], batch: EventBatch) => {
  const awaitCapacity = Effect.async<void>((resume) => {
    const stop = ingest.onCapacity(() => {
      stop()
      resume(Effect.void)
    })
    return Effect.sync(stop)
  })
  return Effect.repeat(
    Effect.suspend(() =>
      ingest.offer(batch)
        ? Effect.succeed(true)
        : Effect.as(Effect.timeoutOption(awaitCapacity, "250 millis"), false)
    ),
    { until: (taken) => taken }
  )
}

/** The two requests of long-poll (the agents' protocol, section 1.2): `pull` takes commands, `push` brings frames. */
export const layer = Layer.scoped(
  AgentLongPoll,
  Effect.gen(function*() {
    const pollSessions = yield* makePollSessions
    const receiver = yield* Receiver
    const registry = yield* SessionRegistry
    const decodeFrames = yield* makeDecodeFrames

    const pull = Effect.fn("AgentLongPoll.pull")(function*(headers: PollHeaders, wait: number, maxFrames: number) {
      const session = yield* pollSessions.get(headers)
      if (maxFrames === 0) {
        session.touch()
        return []
      }
      let ended = false
      const end = () => {
        if (ended) return
        ended = true
        session.endPoll(maxFrames)
        if (session.polls === 0) registry.remove(session)
      }
      session.beginPoll(maxFrames)
      if (session.polls === 1) registry.add(session)
      const awaitCommands = Effect.timeoutOption(
        session.awaitCommands,
        `${Math.max(wait * 1000, minPollMillis)} millis`
      )
      yield* Effect.onExit(awaitCommands, (exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(end)))
      // No effect runs from here to the response, so no command can arrive in between and be left behind.
      const frames = session.takeFrames(maxFrames)
      end()
      if (session.endReason === "revoked") return yield* agentDeleted
      return frames
    })

    const push = Effect.fn("AgentLongPoll.push")(function*(headers: PollHeaders, texts: ReadonlyArray<string>) {
      const session = yield* pollSessions.get(headers)
      session.touch()
      const frames = yield* Effect.timeoutFail(session.decoding.withPermits(1)(decodeFrames(session, texts)), {
        duration: pushTimeout,
        onTimeout: () => temporarilyUnavailable
      })
      yield* Effect.timeoutFail(commitFrames(session, frames), {
        duration: pushTimeout,
        onTimeout: () => temporarilyUnavailable
      })
      return texts.length
    })

    /** Ends once everything that the frames say is committed: after the response the agent deletes them. */
    const commitFrames = Effect.fnUntraced(function*(session: PollSession, frames: ReadonlyArray<AgentFrame>) {
      const batches: Array<FrameOf<"event_batch">> = []
      for (const frame of frames) {
        if (frame.type === "event_batch") {
          batches.push(frame)
          continue
        }
        const work = receiver.handleFrame(frame, session)
        if (work !== null) yield* work
        if (frame.type === "agent_status") yield* pollSessions.updateAdapters(session, frame.payload)
      }
      yield* commitBatches(session, batches)
      const hasReports = frames.some(({ type }) => type === "command_ack" || type === "command_result")
      if (hasReports) yield* receiver.awaitCommandsCommitted
    })

    const commitBatches = Effect.fnUntraced(function*(
      session: PollSession,
      frames: ReadonlyArray<FrameOf<"event_batch">>
    ) {
      const committed = Deferred.unsafeMake<void>(FiberId.none)
      let remaining = frames.length
      const onCommit = () => {
        if (--remaining === 0) Deferred.unsafeDone(committed, Effect.void)
      }
      for (const frame of frames) {
        const batch = receiver.toEventBatch(frame, session, onCommit)
        if (batch !== null) yield* offerBatch(receiver.ingest, batch)
      }
      if (frames.length > 0) yield* Deferred.await(committed)
    })

    return { pull, push, features: [TASK_OUTPUT] }
  })
).pipe(
  Layer.provide([DenseFrames.layer, Presence.layer, Receiver.layer, Refusals.layer, SessionRegistry.layer])
)
