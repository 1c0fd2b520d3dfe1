/** What each worker has done for a task. */
import { RANK, type TaskEventKind } from "../TaskState.ts"
import { type HistoryAnalysis, analyseHistory, type Attempt } from "./Attempts.ts"
import { type Entry, type History, NAMED_PATH, pathOf } from "./History.ts"

/** Attempts that ended at a worker, and how; `processed` is all of them, however they ended. */
export interface WorkerEnds {
  readonly worker: string
  readonly processed: number
  readonly succeeded: number
  readonly failed: number
  readonly retried: number
}

/**
 * One entry a worker. Like the row a function of the set of the task's events alone: the sum over all tasks does not
 * depend on how their events arrived. An attempt counts for the worker that the latest of its events names, the named
 * path first.
 */
export const countEndsByWorker = (history: History, analysis: HistoryAnalysis = analyseHistory(history)): ReadonlyArray<WorkerEnds> => {
  const { attempts, original } = analysis
  if (attempts.length === 0) return noEnds
  const workers = attempts.length === 1 ? [workerOf(history.entries)] : workersOf(history, attempts, original)
  const ends: Array<WorkerEnds> = []
  attempts.forEach(({ endEntry, retryEntry, transitions }, at) => {
    const worker = workers[at] ?? null
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
  const reportsByEntry = new Map<Entry, Array<Entry>>()
  const reports = attempts.map(({ transitions }) => {
    const attemptReports: Array<Entry> = []
    for (const entry of transitions) reportsByEntry.set(entry, attemptReports)
    return attemptReports
  })
  for (const entry of entries) reportsByEntry.get(original(entry))?.push(entry)
  return reports.map(workerOf)
}

/** Of the last event of the named path that tells one, else of the last. */
const workerOf = (entries: ReadonlyArray<Entry>): string | null => {
  let worker: string | null = null
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]!
    if (!hasWorker(entry)) continue
    if (pathOf(entry.name) === NAMED_PATH) return entry.worker
    worker ??= entry.worker
  }
  return worker
}

/** Not `received`: Dramatiq names there the process that enqueued. */
const hasWorker = (entry: Entry): boolean =>
  entry.worker !== null && entry.worker !== "" && RANK[entry.kind] >= RANK["task.started"]

const addAttempt = (before: WorkerEnds, transitions: ReadonlyArray<Entry>): WorkerEnds => ({
  worker: before.worker,
  processed: before.processed + 1,
  succeeded: before.succeeded + countKind(transitions, "task.succeeded"),
  failed: before.failed + countKind(transitions, "task.failed"),
  retried: before.retried + countKind(transitions, "task.retried")
})

const countKind = (transitions: ReadonlyArray<Entry>, kind: TaskEventKind): number =>
  transitions.some((entry) => entry.kind === kind) ? 1 : 0
