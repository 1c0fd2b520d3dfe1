import { useMemo } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Chart } from "./Chart.tsx"

/** The share of failures among those that succeeded or failed; null where none did. */
const failureRate = ({ failure, success }: Schemas["TrendBucket"]) =>
  failure + success === 0 ? null : failure / (failure + success)

/** Throughput, failure rate, run time and wait over the buckets of a window; undefined while they are read. */
export const Charts = ({ readAt, trends }: {
  readonly trends: Schemas["TrendsResponse"] | undefined
  readonly readAt: number
}) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const { counts, rates, runs, times, waits } = useMemo(() => {
    const series = trends?.series ?? []
    const hasEnded = series.some(({ failure, success }) => failure + success > 0)
    const durations = (kind: "runtime_ms" | "wait_ms") => [
      { label: texts.p50, colour: "ink", values: series.map((bucket) => bucket[kind]?.p50 ?? null) },
      { label: texts.p95, colour: "soft", dash: [6, 3], values: series.map((bucket) => bucket[kind]?.p95 ?? null) }
    ]
    const count = (kind: "success" | "failure") => series.map((bucket) => (hasEnded ? bucket[kind] : null))
    return {
      times: series.map(({ t }) => Date.parse(t)),
      counts: [
        { label: texts.succeeded, colour: "success", isFilled: true, values: count("success") },
        { label: texts.failed, colour: "failure", isFilled: true, dash: [6, 3], values: count("failure") }
      ],
      rates: [{ label: texts.failureRate, colour: "failure", values: series.map(failureRate) }],
      runs: durations("runtime_ms"),
      waits: durations("wait_ms")
    }
  }, [trends, texts])
  const shared = { times, format, readAt: trends === undefined ? null : readAt }
  return (
    <div className="grid gap-5 px-5 lg:grid-cols-2">
      <Chart
        title={texts.throughput}
        series={counts}
        formatValue={format.number}
        formatTick={format.compact}
        {...shared}
      />
      <Chart title={texts.failureRate} series={rates} formatValue={format.percent} {...shared} />
      <Chart title={texts.durations} series={runs} formatValue={format.duration} {...shared} />
      <Chart title={texts.waits} series={waits} formatValue={format.duration} {...shared} />
    </div>
  )
}
