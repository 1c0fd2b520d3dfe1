/** One event of an `event_batch` (agents' protocol, section 4), read by plain code: agents send thousands a second. */
import {
  asString,
  canonicalTextOf,
  extentOf,
  type JsonNode,
  JsonObject,
  JsonString
} from "../../domain/CanonicalJson.ts"
import type { AgentEvent, EventKind } from "../../domain/TaskEvent.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { MAX_EVENT_NODES, MAX_FRAME_NODES, MAX_KEYS } from "./Payload.ts"

/** The vocabulary of section 4.1. */
const KINDS: Readonly<Record<Exclude<EventKind, "task.reconciled">, null>> = {
  "task.sent": null,
  "task.received": null,
  "task.started": null,
  "task.succeeded": null,
  "task.failed": null,
  "task.retried": null,
  "task.revoked": null,
  "task.rejected": null,
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

/** Why an event cannot be stored. A closed set, for the label of a metric. */
export type UnusableReason =
  | "not_an_object"
  | "bad_id"
  | "bad_kind"
  | "bad_engine"
  | "bad_task_id"
  | "bad_time"
  | "absurd_time"
  | "bad_data"
  | "nul_character"
  | "too_many_keys"
  | "too_many_values"

/** `events` are unchecked nodes: an unusable event must not reject its neighbours. */
export interface EventBatchPayload {
  readonly events: ReadonlyArray<JsonNode>
  /** Events of a dense frame that its thread refused, by their place in `events`. */
  readonly refused?: ReadonlyMap<number, UnusableReason>
}

const MAX_ENGINE_LENGTH = 40
const MAX_TASK_ID_LENGTH = 200

/** The years in which a task can have run: from 2000 to 2199. */
const EARLIEST = "2000-01-01"
const TOO_LATE = "2200-01-01"

/**
 * The event, or why it is unusable: then it is counted and acknowledged as rejected. A kind outside the vocabulary is
 * `unknown`. The id is a UUID in lower case with hyphens, the engine in lower case and at most 40 characters, the task
 * id at most 200. Strings and `data` share memory with the text of the frame.
 */
export const readEvent = (node: JsonNode): AgentEvent | UnusableReason => {
  if (!(node instanceof JsonObject)) return "not_an_object"
  if (node.widest > MAX_KEYS) return "too_many_keys"
  const id = normalizeUuid(asString(node.get("id")))
  if (id === undefined) return "bad_id"
  const kindNode = node.get("kind")
  if (asString(kindNode) === undefined) return "bad_kind"
  const kind = KIND_BY_TEXT.get(canonicalTextOf(kindNode!)) ?? "unknown"
  // a part of a snapshot fills a frame
  if (node.nodes > (kind === "schedule.snapshot" ? MAX_FRAME_NODES : MAX_EVENT_NODES)) return "too_many_values"
  const engine = asString(node.get("engine"))?.toLowerCase()
  if (engine === undefined || engine.length > MAX_ENGINE_LENGTH) return "bad_engine"
  const taskId = asString(node.get("task_id"))
  if (taskId === undefined || taskId.length > MAX_TASK_ID_LENGTH) return "bad_task_id"
  const occurredAt = Timestamp.parse(asString(node.get("occurred_at")) ?? "")
  if (occurredAt === undefined) return "bad_time"
  if (occurredAt < EARLIEST || occurredAt >= TOO_LATE) return "absurd_time"
  const data = node.get("data")
  if (!(data instanceof JsonObject)) return "bad_data"
  if (hasNul(node, "engine") || hasNul(node, "task_id")) return "nul_character"
  // These members of `data` become columns, where PostgreSQL accepts no NUL.
  if (hasNul(data, "task_name") || hasNul(data, "queue") || hasNul(data, "worker")) return "nul_character"
  return { id, kind, engine, taskId, occurredAt, data }
}

/** The events of a frame, or why each is unusable. Events beyond the frame's bound of values are unusable. */
export const readEvents = ({ events, refused }: EventBatchPayload): ReadonlyArray<AgentEvent | UnusableReason> => {
  let left = MAX_FRAME_NODES
  return events.map((node, at) => {
    const event = refused?.get(at) ?? readEvent(node)
    if (typeof event === "string") return event
    const { nodes: count } = extentOf(node)
    if (count > left) return "too_many_values"
    left -= count
    return event
  })
}

/** JSON writes a NUL only as an escape, so most strings need no search. */
const hasNul = (object: JsonObject, key: string): boolean => {
  const node = object.get(key)
  return node instanceof JsonString && node.value.includes("\0")
}

/** In lower case with hyphens. 32 digits without hyphens are valid too: Celery's worker-offline events have them. */
const normalizeUuid = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  if (text.length === 32) return hyphenateUuid(text)
  if (text.length !== 36) return undefined
  let upper = false
  for (let at = 0; at < 36; at++) {
    const code = text.charCodeAt(at)
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (code !== 45) return undefined // -
    } else if (code >= 65 && code <= 70) upper = true
    else if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return undefined
  }
  return upper ? text.toLowerCase() : text
}

const hyphenateUuid = (digits: string): string | undefined =>
  normalizeUuid(
    `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`
  )
