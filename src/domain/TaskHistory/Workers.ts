/** What each worker has done for a task. */
import { RANK, type TaskEventKind } from "../TaskState.ts"
import { type Analysis, analyse, type Attempt } from "./Attempts.ts"
import { type Entry, type History, NAMED, pathOf } from "./History.ts"

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
export const endsByWorker = (history: History, analysis: Analysis = analyse(history)): ReadonlyArray<WorkerEnds> => {
  const { attempts, original } = analysis
  if (attempts.length === 0) return none
  const workers = attempts.length === 1 ? [workerOf(history.entries)] : workersOf(history, attempts, original)
  const ends: Array<WorkerEnds> = []
  attempts.forEach(({ ended, retried, transitions }, at) => {
    const worker = workers[at] ?? null
    if (worker === null || (ended === null && retried === null)) return
    const known = ends.findIndex((one) => one.worker === worker)
    if (known < 0) ends.push(more({ worker, processed: 0, succeeded: 0, failed: 0, retried: 0 }, transitions))
    else ends[known] = more(ends[known]!, transitions)
  })
  return ends
}

const none: ReadonlyArray<WorkerEnds> = []

const workersOf = (
  { entries }: History,
  attempts: ReadonlyArray<Attempt>,
  original: Analysis["original"]
): ReadonlyArray<string | null> => {
  const told = new Map<Entry, Array<Entry>>()
  const tellings = attempts.map(({ transitions }) => {
    const telling: Array<Entry> = []
    for (const entry of transitions) told.set(entry, telling)
    return telling
  })
  for (const entry of entries) told.get(original(entry))?.push(entry)
  return tellings.map(workerOf)
}

/** Of the last event of the named path that tells one, else of the last. */
const workerOf = (entries: ReadonlyArray<Entry>): string | null => {
  let worker: string | null = null
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]!
    if (!tellsWorker(entry)) continue
    if (pathOf(entry.name) === NAMED) return entry.worker
    worker ??= entry.worker
  }
  return worker
}

/** Not `received`: Dramatiq names there the process that enqueued. */
const tellsWorker = (entry: Entry): boolean =>
  entry.worker !== null && entry.worker !== "" && RANK[entry.kind] >= RANK["task.started"]

const more = (before: WorkerEnds, transitions: ReadonlyArray<Entry>): WorkerEnds => ({
  worker: before.worker,
  processed: before.processed + 1,
  succeeded: before.succeeded + tells(transitions, "task.succeeded"),
  failed: before.failed + tells(transitions, "task.failed"),
  retried: before.retried + tells(transitions, "task.retried")
})

const tells = (transitions: ReadonlyArray<Entry>, kind: TaskEventKind): number =>
  transitions.some((entry) => entry.kind === kind) ? 1 : 0
