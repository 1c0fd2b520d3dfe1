import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { Changes } from "../overview/comparison.ts"
import { DurationFigure, Figure, FigureGrid } from "../overview/Figures.tsx"
import { chartRefetchMillis, useTrends } from "../overview/queries.ts"
import { TrendCharts } from "../overview/TrendCharts.tsx"
import { type OverviewSearch, type OverviewWindow, windowHours } from "../overview/windows.ts"
import { CompareToggle, WindowSelect } from "../overview/WindowSelect.tsx"
import { QueueLink } from "../queues/QueueLink.tsx"
import { schedulesQuery } from "../schedules/queries.ts"
import { Differences } from "../tasks/Differences.tsx"
import { formatQuery } from "../tasks/query.ts"
import { Shares } from "../tasks/Shares.tsx"
import { useOpenTasks } from "../tasks/useOpenTasks.ts"
import { ListFrame } from "../ui/ListFrame.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass, TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { Distribution } from "./Distribution.tsx"
import { groupsOfNameQuery, nameQuery, runsQuery } from "./queries.ts"
import { RunStrip } from "./RunStrip.tsx"

interface Named {
  readonly slug: string
  readonly name: string
}

/** What ended and how, how long it took, and what was tried again; undefined while it is read. */
const NameFigures = ({ changes, trends, window }: {
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

const Queues = ({ queues, slug }: {
  readonly slug: string
  readonly queues: Schemas["TaskNameDetail"]["queues"]
}) => {
  const { names: texts, overview, tasks } = useTexts()
  const format = useFormat()
  return (
    <Panel title={texts.queues}>
      <Table
        isInPanel
        label={texts.queues}
        rows={queues}
        rowKey={({ engine, queue }) => `${engine} ${queue}`}
        columns={[
          {
            title: tasks.columns.queue,
            cell: ({ engine, queue }) =>
              queue === null ? "–" : <QueueLink slug={slug} engine={engine} name={queue} className={linkClass.name} />
          },
          { title: tasks.columns.engine, isMinor: true, cell: ({ engine }) => engine },
          {
            title: overview.throughput,
            isNumber: true,
            cell: ({ failure, success }) => format.number(success + failure)
          },
          { title: overview.failureRate, isNumber: true, cell: ({ failure_rate }) => format.percent(failure_rate) },
          {
            title: `${overview.waitsShort}, ${overview.p95}`,
            isNumber: true,
            cell: ({ wait_ms }) => (wait_ms === null ? "–" : format.duration(wait_ms.p95))
          }
        ]}
      />
    </Panel>
  )
}

/** The schedules that fire tasks of the name. */
const Schedules = ({ name, slug }: Named) => {
  const { names: texts } = useTexts()
  const schedules = useQuery(schedulesQuery(slug))
  const own = schedules.data?.schedules.filter(({ task_name }) => task_name === name) ?? []
  return (
    <Panel title={texts.schedules}>
      <ListFrame
        list={schedules}
        isEmpty={own.length === 0}
        empty={<p className="px-4 py-3 text-soft">{texts.noSchedule}</p>}
      >
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-3">
          {own.map(({ expression, id, name }) => (
            <li key={id} className="flex justify-between gap-3">
              <Link
                to="/projects/$slug/schedules/$scheduleId"
                params={{ slug, scheduleId: id }}
                className={`truncate ${linkClass.name}`}
              >
                {name}
              </Link>
              <code className="font-mono text-small text-soft">{expression}</code>
            </li>
          ))}
        </ul>
      </ListFrame>
    </Panel>
  )
}

/** The failure groups of its tasks, the most recently failed first. */
const Groups = ({ name, slug, window }: Named & { readonly window: OverviewWindow }) => {
  const { failures, names: texts, overview } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(chartRefetchMillis)
  const groups = useQuery({ ...groupsOfNameQuery(slug, name, window), refetchInterval })
  return (
    <Panel title={texts.groups}>
      <ListFrame
        list={groups}
        isEmpty={groups.data?.length === 0}
        empty={<p className="px-4 py-3 text-soft">{overview.noGroups}</p>}
      >
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-3">
          {groups.data?.map(({ fingerprint, last_seen, sample_exception, window }) => (
            <li key={fingerprint} className="flex items-baseline justify-between gap-3">
              <Link
                to="/projects/$slug/failures/$fingerprint"
                params={{ slug, fingerprint }}
                title={sample_exception ?? undefined}
                className={`min-w-0 truncate ${linkClass.name}`}
              >
                {sample_exception?.split("\n", 1)[0] ?? failures.noException}
              </Link>
              <span className="figures shrink-0 text-soft">
                {window !== null && format.number(window.occurrences)}
                {last_seen !== null && <Time at={last_seen} className="ml-3" />}
              </span>
            </li>
          ))}
        </ul>
      </ListFrame>
    </Panel>
  )
}

/** The newest tasks of the name, and their workers. */
const Runs = ({ name, slug }: Named) => {
  const { failures, names: texts } = useTexts()
  const runs = useQuery({ ...runsQuery(slug, name), refetchInterval: useRefetchInterval(chartRefetchMillis) })
  const tasks = runs.data ?? []
  const counts = Map.groupBy(tasks, ({ worker_name }) => worker_name)
  const shares = [...counts].map(([name, { length }]) => ({ name, tasks: length }))
  return (
    <>
      <Panel
        title={texts.runs}
        actions={
          <TextLink
            to="/projects/$slug/tasks"
            params={{ slug }}
            search={{ q: formatQuery({ exactName: name }) }}
          >
            {failures.showAll}
          </TextLink>
        }
      >
        <ListFrame
          list={runs}
          isEmpty={tasks.length === 0}
          empty={<p className="px-4 py-3 text-soft">{texts.noRun}</p>}
        >
          <RunStrip slug={slug} tasks={tasks} />
        </ListFrame>
      </Panel>
      <Shares
        slug={slug}
        terms={{ exactName: name }}
        term="worker"
        title={texts.workers}
        shares={shares.toSorted((left, right) => right.tasks - left.tasks)}
      />
    </>
  )
}

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
          <Runs slug={slug} name={name} />
          <Queues slug={slug} queues={detail.data?.queues ?? []} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <Differences slug={slug} of={{ name }} hours={windowHours[window]} />
          <Groups slug={slug} name={name} window={window} />
          <Schedules slug={slug} name={name} />
        </div>
      </div>
    </div>
  )
}
