import { addDifference, type Cell, type Contribution, emptyCell, sumNames } from "../../domain/Rollup/Contribution.ts"
import { encode } from "../../domain/Rollup/Histogram.ts"
import { type Timestamp, toEpochMillis } from "../../domain/Timestamp.ts"
import type { FoldResult } from "../Ingest/Fold.ts"
import type { SeriesKey } from "./Series.ts"

/** Changes of one task name in one queue, by minute. */
interface SeriesDraft {
  readonly project_id: string
  readonly engine: string
  readonly name: string
  readonly queue: string
  /** By the minute's text, `2026-11-23T04:05`. */
  readonly minutes: Map<string, Cell>
}

/** A changed minute of a task name in a queue, as `rollup_deltas` stores it. */
export interface Delta {
  readonly series: Omit<SeriesKey, "kind">
  /** Minutes since 1970. */
  readonly minute: number
  /** In the order of `sumNames`. */
  readonly sums: ReadonlyArray<number>
  /** Encoded histograms. */
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
  waits: string
]

/**
 * The changes of the rollups by the folded tasks, as the text of one row of `rollup_deltas`; null: none. Plain code on
 * the hot path: successive events are mostly of few names and of one minute.
 */
export const collectDeltas = (folded: ReadonlyArray<FoldResult>): string | null => {
  const drafts = new Map<string, SeriesDraft>()
  let draft: SeriesDraft | undefined
  const draftOf = (project_id: string, engine: string, name: string, queue: string): SeriesDraft => {
    if (
      draft !== undefined && draft.name === name && draft.queue === queue && draft.engine === engine &&
      draft.project_id === project_id
    ) return draft
    const key = `${project_id}\n${engine}\n${queue}\n${name}`
    draft = drafts.get(key)
    if (draft === undefined) {
      draft = { project_id, engine, name, queue, minutes: new Map() }
      drafts.set(key, draft)
    }
    return draft
  }
  for (const { after, before, row: { engine, project_id } } of folded) {
    const isSameSeries = before !== null && before.name === after.name && before.queue === after.queue
    if (before !== null && !(isSameSeries && hasOnlyGained(before, after))) {
      const { minutes } = draftOf(project_id, engine, before.name, before.queue)
      addDifference((at) => cellAt(minutes, at), before, isSameSeries ? after : null, -1)
    }
    const { minutes } = draftOf(project_id, engine, after.name, after.queue)
    addDifference((at) => cellAt(minutes, at), after, isSameSeries ? before : null, 1)
  }
  const deltas = [...drafts.values()].flatMap(encodeDraft)
  return deltas.length === 0 ? null : JSON.stringify(deltas)
}

/** Whether nothing that `before` added is to be subtracted: the usual case, in which a task only gains parts. */
const hasOnlyGained = (before: Contribution, after: Contribution): boolean =>
  before.receivedAt === after.receivedAt && before.outcome === null && before.retries.length === 0 &&
  (before.startedAt === null || (before.startedAt === after.startedAt && before.waitsFrom === after.waitsFrom))

const cellAt = (minutes: Map<string, Cell>, at: string): Cell => {
  const minute = at.slice(0, 16)
  let cell = minutes.get(minute)
  if (cell === undefined) {
    cell = emptyCell()
    minutes.set(minute, cell)
  }
  return cell
}

const isEmpty = (cell: Cell): boolean =>
  cell.runtimes.size === 0 && cell.waits.size === 0 && sumNames.every((name) => cell[name] === 0)

const encodeDraft = ({ engine, minutes, name, project_id, queue }: SeriesDraft): ReadonlyArray<EncodedDelta> => {
  const deltas: Array<EncodedDelta> = []
  for (const [text, cell] of minutes) {
    if (isEmpty(cell)) continue
    // the cast: the beginning of a timestamp, with the rest of one
    const minute = Math.floor(toEpochMillis(`${text}:00.000000Z` as Timestamp) / 60_000)
    const sums = sumNames.map((sum) => cell[sum])
    deltas.push([project_id, engine, name, queue, minute, sums, encode(cell.runtimes), encode(cell.waits)])
  }
  return deltas
}

export const decodeDeltas = (payload: string): ReadonlyArray<Delta> =>
  // the cast: `collectDeltas` wrote it
  (JSON.parse(payload) as ReadonlyArray<EncodedDelta>).map((
    [project_id, engine, name, queue, minute, sums, runtimes, waits]
  ) => ({ series: { project_id, engine, queue, name }, minute, sums, runtimes, waits }))
