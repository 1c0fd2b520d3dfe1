import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import { JsonArray, type JsonNode, JsonObject, toValue } from "../domain/kernel/CanonicalJson.ts"
import { FrameRefusal, type SignedType } from "./Envelope.ts"
import type { EventBatchPayload } from "./Event.ts"
import * as Payload from "./Payload.ts"
import { agentStatusBounds, boundPayload, type Fields, heartbeatBounds } from "./PayloadBounds.ts"

/** A payload of which a bound may have taken a part. */
export interface Bounded {
  /** The fields that were truncated or left out, where there are any. */
  readonly altered?: ReadonlyArray<string>
}

const unaltered: Bounded = {}

/** The decoded payload of each signed frame. */
export interface Payloads {
  readonly event_batch: EventBatchPayload
  readonly event_batch_ack: typeof Payload.EventBatchAck.Type
  readonly heartbeat: typeof Payload.Heartbeat.Type & Bounded
  readonly agent_status: typeof Payload.AgentStatus.Type & Bounded
  readonly command: typeof Payload.Command.Type
  readonly command_ack: typeof Payload.CommandAck.Type
  readonly command_result: typeof Payload.CommandResult.Type
  readonly error: typeof Payload.ErrorReport.Type
  readonly registry_delta: typeof Payload.RegistryDelta.Type
}

/**
 * A decoder for small payloads. The fields named `lossless` reach the schema as nodes (an array as its items), the
 * others as plain values. Refusals name the field only: a value could be a secret.
 */
export const makePayloadDecoder = <A, I>(schema: Schema.Schema<A, I>, lossless: ReadonlyArray<string> = []) => {
  const decode = ParseResult.decodeUnknownEither(schema)
  return (payload: JsonObject): A | FrameRefusal => {
    if (lossless.length === 0 && payload.widest > Payload.MAX_KEYS) {
      return new FrameRefusal("bad_payload", `an object of more than ${Payload.MAX_KEYS} keys`)
    }
    const fields = payload.keys.map((key, index): [string, unknown] => {
      const node = payload.values[index]!
      return [key, lossless.includes(key) ? losslessField(node) : toValue(node)]
    })
    return Either.getOrElse(decode(Object.fromEntries(fields)), refusalOf)
  }
}

const refusalOf = (issue: ParseResult.ParseIssue): FrameRefusal => {
  const path = ParseResult.ArrayFormatter.formatIssueSync(issue)[0]?.path.join(".") ?? ""
  return new FrameRefusal("bad_payload", path.slice(0, 100))
}

/**
 * A decoder for payloads of which each optional field has a value for itself: one that does not fit costs that part, never
 * the frame. The `required` fields are refused as by `makePayloadDecoder`.
 */
export const makeBoundedDecoder = <A, I>(
  schema: Schema.Schema<A, I>,
  bounds: Fields,
  required: ReadonlyArray<string> = []
) => {
  const decodeWhole = makePayloadDecoder(schema)
  const decode = ParseResult.decodeUnknownEither(schema)
  return (payload: JsonObject): A & Bounded | FrameRefusal => {
    const whole = decodeWhole(payload)
    if (!(whole instanceof FrameRefusal)) return { ...whole, ...unaltered }
    const { altered, fields } = boundPayload(payload, required, bounds)
    return Either.match(decode(fields), {
      onLeft: refusalOf,
      onRight: (decoded) => ({ ...decoded, altered })
    })
  }
}

const losslessField = (node: JsonNode): unknown => {
  if (node instanceof JsonArray) return node.items
  return node instanceof JsonObject ? node : toValue(node)
}

const decodeEventBatch = (payload: JsonObject): EventBatchPayload | FrameRefusal => {
  const events = payload.get("events")
  return events instanceof JsonArray && events.items.length <= Payload.MAX_EVENTS
    ? { events: events.items }
    : new FrameRefusal("bad_payload", "events")
}

export const payloadDecoders: { readonly [T in SignedType]: (payload: JsonObject) => Payloads[T] | FrameRefusal } = {
  event_batch: decodeEventBatch,
  event_batch_ack: makePayloadDecoder(Payload.EventBatchAck),
  heartbeat: makeBoundedDecoder(Payload.Heartbeat, heartbeatBounds),
  agent_status: makeBoundedDecoder(Payload.AgentStatus, agentStatusBounds),
  command: makePayloadDecoder(Payload.Command, ["target", "parameters"]),
  command_ack: makePayloadDecoder(Payload.CommandAck),
  command_result: makePayloadDecoder(Payload.CommandResult, ["result"]),
  error: makePayloadDecoder(Payload.ErrorReport),
  registry_delta: makePayloadDecoder(Payload.RegistryDelta, ["added", "updated"])
}
