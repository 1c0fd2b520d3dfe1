/** The members of every frame, signed or not (agents' protocol, section 2.1), and the reasons for a refusal. */
import { asString, canonicalTextOf, JsonObject, parse, ParseFailure } from "../domain/kernel/CanonicalJson.ts"
import { MAX_FRAME_BYTES } from "./Payload.ts"

/** A closed set, for the label of a metric and for log lines. */
export type RefusalReason =
  | "too_long"
  | "not_json"
  | "too_deep"
  | "lone_surrogate"
  | "number_overflow"
  | "malformed"
  | "version"
  | "unknown_type"
  | "unexpected_type"
  | "bad_signature"
  | "bad_seq"
  | "bad_nonce"
  | "bad_ts"
  | "stale"
  | "old_seq"
  | "replayed_nonce"
  | "bad_payload"

/** Each of them ends the session (agents' protocol, section 3.3). */
export class FrameRefusal {
  constructor(
    readonly reason: RefusalReason,
    /** The field of `malformed` and `bad_payload`. */
    readonly field?: string,
    /** For `stale`: how many seconds the sender's clock is ahead of ours, negative when behind. */
    readonly skewSeconds?: number
  ) {}
}

const SIGNED_TYPES = [
  "event_batch",
  "event_batch_ack",
  "heartbeat",
  "agent_status",
  "command",
  "command_ack",
  "command_result",
  "error",
  "registry_delta"
] as const
export type SignedType = typeof SIGNED_TYPES[number]
export type FrameType = SignedType | "hello" | "hello_ack"

/** By canonical text, so that a frame's type is found without decoding a string. */
const TYPE_BY_TEXT = new Map<string, FrameType>(
  [...SIGNED_TYPES, "hello" as const, "hello_ack" as const].map((type) => [`"${type}"`, type])
)

export interface Envelope {
  readonly type: FrameType
  readonly frame: JsonObject
  readonly payload: JsonObject
}

/** The first checks of section 3.3, up to the payload being an object. */
export const readEnvelope = (text: string): Envelope | FrameRefusal => {
  if (isTooLong(text)) return new FrameRefusal("too_long")
  const frame = parse(text)
  if (frame instanceof ParseFailure) return new FrameRefusal(frame.reason === "syntax" ? "not_json" : frame.reason)
  if (!(frame instanceof JsonObject)) return new FrameRefusal("malformed")
  const version = frame.get("v")
  if (version !== "2") return isInt(version) ? new FrameRefusal("version") : new FrameRefusal("malformed", "v")
  const typeNode = frame.get("type")
  if (asString(typeNode) === undefined) return new FrameRefusal("malformed", "type")
  const type = TYPE_BY_TEXT.get(canonicalTextOf(typeNode!))
  if (type === undefined) return new FrameRefusal("unknown_type")
  const payload = frame.get("payload")
  return payload instanceof JsonObject ? { type, frame, payload } : new FrameRefusal("malformed", "payload")
}

/** Shorter texts cannot hold enough values to matter. */
const MIN_DENSE_LENGTH = 32_768

/** Commas and opening brackets, about one a value. A frame of 2 000 short events has 38 000; the worst of 40 000 takes 50 ms. */
const MAX_MARKS = 40_000

/** Whether a text of so many units, UTF-8 or UTF-16, has so many values that a thread should decode it. */
export const isDense = (units: ArrayLike<number>, length: number): boolean => {
  if (length < MIN_DENSE_LENGTH) return false
  let marks = 0
  for (let index = 0; index < length; index++) {
    const unit = units[index]
    if (unit === 44 || unit === 91 || unit === 123) marks++ // , [ {
  }
  return marks > MAX_MARKS
}

const isInt = (node: JsonObject["values"][number] | undefined): boolean =>
  typeof node === "string" && /^-?\d+$/.test(node)

/** A UTF-16 unit is at most three bytes, so most texts need no count. */
const isTooLong = (text: string): boolean =>
  text.length * 3 > MAX_FRAME_BYTES && Buffer.byteLength(text) > MAX_FRAME_BYTES

/** The frame's id: 1 to 64 characters that a database can store. Shares memory with the frame's text. */
export const frameId = (frame: JsonObject): string | undefined => {
  const id = asString(frame.get("id"))
  return id !== undefined && id.length >= 1 && id.length <= 64 && !id.includes("\0") ? id : undefined
}
