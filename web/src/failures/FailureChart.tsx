import { useMemo } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { MarkLegend } from "../marks/MarkLegend.tsx"
import { useMarks } from "../marks/marks.ts"
import { Chart } from "../overview/Chart.tsx"
import { type PastCount, valuesWeekAgo } from "../overview/comparison.ts"
import type { Series } from "../overview/Series.tsx"
import { endedIn, useOpenTasks } from "../tasks/useOpenTasks.ts"
import { bucketTimes, type FailureWindowCounts } from "./window.ts"

/** Failed attempts of a group in its window, with a pale line of the week before if that is known. */
export const FailureChart = ({ at, fingerprint, past, slug, window }: {
  readonly slug: string
  readonly fingerprint: string
  readonly window: FailureWindowCounts
  /** When it was read, in epoch milliseconds. */
  readonly at: number
  readonly past: ReadonlyArray<PastCount> | null
}) => {
  const { failures: texts, overview } = useTexts()
  const format = useFormat()
  const times = useMemo(() => bucketTimes(window), [window])
  const series = useMemo((): ReadonlyArray<Series> => [
    { label: texts.occurrences, colour: "failure", isBars: true, values: window.counts },
    ...(past === null ? [] : [{
      label: overview.weekAgo(texts.occurrences),
      colour: "ink",
      isPale: true,
      values: valuesWeekAgo(times, past, true)
    }])
  ], [window, times, past, texts, overview])
  const marks = useMarks(slug, times[0])
  const openTasks = useOpenTasks(slug)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Chart
        title={texts.occurrences}
        times={times}
        series={series}
        format={format}
        formatValue={format.number}
        formatTick={format.compact}
        readAt={at}
        marks={marks?.shown}
        onOpen={(from, to) => openTasks({ fingerprint, ...endedIn(from, to) })}
      />
      <MarkLegend marks={marks} />
    </div>
  )
}
