import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { Changes } from "../overview/comparison.ts"
import { DurationFigure, Figure, FigureGrid } from "../overview/Figures.tsx"
import { type OverviewWindow, windowHours } from "../overview/windows.ts"

/** What ended and how, how long it took, and what was tried again; undefined while it is read. */
export const NameFigures = ({ changes, trends, window }: {
  readonly trends: Schemas["TrendsResponse"] | undefined
  readonly changes: Changes | null
  readonly window: OverviewWindow
}) => {
  const { overview, task } = useTexts()
  const format = useFormat()
  const { failure = 0, retry = 0, runtime_ms = null, success = 0, wait_ms = null } = trends?.totals ?? {}
  const ended = success + failure
  const count = (value: number) => (trends === undefined ? "–" : format.compact(value))
  return (
    <FigureGrid>
      <Figure
        name={overview.throughput}
        change={changes?.ended ?? null}
        note={ended > 0 && overview.perHour(format.compact(Math.round(ended / windowHours[window])))}
      >
        {count(ended)}
      </Figure>
      <Figure
        name={overview.failed}
        change={changes?.failed ?? null}
        isBad={failure > 0}
        note={ended > 0 && `${overview.failureRate} ${format.percent(failure / ended)}`}
      >
        {count(failure)}
      </Figure>
      <DurationFigure name={overview.durations} percentiles={runtime_ms} change={changes?.runTime} />
      <DurationFigure name={overview.waitsShort} percentiles={wait_ms} change={changes?.queueTime} />
      <Figure name={task.retries} change={changes?.retries ?? null} note="">{count(retry)}</Figure>
    </FigureGrid>
  )
}
