import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { formatQuery } from "../tasks/query.ts"
import { Table } from "../ui/Table.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { windowHours } from "./Totals.tsx"

const healthColours = {
  healthy: "text-success",
  degraded: "text-retry",
  critical: "text-failure",
  idle: "text-waiting"
} as const

/** The projects in numbers of the last 24 hours. */
export const ProjectTable = ({ projects }: { readonly projects: ReadonlyArray<Schemas["ProjectCard"]> }) => {
  const { home: texts, overview } = useTexts()
  const format = useFormat()
  return (
    <Table
      label={texts.title}
      rows={projects}
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
  )
}
