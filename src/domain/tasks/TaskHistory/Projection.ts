/** From a history to the row: the table of docs/attempts.md. */
import {
  isTaskPriority,
  RANK,
  STATE_AFTER,
  type TaskEventKind,
  type TaskPriority,
  type TaskState
} from "../../kernel/TaskState.ts"
import { addSeconds, parse, type Timestamp } from "../../kernel/Timestamp.ts"
import { analyseHistory, type HistoryAnalysis } from "./Analysis.ts"
import type { Attempt, Transitions } from "./Attempts.ts"
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
import { hasLostStarts, WORKER_LOST } from "./LostStarts.ts"
import { countRetries, countStarts } from "./Past.ts"
import { findReconciledOutcome } from "./Reconciliation.ts"
import { countRepublications } from "./Republications.ts"
import { measureRuntime, readRuntime, receivedAtOf, type Run } from "./Runs.ts"
import { workerOf } from "./Workers.ts"

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

/** The row of a task with at least one event. It shows the latest run. */
export const computeTaskFields = (
  history: History,
  analysis: HistoryAnalysis = analyseHistory(history)
): TaskFields => {
  const { entries } = history
  const { runs } = analysis
  const run = runs.at(-1)!
  const { receipts } = run
  const last = run.attempts.at(-1)
  const retries = countRetries(run)
  const state = stateOf(
    history,
    last,
    receipts,
    (run.openRun?.republications ?? 0) + countRepublications(receipts) >= retries
  )
  const endEntry = last?.endEntry ?? null
  const lastAttemptValue = (name: StoredFieldName) =>
    last === undefined ? null : latestValueWithin(history, name, last, analysis)
  const outcome = findReconciledOutcome(entries, last)
  const shownState = outcome?.outcome ?? state
  const showsException = STATES_WITH_EXCEPTION.has(shownState)
  const priority = latestValue(history, "priority") ?? ""
  const args = latestValue(history, "args")
  const kwargs = latestValue(history, "kwargs")
  const reportedRuntime = endEntry === null ? null : readRuntime(lastAttemptValue("runtime_ms"))
  return {
    name: nameOf(history),
    queue: latestValue(history, "queue"),
    state: shownState,
    priority: isTaskPriority(priority) ? priority : "normal",
    // an event that has one of them had none of the other; null is for tasks whose events have no arguments at all
    args: args ?? (kwargs === null ? null : "[]"),
    kwargs: kwargs ?? (args === null ? null : "{}"),
    result: shownState === "success" ? jsonOrNull(lastAttemptValue("result")) : null,
    exception: outcome?.exception ?? (showsException ? lastAttemptValue("exception") : lostWorkersOf(run, shownState)),
    traceback: showsException ? lastAttemptValue("traceback") : null,
    retry_count: retries,
    eta: parse(latestValue(history, "eta") ?? "") ?? null,
    received_at: receivedAtOf(run),
    // the runtime is the worker's own measure, while the moments of two events can be of two clocks
    started_at: endEntry !== null && reportedRuntime !== null
      ? addSeconds(endEntry.at, -reportedRuntime / 1000)
      : last?.startEntry?.at ?? null,
    finished_at: outcome?.finished_at ?? endEntry?.at ?? null,
    runtime_ms: endEntry === null || outcome !== null
      ? null
      : reportedRuntime ?? measureRuntime(last?.startEntry ?? null, endEntry),
    worker_name: runs.length === 1 ? workerOf(entries) : workerOf(entriesOfRun(entries, run)),
    parent_task_id: latestValue(history, "parent_task_id"),
    root_task_id: latestValue(history, "root_task_id"),
    tags: tagsOf(latestValue(history, "tags")),
    first_event_at: run.firstAt ?? entries[0]!.at
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

/** The entries since the first transition of the latest run. */
const entriesOfRun = (entries: ReadonlyArray<HistoryEntry>, { attempts }: Run): ReadonlyArray<HistoryEntry> => {
  const first = attempts[0]?.transitions[0]
  return first === undefined ? [] : entries.filter((entry) => compareEntries(entry, first) >= 0)
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

const nameOf = ({ entries, past }: History): string =>
  entries.findLast((entry) => eventSourceOf(entry.name) === NAMED_EVENTS)?.name ?? past?.name ?? entries.at(-1)!.name

/** A message that kills its worker each time shows no end of its own. */
const lostWorkersOf = (run: Run, state: TaskState): string | null =>
  state === "started" && hasLostStarts(run.attempts) ? `${WORKER_LOST}: ${countStarts(run)} starts, no end` : null

const jsonOrNull = (json: string | null): string | null => json === "null" ? null : json

const tagsOf = (json: string | null): ReadonlyArray<string> => {
  const tags: unknown = json === null ? [] : JSON.parse(json)
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []
}
