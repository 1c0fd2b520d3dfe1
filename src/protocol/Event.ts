/** One event of an `event_batch` (agents' protocol, section 4), read by plain code: agents send thousands a second. */
import { hash } from "node:crypto"
import { boundName, MAX_ENGINE_LENGTH, MAX_TASK_ID_LENGTH } from "../domain/kernel/BoundedName.ts"
import { asString, canonicalTextOf, type JsonNode, JsonObject } from "../domain/kernel/CanonicalJson.ts"
import type { AgentEvent, EventKind } from "../domain/kernel/TaskEvent.ts"
import { isTaskEventKind } from "../domain/kernel/TaskState.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { boundFields, boundValues, possibleTime } from "./EventBounds.ts"
import { MAX_FRAME_NODES, MAX_KEYS } from "./Payload.ts"

/** The vocabulary of section 4.1, and the kinds of our own (docs/task-logs.md). */
const KINDS: Readonly<Record<Exclude<EventKind, "task.reconciled">, null>> = {
  "task.sent": null,
  "task.received": null,
  "task.started": null,
  "task.succeeded": null,
  "task.failed": null,
  "task.retried": null,
  "task.revoked": null,
  "task.rejected": null,
  "task.log": null,
  "task.progress": null,
  "worker.online": null,
  "worker.offline": null,
  "worker.heartbeat": null,
  "queue.depth_report": null,
  "schedule.run_started": null,
  "schedule.run_completed": null,
  "schedule.created": null,
  "schedule.updated": null,
  "schedule.deleted": null,
  "schedule.snapshot": null,
  "unknown": null
}

export const isEventKind = (kind: string): kind is EventKind => Object.hasOwn(KINDS, kind)

/** By canonical text, so that a kind is found without decoding a string. */
const KIND_BY_TEXT = new Map<string, EventKind>(
  // The cast: the record has no other keys.
  Object.keys(KINDS).map((kind) => [`"${kind}"`, kind as EventKind])
)

/**
 * Why an event cannot be stored: it has no identity, or it is a publication of schedules, which is whole or nothing. A
 * closed set, for the label of a metric.
 */
export type UnusableReason = "not_an_object" | "too_many_keys" | "too_many_values"

/** `events` are unchecked nodes: an unusable event must not reject its neighbours. */
export interface EventBatchPayload {
  readonly events: ReadonlyArray<JsonNode>
  /** Events of a dense frame that its thread refused, by their place in `events`. */
  readonly refused?: ReadonlyMap<number, UnusableReason>
}

/** The engine of an event that names none. */
const UNKNOWN_ENGINE = "unknown"

const kindOf = (event: JsonObject): EventKind => {
  const node = event.get("kind")
  return (node === undefined ? undefined : KIND_BY_TEXT.get(canonicalTextOf(node))) ?? "unknown"
}

/** Publications have digests, so no part of them can be left out, and their own bounds. */
const isOfSchedule = (kind: EventKind): boolean => kind.startsWith("schedule.")

/** The event of a node, or why it is unusable. `arrivedAt`, epoch milliseconds, is its time where it has no possible one. */
export const readEvent = (node: JsonNode, arrivedAt: number): AgentEvent | UnusableReason => {
  const event = boundEvent(node, MAX_FRAME_NODES)
  return typeof event === "string" ? event : readBoundedEvent(event, arrivedAt)
}

/**
 * Fields that exceed a bound are changed and named in `svc_altered` of the data, whatever their values. A kind outside the
 * vocabulary is `unknown`. The id is a UUID in lower case with hyphens, the engine in lower case. Strings and `data` share
 * memory with the text of the frame.
 */
const readBoundedEvent = (event: JsonObject, arrivedAt: number): AgentEvent => {
  const altered: Array<string> = []
  const kind = kindOf(event)
  if (asString(event.get("kind")) === undefined) altered.push("kind")
  const sentId = normalizeUuid(asString(event.get("id")))
  if (sentId === undefined) altered.push("id")
  const sentEngine = asString(event.get("engine"))?.toLowerCase()
  const engine = boundName(sentEngine ?? UNKNOWN_ENGINE, MAX_ENGINE_LENGTH)
  if (engine !== sentEngine) altered.push("engine")
  const sentTaskId = taskIdOf(event)
  const taskId = boundName(sentTaskId, MAX_TASK_ID_LENGTH)
  if (taskId !== sentTaskId) altered.push("task_id")
  const time = possibleTime(asString(event.get("occurred_at")))
  if (time === undefined) altered.push("occurred_at")
  const data = event.get("data")
  if (!(data instanceof JsonObject)) altered.push("data")
  return {
    id: sentId ?? makeUuid(event.text),
    kind,
    engine,
    taskId,
    occurredAt: time ?? Timestamp.fromEpochMillis(arrivedAt),
    data: boundFields(data instanceof JsonObject ? data : null, isTaskEventKind(kind), altered)
  }
}

/** A number is an id as its digits. Any other value is none, as of an event that is not about a task. */
const taskIdOf = (event: JsonObject): string => {
  const node = event.get("task_id")
  if (node === undefined) return ""
  return asString(node) ?? (/^[-\d]/.test(canonicalTextOf(node)) ? canonicalTextOf(node) : "")
}

/** The id of an event without a valid one: the same when the agent sends it again. */
const makeUuid = (eventText: string): string => hyphenateUuid(hash("sha256", eventText, "hex").slice(0, 32))

/** The event within the bounds of one event, and with `most` values at most; or why it is unusable. */
export const boundEvent = (node: JsonNode, most: number): JsonObject | UnusableReason => {
  if (!(node instanceof JsonObject)) return "not_an_object"
  if (!isOfSchedule(kindOf(node))) return boundValues(node, most)
  if (node.widest > MAX_KEYS) return "too_many_keys"
  return node.nodes > most ? "too_many_values" : node // a part of a snapshot fills a frame
}

/** The events of a frame within its bound of values, or why each is unusable. */
export function* boundEvents({ events, refused }: EventBatchPayload): Generator<JsonObject | UnusableReason> {
  let left = MAX_FRAME_NODES
  for (const [index, node] of events.entries()) {
    const event = refused?.get(index) ?? boundEvent(node, left)
    if (typeof event !== "string") left -= event.nodes
    yield event
  }
}

/** The events of a frame that arrived at `arrivedAt`, epoch milliseconds, or why each is unusable. */
export const readEvents = (
  payload: EventBatchPayload,
  arrivedAt: number
): ReadonlyArray<AgentEvent | UnusableReason> =>
  Array.from(boundEvents(payload), (event) => typeof event === "string" ? event : readBoundedEvent(event, arrivedAt))

/** In lower case with hyphens. 32 digits without hyphens are valid too: Celery's worker-offline events have them. */
const normalizeUuid = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  if (text.length === 32) return normalizeUuid(hyphenateUuid(text))
  if (text.length !== 36) return undefined
  let upper = false
  for (let index = 0; index < 36; index++) {
    const code = text.charCodeAt(index)
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (code !== 45) return undefined // -
    } else if (code >= 65 && code <= 70) upper = true
    else if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return undefined
  }
  return upper ? text.toLowerCase() : text
}

const hyphenateUuid = (digits: string): string =>
  [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join("-")
