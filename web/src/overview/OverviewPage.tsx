import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, type ReactNode, Suspense, useMemo } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { OverviewWindow } from "../routes.tsx"
import { formatQuery } from "../tasks/query.ts"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"

const Chart = lazy(async () => ({ default: (await import("./Chart.tsx")).Chart }))

/** The finest bucket that draws at most 200 points (docs/trends.md). */
const buckets = { "1h": "1m", "6h": "5m", "24h": "15m", "72h": "1h", "7d": "1h" } as const
const windowHours = { "1h": 1, "6h": 6, "24h": 24, "72h": 72, "7d": 168 } as const

const refetchMillis = 10_000
const topNames = 8

const Figure = ({ children, isBad = false, name }: {
  readonly name: string
  readonly isBad?: boolean
  readonly children: ReactNode
}) => (
  <div className="grid gap-1 bg-paper px-5 py-4">
    <dt className="text-small text-soft">{name}</dt>
    <dd className={`figures text-figure font-semibold ${isBad ? "text-failure" : ""}`}>{children}</dd>
  </div>
)

const Figures = ({ stats }: { readonly stats: Schemas["StatsResponse"] }) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  return (
    <dl className="mx-5 grid grid-cols-[repeat(auto-fit,minmax(112px,1fr))] gap-px overflow-hidden rounded-base border border-line bg-line">
      <Figure name={texts.succeeded}>{format.compact(stats.tasks_succeeded_24h)}</Figure>
      <Figure name={texts.failed} isBad={stats.tasks_failed_24h > 0}>{format.compact(stats.tasks_failed_24h)}</Figure>
      <Figure name={texts.failureRate}>{format.percent(stats.failure_rate_24h)}</Figure>
      <Figure name={`${texts.durations}, ${texts.p95}`}>
        {stats.runtime_ms === null ? "–" : format.duration(stats.runtime_ms.p95)}
      </Figure>
      <Figure name={texts.workersOnline}>
        {texts.ofTotal(
          format.number(stats.workers_online),
          format.number(stats.workers_online + stats.workers_offline)
        )}
      </Figure>
      <Figure name={texts.agentsOnline} isBad={stats.agents_offline > 0}>
        {texts.ofTotal(format.number(stats.agents_online), format.number(stats.agents_online + stats.agents_offline))}
      </Figure>
    </dl>
  )
}

const Charts = ({ readAt, trends }: {
  readonly trends: Schemas["TrendsResponse"]
  readonly readAt: number
}) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const { counts, runs, times, waits } = useMemo(() => {
    const { series } = trends
    const durations = (kind: "runtime_ms" | "wait_ms") => [
      { label: texts.p50, colour: "running", values: series.map((bucket) => bucket[kind]?.p50 ?? null) },
      { label: texts.p95, colour: "stopped", dash: [6, 3], values: series.map((bucket) => bucket[kind]?.p95 ?? null) }
    ]
    return {
      times: series.map(({ t }) => Date.parse(t)),
      counts: [
        { label: texts.succeeded, colour: "success", isFilled: true, values: series.map(({ success }) => success) },
        {
          label: texts.failed,
          colour: "failure",
          isFilled: true,
          dash: [6, 3],
          values: series.map(({ failure }) => failure)
        }
      ],
      runs: durations("runtime_ms"),
      waits: durations("wait_ms")
    }
  }, [trends, texts])
  return (
    <div className="grid gap-5 px-5 xl:grid-cols-3">
      <Chart
        title={texts.throughput}
        times={times}
        series={counts}
        format={format}
        formatValue={format.compact}
        readAt={readAt}
      />
      <Chart
        title={texts.durations}
        times={times}
        series={runs}
        format={format}
        formatValue={format.duration}
        readAt={readAt}
      />
      <Chart
        title={texts.waits}
        times={times}
        series={waits}
        format={format}
        formatValue={format.duration}
        readAt={readAt}
      />
    </div>
  )
}

/** A project at a glance: what ended, how long it took, what fails and what waits. */
export const OverviewPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/" })
  const { window = "24h" } = useSearch({ from: "/signed-in/projects/$slug/" })
  const { overview: texts, tasks } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const path = { slug }
  const trends = useQuery({
    queryKey: ["trends", slug, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/trends", { params: { path, query: { window, bucket: buckets[window] } } })
      ),
    refetchInterval
  })
  const stats = useQuery({
    queryKey: ["stats", slug, window],
    queryFn: () =>
      unwrap(api.GET("/api/v1/projects/{slug}/stats", { params: { path, query: { hours: windowHours[window] } } })),
    refetchInterval
  })
  const failing = useQuery({
    queryKey: ["task-names", slug, window],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/task-names", {
          params: { path, query: { window, sort: "failures", limit: topNames } }
        })
      ),
    refetchInterval
  })
  const failingNames = failing.data?.items.filter(({ failure }) => failure > 0) ?? []
  return (
    <div className="grid gap-5 pb-6">
      <PageHeader title={texts.title}>
        <select
          aria-label={texts.window}
          value={window}
          onChange={({ target }) =>
            void navigate({
              to: "/projects/$slug",
              params: path,
              search: { window: target.value as OverviewWindow } // its options are the windows
            })}
          className="h-[30px] rounded-base border border-line bg-paper px-3"
        >
          {Object.entries(texts.windows).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
        </select>
      </PageHeader>
      {stats.isError && <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />}
      {stats.data && <Figures stats={stats.data} />}
      {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
      {trends.data === undefined
        ? !trends.isError && <Loading />
        : (
          <Suspense fallback={<Loading />}>
            <Charts trends={trends.data} readAt={trends.dataUpdatedAt} />
          </Suspense>
        )}
      <div className="grid gap-5 xl:grid-cols-2">
        <section aria-labelledby="failing">
          <h2 id="failing" className="px-5 pb-3 font-semibold">{texts.topFailing}</h2>
          {failingNames.length === 0 ? <p className="px-5 text-soft">{texts.noFailing}</p> : (
            <Table
              label={texts.topFailing}
              rows={failingNames}
              rowKey={({ engine, name }) => `${engine} ${name}`}
              columns={[
                {
                  title: texts.name,
                  cell: ({ engine, name }) => (
                    <Link
                      to="/projects/$slug/tasks"
                      params={path}
                      search={{ q: formatQuery({ state: "failure", name, engine }) }}
                      className="font-medium hover:underline hover:underline-offset-2"
                    >
                      {name}
                    </Link>
                  )
                },
                {
                  title: texts.failed,
                  isNumber: true,
                  cell: ({ failure }) => <span className="text-failure">{format.number(failure)}</span>
                },
                { title: texts.failureRate, isNumber: true, cell: ({ failure_rate }) => format.percent(failure_rate) },
                {
                  title: texts.p95,
                  isNumber: true,
                  cell: ({ runtime_ms }) => runtime_ms !== null && format.duration(runtime_ms.p95)
                }
              ]}
            />
          )}
        </section>
        <section aria-labelledby="depths">
          <h2 id="depths" className="px-5 pb-3 font-semibold">{texts.queues}</h2>
          {(stats.data?.queue_depths.length ?? 0) === 0 ? <p className="px-5 text-soft">{texts.noQueues}</p> : (
            <Table
              label={texts.queues}
              rows={stats.data?.queue_depths ?? []}
              rowKey={({ engine, name }) => `${engine} ${name}`}
              columns={[
                {
                  title: tasks.columns.queue,
                  cell: ({ engine, name }) => (
                    <Link
                      to="/projects/$slug/tasks"
                      params={path}
                      search={{ q: formatQuery({ queue: name, engine }) }}
                      className="font-medium hover:underline hover:underline-offset-2"
                    >
                      {name}
                    </Link>
                  )
                },
                { title: texts.depth, isNumber: true, cell: ({ pending_count }) => format.number(pending_count) }
              ]}
            />
          )}
        </section>
      </div>
    </div>
  )
}
