import { useMemo } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { MarkLegend } from "../marks/MarkLegend.tsx"
import { useMarks } from "../marks/marks.ts"
import type { TaskQuery } from "../tasks/query.ts"
import { endedIn, useOpenTasks } from "../tasks/useOpenTasks.ts"
import { Chart } from "./Chart.tsx"
import { pastCounts, valuesWeekAgo } from "./comparison.ts"
import type { Series } from "./Series.tsx"

type Trends = Schemas["TrendsResponse"]
type Bucket = Schemas["TrendBucket"]

/** The share of failures among those that succeeded or failed; null where none did. */
const failureRate = ({ failure, success }: Bucket) => failure + success === 0 ? null : failure / (failure + success)

/** The series of the four charts, each with a pale line of the week before if it is known. */
const useSeries = (trends: Trends | undefined, past: Trends | undefined) => {
  const { overview: texts } = useTexts()
  return useMemo(() => {
    const series = trends?.series ?? []
    const times = series.map(({ t }) => Date.parse(t))
    const hasEnded = series.some(({ failure, success }) => failure + success > 0)
    const weekAgo = (
      label: string,
      colour: string,
      valueOf: (bucket: Bucket) => number | null,
      isCount = false
    ): ReadonlyArray<Series> =>
      past === undefined ? [] : [{
        label: texts.weekAgo(label),
        colour,
        isPale: true,
        values: valuesWeekAgo(times, pastCounts(past, valueOf), isCount)
      }]
    const durations = (kind: "runtime_ms" | "wait_ms"): ReadonlyArray<Series> => [
      { label: texts.p50, colour: "ink", values: series.map((bucket) => bucket[kind]?.p50 ?? null) },
      { label: texts.p95, colour: "soft", dash: [6, 3], values: series.map((bucket) => bucket[kind]?.p95 ?? null) },
      ...weekAgo(texts.p95, "ink", (bucket) => bucket[kind]?.p95 ?? null)
    ]
    const count = (kind: "success" | "failure") => series.map((bucket) => (hasEnded ? bucket[kind] : null))
    const counts: ReadonlyArray<Series> = [
      { label: texts.succeeded, colour: "success", isFilled: true, values: count("success") },
      { label: texts.failed, colour: "failure", isFilled: true, dash: [6, 3], values: count("failure") },
      ...weekAgo(texts.succeeded, "success", ({ success }) => success, true)
    ]
    const rates: ReadonlyArray<Series> = [
      { label: texts.failureRate, colour: "failure", values: series.map(failureRate) },
      ...weekAgo(texts.failureRate, "failure", failureRate)
    ]
    return { times, counts, rates, runs: durations("runtime_ms"), waits: durations("wait_ms") }
  }, [trends, past, texts])
}

/** Throughput, failure rate, run time and wait over the buckets of a window; undefined while they are read. */
export const Charts = ({ isShort, past, readAt, slug, terms = {}, trends }: {
  readonly trends: Trends | undefined
  readonly readAt: number
  readonly past: Trends | undefined
  readonly slug: string | undefined
  readonly terms: TaskQuery | undefined
  readonly isShort: boolean
}) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const { counts, rates, runs, times, waits } = useSeries(trends, past)
  const marks = useMarks(slug, times[0])
  const openTasks = useOpenTasks(slug ?? "")
  const open = (more: TaskQuery) =>
    slug === undefined
      ? undefined
      : (from: number, to: number) => openTasks({ ...terms, ...more, ...endedIn(from, to) })
  const shared = { times, format, readAt: trends === undefined ? null : readAt, marks: marks?.shown }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <Chart
          title={texts.throughput}
          series={counts}
          formatValue={format.number}
          formatTick={format.compact}
          onOpen={open({})}
          {...shared}
        />
        <Chart
          title={texts.failureRate}
          series={rates}
          formatValue={format.percent}
          onOpen={open({ state: "failure" })}
          {...shared}
        />
        {!isShort && (
          <>
            <Chart title={texts.durations} series={runs} formatValue={format.duration} onOpen={open({})} {...shared} />
            <Chart title={texts.waits} series={waits} formatValue={format.duration} onOpen={open({})} {...shared} />
          </>
        )}
      </div>
      {!isShort && <MarkLegend marks={marks} />}
    </div>
  )
}
