/** What is kept of a task's events, and the order among them (docs/attempts.md). */
import { RANK, type TaskEventKind } from "../TaskState.ts"
import type { Timestamp } from "../Timestamp.ts"

/** One event, or one broker event that was reported under several ids. */
export interface Entry {
  readonly id: string
  readonly kind: TaskEventKind
  readonly at: Timestamp
  readonly agentId: string
  /** The agent process that reported it, on the unknown path; else empty, since it plays no part. */
  readonly reporter: string
  readonly name: string
  readonly worker: string | null
  readonly republished: boolean
  readonly rest: string
}

/** The latest value of one field on one path. `id` is the event's own, also where its entry carries another's. */
export interface Fact {
  readonly entry: Entry
  readonly id: string
  readonly value: string
}

/** Changed in place by `apply`: a history belongs to the one that decoded it. */
export interface History {
  /** By `order`. */
  readonly entries: Array<Entry>
  /** At `factSlot`. */
  readonly facts: Array<Fact | undefined>
}

export const NAMED_PATH = 0
export const UNKNOWN_PATH = 1
export type Path = typeof NAMED_PATH | typeof UNKNOWN_PATH

/** Celery's broker events do not have the task's name (agents' protocol, section 0, point 7). */
export const pathOf = (name: string): Path => name.startsWith("<unknown") ? UNKNOWN_PATH : NAMED_PATH

/** Where the latest value of a field (its number in FACTS) on a path is kept. */
export const factSlot = (fact: number, path: Path): number => fact * 2 + path

/** By moment, then rank, then id: an order of the events alone. Negative when the left one is the earlier. */
export const compareEntries = (left: Entry, right: Entry): number => {
  if (left.at !== right.at) return left.at < right.at ? -1 : 1
  const rank = RANK[left.kind] - RANK[right.kind]
  if (rank !== 0) return rank
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0
}

/** Whether two events are one that its process reported under two ids. */
export const isSameTransition = (left: Entry, right: Entry): boolean =>
  left.kind === right.kind && left.at === right.at && left.name === right.name && left.worker === right.worker &&
  left.reporter === right.reporter
