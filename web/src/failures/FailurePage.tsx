import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { changeOf, type PastCount, sumBetween, weekMillis } from "../overview/comparison.ts"
import { CompareToggle } from "../overview/WindowSelect.tsx"
import { useCan } from "../session/permissions.ts"
import { Differences } from "../tasks/Differences.tsx"
import { Shares } from "../tasks/Shares.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Panel } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { FailureChart } from "./FailureChart.tsx"
import { FirstDeploy } from "./FirstDeploy.tsx"
import { GroupFacts } from "./GroupFacts.tsx"
import { GroupMark } from "./GroupMark.tsx"
import { GroupSample } from "./GroupSample.tsx"
import { GroupTasks } from "./GroupTasks.tsx"
import { type FailureGroupDetail as Detail, groupQuery } from "./queries.ts"
import { RetryGroupButton } from "./RetryGroupButton.tsx"
import { type FailureGroupSearch, type FailureWindow, usualWindow } from "./search.ts"
import { TriageButtons, TriagePanel } from "./Triage.tsx"
import { useDeploysBefore } from "./useDeploysBefore.ts"
import { WindowSelect } from "./WindowSelect.tsx"

const refetchMillis = 10_000
const hourMillis = 3_600_000

/** The failed attempts of the window a week ago, by hours of which the first and the last count in part; null until read. */
const usePast = (slug: string, group: Detail | undefined, hours: FailureWindow, isCompared: boolean) => {
  const { data } = useQuery({
    ...groupQuery(slug, group?.fingerprint ?? "", hours + weekMillis / hourMillis),
    enabled: isCompared && group !== undefined
  })
  return useMemo(
    () =>
      !isCompared || data === undefined
        ? null
        : data.hours.map(({ hour, occurrences }): PastCount => ({
          start: Date.parse(hour),
          length: hourMillis,
          value: occurrences
        })),
    [data, isCompared]
  )
}

/** One failure group: how often and since when, with what exception, its tasks, and the button that retries them all. */
export const FailurePage = () => {
  const { fingerprint, slug } = useParams({ from: "/signed-in/projects/$slug/failures/$fingerprint" })
  const { compare = false, hours = usualWindow } = useSearch({
    from: "/signed-in/projects/$slug/failures/$fingerprint"
  })
  const navigate = useNavigate()
  const { failures: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const refetchInterval = useRefetchInterval(refetchMillis)
  const read = useQuery({
    ...groupQuery(slug, fingerprint, hours),
    placeholderData: (shown) => shown?.fingerprint === fingerprint ? shown : undefined,
    refetchInterval
  })
  const group = read.data
  const past = usePast(slug, group, hours, compare)
  const deploys = useDeploysBefore(slug, [group?.first_seen ?? null])
  const show = (search: FailureGroupSearch) =>
    void navigate({
      to: "/projects/$slug/failures/$fingerprint",
      params: { slug, fingerprint },
      search: (known) => ({ ...known, ...search }),
      replace: true
    })
  if (group === undefined) {
    return read.isError ? <ErrorNotice isPage error={read.error} onRetry={() => void read.refetch()} /> : <Loading />
  }
  const name = group.sample_task_name ?? fingerprint
  const weekAgo = read.dataUpdatedAt - weekMillis
  const change = past === null || group.window === null
    ? null
    : changeOf(group.window.occurrences, sumBetween(past, weekAgo - hours * hourMillis, weekAgo))
  return (
    <>
      <PageHeader title={name}>
        <GroupMark group={group} />
        <WindowSelect hours={hours} onChoose={(chosen) => show({ hours: chosen })} />
        <CompareToggle isOn={compare} onToggle={(isOn) => show({ compare: isOn ? true : undefined })} />
        <span className="flex items-center gap-2 font-mono text-small text-soft">
          {fingerprint}
          <CopyButton text={fingerprint} label={texts.fingerprint} />
        </span>
        {canOperate && (
          <Link
            to="/projects/$slug/automation/new"
            params={{ slug }}
            search={{ fingerprint }}
            className={`ml-auto ${linkClass.text}`}
          >
            {texts.createRule}
          </Link>
        )}
        {canOperate && <TriageButtons slug={slug} group={group} />}
        <RetryGroupButton slug={slug} group={group} />
      </PageHeader>
      {read.isError && <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />}
      <div className="grid gap-4 px-4 pb-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 content-start gap-4">
          {group.first_seen !== null && <FirstDeploy deploys={deploys} firstSeen={group.first_seen} className="" />}
          {group.window !== null && (
            <FailureChart
              slug={slug}
              fingerprint={fingerprint}
              window={group.window}
              at={read.dataUpdatedAt}
              past={past}
            />
          )}
          <GroupSample slug={slug} group={group} />
          <Differences slug={slug} of={{ fingerprint }} hours={hours} />
        </div>
        <div className="grid min-w-0 content-start gap-4">
          <TriagePanel slug={slug} group={group} />
          <Panel title={texts.facts}>
            <GroupFacts group={group} change={change} />
          </Panel>
          <GroupTasks slug={slug} fingerprint={fingerprint} hours={hours} />
          <Shares slug={slug} terms={{ fingerprint }} term="queue" title={texts.queues} shares={group.queues} />
          <Shares slug={slug} terms={{ fingerprint }} term="worker" title={texts.workers} shares={group.workers} />
        </div>
      </div>
    </>
  )
}
