import type { SqlError } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { emptyEncodedCell, type EncodedCell, sumNames, type Sums } from "../../../domain/tasks/Rollup/Contribution.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { type Parameter, type PreparedRead, PreparedReads } from "../../kernel/sql/PreparedReads.ts"
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

/** Which histograms are read: they are most of the bytes. */
export type Durations = "both" | "runtimes" | "waits" | "none"

const histogramsOf = {
  both: ["runtimes", "waits"],
  runtimes: ["runtimes"],
  waits: ["waits"],
  none: []
} as const satisfies Record<Durations, ReadonlyArray<"runtimes" | "waits">>

const sumList = sumNames.map((name) => `sum(${name}) AS ${name}`).join(", ")

/** The terms of a filter for series, and their values. */
const termsOf = ({ engine, kind, name, queue }: SeriesFilter) => {
  const terms = Object.entries({ kind, engine, queue, name }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }]
  )
  return { where: terms.map(({ column }) => `s.${column} = ?`).join(" AND "), values: terms.map(({ value }) => value) }
}

/** Reads rollups. The driver's rows are kept as they are: a list reads thousands of histograms within 10 ms. */
export const makeRollupRepo = Effect.gen(function*() {
  const read = yield* Reader
  const prepare = yield* PreparedReads
  const concatenate = read.onDialectOrElse({ pg: () => "string_agg", orElse: () => "group_concat" })
  /** PostgreSQL plans for as many as the array has; it takes a table of JSON elements for a hundred. */
  const isListed = (column: string, type: "BIGINT" | "UUID") =>
    read.onDialectOrElse({
      pg: () => `${column} = ANY(CAST(? AS ${type}[]))`,
      orElse: () => `${column} IN (SELECT value FROM json_each(?))`
    })
  const listOf = (ids: ReadonlyArray<number | string>): string =>
    read.onDialectOrElse({ pg: () => `{${ids.join(",")}}`, orElse: () => JSON.stringify(ids) })

  /** A few texts, each prepared once for a connection: PostgreSQL takes as long to plan such a statement as to run it. */
  const statements = new Map<string, PreparedRead<object>>()
  const run = <Row extends object>(text: string, parameters: ReadonlyArray<Parameter>) => {
    const statement = statements.get(text) ?? prepare.rows<object>(text)
    statements.set(text, statement)
    // the cast: the caller knows the columns of its text
    return statement(...parameters) as Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  }

  const columns = (durations: Durations) =>
    [sumList, ...histogramsOf[durations].map((name) => `${concatenate}(r.${name}, ' ') AS ${name}`)].join(", ")

  const listSeries = (projectId: ProjectId, filter: SeriesFilter) => {
    const { values, where } = termsOf(filter)
    return run<StoredSeries>(
      `SELECT s.id, s.engine, s.queue, s.name FROM rollup_series s WHERE s.project_id = ? AND ${where}`,
      [projectId, ...values]
    )
  }

  /**
   * The sums of the projects' series that match, in slots of `size` minutes from the beginning of the range; not in order. One
   * statement, because on PostgreSQL a chart takes as long as its round trips. CROSS JOIN keeps SQLite from reading every
   * series of the level, and is an inner join for PostgreSQL.
   */
  const sumSlots = (
    projectIds: ReadonlyArray<ProjectId>,
    filter: SeriesFilter,
    { from, level, to }: LevelRange,
    size: number,
    durations: Durations
  ) => {
    const { values, where } = termsOf(filter)
    // PostgreSQL estimates ten projects for an array, and would then plan each chart of a single project again
    const [isOfProjects, projects] = projectIds.length === 1
      ? ["s.project_id = ?", projectIds[0] ?? ""] as const
      : [isListed("s.project_id", "UUID"), listOf(projectIds)] as const
    return run<StoredSlot>(
      `SELECT CAST((r.bucket - ?) / ? AS INTEGER) AS slot, ${columns(durations)}
        FROM rollup_series s CROSS JOIN rollups r
        WHERE r.project_id = s.project_id AND r.level = ? AND r.series_id = s.id AND r.bucket >= ? AND r.bucket <= ?
          AND ${isOfProjects} AND ${where} GROUP BY 1`,
      [from, size, level, from, to, projects, ...values]
    )
  }

  /** The runs of each of these series that ended, in slots of `size` minutes from the beginning of the range; not in order. */
  const countEndsBySlot = (
    projectId: ProjectId,
    ids: ReadonlyArray<number>,
    { from, level, to }: LevelRange,
    size: number
  ) =>
    run<{ readonly series_id: number; readonly slot: number; readonly ended: number | string }>(
      `SELECT r.series_id, CAST((r.bucket - ?) / ? AS INTEGER) AS slot,
          sum(r.success + r.failure + r.revoked + r.rejected) AS ended
        FROM rollups r WHERE r.project_id = ? AND r.level = ? AND ${isListed("r.series_id", "BIGINT")}
          AND r.bucket >= ? AND r.bucket <= ? GROUP BY 1, 2`,
      [from, size, projectId, level, listOf(ids), from, to]
    )

  /** The sum of each of these series over the ranges. */
  const sumSeries = Effect.fnUntraced(function*(
    projectId: ProjectId,
    ids: ReadonlyArray<number>,
    ranges: ReadonlyArray<LevelRange>,
    durations: Durations
  ) {
    const totals = new Map<number, EncodedCell>()
    if (ids.length === 0) return totals
    const text = ranges.map(() =>
      `SELECT r.series_id, ${columns(durations)} FROM rollups r
        WHERE r.project_id = ? AND r.level = ? AND ${
        isListed("r.series_id", "BIGINT")
      } AND r.bucket >= ? AND r.bucket <= ?
        GROUP BY r.series_id`
    ).join(" UNION ALL ")
    const list = listOf(ids)
    const rows = yield* run<SeriesTotals>(
      text,
      ranges.flatMap(({ from, level, to }) => [projectId, level, list, from, to])
    )
    for (const row of rows) {
      const total = totals.get(row.series_id) ?? emptyEncodedCell()
      totals.set(row.series_id, total)
      addTotals(total, row)
    }
    return totals
  })

  return { listSeries, sumSlots, sumSeries, countEndsBySlot } as const
})

/** PostgreSQL sums int8 to numeric, which arrives as text. */
export const addTotals = (total: EncodedCell, row: StoredTotals): void => {
  for (const name of sumNames) total[name] += Number(row[name])
  if (row.runtimes) total.runtimes += ` ${row.runtimes}`
  if (row.waits) total.waits += ` ${row.waits}`
}
