import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { OverviewWindow } from "../routes.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { FailingGroups, FailingNames } from "./Failing.tsx"
import { Figures } from "./Figures.tsx"
import { ProjectAttention } from "./ProjectAttention.tsx"
import { statsQuery, trendsQuery } from "./queries.ts"
import { QueueDepths } from "./QueueDepths.tsx"

const Charts = lazy(async () => ({ default: (await import("./Charts.tsx")).Charts }))

const refetchMillis = 10_000
/** The shortest bucket of a chart is a minute. */
const chartRefetchMillis = 30_000

/** A project at a glance: what needs attention, what ended, how long it took, what fails and what waits. */
export const OverviewPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/" })
  const { window = "24h" } = useSearch({ from: "/signed-in/projects/$slug/" })
  const { overview: texts } = useTexts()
  const navigate = useNavigate()
  const trends = useQuery({ ...trendsQuery(slug, window), refetchInterval: useRefetchInterval(chartRefetchMillis) })
  const stats = useQuery({ ...statsQuery(slug, window), refetchInterval: useRefetchInterval(refetchMillis) })
  return (
    <div className="grid gap-5 pb-6">
      <PageHeader title={texts.title}>
        <select
          aria-label={texts.window}
          value={window}
          onChange={({ target }) =>
            void navigate({
              to: "/projects/$slug",
              params: { slug },
              search: { window: target.value as OverviewWindow } // its options are the windows
            })}
          className="h-[30px] rounded-base border border-line bg-paper px-3"
        >
          {Object.entries(texts.windows).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
        </select>
      </PageHeader>
      <ProjectAttention slug={slug} />
      {stats.isError && <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />}
      {stats.data && <Figures slug={slug} stats={stats.data} />}
      {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
      {trends.data === undefined
        ? !trends.isError && <Loading />
        : (
          <Suspense fallback={<Loading />}>
            <Charts trends={trends.data} readAt={trends.dataUpdatedAt} />
          </Suspense>
        )}
      <div className="grid gap-x-0 gap-y-3 lg:grid-cols-2">
        <FailingNames slug={slug} window={window} />
        <FailingGroups slug={slug} window={window} />
        <QueueDepths slug={slug} />
      </div>
    </div>
  )
}
