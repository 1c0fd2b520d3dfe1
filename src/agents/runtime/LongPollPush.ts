/**
 * Sending over long-poll. What is refused as too large is sent in halves, down to single events, and the size that was
 * taken is remembered (agents' protocol, section 1.2).
 */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { CanonicalText } from "../../domain/CanonicalJson.ts"
import { seal, type WirePayloads, type WireSession } from "../protocol/Frame.ts"
import { eventsOf } from "./BufferFile.ts"
import type { Core } from "./Core.ts"
import type { HttpAnswer } from "./PlainHttp.ts"
import { connectionDown, describeAnswer, downBy, membersOf } from "./PollAnswer.ts"
import { LineDown } from "./Reconnect.ts"

type Payloads = Omit<WirePayloads, "event_batch">

/** What is to be sent, unsigned: it is signed when it goes, and again when it goes again. */
export type Outgoing =
  /** Each body is canonical texts of events, joined by commas. */
  | { readonly type: "event_batch"; readonly id: string; readonly bodies: ReadonlyArray<string> }
  | { [T in keyof Payloads]: { readonly type: T; readonly id: string; readonly payload: Payloads[T] } }[keyof Payloads]

type Frames = ReadonlyArray<Outgoing>

/** Too large, or with something in it that the other side does not take. */
const isRefusal = ({ status }: HttpAnswer): boolean => status === 413 || status === 415 || status === 422

/** Longer texts of an engine's health are left out of a heartbeat that is refused. */
const LONGEST_HEALTH = 500
const LONGEST_ERROR = 500

/**
 * A function that sends frames until the other side has all that it takes. It answers the bytes of the largest body that was
 * taken, or null when a body was refused.
 */
export const pusher = (core: Core, wire: WireSession, post: (body: string) => Effect.Effect<HttpAnswer, LineDown>) => {
  const { book, log, outbox } = core

  const settle = (sent: Frames): void => {
    for (const { id, type } of sent) if (type === "event_batch") outbox.ack(id)
    book.confirm(sent.filter(({ type }) => type === "command_result").map(({ id }) => id))
  }

  const drop = ({ id, type }: Outgoing, answer: HttpAnswer): void => {
    if (type === "event_batch") outbox.giveUp(id)
    if (type === "command_result") book.confirm([id])
    const what = type === "event_batch" ? "an event" : `a message of the kind ${type}`
    log("warning", `the brain does not take ${what}; it was dropped. ${describeAnswer(answer, core.config.token)}`)
  }

  const push = (frames: Frames): Effect.Effect<number | null, LineDown> =>
    Effect.gen(function*() {
      const now = core.now()
      const texts = frames.map((frame) => seal(frame.type, frame.id, payloadOf(frame), wire, now))
      const body = JSON.stringify({ frames: texts })
      const bytes = Buffer.byteLength(body)
      const known = bytes > core.mostBodyBytes ? smaller(frames) : null // what has no parts is tried at any size
      if (known !== null) return yield* pushParts(frames, known)

      const answer = yield* post(body)
      if (!isRefusal(answer)) {
        yield* check(answer, frames.length)
        settle(frames)
        return bytes
      }
      const parts = smaller(frames)
      if (parts === null) {
        for (const frame of frames) drop(frame, answer)
        return null
      }
      const taken = yield* pushParts(frames, parts)
      // all parts were taken: the size was at fault, and not something in them
      if (taken !== null && answer.status === 413) core.mostBodyBytes = parts.length === 1 ? bytes - 1 : taken
      return null
    })

  const pushParts = (frames: Frames, parts: ReadonlyArray<Frames>) =>
    Effect.gen(function*() {
      const taken = yield* Effect.forEach(parts, push)
      if (frames.length === 1) settle(frames) // its parts are nobody's
      return taken.reduce((most, bytes) => most === null || bytes === null ? null : Math.max(most, bytes), 0)
    })

  const check = Effect.fnUntraced(function*(answer: HttpAnswer, sent: number) {
    if (answer.status !== 200) return yield* downBy(answer, core.config.token)
    const told = membersOf(answer.body)
    if (told?.error_code === "scheduler_upgrade_required") {
      return yield* new LineDown({ kind: "protocol", detail: "The brain wants a newer agent." })
    }
    if (told?.accepted !== sent) {
      return yield* connectionDown(`The brain took ${String(told?.accepted ?? "no").slice(0, 20)} of ${sent} messages.`)
    }
    core.proved = true
  })

  return push
}

const payloadOf = (frame: Outgoing): WirePayloads[Outgoing["type"]] =>
  frame.type === "event_batch" ? { events: frame.bodies.map((body) => new CanonicalText(body)) } : frame.payload

const inHalves = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const half = Math.ceil(all.length / 2)
  return [all.slice(0, half), all.slice(half)]
}

/** The parts of what is too large, which are sent one after the other in its place; null when it has none. */
const smaller = (frames: Frames): ReadonlyArray<Frames> | null => {
  if (frames.length > 1) return inHalves(frames)
  const [frame] = frames
  switch (frame?.type) {
    case "event_batch": {
      const events = frame.bodies.flatMap(eventsOf)
      if (events.length < 2) return null
      return inHalves(events).map((bodies) => [{ ...frame, id: `ev_${randomUUID().replaceAll("-", "")}`, bodies }])
    }
    case "heartbeat": {
      const health = Object.entries(frame.payload.adapter_health ?? {})
      const short = health.filter(([, text]) => text.length <= LONGEST_HEALTH)
      if (short.length === health.length) return null
      return [[{ ...frame, payload: { ...frame.payload, adapter_health: Object.fromEntries(short) } }]]
    }
    case "command_result": {
      const { error, result, status } = frame.payload
      if (result === null && (error ?? "").length <= LONGEST_ERROR) return null
      const cut = status === "failed" ? (error ?? "").slice(0, LONGEST_ERROR) : "It was done, but its answer is longer than the way to the brain takes."
      return [[{ ...frame, payload: { ...frame.payload, status: "failed", result: null, error: cut } }]]
    }
    default:
      return null
  }
}
