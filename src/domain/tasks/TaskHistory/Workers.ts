/** The attempts of a task by worker. */
import { RANK, type TaskEventKind } from "../../kernel/TaskState.ts"
import { analyseHistory, type HistoryAnalysis } from "./Analysis.ts"
import type { Attempt } from "./Attempts.ts"
import { eventSourceOf, type History, type HistoryEntry, NAMED_EVENTS } from "./History.ts"

/** Attempts that ended at a worker, by outcome; `processed` counts all of them. */
export interface WorkerEnds {
  readonly worker: string
  readonly processed: number
  readonly succeeded: number
  readonly failed: number
  readonly retried: number
}

/**
 * One entry per worker. Like the row it depends on the set of the task's events alone, so the sum over all tasks does
 * not depend on the order of arrival. An attempt counts for the worker that its latest event names, the named path
 * first.
 */
export const countEndsByWorker = (
  history: History,
  analysis: HistoryAnalysis = analyseHistory(history)
): ReadonlyArray<WorkerEnds> => {
  const { attempts, original } = analysis
  if (attempts.length === 0) return noEnds
  const workers = attempts.length === 1 ? [workerOf(history.entries)] : workersOf(history, attempts, original)
  const ends: Array<WorkerEnds> = []
  attempts.forEach(({ endEntry, retryEntry, transitions }, attemptIndex) => {
    const worker = workers[attemptIndex] ?? null
    if (worker === null || (endEntry === null && retryEntry === null)) return
    const index = ends.findIndex((one) => one.worker === worker)
    if (index < 0) ends.push(addAttempt({ worker, processed: 0, succeeded: 0, failed: 0, retried: 0 }, transitions))
    else ends[index] = addAttempt(ends[index]!, transitions)
  })
  return ends
}

const noEnds: ReadonlyArray<WorkerEnds> = []

const workersOf = (
  { entries }: History,
  attempts: ReadonlyArray<Attempt>,
  original: HistoryAnalysis["original"]
): ReadonlyArray<string | null> => {
  const reportsByEntry = new Map<HistoryEntry, Array<HistoryEntry>>()
  const reports = attempts.map(({ transitions }) => {
    const attemptReports: Array<HistoryEntry> = []
    for (const entry of transitions) reportsByEntry.set(entry, attemptReports)
    return attemptReports
  })
  for (const entry of entries) reportsByEntry.get(original(entry))?.push(entry)
  return reports.map(workerOf)
}

/** The worker of the last event of the named path that names one, else of the last event that does. */
export const workerOf = (entries: ReadonlyArray<HistoryEntry>): string | null => {
  let worker: string | null = null
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!
    if (!hasWorker(entry)) continue
    if (eventSourceOf(entry.name) === NAMED_EVENTS) return entry.worker
    worker ??= entry.worker
  }
  return worker
}

/** Not `received`: there Dramatiq names the process that enqueued the task. */
const hasWorker = (entry: HistoryEntry): boolean =>
  entry.worker !== null && entry.worker !== "" && RANK[entry.kind] >= RANK["task.started"]

const addAttempt = (before: WorkerEnds, transitions: ReadonlyArray<HistoryEntry>): WorkerEnds => ({
  worker: before.worker,
  processed: before.processed + 1,
  succeeded: before.succeeded + countKind(transitions, "task.succeeded"),
  failed: before.failed + countKind(transitions, "task.failed"),
  retried: before.retried + countKind(transitions, "task.retried")
})

const countKind = (transitions: ReadonlyArray<HistoryEntry>, kind: TaskEventKind): number =>
  transitions.some((entry) => entry.kind === kind) ? 1 : 0
