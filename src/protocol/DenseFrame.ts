/**
 * Frames of very many values, which take a thread of their own (`gateway/DenseFrame.worker.ts`): a frame of 1 MiB can
 * hold 500 000 values or 120 000 keys, and takes up to 0.3 s to parse. The thread verifies the frame, leaves out what exceeds
 * the bounds (`Payload.MAX_EVENT_NODES` and so on), and leaves what the event loop can parse in short pieces.
 */
import type { KeyObject } from "node:crypto"
import { JsonArray, type JsonNode, JsonObject, parse, ParseFailure } from "../domain/kernel/CanonicalJson.ts"
import { FrameRefusal, type SignedType } from "./Envelope.ts"
import { boundEvents, type UnusableReason } from "./Event.ts"
import {
  AGENT_FRAME_TYPES,
  type AgentFrame,
  checkReplay,
  type VerifiedFrame,
  verifyFrame,
  type WireSession
} from "./Frame.ts"
import { MAX_FRAME_NODES } from "./Payload.ts"
import { payloadDecoders } from "./PayloadDecoder.ts"
import { type SignatureContext, Signer } from "./Signing.ts"

export interface DenseFrameRequest {
  readonly text: string
  readonly key: KeyObject
  readonly ids: SignatureContext
}

/** The thread's result for a dense frame; texts are canonical JSON. */
export type DenseFrameResponse =
  | { readonly kind: "refused"; readonly reason: FrameRefusal["reason"]; readonly field: string | undefined }
  | {
    readonly kind: "event_batch"
    readonly id: string
    /** The members of the frame that the replay checks read. */
    readonly head: string
    /** Each event, or why it is unusable. */
    readonly events: ReadonlyArray<{ readonly text: string } | { readonly reason: UnusableReason }>
  }
  | {
    readonly kind: "other"
    readonly type: SignedType
    readonly id: string
    readonly head: string
    readonly payload: string
  }

/** Runs in the thread. */
export const readDenseFrame = ({ ids, key, text }: DenseFrameRequest): DenseFrameResponse => {
  const verified = verifyFrame(text, new Signer(key, ids), AGENT_FRAME_TYPES)
  if (verified instanceof FrameRefusal) return refusedAs(verified)
  const head = headOf(verified)
  const { id, payload, type } = verified
  if (type !== "event_batch") {
    // an agent sends a refused result again at each connection, and its events would wait behind it
    const isRefused = type !== "command_result" && payload.nodes > MAX_FRAME_NODES
    if (isRefused) return refusedAs(new FrameRefusal("bad_payload", `more than ${MAX_FRAME_NODES} values`))
    return { kind: "other", type, id, head, payload: payload.text }
  }
  const decoded = payloadDecoders.event_batch(payload)
  if (decoded instanceof FrameRefusal) return refusedAs(decoded)
  const events = Array.from(
    boundEvents(decoded),
    (event) => typeof event === "string" ? { reason: event } : { text: event.text }
  )
  return { kind: "event_batch", id, head, events }
}

const refusedAs = ({ field, reason }: FrameRefusal): DenseFrameResponse => ({ kind: "refused", reason, field })

/** The members that the replay checks read; further members of a frame could be as large as its payload. */
const HEAD_KEYS: ReadonlySet<string> = new Set(["seq", "nonce", "ts"])

const headOf = ({ frame }: VerifiedFrame): string =>
  `{${frame.keys.flatMap((key, index) => HEAD_KEYS.has(key) ? [frame.memberText(index)] : []).join(",")}}`

/** Values that the event loop parses in one turn, about 10 ms. */
const SLICE_NODES = 10_000

const parseText = (text: string): JsonNode => {
  const node = parse(text)
  if (node instanceof ParseFailure) throw new Error("a canonical text could not be parsed")
  return node
}

/**
 * Decodes the frame in pieces; the caller yields to the event loop between them. `now` is when the frame arrived, epoch
 * milliseconds.
 */
export function* decodeDenseFrame(
  response: DenseFrameResponse,
  session: WireSession,
  now: number
): Generator<void, AgentFrame | FrameRefusal, void> {
  if (response.kind === "refused") return new FrameRefusal(response.reason, response.field)
  const head = parseText(response.head)
  if (!(head instanceof JsonObject)) return new FrameRefusal("malformed")
  const refusal = checkReplay(head, session.guard, now)
  if (refusal !== undefined) return refusal
  if (response.kind === "other") {
    const payload = parseText(response.payload)
    const decoded = payload instanceof JsonObject
      ? payloadDecoders[response.type](payload)
      : new FrameRefusal("malformed", "payload")
    if (decoded instanceof FrameRefusal) return decoded
    // The cast: the thread accepts only types that agents send, and the decoder was picked by the type.
    return { type: response.type, id: response.id, payload: decoded } as AgentFrame
  }
  const events: Array<JsonNode> = []
  const refused = new Map<number, UnusableReason>()
  let nodes = 0
  for (const [index, event] of response.events.entries()) {
    if ("reason" in event) {
      refused.set(index, event.reason)
      events.push("null")
      continue
    }
    const node = parseText(event.text)
    events.push(node)
    nodes += node instanceof JsonObject || node instanceof JsonArray ? node.nodes : 1
    if (nodes < SLICE_NODES) continue
    nodes = 0
    yield
  }
  return { type: "event_batch", id: response.id, payload: { events, refused } }
}
