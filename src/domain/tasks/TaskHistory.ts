/**
 * A task's row and timeline as pure functions of the set of its distinct events (docs/attempts.md).
 *
 * Plain code: an event of a hot stream passes through `apply` and `computeTaskFields`. Both are total.
 */
import { RANK } from "../kernel/TaskState.ts"
import {
  readTaskEvent,
  STORED_FIELDS,
  type StoredFieldName,
  type TaskEvent,
  type TaskEventReading
} from "./TaskHistory/Event.ts"
import {
  BROKER_EVENTS,
  compareEntries,
  eventSourceOf,
  factSlot,
  type FieldValue,
  type History,
  type HistoryEntry,
  isSameTransition
} from "./TaskHistory/History.ts"

export { listAlteredFields } from "./TaskHistory/Altered.ts"
export { analyseHistory as analyse, type HistoryAnalysis as Analysis } from "./TaskHistory/Analysis.ts"
export { describeLatestRun, type NumberedAttempt } from "./TaskHistory/AttemptList.ts"
export { decodeHistory as decode, encodeHistory as encode } from "./TaskHistory/Codec.ts"
export type { TaskEvent } from "./TaskHistory/Event.ts"
export { type FailedAttempt, hasFailed, listFailedAttempts } from "./TaskHistory/Failures.ts"
export type { History } from "./TaskHistory/History.ts"
export { compactHistory, countStarts } from "./TaskHistory/Past.ts"
export { computeTaskFields, countEnds, type TaskFields } from "./TaskHistory/Projection.ts"
export { findOpenEntry } from "./TaskHistory/Reconciliation.ts"
export { countReports, hasTwoPaths } from "./TaskHistory/Reports.ts"
export { countRuns, listRuns, type NumberedRun } from "./TaskHistory/RunList.ts"
export { endOfRun, firstStartOf, receivedAtOf, type Run } from "./TaskHistory/Runs.ts"
export { buildTimeline, type TimelineEvent } from "./TaskHistory/Timeline.ts"
export { countEndsByWorker, type WorkerEnds } from "./TaskHistory/Workers.ts"

/**
 * Entries of a task in one transaction; ends may go over it by ENDS_BEYOND, so that a final state is never refused. The
 * writer stores fewer (`compactHistory`), unless the task has thousands of events of one attempt.
 */
export const MAX_ENTRIES = 5000
const ENDS_BEYOND = 24

/** `duplicate`: nothing changed. `full`: refused, and nothing changed. */
export type ApplyResult = "applied" | "duplicate" | "full"

export const emptyHistory = (): History => ({ entries: [], facts: [], past: null })

/** Adds an event of the task, in place. */
export const addEvent = (history: History, event: TaskEvent): ApplyResult => {
  if (history.past !== null && event.occurredAt < history.past.horizon) return "duplicate"
  const existing = history.entries[indexOf(history, event.id)]
  if (existing !== undefined) return applyResend(history, existing, event)
  const reading = readTaskEvent(event)
  const entry = entryOf(event, reading)
  const duplicateIndex = eventSourceOf(entry.name) === BROKER_EVENTS
    ? history.entries.findIndex((other) => isSameTransition(other, entry))
    : -1
  if (duplicateIndex >= 0) return applyDuplicate(history, duplicateIndex, entry, reading)
  if (history.entries.length >= MAX_ENTRIES && !canExceedLimit(history, entry)) return "full"
  insert(history.entries, entry)
  updateFacts(history, entry, entry.id, reading.facts)
  return "applied"
}

/**
 * A process may adopt the buffer of a dead one and send its events again. Of the two reporters the smaller one is
 * kept.
 */
const applyResend = (history: History, known: HistoryEntry, { reporter }: TaskEvent): ApplyResult => {
  if (reporter >= known.reporter) return "duplicate"
  replace(history, known, { ...known, reporter })
  return "applied"
}

const replace = (history: History, old: HistoryEntry, entry: HistoryEntry): void => {
  history.entries.splice(history.entries.indexOf(old), 1)
  insert(history.entries, entry)
  history.facts.forEach((fact, slot) => {
    if (fact?.entry === old) history.facts[slot] = { ...fact, entry }
  })
}

/** Compares the last character first: ids are slices of a frame, which are slow to compare as a whole. */
const indexOf = ({ entries }: History, id: string): number => {
  const end = id.length - 1
  const last = id.charCodeAt(end)
  for (let index = 0; index < entries.length; index++) {
    const known = entries[index]!.id
    if (known.charCodeAt(end) === last && known === id) return index
  }
  return -1
}

const entryOf = (event: TaskEvent, { name, republished, rest, signature, worker }: TaskEventReading): HistoryEntry => ({
  id: event.id,
  kind: event.kind,
  at: event.occurredAt,
  agentId: event.agentId,
  reporter: eventSourceOf(name) === BROKER_EVENTS ? event.reporter : "",
  name,
  worker,
  republished,
  rest,
  signature
})

const canExceedLimit = (history: History, entry: HistoryEntry): boolean =>
  RANK[entry.kind] === RANK["task.succeeded"] && history.entries.length < MAX_ENTRIES + ENDS_BEYOND

/** One broker event under a second id: the entry takes the smaller id, and its data compete like those of any event. */
const applyDuplicate = (
  history: History,
  index: number,
  copy: HistoryEntry,
  reading: TaskEventReading
): ApplyResult => {
  const entry = history.entries[index]!
  const isSmallerId = copy.id < entry.id
  if (isSmallerId) replace(history, entry, copy)
  return updateFacts(history, isSmallerId ? copy : entry, copy.id, reading.facts) || isSmallerId
    ? "applied"
    : "duplicate"
}

/** Inserts in order, from the end, since events mostly arrive in order. */
const insert = (entries: Array<HistoryEntry>, entry: HistoryEntry): void => {
  let index = entries.length
  while (index > 0 && compareEntries(entry, entries[index - 1]!) < 0) index--
  entries.splice(index, 0, entry)
}

/** Stores the values that are the latest of their field; returns whether there was one. */
const updateFacts = (
  { facts }: History,
  entry: HistoryEntry,
  id: string,
  values: ReadonlyArray<readonly [name: StoredFieldName, value: string]>
): boolean => {
  const path = eventSourceOf(entry.name)
  let changed = false
  for (const [name, value] of values) {
    const slot = factSlot(STORED_FIELDS[name], path)
    const current = facts[slot]
    if (current !== undefined && !isLater(entry, id, current)) continue
    facts[slot] = { entry, id, value }
    changed = true
  }
  return changed
}

/** Later time, then higher rank; of events that tie, the one with the smallest id. */
const isLater = (entry: HistoryEntry, id: string, current: FieldValue): boolean => {
  if (entry.at !== current.entry.at) return entry.at > current.entry.at
  const rank = RANK[entry.kind] - RANK[current.entry.kind]
  return rank !== 0 ? rank > 0 : id < current.id
}
