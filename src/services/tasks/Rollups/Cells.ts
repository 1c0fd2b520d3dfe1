/** Sums of many deltas, and the rows that they become. Plain code: a merge passes thousands of histograms. */
import { type Cell, emptyCell, sumNames, type Sums } from "../../../domain/tasks/Rollup/Contribution.ts"
import { add, addEncoded, encode, type Histogram } from "../../../domain/tasks/Rollup/Histogram.ts"
import type { Delta } from "./Deltas.ts"
import {
  type BucketKey,
  type Level,
  levels,
  maxWorkersOf,
  minutesOf,
  overflowOf,
  type SeriesChange,
  type SeriesKey,
  seriesKeyText,
  seriesKinds,
  seriesOf
} from "./Series.ts"

export interface RollupRow extends BucketKey, Sums {
  readonly runtimes: string
  readonly waits: string
}

/** Changes by `seriesKeyText`. */
export type Changes = Map<string, SeriesChange>

export const changeOf = (changes: Changes, key: SeriesKey): SeriesChange => {
  const text = seriesKeyText(key)
  let change = changes.get(text)
  if (change === undefined) {
    change = { key, buckets: [new Map(), new Map(), new Map()] }
    changes.set(text, change)
  }
  return change
}

export const getOrCreateCell = (cells: Map<number, Cell>, bucket: number): Cell => {
  let cell = cells.get(bucket)
  if (cell === undefined) {
    cell = emptyCell()
    cells.set(bucket, cell)
  }
  return cell
}

/** Adds a delta to the minute of its task name or worker; returns 1 if it is the first of that minute, else 0. */
export const addDelta = (changes: Changes, { minute, runtimes, series, sums, waits }: Delta): 0 | 1 => {
  const cells = changeOf(changes, series).buckets[levels.minute]!
  const created = cells.has(minute) ? 0 : 1
  const cell = getOrCreateCell(cells, minute)
  sumNames.forEach((name, index) => {
    cell[name] += sums[index] ?? 0
  })
  addEncoded(cell.runtimes, runtimes)
  addEncoded(cell.waits, waits)
  return created
}

/** The first minute of a level that is kept. */
export interface FirstMinute {
  readonly level: Level
  readonly first: number
}

/**
 * The changes of every series and level from those of the minutes of task names and workers: the deltas of a second are
 * summed once, and the coarser sums add up the few cells that remain. Buckets that `keptOf` a kind does not have are left out.
 */
export const sumUp = (minutes: Changes, keptOf: (kind: number) => ReadonlyArray<FirstMinute>): Changes => {
  const changes: Changes = new Map()
  for (const { buckets, key } of minutes.values()) {
    for (const series of seriesOf(key)) {
      const { buckets: sums } = changeOf(changes, series)
      for (const { first, level } of keptOf(series.kind)) {
        for (const [minute, cell] of buckets[levels.minute]!) {
          const bucket = startOf(minute, level)
          if (bucket >= first) addCell(getOrCreateCell(sums[level]!, bucket), cell)
        }
      }
    }
  }
  return changes
}

/** The first minute of the minute's bucket. */
export const startOf = (minute: number, level: Level): number => {
  const size = minutesOf[level]
  return Math.floor(minute / size) * size
}

const addHistogram = (histogram: Histogram, more: Histogram): void => {
  for (const [bucket, count] of more) add(histogram, bucket, count)
}

export const addCell = (cell: Cell, more: Cell): void => {
  for (const name of sumNames) cell[name] += more[name]
  addHistogram(cell.runtimes, more.runtimes)
  addHistogram(cell.waits, more.waits)
}

/** Workers have a cap of their own: the names of pods must not take that of task names. */
export const capKeyOf = (projectId: string, isWorker: boolean): string => `${projectId} ${isWorker}`

/**
 * The series to create for the changes of missing ones. Each project has `most`, of which `counts` exist (by
 * `capKeyOf`); the changes of further ones are added to the one series for them.
 */
export const limitSeries = (
  changes: Changes,
  missing: ReadonlyArray<SeriesChange>,
  counts: Map<string, number>,
  most: number
): ReadonlyArray<SeriesKey> =>
  missing.map(({ buckets, key }) => {
    const isWorker = key.kind === seriesKinds.worker
    const capKey = capKeyOf(key.project_id, isWorker)
    const count = counts.get(capKey) ?? 0
    if (count < (isWorker ? maxWorkersOf(most) : most)) {
      counts.set(capKey, count + 1)
      return key
    }
    changes.delete(seriesKeyText(key))
    const other = changeOf(changes, overflowOf(key))
    buckets.forEach((cells, level) => {
      for (const [bucket, cell] of cells) addCell(getOrCreateCell(other.buckets[level]!, bucket), cell)
    })
    return other.key
  })

/** A sum of mistaken durations would be larger than a column or a JavaScript integer holds. */
const limitSum = (sum: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, sum))

/** The new row of a cell; `stored` is added to the cell. */
export const toRow = (key: BucketKey, cell: Cell, stored: RollupRow | undefined): RollupRow => {
  if (stored !== undefined) {
    for (const name of sumNames) cell[name] += stored[name]
    addEncoded(cell.runtimes, stored.runtimes)
    addEncoded(cell.waits, stored.waits)
  }
  return {
    project_id: key.project_id,
    level: key.level,
    series_id: key.series_id,
    bucket: key.bucket,
    received: cell.received,
    success: cell.success,
    failure: cell.failure,
    retry: cell.retry,
    revoked: cell.revoked,
    rejected: cell.rejected,
    runtime_count: cell.runtime_count,
    runtime_sum: limitSum(cell.runtime_sum),
    wait_count: cell.wait_count,
    wait_sum: limitSum(cell.wait_sum),
    runtimes: encode(cell.runtimes),
    waits: encode(cell.waits)
  }
}
