import { useMemo } from "react"
import type { Schemas } from "../api/client.ts"
import { lazyComponent } from "../code/lazyComponent.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fillHours } from "./hours.ts"

const Chart = lazyComponent(async () => (await import("../overview/Chart.tsx")).Chart)

/** Failed attempts of a group per hour. */
export const HourChart = ({ at, hours }: {
  readonly hours: Schemas["FailureGroupDetail"]["hours"]
  /** When they were read, in epoch milliseconds. */
  readonly at: number
}) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  const { series, times } = useMemo(() => {
    const filled = fillHours(hours, at)
    return {
      times: filled.map(({ time }) => time),
      series: [{
        label: texts.occurrences,
        colour: "failure",
        isBars: true,
        values: filled.map(({ occurrences }) => occurrences)
      }]
    }
  }, [hours, at, texts])
  return (
    <Chart
      title={texts.perHour}
      times={times}
      series={series}
      format={format}
      formatValue={format.number}
      formatTick={format.compact}
      readAt={at}
    />
  )
}
