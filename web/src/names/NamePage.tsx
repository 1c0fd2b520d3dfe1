import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { chartRefetchMillis, useTrends } from "../overview/queries.ts"
import { TrendCharts } from "../overview/TrendCharts.tsx"
import { type OverviewSearch, windowHours } from "../overview/windows.ts"
import { CompareToggle, WindowSelect } from "../overview/WindowSelect.tsx"
import { Differences } from "../tasks/Differences.tsx"
import { useOpenTasks } from "../tasks/useOpenTasks.ts"
import { ErrorNotice } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Distribution } from "./Distribution.tsx"
import { NameFigures } from "./NameFigures.tsx"
import { NameGroups } from "./NameGroups.tsx"
import { NameQueues } from "./NameQueues.tsx"
import { NameRuns } from "./NameRuns.tsx"
import { NameSchedules } from "./NameSchedules.tsx"
import { nameQuery } from "./queries.ts"

/** How the tasks of one name do: how many, how long, where, and what fires and fails them. */
export const NamePage = () => {
  const { name, slug } = useParams({ from: "/signed-in/projects/$slug/names/$name" })
  const { compare = false, window = "24h" } = useSearch({ from: "/signed-in/projects/$slug/names/$name" })
  const { names: texts } = useTexts()
  const navigate = useNavigate()
  const openTasks = useOpenTasks(slug)
  const { changes, past, trends } = useTrends(slug, window, compare, name)
  const detail = useQuery({
    ...nameQuery(slug, name, window),
    refetchInterval: useRefetchInterval(chartRefetchMillis)
  })
  const show = (search: OverviewSearch) =>
    void navigate({
      to: "/projects/$slug/names/$name",
      params: { slug, name },
      search: (known) => ({ ...known, ...search })
    })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pb-6">
      <PageHeader title={name}>
        <WindowSelect window={window} onChoose={(window) => show({ window })} />
        <CompareToggle isOn={compare} onToggle={(isOn) => show({ compare: isOn ? true : undefined })} />
      </PageHeader>
      <NameFigures trends={trends.data} changes={changes} window={window} />
      <TrendCharts trends={trends} past={past} slug={slug} terms={{ exactName: name }} />
      {detail.isError && <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 lg:grid-cols-2">
        <Distribution
          title={texts.runTimes}
          ranges={detail.data?.run_times}
          onOpen={(longerThan, atMost) =>
            openTasks({
              exactName: name,
              finished: window,
              // run times are whole milliseconds
              runtime: [
                ...(longerThan < 1 ? [] : [`>${Math.floor(longerThan)}ms`]),
                `<=${Math.floor(atMost)}ms`
              ]
            })}
        />
        <Distribution title={texts.queueTimes} ranges={detail.data?.queue_times} />
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <NameRuns slug={slug} name={name} />
          <NameQueues slug={slug} queues={detail.data?.queues ?? []} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <Differences slug={slug} of={{ name }} hours={windowHours[window]} />
          <NameGroups slug={slug} name={name} window={window} />
          <NameSchedules slug={slug} name={name} />
        </div>
      </div>
    </div>
  )
}
