import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"

export const Figure = ({ children, isBad = false, name, note }: {
  readonly name: string
  readonly isBad?: boolean
  readonly children: ReactNode
  /** Smaller, beside the figure. */
  readonly note?: ReactNode
}) => (
  <div className="grid content-start gap-1 bg-paper px-5 py-4">
    <dt className="text-small text-soft">{name}</dt>
    <dd className={`figures text-figure font-semibold whitespace-nowrap ${isBad ? "text-failure" : ""}`}>{children}</dd>
    {note !== undefined && <dd className="figures text-small text-soft">{note || "\u00a0"}</dd>}
  </div>
)

export const FigureGrid = ({ children }: { readonly children: ReactNode }) => (
  <dl className="mx-5 grid grid-cols-[repeat(auto-fit,minmax(136px,1fr))] gap-px overflow-hidden rounded-base border border-line bg-line">
    {children}
  </dl>
)

/** The numbers of a window: what ended and how, how long it took, and who is there to work; undefined while they are read. */
export const Figures = ({ slug, stats }: {
  readonly slug: string
  readonly stats: Schemas["StatsResponse"] | undefined
}) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const { tasks_failed_24h: failed = 0, tasks_succeeded_24h: succeeded = 0 } = stats ?? {}
  const ended = succeeded + failed
  const count = (value: number) => (stats === undefined ? "–" : format.compact(value))
  const durations = (name: string, percentiles: Schemas["StatsResponse"]["runtime_ms"] = null) => (
    <Figure
      name={`${name}, ${texts.p95}`}
      note={percentiles !== null && `${texts.p50} ${format.duration(percentiles.p50)}`}
    >
      {percentiles === null ? "–" : format.duration(percentiles.p95)}
    </Figure>
  )
  const presence = (name: string, to: string, online = 0, offline = 0) => (
    <Figure name={name} isBad={offline > 0 && to.endsWith("agents")}>
      <Link to={to} params={{ slug }} className="hover:underline hover:underline-offset-4">
        {stats === undefined ? "–" : texts.ofTotal(format.number(online), format.number(online + offline))}
      </Link>
    </Figure>
  )
  return (
    <FigureGrid>
      <Figure
        name={texts.throughput}
        note={stats !== undefined && ended > 0 &&
          texts.perHour(format.compact(Math.round(ended / stats.window_hours)))}
      >
        {count(ended)}
      </Figure>
      <Figure
        name={texts.failed}
        isBad={failed > 0}
        note={stats !== undefined && ended > 0 && `${texts.failureRate} ${format.percent(stats.failure_rate_24h)}`}
      >
        {count(failed)}
      </Figure>
      {durations(texts.durations, stats?.runtime_ms)}
      {durations(texts.waitsShort, stats?.wait_ms)}
      {presence(texts.workersOnline, "/projects/$slug/workers", stats?.workers_online, stats?.workers_offline)}
      {presence(texts.agentsOnline, "/projects/$slug/agents", stats?.agents_online, stats?.agents_offline)}
    </FigureGrid>
  )
}
