import { useMemo } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Chart } from "../overview/Chart.tsx"
import { bucketTimes, type FailureWindowCounts } from "./window.ts"

/** Failed attempts of a group in its window. */
export const FailureChart = ({ at, window }: {
  readonly window: FailureWindowCounts
  /** When it was read, in epoch milliseconds. */
  readonly at: number
}) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  const times = useMemo(() => bucketTimes(window), [window])
  const series = useMemo(
    () => [{ label: texts.occurrences, colour: "failure", isBars: true, values: window.counts }],
    [window, texts]
  )
  return (
    <Chart
      title={texts.occurrences}
      times={times}
      series={series}
      format={format}
      formatValue={format.number}
      formatTick={format.compact}
      readAt={at}
    />
  )
}
