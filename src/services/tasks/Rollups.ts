import { Effect, Record } from "effect"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { emptyEncodedCell, type EncodedCell } from "../../domain/tasks/Rollup/Contribution.ts"
import { countLonger, distributionOf, percentilesOf } from "../../domain/tasks/Rollup/Histogram.ts"
import { burnRatesOf, burnWindows, type FindBurnRates, type WindowCounts } from "../../domain/tasks/Rollup/Slo.ts"
import {
  type FindTaskName,
  type FindTrends,
  type ListTaskNames,
  minutesIn,
  type NamesSort,
  type TaskNameDetail,
  type TaskNames,
  type TaskNameStats,
  type TrendBucket,
  type Trends
} from "../../domain/tasks/Rollup/Trends.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { atLeastZero, countsOf, endedOf, failureRateOf } from "./Rollups/Counts.ts"
import { makeFindGroups } from "./Rollups/Groups.ts"
import { addTotals, type Durations, makeRollupRepo, type SeriesFilter, type StoredSeries } from "./Rollups/Repo.ts"
import { levels, maxWorkersOf, seriesKinds } from "./Rollups/Series.ts"
import { coverOf, levelOf, startOfWindow, timestampOf } from "./Rollups/Window.ts"

/** Larger results would take longer than 10 ms to read. */
const maxBuckets = 1500

/** With more buckets a chart has no percentiles: the histograms of 24 hours by minute took 44 ms to read, the counts alone 18. */
const maxDurations = 200

/** As `maxDurations`, of all projects of a chart together. */
const maxCells = 2000

/** Minutes are kept for 4 days at least (SVC_ROLLUP_MINUTES_RETENTION_DAYS). */
const longestMinuteWindow = minutesIn["72h"]

const defaultNames = 50

/** Bars of a histogram. */
const maxRanges = 40

/** What a queue's tasks did in the last hour. */
interface HourOfQueue {
  readonly received: number
  readonly ended: number
  /** Those whose run time is known, and the sum of their run times. */
  readonly timed: number
  readonly runtimeMillis: number
}

/** By engine and queue, with a space between. */
export type CountsByQueue = ReadonlyMap<string, HourOfQueue>

/** Tasks over time and by name, from the rollups (docs/trends.md). About a second behind the tasks. */
export class Rollups extends Effect.Service<Rollups>()("svc/Rollups", {
  effect: Effect.gen(function*() {
    const repo = yield* makeRollupRepo
    const { rollupSeriesPerProject } = yield* Settings
    const findGroups = makeFindGroups(repo, maxWorkersOf(rollupSeriesPerProject))

    const nowMinute = Effect.map(Timestamp.now, (now) => Math.floor(Timestamp.toEpochSeconds(now) / 60))

    /** The tasks of these projects by bucket, every bucket of the window. */
    const listTrendsOf = Effect.fnUntraced(function*(ids: ReadonlyArray<ProjectId>, query: FindTrends) {
      const { bucket = "1h", days_ago: daysAgo = 0, window = "24h" } = query
      const agoMinutes = daysAgo * minutesIn["1d"]
      const size = minutesIn[bucket]
      const count = Math.max(1, minutesIn[window] / size)
      const level = levelOf(size)
      if (count > maxBuckets || (level === levels.minute && minutesIn[window] + agoMinutes > longestMinuteWindow)) {
        const place = daysAgo === 0 ? "" : ` ${daysAgo} ${daysAgo === 1 ? "day" : "days"} ago`
        return yield* ValidationFailed.at("bucket", `is too short for a window of ${window}${place}`)
      }
      const last = Math.floor(((yield* nowMinute) - agoMinutes) / size) * size
      const first = last - (count - 1) * size
      const rows = yield* repo.sumSlots(
        ids,
        seriesFilterOf(query),
        { level, from: first, to: last + size - 1 },
        size,
        count <= maxDurations && count * ids.length <= maxCells ? "both" : "none"
      )
      const slots = Array.from({ length: count }, emptyEncodedCell)
      const totals = emptyEncodedCell()
      for (const row of rows) {
        addTotals(slots[row.slot]!, row)
        addTotals(totals, row)
      }
      const trends: Trends = {
        window,
        bucket,
        series: slots.map((slot, index): TrendBucket => ({ t: timestampOf(first + index * size), ...countsOf(slot) })),
        totals: countsOf(totals)
      }
      return trends
    }, orDieOnSql)

    /** The project's tasks by bucket; with `by`, those of its largest queues or names too. */
    const listTrends = Effect.fn("Rollups.listTrends")(function*(query: FindTrends) {
      const { id } = yield* CurrentProject
      if (query.by === "worker") yield* checkWorkerQuery(query)
      const trends = yield* listTrendsOf([id], query)
      return query.by === undefined ? trends : { ...trends, ...(yield* findGroups(id, query, query.by, trends)) }
    })

    /** The task names of the project with their counts and durations. */
    const listNames = Effect.fn("Rollups.listNames")(function*(query: ListTaskNames) {
      const { id } = yield* CurrentProject
      const { limit = defaultNames, sort = "count", window = "24h" } = query
      const now = yield* nowMinute
      const from = startOfWindow(now, minutesIn[window])
      const ranges = coverOf(from, now)
      const wanted = query.search?.toLowerCase() ?? ""
      const all = yield* repo.listSeries(id, { kind: seriesKinds.task, engine: query.engine, queue: query.queue })
      const series = wanted === "" ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted))
      const sum = (ids: ReadonlyArray<number>, durations: Durations) => repo.sumSeries(id, ids, ranges, durations)
      const areAllShown = series.length <= limit
      const totals = yield* sum(series.map((each) => each.id), areAllShown ? "both" : durationsToSort(sort))
      const names = groupByName(series, totals)
      const visibleNames = sortNames(names, sort).slice(0, limit)
      if (!areAllShown) {
        const durations = yield* sum(visibleNames.flatMap((name) => name.ids), "both")
        for (const name of visibleNames) {
          name.totals = sumCells(name.ids.map((series) => durations.get(series) ?? emptyEncodedCell()))
        }
      }
      const taskNames: TaskNames = {
        window,
        since: timestampOf(from),
        items: visibleNames.map(statsOf),
        total_count: names.length
      }
      return taskNames
    }, orDieOnSql)

    /** How the tasks of one name do, by queue and by duration; zeros for a name that no rollup has. */
    const getName = Effect.fn("Rollups.getName")(function*(name: string, { window = "24h" }: FindTaskName) {
      const { id } = yield* CurrentProject
      const now = yield* nowMinute
      const from = startOfWindow(now, minutesIn[window])
      const series = yield* repo.listSeries(id, { kind: seriesKinds.task, name })
      const totals = yield* repo.sumSeries(id, series.map((each) => each.id), coverOf(from, now), "both")
      const all = sumCells(totals.values())
      const detail: TaskNameDetail = {
        name,
        window,
        since: timestampOf(from),
        queues: series.flatMap(({ engine, id, queue }) => {
          const found = totals.get(id)
          return found === undefined ? [] : [{
            engine,
            queue: queue === "" ? null : queue,
            ...countsOf(found),
            failure_rate: failureRateOf(found)
          }]
        }).sort((left, right) => right.total - left.total),
        run_times: distributionOf(all.runtimes, maxRanges),
        queue_times: distributionOf(all.waits, maxRanges)
      }
      return detail
    }, orDieOnSql)

    /** The sums of the project's tasks over the last so many hours. */
    const sumProject = Effect.fnUntraced(function*(hours: number) {
      const { id } = yield* CurrentProject
      const now = yield* nowMinute
      const [series] = yield* repo.listSeries(id, { kind: seriesKinds.project })
      if (series === undefined) return emptyEncodedCell()
      const totals = yield* repo.sumSeries(id, [series.id], coverOf(startOfWindow(now, hours * 60), now), "both")
      return totals.get(series.id) ?? emptyEncodedCell()
    })

    /** What the project's tasks did in the last hour, by engine and queue. */
    const countLastHourByQueue = Effect.gen(function*() {
      const { id } = yield* CurrentProject
      const now = yield* nowMinute
      const series = yield* repo.listSeries(id, { kind: seriesKinds.queue })
      const ids = series.map((each) => each.id)
      const totals = yield* repo.sumSeries(id, ids, coverOf(startOfWindow(now, minutesIn["1h"]), now), "none")
      return new Map(series.map((each): readonly [string, HourOfQueue] => {
        const cell = totals.get(each.id) ?? emptyEncodedCell()
        const { received, retry, total } = countsOf(cell)
        const runTimes = { timed: atLeastZero(cell.runtime_count), runtimeMillis: atLeastZero(cell.runtime_sum) }
        return [`${each.engine} ${each.queue}`, { received, ended: endedOf({ retry, total }), ...runTimes }]
      })) satisfies CountsByQueue
    })

    /** How fast the tasks use up the error budget of an objective. */
    const getBurnRates = Effect.fn("Rollups.getBurnRates")(function*(query: FindBurnRates) {
      const { id } = yield* CurrentProject
      const { max_runtime_ms, objective = 99 } = query
      const now = yield* nowMinute
      const series = yield* repo.listSeries(id, seriesFilterOf(query))
      const ids = series.map((each) => each.id)
      const countWindow = (minutes: number) =>
        Effect.map(
          repo.sumSeries(
            id,
            ids,
            coverOf(startOfWindow(now, minutes), now),
            max_runtime_ms === undefined ? "none" : "runtimes"
          ),
          (totals) => countBadTasks(sumCells(totals.values()), max_runtime_ms)
        )
      return burnRatesOf(yield* Effect.all(Record.map(burnWindows, countWindow)), objective)
    }, orDieOnSql)

    return { listTrendsOf, listTrends, listNames, getName, sumProject, countLastHourByQueue, getBurnRates } as const
  })
}) {
  static readonly layer = this.Default
}

const sumCells = (cells: Iterable<EncodedCell>): EncodedCell => {
  const sum = emptyEncodedCell()
  for (const cell of cells) addTotals(sum, cell)
  return sum
}

/** Workers have series of their own, without queues and names, which are kept for 8 days. */
const checkWorkerQuery = ({ days_ago = 0, name, queue, window = "24h" }: FindTrends) => {
  if (queue !== undefined || name !== undefined) {
    return ValidationFailed.at("by", "is not worker together with a queue or a name")
  }
  return minutesIn[window] + days_ago * minutesIn["1d"] > minutesIn["7d"]
    ? ValidationFailed.at("by", "is worker for the last 7 days only")
    : Effect.void
}

/** By runtime, or by outcome. Revoked and rejected tasks are no failures. */
const countBadTasks = (totals: EncodedCell, maxRuntime: number | undefined): WindowCounts =>
  maxRuntime === undefined
    ? { total: atLeastZero(totals.success) + atLeastZero(totals.failure), bad: atLeastZero(totals.failure) }
    : { total: atLeastZero(totals.runtime_count), bad: countLonger(totals.runtimes, maxRuntime) }

const seriesFilterOf = ({ engine, name, queue }: Pick<FindTrends, "engine" | "name" | "queue">): SeriesFilter => {
  if (name !== undefined) return { kind: seriesKinds.task, engine, queue, name }
  if (queue !== undefined) return { kind: seriesKinds.queue, engine, queue }
  return engine === undefined ? { kind: seriesKinds.project } : { kind: seriesKinds.engine, engine }
}

/** All series of one name. */
interface NameSums {
  readonly engine: string
  readonly name: string
  readonly queues: Array<string>
  readonly ids: Array<number>
  totals: EncodedCell
}

const statsOf = ({ engine, name, queues, totals }: NameSums): TaskNameStats => ({
  name,
  engine,
  queues,
  ...countsOf(totals),
  failure_rate: failureRateOf(totals)
})

const groupByName = (
  series: ReadonlyArray<StoredSeries>,
  totals: ReadonlyMap<number, EncodedCell>
): ReadonlyArray<NameSums> => {
  const names = new Map<string, NameSums>()
  for (const { engine, id, name, queue } of series) {
    const found = totals.get(id)
    if (found === undefined) continue // nothing in the window
    const key = `${engine}\0${name}`
    const known = names.get(key) ?? { engine, name, queues: [], ids: [], totals: emptyEncodedCell() }
    names.set(key, known)
    if (queue !== "") known.queues.push(queue)
    known.ids.push(id)
    addTotals(known.totals, found)
  }
  for (const { queues } of names.values()) queues.sort()
  return [...names.values()]
}

/** The histograms of all names, of which a month has 9 MB, are read only for an order by them. */
const durationsToSort = (sort: NamesSort): Durations =>
  sort === "p50" || sort === "p95" || sort === "p99" ? "runtimes" : sort === "wait_p95" ? "waits" : "none"

const rankOf = (sort: NamesSort, totals: EncodedCell): number => {
  switch (sort) {
    case "p50":
    case "p95":
    case "p99":
      return percentilesOf(totals.runtimes)?.[sort] ?? -1
    case "wait_p95":
      return percentilesOf(totals.waits)?.p95 ?? -1
    case "failures":
      return totals.failure
    case "failure_rate":
      return failureRateOf(totals)
    case "count":
      return totals.success + totals.failure + totals.retry + totals.revoked + totals.rejected
    case "name":
      return 0
  }
}

const sortNames = (names: ReadonlyArray<NameSums>, sort: NamesSort): ReadonlyArray<NameSums> =>
  names.map((each) => ({ each, rank: rankOf(sort, each.totals) })).sort((left, right) =>
    right.rank - left.rank || (left.each.name < right.each.name ? -1 : left.each.name > right.each.name ? 1 : 0) ||
    (left.each.engine < right.each.engine ? -1 : 1)
  ).map(({ each }) => each)
