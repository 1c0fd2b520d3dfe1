import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/session.ts"
import { linkClass, TaskLink, TaskListLink } from "../tasks/TaskLinks.tsx"
import { Traceback } from "../tasks/Traceback.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { FailureChart } from "./FailureChart.tsx"
import { GroupMark } from "./GroupMark.tsx"
import { GroupTasks } from "./GroupTasks.tsx"
import { type FailureGroupDetail as Detail, groupQuery, usualWindow } from "./queries.ts"
import { RetryGroupButton } from "./RetryGroupButton.tsx"
import { TriageButtons, TriagePanel } from "./Triage.tsx"
import { WindowSelect } from "./WindowSelect.tsx"

const refetchMillis = 10_000

const GroupFacts = ({ group }: { readonly group: Detail }) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  return (
    <Facts>
      <Fact name={texts.occurrences}>{group.window !== null && format.number(group.window.occurrences)}</Fact>
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

const Shares = ({ fingerprint, shares, slug, term, title }: {
  readonly slug: string
  readonly fingerprint: string
  /** Of the query that lists the tasks of a share. */
  readonly term: "queue" | "worker"
  readonly title: string
  readonly shares: Detail["workers"]
}) => {
  const { none } = useTexts()
  const format = useFormat()
  const total = shares.reduce((sum, { tasks }) => sum + tasks, 0)
  return (
    <Panel title={title}>
      {shares.length === 0 ? <p className="px-5 py-4 text-soft">{none}</p> : (
        <ul className="grid gap-2 px-5 py-4">
          {shares.map(({ name, tasks }) => (
            <li key={name} className="flex justify-between gap-4">
              <span className="truncate">
                {name === null ?
                  "–" :
                  (
                    <TaskListLink slug={slug} query={{ fingerprint, [term]: name }} className="hover:underline">
                      {name}
                    </TaskListLink>
                  )}
              </span>
              <span className="figures text-soft">{format.percent(tasks / total)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
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
        <TaskLink slug={slug} engine={sample.engine} taskId={sample.task_id} className={linkClass}>
          {texts.showSample}
        </TaskLink>
      )}
    >
      <p className="px-5 py-4 font-mono text-[12px] break-words whitespace-pre-wrap text-failure">
        {exception ?? texts.noException}
      </p>
      {sample !== null && sample.traceback !== null && sample.traceback.trim() !== exception?.trim() && (
        <Traceback text={sample.traceback} />
      )}
      {sample === null && <p className="px-5 pb-4 text-soft">{texts.sampleDeleted}</p>}
    </Panel>
  )
}

/** One failure group: how often and since when, with what exception, its tasks, and the button that retries them all. */
export const FailurePage = () => {
  const { fingerprint, slug } = useParams({ from: "/signed-in/projects/$slug/failures/$fingerprint" })
  const { hours = usualWindow } = useSearch({ from: "/signed-in/projects/$slug/failures/$fingerprint" })
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
  if (group === undefined) {
    return read.isError ? <ErrorNotice error={read.error} onRetry={() => void read.refetch()} /> : <Loading />
  }
  const name = group.sample_task_name ?? fingerprint
  return (
    <>
      <PageHeader title={name}>
        <GroupMark group={group} />
        <WindowSelect
          hours={hours}
          onChoose={(chosen) =>
            void navigate({
              to: "/projects/$slug/failures/$fingerprint",
              params: { slug, fingerprint },
              search: chosen === undefined ? {} : { hours: chosen },
              replace: true
            })}
        />
        <span className="flex items-center gap-3 font-mono text-small text-soft">
          {fingerprint}
          <CopyButton text={fingerprint} label={texts.fingerprint} />
        </span>
        {canOperate && (
          <Link
            to="/projects/$slug/automation/new"
            params={{ slug }}
            search={{ fingerprint }}
            className={`ml-auto ${linkClass}`}
          >
            {texts.createRule}
          </Link>
        )}
        {canOperate && <TriageButtons slug={slug} group={group} />}
        <RetryGroupButton slug={slug} group={group} />
      </PageHeader>
      {read.isError && <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />}
      <div className="grid gap-5 px-5 pb-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 content-start gap-5">
          {group.window !== null && <FailureChart window={group.window} at={read.dataUpdatedAt} />}
          <Sample slug={slug} group={group} />
        </div>
        <div className="grid min-w-0 content-start gap-5">
          <TriagePanel slug={slug} group={group} />
          <Panel title={texts.facts}>
            <GroupFacts group={group} />
          </Panel>
          <GroupTasks slug={slug} fingerprint={fingerprint} hours={hours} />
          <Shares slug={slug} fingerprint={fingerprint} term="queue" title={texts.queues} shares={group.queues} />
          <Shares slug={slug} fingerprint={fingerprint} term="worker" title={texts.workers} shares={group.workers} />
        </div>
      </div>
    </>
  )
}
