import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { AttentionList } from "../attention/AttentionList.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { homeQuery } from "../overview/queries.ts"
import { meQuery } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"

const CreateProjectForm = lazy(async () => ({
  default: (await import("./CreateProjectForm.tsx")).CreateProjectForm
}))

const refetchMillis = 15_000

const healthColours = {
  healthy: "text-success",
  degraded: "text-retry",
  critical: "text-failure",
  idle: "text-waiting"
} as const

/** Every project that the person sees, and what of them needs attention. */
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
        <Link to="/activity" className="ml-auto text-soft underline underline-offset-2 hover:text-ink">
          {activity.ofAll}
        </Link>
        {me?.is_admin === true && <Button onClick={() => setCreating(true)}>{projectSettings.create}</Button>}
      </PageHeader>
      {isCreating && (
        <Suspense>
          <CreateProjectForm onClose={() => setCreating(false)} />
        </Suspense>
      )}
      <ListFrame
        list={home}
        isEmpty={home.data?.projects.length === 0}
        empty={<EmptyState title={texts.noProjects} hint={texts.noProjectsHint} />}
      >
        <div className="mb-5">
          <AttentionList items={home.data?.attention ?? []} showProject />
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
                  className="font-medium hover:underline hover:underline-offset-2"
                >
                  {name}
                </Link>
              )
            },
            {
              title: texts.health,
              cell: ({ health }) => <span className={healthColours[health]}>{texts.healths[health]}</span>
            },
            { title: texts.tasks24h, isNumber: true, cell: ({ tasks_24h }) => format.number(tasks_24h) },
            {
              title: texts.failed24h,
              isNumber: true,
              cell: ({ failure_rate_24h, failures_24h }) =>
                `${format.number(failures_24h)} (${format.percent(failure_rate_24h)})`
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
      </ListFrame>
    </>
  )
}
