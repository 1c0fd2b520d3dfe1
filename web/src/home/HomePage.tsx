import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { Schemas } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { AttentionList } from "../attention/AttentionList.tsx"
import { lazyDialog } from "../code/lazyComponent.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Figure, FigureGrid } from "../overview/Figures.tsx"
import { Part } from "../overview/Part.tsx"
import { chartRefetchMillis, homeQuery, homeTrendsQuery, recentFailuresQuery } from "../overview/queries.ts"
import { TrendCharts } from "../overview/TrendCharts.tsx"
import { WindowSelect } from "../overview/WindowSelect.tsx"
import { meQuery } from "../session/session.ts"
import { formatQuery } from "../tasks/query.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass, TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"

const CreateProjectForm = lazyDialog(async () => (await import("./CreateProjectForm.tsx")).CreateProjectForm)

const refetchMillis = 15_000
const failuresRefetchMillis = 30_000

const healthColours = {
  healthy: "text-success",
  degraded: "text-retry",
  critical: "text-failure",
  idle: "text-waiting"
} as const

const windowHours = 24
/** All projects together, over the last 24 hours. */
const Totals = ({ aggregate }: { readonly aggregate: Schemas["Aggregate"] }) => {
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

/** The charts of all projects together. */
const TasksOverTime = () => {
  const { overview } = useTexts()
  const { window = "24h" } = useSearch({ from: "/signed-in/" })
  const navigate = useNavigate()
  const trends = useQuery({ ...homeTrendsQuery(window), refetchInterval: useRefetchInterval(chartRefetchMillis) })
  return (
    <section aria-label={overview.overTime} className="mt-4 grid gap-2">
      <div className="flex items-center gap-3 px-4">
        <h2 className="font-semibold">{overview.overTime}</h2>
        <WindowSelect window={window} onChoose={(window) => void navigate({ to: "/", search: { window } })} />
      </div>
      <TrendCharts trends={trends} />
    </section>
  )
}

/** The newest failed tasks of all projects. */
const RecentFailures = () => {
  const { failures, home: texts, tasks } = useTexts()
  const refetchInterval = useRefetchInterval(failuresRefetchMillis)
  const recent = useQuery({ ...recentFailuresQuery, refetchInterval })
  return (
    <Part
      title={texts.recentFailures}
      query={recent}
      isEmpty={recent.data?.items.length === 0}
      empty={texts.noFailures}
    >
      <Table
        label={texts.recentFailures}
        rows={recent.data?.items ?? []}
        rowKey={({ id }) => id}
        columns={[
          {
            title: tasks.columns.name,
            cell: ({ engine, project_slug, task_id, task_name }) => (
              <Link
                to="/projects/$slug/tasks/$engine/$taskId"
                params={{ slug: project_slug, engine, taskId: task_id }}
                className={linkClass.name}
              >
                {task_name ?? task_id}
              </Link>
            )
          },
          { title: texts.project, cell: ({ project_name }) => project_name },
          {
            title: failures.failure,
            isMinor: true,
            cell: ({ exception }) => (
              <span title={exception ?? undefined} className="block max-w-[56ch] truncate">
                {exception?.split("\n", 1)[0]}
              </span>
            )
          },
          { title: tasks.columns.worker, isMinor: true, cell: ({ worker }) => worker },
          { title: failures.lastSeen, isNumber: true, cell: ({ occurred_at }) => <Time at={occurred_at} /> }
        ]}
      />
    </Part>
  )
}

/** Every project that the person sees, what of them needs attention, their tasks over time, and what failed last. */
export const HomePage = () => {
  const { activity, home: texts, overview, projectSettings } = useTexts()
  const { data: me } = useQuery(meQuery)
  const [isCreating, setCreating] = useState(false)
  const format = useFormat()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const home = useQuery({ ...homeQuery, refetchInterval })
  return (
    <>
      <PageHeader title={texts.title}>
        <TextLink to="/activity" className="ml-auto text-soft hover:text-ink">
          {activity.ofAll}
        </TextLink>
        {me?.is_admin === true && <Button onClick={() => setCreating(true)}>{projectSettings.create}</Button>}
      </PageHeader>
      {isCreating && <CreateProjectForm onClose={() => setCreating(false)} />}
      <ListFrame
        list={home}
        isEmpty={home.data?.projects.length === 0}
        empty={<EmptyState title={texts.noProjects} hint={texts.noProjectsHint} />}
      >
        <div className="mb-4 grid gap-4">
          <AttentionList items={home.data?.attention ?? []} showProject />
          {home.data !== undefined && <Totals aggregate={home.data.aggregate} />}
        </div>
        <Table
          label={texts.title}
          rows={home.data?.projects ?? []}
          rowKey={({ id }) => id}
          columns={[
            {
              title: texts.project,
              cell: ({ name, slug }) => (
                <Link
                  to="/projects/$slug"
                  params={{ slug }}
                  className={linkClass.name}
                >
                  {name}
                </Link>
              )
            },
            {
              title: texts.health,
              cell: ({ health }) => <span className={healthColours[health]}>{texts.healths[health]}</span>
            },
            {
              title: texts.tasks24h,
              isNumber: true,
              cell: ({ tasks_24h }) => (
                <>
                  {format.number(tasks_24h)}
                  <span className="block text-small text-soft max-md:hidden">
                    {overview.perHour(format.compact(Math.round(tasks_24h / windowHours)))}
                  </span>
                </>
              )
            },
            {
              title: texts.failed24h,
              isNumber: true,
              cell: ({ failures_24h, slug }) => (
                <Link
                  to="/projects/$slug/tasks"
                  params={{ slug }}
                  search={{ q: formatQuery({ state: "failure", finished: "24h" }) }}
                  className={failures_24h > 0 ? `text-failure ${linkClass.name}` : "text-soft"}
                >
                  {format.number(failures_24h)}
                </Link>
              )
            },
            {
              title: overview.failureRate,
              isNumber: true,
              cell: ({ failure_rate_24h }) => format.percent(failure_rate_24h)
            },
            {
              title: texts.agents,
              isNumber: true,
              cell: ({ agents_online, agents_total }) =>
                overview.ofTotal(format.number(agents_online), format.number(agents_total))
            },
            {
              title: texts.workers,
              isNumber: true,
              cell: ({ workers_online, workers_total }) =>
                overview.ofTotal(format.number(workers_online), format.number(workers_total))
            },
            {
              title: texts.lastActivity,
              isNumber: true,
              cell: ({ last_activity_at }) => last_activity_at !== null && <Time at={last_activity_at} />
            }
          ]}
        />
        <TasksOverTime />
        <RecentFailures />
      </ListFrame>
    </>
  )
}
