/**
 * Sends frames over long-poll. A body that is refused as too large is sent in halves, down to single events, and the
 * accepted size is remembered (agents' protocol, section 1.2).
 */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import { encodeFrame, type WirePayloads, type WireSession } from "../../protocol/Frame.ts"
import { parseEvents } from "./BufferFile.ts"
import type { Core } from "./Core.ts"
import type { HttpResponse } from "./PlainHttp.ts"
import { describeResponse, failureOfResponse, parseMembers } from "./PollResponse.ts"
import { ConnectionFailed, connectionFailure } from "./Reconnect.ts"

type Payloads = Omit<WirePayloads, "event_batch">

/** An unsigned frame. It is signed each time that it is sent. */
export type Outgoing =
  /** Each body is canonical texts of events, joined by commas. */
  | { readonly type: "event_batch"; readonly id: string; readonly bodies: ReadonlyArray<string> }
  | { [T in keyof Payloads]: { readonly type: T; readonly id: string; readonly payload: Payloads[T] } }[keyof Payloads]

type Frames = ReadonlyArray<Outgoing>

/** Statuses for a body that is too large, or has a frame that the other side refuses. */
const isRefusal = ({ status }: HttpResponse): boolean => status === 413 || status === 415 || status === 422

/** Longer texts of an engine's health are removed from a refused heartbeat. */
const MAX_HEALTH_LENGTH = 500
const MAX_ERROR_LENGTH = 500

/**
 * A function that sends frames until the other side has accepted or refused each. It returns the bytes of the largest
 * accepted body, or null when a body was refused.
 */
export const makePush = (
  core: Core,
  wire: WireSession,
  post: (body: string) => Effect.Effect<HttpResponse, ConnectionFailed>
) => {
  const { journal, log, outbox } = core

  const acknowledge = (sent: Frames): void => {
    for (const { id, type } of sent) if (type === "event_batch") outbox.ack(id)
    journal.confirm(sent.filter(({ type }) => type === "command_result").map(({ id }) => id))
  }

  const drop = ({ id, type }: Outgoing, response: HttpResponse): void => {
    if (type === "event_batch") outbox.reject(id)
    if (type === "command_result") journal.confirm([id])
    const what = type === "event_batch" ? "an event" : `a message of the kind ${type}`
    log("warning", `the brain refused ${what}; it was dropped. ${describeResponse(response, core.config.token)}`)
  }

  const push = (frames: Frames): Effect.Effect<number | null, ConnectionFailed> =>
    Effect.gen(function*() {
      const now = core.now()
      const texts = frames.map((frame) => encodeFrame(frame.type, frame.id, payloadOf(frame), wire, now))
      const body = JSON.stringify({ frames: texts })
      const bytes = Buffer.byteLength(body)
      const splitBefore = bytes > core.maxBodyBytes ? splitFrames(frames) : null // a frame without parts is tried at any size
      if (splitBefore !== null) return yield* pushParts(frames, splitBefore)

      const response = yield* post(body)
      if (!isRefusal(response)) {
        yield* checkResponse(response, frames.length)
        acknowledge(frames)
        return bytes
      }
      const parts = splitFrames(frames)
      if (parts === null) {
        for (const frame of frames) drop(frame, response)
        return null
      }
      const acceptedBytes = yield* pushParts(frames, parts)
      // all parts were accepted, so the size was the cause
      if (acceptedBytes !== null && response.status === 413) {
        core.maxBodyBytes = parts.length === 1
          ? bytes - 1
          : acceptedBytes
      }
      return null
    })

  const pushParts = (frames: Frames, parts: ReadonlyArray<Frames>) =>
    Effect.gen(function*() {
      const acceptedBytes = yield* Effect.forEach(parts, push)
      if (frames.length === 1) acknowledge(frames) // its parts have no ids in the outbox
      return acceptedBytes.reduce((most, bytes) => most === null || bytes === null ? null : Math.max(most, bytes), 0)
    })

  const checkResponse = Effect.fnUntraced(function*(response: HttpResponse, sent: number) {
    if (response.status !== 200) return yield* failureOfResponse(response, core.config.token)
    const members = parseMembers(response.body)
    if (members?.error_code === "scheduler_upgrade_required") {
      return yield* new ConnectionFailed({ kind: "protocol", detail: "The brain requires a newer agent." })
    }
    if (members?.accepted !== sent) {
      return yield* connectionFailure(
        `The brain accepted ${String(members?.accepted ?? "no").slice(0, 20)} of ${sent} messages.`
      )
    }
    core.isVerified = true
  })

  return push
}

const payloadOf = (frame: Outgoing): WirePayloads[Outgoing["type"]] =>
  frame.type === "event_batch" ? { events: frame.bodies.map((body) => new CanonicalText(body)) } : frame.payload

const halve = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const half = Math.ceil(all.length / 2)
  return [all.slice(0, half), all.slice(half)]
}

/** The parts of frames that are too large, sent one after the other in their place; null when there are none. */
const splitFrames = (frames: Frames): ReadonlyArray<Frames> | null => {
  if (frames.length > 1) return halve(frames)
  const [frame] = frames
  switch (frame?.type) {
    case "event_batch": {
      const events = frame.bodies.flatMap(parseEvents)
      if (events.length < 2) return null
      return halve(events).map((bodies) => [{ ...frame, id: `ev_${randomUUID().replaceAll("-", "")}`, bodies }])
    }
    case "heartbeat": {
      const health = Object.entries(frame.payload.adapter_health ?? {})
      const shortEntries = health.filter(([, text]) => text.length <= MAX_HEALTH_LENGTH)
      if (shortEntries.length === health.length) return null
      return [[{ ...frame, payload: { ...frame.payload, adapter_health: Object.fromEntries(shortEntries) } }]]
    }
    case "command_result": {
      const { error, result, status } = frame.payload
      if (result === null && (error ?? "").length <= MAX_ERROR_LENGTH) return null
      const shortError = status === "failed"
        ? (error ?? "").slice(0, MAX_ERROR_LENGTH)
        : "The command was executed, but its result is longer than the path to the brain accepts."
      return [[{ ...frame, payload: { ...frame.payload, status: "failed", result: null, error: shortError } }]]
    }
    default:
      return null
  }
}
