/**
 * Decodes and encodes signed frames, by plain functions because every message passes here. A text becomes a frame only
 * after every check of the agents' protocol, section 3.3, in the order given there.
 */
import type { KeyObject } from "node:crypto"
import {
  asInt,
  asString,
  canonicalize,
  type CanonicalText,
  type JsonInput,
  type JsonObject,
  ownString
} from "../domain/kernel/CanonicalJson.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { frameId, FrameRefusal, type FrameType, readEnvelope, type SignedType } from "./Envelope.ts"
import { generateNonce } from "./Nonce.ts"
import type * as Payload from "./Payload.ts"
import { payloadDecoders, type Payloads } from "./PayloadDecoder.ts"
import { ReplayGuard } from "./ReplayGuard.ts"
import { type SignatureContext, Signer } from "./Signing.ts"

/** One end's state of a session: key, seq and replay guard. It ends with the session. */
export class WireSession {
  readonly signer: Signer
  readonly guard = new ReplayGuard()
  private seq = 0

  constructor(readonly key: KeyObject, readonly ids: SignatureContext) {
    this.signer = new Signer(key, ids)
  }

  nextSeq(): number {
    return ++this.seq
  }
}

/** A frame of one of the types `T`. Strings share memory with the text that it was decoded from. */
export type FrameOf<T extends SignedType> = {
  readonly [K in T]: { readonly type: K; readonly id: string; readonly payload: Payloads[K] }
}[T]

/** Frames that an agent may send after the handshake. */
export type AgentFrame = FrameOf<
  "event_batch" | "heartbeat" | "agent_status" | "command_ack" | "command_result" | "error" | "registry_delta"
>

/** Frames that the brain may send. */
export type BrainFrame = FrameOf<"event_batch_ack" | "command" | "heartbeat" | "error">

export const AGENT_FRAME_TYPES: ReadonlySet<FrameType> = new Set<AgentFrame["type"]>([
  "event_batch",
  "heartbeat",
  "agent_status",
  "command_ack",
  "command_result",
  "error",
  "registry_delta"
])

const BRAIN_FRAME_TYPES: ReadonlySet<FrameType> = new Set<BrainFrame["type"]>([
  "event_batch_ack",
  "command",
  "heartbeat",
  "error"
])

/** Decodes an agent's message; `now` is epoch milliseconds. Never throws. */
export const decodeAgentFrame = (text: string, session: WireSession, now: number): AgentFrame | FrameRefusal =>
  // The cast: a frame of another type than FROM_AGENT's is refused.
  decodeFrame(text, session, now, AGENT_FRAME_TYPES) as AgentFrame | FrameRefusal

/** Decodes the brain's message. */
export const decodeBrainFrame = (text: string, session: WireSession, now: number): BrainFrame | FrameRefusal =>
  // The cast: a frame of another type than FROM_BRAIN's is refused.
  decodeFrame(text, session, now, BRAIN_FRAME_TYPES) as BrainFrame | FrameRefusal

const decodeFrame = (
  text: string,
  session: WireSession,
  now: number,
  accepted: ReadonlySet<FrameType>
): FrameOf<SignedType> | FrameRefusal => {
  const verified = verifyFrame(text, session.signer, accepted)
  if (verified instanceof FrameRefusal) return verified
  const { frame, id, payload, type } = verified
  const refusal = checkReplay(frame, session.guard, now)
  if (refusal !== undefined) return refusal
  const decoded = payloadDecoders[type](payload)
  if (decoded instanceof FrameRefusal) return decoded
  // The cast: the decoder was picked by the type, a relation that TypeScript cannot follow.
  return { type, id, payload: decoded } as FrameOf<SignedType>
}

/** A frame whose signature holds; whether it is a replay is not known yet. */
export interface VerifiedFrame {
  readonly type: SignedType
  readonly id: string
  readonly frame: JsonObject
  readonly payload: JsonObject
}

/** The checks of section 3.3 that need nothing of the session but its key. */
export const verifyFrame = (
  text: string,
  signer: Signer,
  accepted: ReadonlySet<FrameType>
): VerifiedFrame | FrameRefusal => {
  const envelope = readEnvelope(text)
  if (envelope instanceof FrameRefusal) return envelope
  const { frame, payload, type } = envelope
  if (!accepted.has(type) || type === "hello" || type === "hello_ack") return new FrameRefusal("unexpected_type")
  if (!signer.verify(frame)) return new FrameRefusal("bad_signature")
  const id = frameId(frame)
  if (id === undefined) return new FrameRefusal("malformed", "id")
  if (type === "command_result" && !hasStatus(payload)) return new FrameRefusal("malformed", "status")
  return { type, id, frame, payload }
}

const hasStatus = (payload: JsonObject): boolean => {
  const status = asString(payload.get("status"))
  return status === "success" || status === "failed"
}

/** Longest valid nonce (agents' protocol, section 2.1). */
const MAX_NONCE_LENGTH = 32

/** The checks of section 3.3 that need the session's memory: seq, nonce and time. */
export const checkReplay = (frame: JsonObject, guard: ReplayGuard, now: number): FrameRefusal | undefined => {
  const seq = asInt(frame.get("seq"))
  if (seq === undefined || seq < 1) return new FrameRefusal("bad_seq")
  const nonceNode = frame.get("nonce")
  const nonceLength = asString(nonceNode)?.length ?? 0
  if (nonceNode === undefined || nonceLength < 1 || nonceLength > MAX_NONCE_LENGTH) return new FrameRefusal("bad_nonce")
  const ts = Timestamp.parse(asString(frame.get("ts")) ?? "")
  if (ts === undefined) return new FrameRefusal("bad_ts")
  const sentAt = Timestamp.toEpochMillis(ts)
  const reason = guard.accept(seq, ownString(nonceNode), sentAt, now)
  if (reason === undefined) return undefined
  return new FrameRefusal(reason, undefined, reason === "stale" ? (sentAt - now) / 1000 : undefined)
}

/** An object that is sent as it is: plain values, or canonical text. */
type WireObject = CanonicalText | { readonly [key: string]: JsonInput }

/** Payloads as they are on the wire. */
export interface WirePayloads {
  readonly event_batch: { readonly events: ReadonlyArray<WireObject> }
  readonly event_batch_ack: typeof Payload.EventBatchAck.Encoded
  readonly heartbeat: typeof Payload.Heartbeat.Encoded
  readonly agent_status: typeof Payload.AgentStatus.Encoded
  readonly command: Omit<typeof Payload.Command.Encoded, "target" | "parameters"> & {
    readonly target: WireObject
    readonly parameters: WireObject
  }
  readonly command_ack: typeof Payload.CommandAck.Encoded
  readonly command_result: Omit<typeof Payload.CommandResult.Encoded, "result"> & {
    readonly result?: WireObject | null
  }
  readonly error: typeof Payload.ErrorReport.Encoded
  readonly registry_delta: Omit<typeof Payload.RegistryDelta.Encoded, "added" | "updated"> & {
    readonly added?: ReadonlyArray<WireObject>
    readonly updated?: ReadonlyArray<WireObject>
  }
}

/**
 * The text of a signed frame. Frames of one session must be sent in the order of their encoding, because each takes the
 * next seq. `now` is epoch milliseconds.
 */
export const encodeFrame = <T extends SignedType>(
  type: T,
  id: string,
  payload: WirePayloads[T],
  session: WireSession,
  now: number
): string =>
  session.signer.sign({
    type,
    id,
    ts: Timestamp.fromEpochMillis(now),
    nonce: generateNonce(),
    seq: session.nextSeq(),
    payload: canonicalize(payload)
  })
