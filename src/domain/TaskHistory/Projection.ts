/** From a history to the row: the table of docs/attempts.md. */
import {
  isTaskPriority,
  RANK,
  STATE_AFTER,
  type TaskEventKind,
  type TaskPriority,
  type TaskState
} from "../TaskState.ts"
import { addSeconds, parse, type Timestamp } from "../Timestamp.ts"
import { analyseHistory, type Attempt, type HistoryAnalysis, type Transitions } from "./Attempts.ts"
import { isTransition, microsOf } from "./Deduplication.ts"
import { STORED_FIELDS, type StoredFieldName } from "./Event.ts"
import {
  BROKER_EVENTS,
  compareEntries,
  type EventSource,
  eventSourceOf,
  factSlot,
  type FieldValue,
  type History,
  type HistoryEntry,
  NAMED_EVENTS
} from "./History.ts"
import { findReconciledOutcome } from "./Reconciliation.ts"

/**
 * A task's fields as its events report them (interface, Task). `args`, `kwargs` and `result` are JSON text, null when
 * unknown; `runtime_ms` is whole milliseconds.
 */
export interface TaskFields {
  readonly name: string
  readonly queue: string | null
  readonly state: TaskState
  readonly priority: TaskPriority
  readonly args: string | null
  readonly kwargs: string | null
  readonly result: string | null
  readonly exception: string | null
  readonly traceback: string | null
  readonly retry_count: number
  readonly eta: Timestamp | null
  readonly received_at: Timestamp | null
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
  readonly runtime_ms: number | null
  readonly worker_name: string | null
  readonly parent_task_id: string | null
  readonly root_task_id: string | null
  readonly tags: ReadonlyArray<string>
  readonly first_event_at: Timestamp
}

/** The row of a task with at least one event. */
export const computeTaskFields = (
  history: History,
  analysis: HistoryAnalysis = analyseHistory(history)
): TaskFields => {
  const { entries } = history
  const { attempts } = analysis
  const last = attempts.at(-1)
  const receipts = entriesOfKind(entries, "task.received")
  const retries = attempts.reduce((count, attempt) => attempt.retryEntry === null ? count : count + 1, 0)
  const republications = countRepublications(receipts)
  const state = stateOf(history, last, receipts, republications >= retries)
  const endEntry = last?.endEntry ?? null
  const lastAttemptValue = (name: StoredFieldName) =>
    last === undefined ? null : latestValueWithin(history, name, last, analysis)
  const showsException = STATES_WITH_EXCEPTION.has(state)
  const reconciledOutcome = findReconciledOutcome(entries, last)
  const priority = latestValue(history, "priority") ?? ""
  const args = latestValue(history, "args")
  const kwargs = latestValue(history, "kwargs")
  const reportedRuntime = endEntry === null ? null : readRuntime(lastAttemptValue("runtime_ms"))
  return {
    name: nameOf(entries),
    queue: latestValue(history, "queue"),
    state: reconciledOutcome?.outcome ?? state,
    priority: isTaskPriority(priority) ? priority : "normal",
    // an event that has one of them had none of the other; null is for tasks whose events have no arguments at all
    args: args ?? (kwargs === null ? null : "[]"),
    kwargs: kwargs ?? (args === null ? null : "{}"),
    result: state === "success" ? jsonOrNull(lastAttemptValue("result")) : null,
    exception: reconciledOutcome?.exception ?? (showsException ? lastAttemptValue("exception") : null),
    traceback: showsException ? lastAttemptValue("traceback") : null,
    retry_count: Math.max(retries, republications),
    eta: parse(latestValue(history, "eta") ?? "") ?? null,
    received_at: receipts[0]?.at ?? null,
    // the runtime is the worker's own measure, while the moments of two events can be of two clocks
    started_at: endEntry !== null && reportedRuntime !== null
      ? addSeconds(endEntry.at, -reportedRuntime / 1000)
      : last?.startEntry?.at ?? null,
    finished_at: endEntry?.at ?? reconciledOutcome?.finished_at ?? null,
    runtime_ms: endEntry === null
      ? null
      : reportedRuntime ?? measureRuntime(last?.startEntry ?? null, endEntry),
    worker_name: workerOf(entries),
    parent_task_id: latestValue(history, "parent_task_id"),
    root_task_id: latestValue(history, "root_task_id"),
    tags: tagsOf(latestValue(history, "tags")),
    first_event_at: firstMomentOf(entries, [
      receipts[0],
      entriesOfKind(entries, "task.sent")[0],
      analysis.distinctEntries[0]
    ])
  }
}

/** Kinds that end an attempt, including a retry. */
export type EndKind = "task.retried" | "task.succeeded" | "task.failed" | "task.revoked" | "task.rejected"

/** The number of attempts by the kind of their end. */
export const countEnds = (history: History): Readonly<Record<EndKind, number>> => {
  const counts = { "task.retried": 0, "task.succeeded": 0, "task.failed": 0, "task.revoked": 0, "task.rejected": 0 }
  for (const { transitions } of analyseHistory(history).attempts) {
    for (const kind of new Set(transitions.map((entry) => entry.kind))) {
      if (isEndKind(kind)) counts[kind] += 1
    }
  }
  return counts
}

const isEndKind = (kind: TaskEventKind): kind is EndKind => RANK[kind] >= RANK["task.retried"]

/** The entries of the named path if there are any, else those of the unknown path. */
const entriesOfKind = (entries: ReadonlyArray<HistoryEntry>, kind: TaskEventKind): ReadonlyArray<HistoryEntry> => {
  const all = entries.filter((entry) => entry.kind === kind)
  if (all.length === 0) return all
  const named = all.filter((entry) => eventSourceOf(entry.name) === NAMED_EVENTS)
  return named.length > 0 ? named : all
}

/**
 * How often Celery published the task again for a retry; two reports of one moment count once. A first publication
 * under another name is `self.replace()`, which is not a retry.
 */
const countRepublications = (receipts: ReadonlyArray<HistoryEntry>): number => {
  let count = 0
  let previous = ""
  const names = new Set<string>()
  for (const { at, name, republished } of receipts) {
    if (at === previous) continue
    previous = at
    const replaces = names.size > 0 && !names.has(name)
    names.add(name)
    if (republished && !replaces) count++
  }
  return count
}

const STATES_WITH_EXCEPTION: ReadonlySet<TaskState> = new Set<TaskState>(["failure", "retry", "revoked", "rejected"])

const stateOf = (
  { entries }: History,
  last: Attempt | undefined,
  receipts: ReadonlyArray<HistoryEntry>,
  eachRetryRepublished: boolean
): TaskState => {
  if (last === undefined) {
    if (receipts.length > 0) return "received"
    return entries.some((entry) => entry.kind === "task.sent") ? "pending" : "unknown"
  }
  if (last.endEntry !== null) return STATE_AFTER[last.endEntry.kind]
  if (last.retryEntry === null) return "started"
  const received = receipts.at(-1)
  return eachRetryRepublished || (received !== undefined && received.at > last.retryEntry.at) ? "received" : "retry"
}

/** The latest value of the named path, else of the unknown one. */
const latestValue = ({ facts }: History, name: StoredFieldName): string | null => {
  const number = STORED_FIELDS[name]
  return (facts[factSlot(number, NAMED_EVENTS)] ?? facts[factSlot(number, BROKER_EVENTS)])?.value ?? null
}

/** `latestValue` among the events of the last attempt. */
const latestValueWithin = (
  history: History,
  name: StoredFieldName,
  last: Attempt,
  { original }: Transitions
): string | null => {
  const findFact = (path: EventSource): FieldValue | undefined => {
    const fact = history.facts[factSlot(STORED_FIELDS[name], path)]
    return fact !== undefined && compareEntries(original(fact.entry), last.transitions[0]!) >= 0 ? fact : undefined
  }
  return (findFact(NAMED_EVENTS) ?? findFact(BROKER_EVENTS))?.value ?? null
}

const nameOf = (entries: ReadonlyArray<HistoryEntry>): string =>
  (entries.findLast((entry) => eventSourceOf(entry.name) === NAMED_EVENTS) ?? entries.at(-1)!).name

const workerOf = (entries: ReadonlyArray<HistoryEntry>): string | null => {
  const at = (path: EventSource) =>
    entries.findLast((entry) => entry.worker !== null && isTransition(entry.kind) && eventSourceOf(entry.name) === path)
  return (at(NAMED_EVENTS) ?? at(BROKER_EVENTS))?.worker ?? null
}

const jsonOrNull = (json: string | null): string | null => json === "null" ? null : json

/** Longer runtimes are impossible: tasks run in the years from 2000 to 2199. */
const MAX_RUNTIME_MILLIS = 200 * 366 * 86_400_000

/** The reported runtime in whole milliseconds. */
const readRuntime = (reported: string | null): number | null => {
  const millis = reported === null ? NaN : Math.round(Number(reported))
  return millis >= 0 && millis <= MAX_RUNTIME_MILLIS ? millis : null
}

/** The time from start to end. Null where disagreeing clocks would give a negative runtime. */
const measureRuntime = (started: HistoryEntry | null, ended: HistoryEntry): number | null => {
  const micros = started === null ? -1 : microsOf(ended) - microsOf(started)
  return micros < 0 ? null : Math.round(micros / 1000)
}

const tagsOf = (json: string | null): ReadonlyArray<string> => {
  const tags: unknown = json === null ? [] : JSON.parse(json)
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []
}

const firstMomentOf = (
  entries: ReadonlyArray<HistoryEntry>,
  counted: ReadonlyArray<HistoryEntry | undefined>
): Timestamp => {
  const first = counted.reduce((least, entry) => least === undefined || (entry && entry.at < least.at) ? entry : least)
  return (first ?? entries[0]!).at
}
