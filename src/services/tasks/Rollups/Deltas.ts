import { type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import type { FoldResult } from "../../../domain/tasks/Fold.ts"
import {
  addDifference,
  emptyEncodedCell,
  type EncodedCell,
  hasOnlyGained,
  sumNames
} from "../../../domain/tasks/Rollup/Contribution.ts"
import { type SeriesKey, seriesKinds } from "./Series.ts"

/** Changes of one task name in one queue, or of one worker, by minute. */
class SeriesDraft {
  /** By the minute's text, `2026-11-23T04:05`. */
  readonly minutes = new Map<string, EncodedCell>()
  private minute = ""
  private change: EncodedCell = emptyEncodedCell()

  constructor(
    readonly project_id: string,
    readonly engine: string,
    readonly name: string,
    readonly queue: string,
    readonly kind: typeof seriesKinds.task | typeof seriesKinds.worker
  ) {}

  /** The change of the minute of a moment: mostly the one of the call before. */
  readonly changeAt = (at: string): EncodedCell => {
    if (this.minute !== "" && at.startsWith(this.minute)) return this.change
    this.minute = at.slice(0, 16)
    const known = this.minutes.get(this.minute)
    this.change = known ?? emptyEncodedCell()
    if (known === undefined) this.minutes.set(this.minute, this.change)
    return this.change
  }
}

/** A changed minute of a task name in a queue, or of a worker, as `rollup_deltas` stores it. */
export interface Delta {
  readonly series: SeriesKey
  /** Minutes since 1970. */
  readonly minute: number
  /** In the order of `sumNames`. */
  readonly sums: ReadonlyArray<number>
  /** Encoded histograms, which may name a bucket more than once. */
  readonly runtimes: string
  readonly waits: string
}

/** A delta in the JSON of `rollup_deltas`. */
type EncodedDelta = readonly [
  project_id: string,
  engine: string,
  name: string,
  queue: string,
  minute: number,
  sums: ReadonlyArray<number>,
  runtimes: string,
  waits: string,
  kind: number
]

/**
 * The changes of the rollups by the folded tasks, as the text of one row of `rollup_deltas`; null: none. Plain code on
 * the hot path: successive events are mostly of few names and of one minute.
 */
export const collectDeltas = (folded: ReadonlyArray<FoldResult>): string | null => {
  const drafts: Array<SeriesDraft> = []
  const groups = new Map<string, Map<string, SeriesDraft>>()
  // a key for each task, of all four texts, took a third of the time
  let last: SeriesDraft | undefined
  let ofLastQueue = new Map<string, SeriesDraft>()
  const draftOf = (project_id: string, engine: string, name: string, queue: string): SeriesDraft => {
    if (last === undefined || last.queue !== queue || last.engine !== engine || last.project_id !== project_id) {
      const key = `${project_id}\n${engine}\n${queue}`
      const known = groups.get(key)
      ofLastQueue = known ?? new Map()
      if (known === undefined) groups.set(key, ofLastQueue)
    } else if (last.name === name) return last
    last = ofLastQueue.get(name)
    if (last === undefined) {
      last = new SeriesDraft(project_id, engine, name, queue, seriesKinds.task)
      ofLastQueue.set(name, last)
      drafts.push(last)
    }
    return last
  }
  let projectId = ""
  let engineOfTask = ""
  const workers = new Map<string, SeriesDraft>()
  let lastWorker: SeriesDraft | undefined
  const workerChangeAt = (worker: string, at: string): EncodedCell => {
    if (
      lastWorker === undefined || lastWorker.name !== worker || lastWorker.engine !== engineOfTask ||
      lastWorker.project_id !== projectId
    ) {
      const key = `${projectId}\n${engineOfTask}\n${worker}`
      lastWorker = workers.get(key)
      if (lastWorker === undefined) {
        lastWorker = new SeriesDraft(projectId, engineOfTask, worker, "", seriesKinds.worker)
        workers.set(key, lastWorker)
        drafts.push(lastWorker)
      }
    }
    return lastWorker.changeAt(at)
  }
  for (const { after, before, row: { engine, project_id } } of folded) {
    projectId = project_id
    engineOfTask = engine
    const isSameSeries = before !== null && before.name === after.name && before.queue === after.queue
    if (before !== null && !(isSameSeries && hasOnlyGained(before, after))) {
      const { changeAt } = draftOf(project_id, engine, before.name, before.queue)
      addDifference(changeAt, workerChangeAt, before, isSameSeries ? after : null, -1)
    }
    const { changeAt } = draftOf(project_id, engine, after.name, after.queue)
    addDifference(changeAt, workerChangeAt, after, isSameSeries ? before : null, 1)
  }
  const deltas = drafts.flatMap(encodeDraft)
  return deltas.length === 0 ? null : JSON.stringify(deltas)
}

const isEmpty = (change: EncodedCell): boolean =>
  change.runtimes === "" && change.waits === "" && sumNames.every((name) => change[name] === 0)

const encodeDraft = ({ engine, kind, minutes, name, project_id, queue }: SeriesDraft): ReadonlyArray<EncodedDelta> => {
  const deltas: Array<EncodedDelta> = []
  for (const [text, change] of minutes) {
    if (isEmpty(change)) continue
    // the cast: the beginning of a timestamp, with the rest of one
    const minute = Math.floor(toEpochMillis(`${text}:00.000000Z` as Timestamp) / 60_000)
    const sums = sumNames.map((sum) => change[sum])
    deltas.push([project_id, engine, name, queue, minute, sums, change.runtimes, change.waits, kind])
  }
  return deltas
}

export const decodeDeltas = (payload: string): ReadonlyArray<Delta> =>
  // the cast: `collectDeltas` wrote it
  (JSON.parse(payload) as ReadonlyArray<EncodedDelta>).map((
    [project_id, engine, name, queue, minute, sums, runtimes, waits, kind]
  ) => ({ series: { project_id, kind, engine, queue, name }, minute, sums, runtimes, waits }))
