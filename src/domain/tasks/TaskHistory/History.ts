import type { AgentId } from "../../kernel/Id.ts"
/** The stored parts of a task's events, and their order (docs/attempts.md). */
import { RANK, type TaskEventKind, type TaskState } from "../../kernel/TaskState.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"

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
  /** Of a failure (`Failure/Fingerprint.ts`); empty for other kinds. */
  readonly signature: string
}

/** The latest value of one field on one path. `id` is the id of its event, also where its entry has a copy's id. */
export interface FieldValue {
  readonly entry: HistoryEntry
  readonly id: string
  readonly value: string
}

/** A run that has ended. */
export interface PastRun {
  readonly state: TaskState
  readonly received_at: Timestamp | null
  /** Of its last attempt; null: no start was reported. */
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp
  readonly attempts: number
  readonly retry_count: number
  readonly runtime_ms: number | null
  readonly worker_name: string | null
  /** Shortened; null unless it failed, or was revoked or rejected. */
  readonly exception: string | null
}

/** The attempts that were dropped of a run that continues in the entries. */
export interface OpenRun {
  readonly receivedAt: Timestamp | null
  readonly firstAt: Timestamp | null
  /** Of its first attempt. */
  readonly startedAt: Timestamp | null
  readonly starts: number
  readonly retries: number
  readonly republications: number
}

export interface Past {
  /** The time of the first entry that was kept. An earlier event is known: what it reports is counted here. */
  readonly horizon: Timestamp
  /** Oldest first. */
  readonly runs: ReadonlyArray<PastRun>
  /** How many runs came before those. */
  readonly earlierRunCount: number
  /** Null: the entries begin with a run. */
  readonly openRun: OpenRun | null
  /** The latest name of the named path in the dropped entries. */
  readonly name: string | null
  /** The latest failed attempt in them. */
  readonly failure: { readonly signature: string; readonly at: Timestamp } | null
}

/** `apply` changes it in place: a history is not shared. */
export interface History {
  /** In the order of `compareEntries`. */
  readonly entries: Array<HistoryEntry>
  /** At the index of `factSlot`. A value outlives its entry where that was dropped. */
  readonly facts: Array<FieldValue | undefined>
  /** What is kept of dropped entries; null: none was dropped. */
  readonly past: Past | null
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
