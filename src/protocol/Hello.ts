/** The unsigned handshake of the WebSocket (agents' protocol, sections 2.2 and 2.3). */
import { canonicalize, type JsonObject } from "../domain/kernel/CanonicalJson.ts"
import { toCodeUnits } from "../domain/kernel/CanonicalJson/CodeUnits.ts"
import { frameId, FrameRefusal, isDense, readEnvelope } from "./Envelope.ts"
import * as Payload from "./Payload.ts"
import { helloBounds } from "./PayloadBounds.ts"
import { type Bounded, makeBoundedDecoder, makePayloadDecoder } from "./PayloadDecoder.ts"

export interface HelloFrame {
  readonly id: string
  readonly payload: typeof Payload.Hello.Type & Bounded
}

export interface HelloAckFrame {
  readonly id: string
  readonly payload: typeof Payload.HelloAck.Type
}

/**
 * Decodes an agent's first message. The caller refuses another `protocolVersion`, with its own close code.
 */
export const decodeHelloFrame = (text: string): HelloFrame | FrameRefusal =>
  decodeHandshakeFrame(text, "hello", decodeHelloPayload)

/** Decodes the brain's first message. */
export const decodeHelloAckFrame = (text: string): HelloAckFrame | FrameRefusal =>
  decodeHandshakeFrame(text, "hello_ack", decodeHelloAckPayload)

export const encodeHelloFrame = (id: string, payload: typeof Payload.Hello.Encoded): string =>
  canonicalize({ v: 2, type: "hello", id, ts: null, payload })

export const encodeHelloAckFrame = (id: string, payload: typeof Payload.HelloAck.Encoded): string =>
  canonicalize({ v: 2, type: "hello_ack", id, payload })

const decodeHelloPayload = makeBoundedDecoder(Payload.Hello, helloBounds, ["protocol_version"])
const decodeHelloAckPayload = makePayloadDecoder(Payload.HelloAck)

const decodeHandshakeFrame = <P>(
  text: string,
  type: "hello" | "hello_ack",
  decode: (payload: JsonObject) => P | FrameRefusal
): { readonly id: string; readonly payload: P } | FrameRefusal => {
  if (isDense(toCodeUnits(text), text.length)) return new FrameRefusal("bad_payload", "too many values")
  const envelope = readEnvelope(text)
  if (envelope instanceof FrameRefusal) return envelope
  if (envelope.type !== type) return new FrameRefusal("unexpected_type")
  const id = frameId(envelope.frame)
  if (id === undefined) return new FrameRefusal("malformed", "id")
  const payload = decode(envelope.payload)
  return payload instanceof FrameRefusal ? payload : { id, payload }
}
