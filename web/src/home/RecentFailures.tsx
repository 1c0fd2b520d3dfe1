import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Part } from "../overview/Part.tsx"
import { recentFailuresQuery } from "../overview/queries.ts"
import { Table } from "../ui/Table.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"

const refetchMillis = 30_000

/** The newest tasks of all projects that failed. */
export const RecentFailures = () => {
  const { failures, home: texts, tasks } = useTexts()
  const refetchInterval = useRefetchInterval(refetchMillis)
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
          // the order of the list
          { title: tasks.columns.received, isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: tasks.columns.finished,
            isNumber: true,
            isMinor: true,
            cell: ({ occurred_at }) => <Time at={occurred_at} />
          }
        ]}
      />
    </Part>
  )
}
