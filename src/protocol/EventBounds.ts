/**
 * A bound of an event takes the part that exceeds it, never the event: a large value becomes a note, a long name is truncated,
 * an impossible time is null. `svc_altered` in the event's data then names the fields, and so the task says it.
 */
import { boundName, MAX_LABEL_LENGTH, MAX_TASK_ID_LENGTH, MAX_TASK_NAME_LENGTH } from "../domain/kernel/BoundedName.ts"
import {
  asString,
  canonicalTextOf,
  extentOf,
  JsonArray,
  type JsonNode,
  JsonObject,
  parse
} from "../domain/kernel/CanonicalJson.ts"
import { compareCodePoints } from "../domain/kernel/CanonicalJson/Shape.ts"
import { ALTERED, type EventData } from "../domain/kernel/TaskEvent.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { leftOutNote } from "../domain/tasks/LeftOut.ts"
import { MAX_EVENT_NODES, MAX_FRAME_NODES, MAX_KEYS } from "./Payload.ts"

/** The years in which a task can have run: from 2000 to 2199. */
const EARLIEST = "2000-01-01"
const TOO_LATE = "2200-01-01"
const MAX_RUNTIME_MILLIS = 200 * 366 * 86_400_000

/** The time, where a task can have run then. */
export const possibleTime = (text: string | undefined): Timestamp.Timestamp | undefined => {
  const time = Timestamp.parse(text ?? "")
  return time === undefined || time < EARLIEST || time >= TOO_LATE ? undefined : time
}

/** Names in the data that become columns, with their most UTF-16 units. */
const NAMES: ReadonlyArray<readonly [field: string, most: number]> = [
  ["task_name", MAX_TASK_NAME_LENGTH],
  ["queue", MAX_LABEL_LENGTH],
  ["worker", MAX_LABEL_LENGTH],
  ["parent_task_id", MAX_TASK_ID_LENGTH],
  ["root_task_id", MAX_TASK_ID_LENGTH]
]

/** Other names of workers and queues, in events that are not about a task. */
const SIDE_NAMES: typeof NAMES = [
  ...NAMES,
  ["worker_name", MAX_LABEL_LENGTH],
  ["hostname", MAX_LABEL_LENGTH],
  ["name", MAX_LABEL_LENGTH],
  ["queue_name", MAX_LABEL_LENGTH]
]

/** The only fields that are kept of an event whose scalars alone exceed a bound. */
const KEPT_FIELDS: ReadonlySet<string> = new Set([
  ...SIDE_NAMES.map(([field]) => field),
  "args",
  "kwargs",
  "result",
  "exception",
  "exception_message",
  "traceback",
  "reason",
  "runtime_ms",
  "priority",
  "tags",
  "eta",
  "depth",
  "lines",
  "dropped",
  "attempt",
  "progress",
  ALTERED
])

/** Names of fields that `svc_altered` has, and their characters: an agent writes it too. */
const MAX_ALTERED = 20
const MAX_ALTERED_LENGTH = 64

/** The members of an event besides its data. */
const EVENT_KEYS = ["engine", "id", "kind", "occurred_at", "task_id"]

/** Values of an event besides those of its data. */
const ENVELOPE_NODES = EVENT_KEYS.length + 1

const TOO_WIDE = leftOutNote(`an object of more than ${MAX_KEYS} keys`)
const TOO_MANY = leftOutNote(`more than ${MAX_EVENT_NODES} values`)
const TOO_MANY_IN_FRAME = leftOutNote(`more than ${MAX_FRAME_NODES} values in one message`)

/**
 * The event with at most `MAX_KEYS` keys of an object and `MAX_EVENT_NODES` values, of which the frame has `left`: the
 * same one, or one whose largest values are notes. Where its scalars alone are more, it keeps the fields that a task shows.
 */
export const boundValues = (event: JsonObject, left: number): JsonObject => {
  const allowed = Math.min(left, MAX_EVENT_NODES)
  if (event.widest <= MAX_KEYS && event.nodes <= allowed) return event
  const members = EVENT_KEYS.flatMap((key) => {
    const value = event.get(key)
    return value === undefined || extentOf(value).nodes > 1 ? [] : [`"${key}":${canonicalTextOf(value)}`]
  })
  const data = event.get("data")
  if (data instanceof JsonObject) {
    const note = left < MAX_EVENT_NODES ? TOO_MANY_IN_FRAME : TOO_MANY
    members.unshift(`"data":${boundData(data, allowed - ENVELOPE_NODES, note)}`)
  }
  const bounded = parse(`{${members.join(",")}}`)
  if (!(bounded instanceof JsonObject)) throw new Error("an event of canonical parts could not be parsed")
  return bounded
}

/** The canonical text of the data with at most `allowed` values, those of the largest fields being the note. */
const boundData = (data: JsonObject, allowed: number, note: string): string => {
  if (data.widest <= MAX_KEYS && data.nodes <= allowed) return data.text
  const fields = data.keys.flatMap((key, index) => key === ALTERED ? [] : [{ key, ...boundKeys(data.values[index]!) }])
  const altered = fields.flatMap(({ isReplaced, key }) => isReplaced ? [key] : [])
  let nodes = 1 + fields.reduce((sum, field) => sum + field.nodes, 0)
  for (const field of fields.toSorted((left, right) => right.nodes - left.nodes)) {
    if (nodes <= allowed || field.nodes === 1) break
    nodes -= field.nodes - 1
    field.text = JSON.stringify(note)
    altered.push(field.key)
  }
  const isReduced = fields.length > MAX_KEYS || nodes > allowed
  if (isReduced) altered.push("data")
  const members = new Map(
    fields.flatMap(({ key, text }) => !isReduced || KEPT_FIELDS.has(key) ? [[key, text] as const] : [])
  )
  members.set(ALTERED, alteredText(data, altered))
  const sorted = [...members].sort(([left], [right]) => compareCodePoints(left, right))
  return `{${sorted.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`
}

/** A value as canonical text, or the note where one of its objects has too many keys. */
const boundKeys = (value: JsonNode) => {
  const { nodes, widest } = extentOf(value)
  return widest > MAX_KEYS
    ? { text: JSON.stringify(TOO_WIDE), nodes: 1, isReplaced: true }
    : { text: canonicalTextOf(value), nodes, isReplaced: false }
}

/** The data with names and times within their bounds; `altered` are fields of the event that already were changed. */
export const boundFields = (data: JsonObject | null, isTask: boolean, altered: ReadonlyArray<string>): EventData => {
  if (data === null) return new Map([[ALTERED, alteredText(null, altered)]])
  const changes = new Map<string, string>()
  for (const [field, most] of isTask ? NAMES : SIDE_NAMES) {
    const name = asString(data.get(field))
    if (name === undefined) continue
    const bounded = boundName(name, most)
    if (bounded !== name) changes.set(field, JSON.stringify(bounded))
  }
  const eta = data.get("eta")
  if (eta !== undefined && eta !== "null" && possibleTime(asString(eta)) === undefined) changes.set("eta", "null")
  const runtime = data.get("runtime_ms")
  if (runtime !== undefined && Number(canonicalTextOf(runtime)) > MAX_RUNTIME_MILLIS) changes.set("runtime_ms", "null")
  if (changes.size === 0 && altered.length === 0) return data
  const bounded = new Map<string, string>()
  data.forEach((json, field) => {
    bounded.set(field, changes.get(field) ?? json)
  })
  return bounded.set(ALTERED, alteredText(data, [...altered, ...changes.keys()]))
}

/** `svc_altered` of the data with more fields. */
const alteredText = (data: JsonObject | null, more: ReadonlyArray<string>): string => {
  const before = data?.get(ALTERED)
  const known = before instanceof JsonArray
    ? before.items.slice(0, MAX_ALTERED).flatMap((item) => asString(item) ?? [])
    : []
  const fields = [...new Set([...known, ...more])].slice(0, MAX_ALTERED)
  return JSON.stringify(fields.map((field) => boundName(field, MAX_ALTERED_LENGTH)).sort())
}
