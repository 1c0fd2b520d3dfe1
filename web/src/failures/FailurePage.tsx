import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { changeOf, type PastCount, sumBetween, weekMillis } from "../overview/comparison.ts"
import { CompareToggle } from "../overview/WindowSelect.tsx"
import { useCan } from "../session/session.ts"
import { Differences } from "../tasks/Differences.tsx"
import { Shares } from "../tasks/Shares.tsx"
import { TaskLink } from "../tasks/TaskLinks.tsx"
import { Traceback } from "../tasks/Traceback.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { FailureChart } from "./FailureChart.tsx"
import { GroupMark } from "./GroupMark.tsx"
import { GroupTasks } from "./GroupTasks.tsx"
import {
  deployBeforeQuery,
  type FailureGroupDetail as Detail,
  type FailureGroupSearch,
  type FailureWindow,
  groupQuery,
  usualWindow
} from "./queries.ts"
import { RetryGroupButton } from "./RetryGroupButton.tsx"
import { TriageButtons, TriagePanel } from "./Triage.tsx"
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

/** How long after which deploy the group failed first, if one was within a day before. */
const FirstDeploy = ({ firstSeen, slug }: { readonly slug: string; readonly firstSeen: string }) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  const { data: deploys = [] } = useQuery(deployBeforeQuery(slug, firstSeen))
  const [deploy] = deploys
  if (deploy === undefined) return null
  const after = Math.max(1000, Date.parse(firstSeen) - Date.parse(deploy.at))
  return (
    <p className="text-soft" title={deploy.note ?? undefined}>
      {texts.afterDeploy(format.duration(after), deploy.version)}
    </p>
  )
}

const GroupFacts = ({ change, group }: {
  readonly group: Detail
  /** Of the failed attempts against the week before. */
  readonly change: number | null
}) => {
  const { failures: texts, overview } = useTexts()
  const format = useFormat()
  return (
    <Facts>
      <Fact name={texts.occurrences}>
        {group.window !== null && format.number(group.window.occurrences)}
        {change !== null && (
          <span title={overview.comparedWithLastWeek} className="ml-2 text-soft">{format.change(change)}</span>
        )}
      </Fact>
      <Fact name={texts.occurrencesEver}>{format.number(group.occurrences)}</Fact>
      <Fact name={texts.openNow}>
        <span className={group.open_count > 0 ? "font-medium text-failure" : undefined}>
          {format.number(group.open_count)}
        </span>
      </Fact>
      <Fact name={texts.recovered}>{format.number(group.recovered_count)}</Fact>
      <Fact name={texts.engine}>{group.engines.join(", ")}</Fact>
      <Fact name={texts.firstSeen}>{group.first_seen === null ? "–" : <Time at={group.first_seen} />}</Fact>
      <Fact name={texts.lastSeen}>{group.last_seen === null ? "–" : <Time at={group.last_seen} />}</Fact>
    </Facts>
  )
}

const Sample = ({ group, slug }: { readonly slug: string; readonly group: Detail }) => {
  const { failures: texts } = useTexts()
  const sample = group.sample_task
  const exception = sample?.exception ?? group.sample_exception
  return (
    <Panel
      title={texts.sample}
      actions={sample !== null && (
        <TaskLink slug={slug} engine={sample.engine} taskId={sample.task_id} className={linkClass.text}>
          {texts.showSample}
        </TaskLink>
      )}
    >
      <p className="px-4 py-3 font-mono text-[12px] break-words whitespace-pre-wrap text-failure">
        {exception ?? texts.noException}
      </p>
      {sample !== null && sample.traceback !== null && sample.traceback.trim() !== exception?.trim() && (
        <Traceback text={sample.traceback} />
      )}
      {sample === null && <p className="px-4 pb-3 text-soft">{texts.sampleDeleted}</p>}
    </Panel>
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
  const show = (search: FailureGroupSearch) =>
    void navigate({
      to: "/projects/$slug/failures/$fingerprint",
      params: { slug, fingerprint },
      search: (known) => ({ ...known, ...search }),
      replace: true
    })
  if (group === undefined) {
    return read.isError ? <ErrorNotice error={read.error} onRetry={() => void read.refetch()} /> : <Loading />
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
          {group.first_seen !== null && <FirstDeploy slug={slug} firstSeen={group.first_seen} />}
          {group.window !== null && (
            <FailureChart
              slug={slug}
              fingerprint={fingerprint}
              window={group.window}
              at={read.dataUpdatedAt}
              past={past}
            />
          )}
          <Sample slug={slug} group={group} />
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
