/**
 * A bound of a hello, heartbeat or agent_status takes the part that exceeds it, never the frame: a long text is truncated, a
 * number is moved to its bound, and what is of another type or form is left out. Only used where a payload does not fit
 * its schema as it is.
 */
import { boundName } from "../domain/kernel/BoundedName.ts"
import { JsonArray, type JsonNode, JsonObject, toValue } from "../domain/kernel/CanonicalJson.ts"
import { isStorable } from "../domain/kernel/Text.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { MAX_KEYS } from "./Payload.ts"

/** Fields that were truncated or left out, by their path; at most `MAX_ALTERED`. */
type Altered = Set<string>

/** The value within its bound; undefined: nothing of it is kept. */
type Bound = (value: unknown, path: string, altered: Altered) => unknown

const MAX_ALTERED = 20

const note = (altered: Altered, path: string): void => {
  if (altered.size < MAX_ALTERED) altered.add(path.slice(0, 100).toWellFormed())
}

/** Nothing of the value is kept. */
const leaveOut = (altered: Altered, path: string): undefined => {
  note(altered, path)
  return undefined
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

/** A text of so many characters; of a longer one its beginning with a hash, so that distinct ids stay distinct. */
const label = (most: number): Bound => (value, path, altered) => {
  if (typeof value !== "string") return isNothing(value) ? null : leaveOut(altered, path)
  if (Array.from(value).length <= most && isStorable(value)) return value
  note(altered, path)
  return boundName(value, most)
}

/** A text that is compared with others: a part of it would name another thing. */
const whole = (most: number): Bound => (value, path, altered) =>
  typeof value === "string" && Array.from(value).length <= most && isStorable(value) ? value : leaveOut(altered, path)

const anyText: Bound = (value, path, altered) => typeof value === "string" ? value : leaveOut(altered, path)

const wholeNumber = (least: number, most: number): Bound => (value, path, altered) => {
  if (isNothing(value)) return null
  if (typeof value !== "bigint" && !Number.isInteger(value)) return leaveOut(altered, path)
  const bounded = Math.min(most, Math.max(least, Number(value)))
  if (bounded !== value) note(altered, path)
  return bounded
}

const anyNumber: Bound = (value, path, altered) =>
  isNothing(value) || typeof value === "number" ? value : leaveOut(altered, path)

const time: Bound = (value, path, altered) =>
  isNothing(value) || (typeof value === "string" && Timestamp.parse(value) !== undefined)
    ? value
    : leaveOut(altered, path)

const list = (of: Bound, most: number): Bound => (value, path, altered) => {
  if (!Array.isArray(value)) return isNothing(value) ? null : leaveOut(altered, path)
  if (value.length > most) note(altered, path)
  return value.slice(0, most).flatMap((item, index): ReadonlyArray<unknown> => {
    const bounded = of(item, `${path}.${index}`, altered)
    return isNothing(bounded) ? [] : [bounded]
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object of any keys. */
const record = (keys: Bound, of: Bound, most: number): Bound => (value, path, altered) => {
  if (!isRecord(value)) return isNothing(value) ? null : leaveOut(altered, path)
  const entries = Object.entries(value)
  if (entries.length > most) note(altered, path)
  return Object.fromEntries(
    entries.slice(0, most).flatMap(([key, item]): ReadonlyArray<readonly [string, unknown]> => {
      const [name, bounded] = [keys(key, `${path}.${key}`, altered), of(item, `${path}.${key}`, altered)]
      return typeof name === "string" && !isNothing(bounded) ? [[name, bounded]] : []
    })
  )
}

/** The bounds of a payload's optional fields; the required ones are left to its schema. */
export type Fields = Readonly<Record<string, Bound>>

const struct = (fields: Fields): Bound => (value, path, altered) => {
  if (!isRecord(value)) return isNothing(value) ? null : leaveOut(altered, path)
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, of]): ReadonlyArray<readonly [string, unknown]> => {
      const bounded = key in value ? of(value[key], `${path}.${key}`, altered) : undefined
      return bounded === undefined ? [] : [[key, bounded]]
    })
  )
}

const names = (most: number) => list(whole(128), most)
const count = wholeNumber(0, Number.MAX_SAFE_INTEGER)
const streak = wholeNumber(0, 1_000_000)

const telemetryLoss = struct({
  buffer_id: label(64),
  runtime_id: label(64),
  capacity_evicted_frames: count,
  content_rejected_frames: count,
  event_records: count,
  command_results: count,
  other_frames: count,
  unclassified_frames: count,
  adapter_events: record(whole(40), count, 32)
})

export const helloBounds: Fields = {
  agent_version: label(40),
  framework: label(40),
  engines: names(64),
  schedulers: names(64),
  capabilities: record(whole(128), list(whole(128), MAX_KEYS), MAX_KEYS),
  host: struct({ name: label(64), sources: record(whole(128), label(128), MAX_KEYS) }),
  worker_id: label(128),
  worker_role: label(32),
  worker_pid: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  worker_started_at: time,
  runtime_features: names(64)
}

export const heartbeatBounds: Fields = {
  buffer_size: count,
  last_flush_at: time,
  dropped_events: wholeNumber(0, 10_000_000),
  telemetry_loss: telemetryLoss,
  adapter_health: record(anyText, anyText, MAX_KEYS)
}

export const agentStatusBounds: Fields = {
  telemetry_loss: telemetryLoss,
  auth_failure_streak: streak,
  protocol_failure_streak: streak,
  connection_failure_streak: streak,
  last_successful_connect_at: time,
  current_session_age_seconds: anyNumber,
  buffer_depth: count,
  buffer_oldest_age_seconds: anyNumber,
  agent_version: label(40),
  protocol_version: whole(10),
  engines: names(32),
  schedulers: names(32)
}

/** A value with the first `MAX_KEYS` keys of each object: more would take the event loop long. */
const toNarrowValue = (node: JsonNode): unknown => {
  if (node instanceof JsonArray) return node.items.map(toNarrowValue)
  if (!(node instanceof JsonObject)) return toValue(node)
  const keys = node.keys.slice(0, MAX_KEYS + 1) // one more, which shows that there are more
  return Object.fromEntries(keys.map((key, index) => [key, toNarrowValue(node.values[index]!)]))
}

/** The payload with its optional fields within their bounds, and which of them were changed. Unknown fields are dropped. */
export const boundPayload = (payload: JsonObject, required: ReadonlyArray<string>, fields: Fields) => {
  const altered: Altered = new Set()
  const bounded: Array<readonly [string, unknown]> = []
  for (const [index, key] of payload.keys.entries()) {
    const of = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (of === undefined && !required.includes(key)) continue
    const value = toNarrowValue(payload.values[index]!)
    const kept = of === undefined ? value : of(value, key, altered)
    if (kept !== undefined) bounded.push([key, kept])
  }
  return { fields: Object.fromEntries(bounded), altered: [...altered] }
}
