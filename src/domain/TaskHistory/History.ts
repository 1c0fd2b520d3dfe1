import type { AgentId } from "../Id.ts"
/** The stored parts of a task's events, and their order (docs/attempts.md). */
import { RANK, type TaskEventKind } from "../TaskState.ts"
import type { Timestamp } from "../Timestamp.ts"

/** One event, or one broker event that was reported under several ids. */
export interface HistoryEntry {
  readonly id: string
  readonly kind: TaskEventKind
  readonly at: Timestamp
  readonly agentId: AgentId
  /** The agent process that reported the event, on the unknown path; else empty, since only that path uses it. */
  readonly reporter: string
  readonly name: string
  readonly worker: string | null
  readonly republished: boolean
  readonly rest: string
  /** Of a failure (`Failure/Fingerprint.ts`); empty for other kinds, and for failures stored before there were any. */
  readonly signature: string
}

/** The latest value of one field on one path. `id` is the id of its event, also where its entry has a copy's id. */
export interface FieldValue {
  readonly entry: HistoryEntry
  readonly id: string
  readonly value: string
}

/** `apply` changes it in place: a history is not shared. */
export interface History {
  /** In the order of `compareEntries`. */
  readonly entries: Array<HistoryEntry>
  /** At the index of `factSlot`. */
  readonly facts: Array<FieldValue | undefined>
}

export const NAMED_EVENTS = 0
export const BROKER_EVENTS = 1
export type EventSource = typeof NAMED_EVENTS | typeof BROKER_EVENTS

/** Celery's broker events do not have the task's name (agents' protocol, section 0, point 7). */
export const eventSourceOf = (name: string): EventSource => name.startsWith("<unknown") ? BROKER_EVENTS : NAMED_EVENTS

/** The index of the latest value of a field (by its number in STORED_FIELDS) on a path. */
export const factSlot = (fact: number, path: EventSource): number => fact * 2 + path

/** By time, then rank, then id: depends on the events alone. Negative when the left one is earlier. */
export const compareEntries = (left: HistoryEntry, right: HistoryEntry): number => {
  if (left.at !== right.at) return left.at < right.at ? -1 : 1
  const rank = RANK[left.kind] - RANK[right.kind]
  if (rank !== 0) return rank
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0
}

/** Whether two events are one event that its process reported under two ids. */
export const isSameTransition = (left: HistoryEntry, right: HistoryEntry): boolean =>
  left.kind === right.kind && left.at === right.at && left.name === right.name && left.worker === right.worker &&
  left.reporter === right.reporter
