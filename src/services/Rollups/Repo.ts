import { Effect } from "effect"
import type { ProjectId } from "../../domain/Id.ts"
import { sumNames, type Sums } from "../../domain/Rollup/Contribution.ts"
import { Reader } from "../Database.ts"
import type { LevelRange } from "./Window.ts"

export interface StoredSeries {
  readonly id: number
  readonly engine: string
  readonly queue: string
  readonly name: string
}

/** Which series of a kind; a term that is undefined leaves them all. */
export interface SeriesFilter {
  readonly kind: number
  readonly engine?: string | undefined
  readonly queue?: string | undefined
  readonly name?: string | undefined
}

/** Sums of stored rows; the histograms are encoded, with spaces between those of several rows. */
export interface Totals extends Sums {
  runtimes: string
  waits: string
}

interface StoredTotals extends Sums {
  readonly runtimes?: string | null
  readonly waits?: string | null
}

interface StoredSlot extends StoredTotals {
  readonly slot: number
}

interface SeriesTotals extends StoredTotals {
  readonly series_id: number
}

const sumList = sumNames.map((name) => `sum(${name}) AS ${name}`).join(", ")

/** Reads rollups. The driver's rows are kept as they are: a list reads thousands of histograms within 10 ms. */
export class RollupRepo extends Effect.Service<RollupRepo>()("svc/rollups/Repo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    const inSeries = (ids: ReadonlyArray<number>) =>
      read.onDialectOrElse({
        pg: () => read`series_id = ANY(${ids}::bigint[])`,
        orElse: () => read`series_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
      })

    const concatenate = (column: "runtimes" | "waits") =>
      read.onDialectOrElse({
        pg: () => read.literal(`string_agg(${column}, ' ') AS ${column}`),
        orElse: () => read.literal(`group_concat(${column}, ' ') AS ${column}`)
      })

    const listSeries = (projectId: ProjectId, { engine, kind, name, queue }: SeriesFilter) =>
      read<StoredSeries>`SELECT id, engine, queue, name FROM rollup_series
        WHERE project_id = ${projectId} AND kind = ${kind}
          ${engine === undefined ? read`` : read`AND engine = ${engine}`}
          ${queue === undefined ? read`` : read`AND queue = ${queue}`}
          ${name === undefined ? read`` : read`AND name = ${name}`}`

    const durations = read`, ${concatenate("runtimes")}, ${concatenate("waits")}`

    /** The sums of these series in a range, by slots of `size` minutes from its beginning; not in order. */
    const sumSlots = (
      projectId: ProjectId,
      ids: ReadonlyArray<number>,
      { from, level, to }: LevelRange,
      size: number,
      withDurations: boolean
    ) =>
      ids.length === 0 ? Effect.succeed([]) : read<StoredSlot>`
        SELECT CAST((bucket - ${from}) / ${size} AS INTEGER) AS slot, ${read.literal(sumList)} ${
        withDurations ? durations : read``
      } FROM rollups
        WHERE project_id = ${projectId} AND level = ${level} AND ${
        inSeries(ids)
      } AND bucket >= ${from} AND bucket <= ${to}
        GROUP BY 1`

    /**
     * The sum of each of these series over the ranges. Without durations it reads a third of the bytes: an order by count
     * needs those of the shown names only.
     */
    const sumSeries = Effect.fnUntraced(function*(
      projectId: ProjectId,
      ids: ReadonlyArray<number>,
      ranges: ReadonlyArray<LevelRange>,
      withDurations: boolean
    ) {
      const totals = new Map<number, Totals>()
      if (ids.length === 0) return totals
      for (const { from, level, to } of ranges) {
        const rows = yield* read<SeriesTotals>`
          SELECT series_id, ${read.literal(sumList)} ${withDurations ? durations : read``} FROM rollups
          WHERE project_id = ${projectId} AND level = ${level} AND ${inSeries(ids)} AND bucket >= ${from}
            AND bucket <= ${to} GROUP BY series_id`
        for (const row of rows) {
          const total = totals.get(row.series_id) ?? noTotals()
          totals.set(row.series_id, total)
          addTotals(total, row)
        }
      }
      return totals
    })

    return { listSeries, sumSlots, sumSeries } as const
  })
}) {
  static readonly layer = this.Default
}

export const noTotals = (): Totals => ({
  received: 0,
  success: 0,
  failure: 0,
  retry: 0,
  revoked: 0,
  rejected: 0,
  runtime_count: 0,
  runtime_sum: 0,
  wait_count: 0,
  wait_sum: 0,
  runtimes: "",
  waits: ""
})

/** PostgreSQL sums int8 to numeric, which arrives as text. */
export const addTotals = (total: Totals, row: StoredTotals): void => {
  for (const name of sumNames) total[name] += Number(row[name])
  if (row.runtimes) total.runtimes += ` ${row.runtimes}`
  if (row.waits) total.waits += ` ${row.waits}`
}
