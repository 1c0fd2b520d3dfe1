import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import type { Changes } from "./comparison.ts"

/** How a figure differs from that of the week before. */
const Change = ({ share }: { readonly share: number }) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  return (
    <span
      title={texts.comparedWithLastWeek}
      className="ml-2 align-baseline text-base font-medium text-soft"
      data-change={share}
    >
      {format.change(share)}
      <span className="sr-only">{texts.comparedWithLastWeek}</span>
    </span>
  )
}

export const Figure = ({ change = null, children, isBad = false, name, note }: {
  readonly name: string
  readonly isBad?: boolean
  readonly children: ReactNode
  /** Smaller, beside the figure. */
  readonly note?: ReactNode
  /** Against the week before, as a share; null: it is not compared, or nothing was there. */
  readonly change?: number | null
}) => (
  <div className="grid content-start gap-0.5 bg-paper px-4 py-3">
    <dt className="text-small text-soft">{name}</dt>
    <dd className={`figures text-figure font-semibold whitespace-nowrap ${isBad ? "text-failure" : ""}`}>
      {children}
      {change !== null && <Change share={change} />}
    </dd>
    {note !== undefined && <dd className="figures text-small text-soft">{note || "\u00a0"}</dd>}
  </div>
)

/** A duration that most tasks keep to, with the usual one beside it. */
export const DurationFigure = ({ change, name, percentiles }: {
  readonly name: string
  readonly percentiles: Schemas["StatsResponse"]["runtime_ms"]
  readonly change?: number | null | undefined
}) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  return (
    <Figure
      name={`${name}, ${texts.p95}`}
      change={change ?? null}
      note={percentiles !== null &&
        `${texts.p50} ${format.duration(percentiles.p50)} · ${texts.p99} ${format.duration(percentiles.p99)}`}
    >
      {percentiles === null ? "–" : format.duration(percentiles.p95)}
    </Figure>
  )
}

export const FigureGrid = ({ children }: { readonly children: ReactNode }) => (
  <dl className="mx-4 grid grid-cols-[repeat(auto-fit,minmax(136px,1fr))] gap-px overflow-hidden rounded-base border border-line bg-line">
    {children}
  </dl>
)

/** The numbers of a window: what ended and how, how long it took, and who is there to work; undefined while they are read. */
export const Figures = ({ changes, slug, stats }: {
  readonly slug: string
  /** Against the week before. */
  readonly changes: Changes | null
  readonly stats: Schemas["StatsResponse"] | undefined
}) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const { tasks_failed_24h: failed = 0, tasks_succeeded_24h: succeeded = 0 } = stats ?? {}
  const ended = succeeded + failed
  const count = (value: number) => (stats === undefined ? "–" : format.compact(value))
  const presence = (name: string, to: string, online = 0, offline = 0) => (
    <Figure name={name} isBad={offline > 0 && to.endsWith("agents")}>
      <Link to={to} params={{ slug }} className={linkClass.row}>
        {stats === undefined ? "–" : texts.ofTotal(format.number(online), format.number(online + offline))}
      </Link>
    </Figure>
  )
  return (
    <FigureGrid>
      <Figure
        name={texts.throughput}
        change={changes?.ended ?? null}
        note={stats !== undefined && ended > 0 &&
          texts.perHour(format.compact(Math.round(ended / stats.window_hours)))}
      >
        {count(ended)}
      </Figure>
      <Figure
        name={texts.failed}
        change={changes?.failed ?? null}
        isBad={failed > 0}
        note={stats !== undefined && ended > 0 && `${texts.failureRate} ${format.percent(stats.failure_rate_24h)}`}
      >
        {count(failed)}
      </Figure>
      <DurationFigure name={texts.durations} percentiles={stats?.runtime_ms ?? null} change={changes?.runTime} />
      <DurationFigure name={texts.waitsShort} percentiles={stats?.wait_ms ?? null} change={changes?.queueTime} />
      {presence(texts.workersOnline, "/projects/$slug/workers", stats?.workers_online, stats?.workers_offline)}
      {presence(texts.agentsOnline, "/projects/$slug/agents", stats?.agents_online, stats?.agents_offline)}
    </FigureGrid>
  )
}
