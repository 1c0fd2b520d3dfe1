import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Figure, FigureGrid } from "../overview/Figures.tsx"

export const windowHours = 24

/** All projects together, over the last 24 hours. */
export const Totals = ({ aggregate }: { readonly aggregate: Schemas["Aggregate"] }) => {
  const { home: texts, overview } = useTexts()
  const format = useFormat()
  const { agents_online, agents_total, failure_rate_24h, failures_24h, tasks_24h, workers_online, workers_total } =
    aggregate
  return (
    <FigureGrid>
      <Figure
        name={texts.tasks24h}
        note={tasks_24h > 0 && overview.perHour(format.compact(Math.round(tasks_24h / windowHours)))}
      >
        {format.compact(tasks_24h)}
      </Figure>
      <Figure
        name={texts.failed24h}
        isBad={failures_24h > 0}
        note={tasks_24h > 0 && `${overview.failureRate} ${format.percent(failure_rate_24h)}`}
      >
        {format.compact(failures_24h)}
      </Figure>
      <Figure name={overview.workersOnline}>
        {overview.ofTotal(format.number(workers_online), format.number(workers_total))}
      </Figure>
      <Figure name={overview.agentsOnline} isBad={agents_online < agents_total}>
        {overview.ofTotal(format.number(agents_online), format.number(agents_total))}
      </Figure>
    </FigureGrid>
  )
}
