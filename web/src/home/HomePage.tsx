import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"

const refetchMillis = 15_000

/** Where a person looks after an item of attention. */
const placeOf = (kind: Schemas["AttentionItem"]["kind"]) =>
  kind === "agents_offline" || kind === "agents_refused"
    ? "/projects/$slug/agents"
    : kind === "queue_depth"
    ? "/projects/$slug/queues"
    : kind === "stuck_commands"
    ? "/projects/$slug/commands"
    : "/projects/$slug"

const Attention = ({ items }: { readonly items: ReadonlyArray<Schemas["AttentionItem"]> }) => {
  const { home: texts } = useTexts()
  return (
    <section aria-labelledby="attention" className="mx-5 mb-5 rounded-base border border-line bg-paper">
      <h2 id="attention" className="border-b border-line px-5 py-3 font-semibold">{texts.attention}</h2>
      {items.length === 0 ? <p className="px-5 py-4 text-soft">{texts.calm}</p> : (
        <ul>
          {items.map((item) => (
            <li key={`${item.project_id} ${item.kind}`} className="border-b border-line last:border-0">
              <Link
                to={placeOf(item.kind)}
                params={{ slug: item.project_slug }}
                className="flex gap-4 px-5 py-3 hover:bg-hover"
              >
                <span
                  className={`w-[72px] shrink-0 font-medium ${
                    item.severity === "critical" ? "text-failure" : "text-retry"
                  }`}
                >
                  {texts.severities[item.severity]}
                </span>
                <span className="w-[120px] shrink-0 truncate font-medium">{item.project_name}</span>
                <span>{item.message}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const healthColours = {
  healthy: "text-success",
  degraded: "text-retry",
  critical: "text-failure",
  idle: "text-waiting"
} as const

/** Every project that the person sees, and what of them needs a look. */
export const HomePage = () => {
  const { home: texts, overview } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const home = useQuery({
    queryKey: ["home"],
    queryFn: () => unwrap(api.GET("/api/v1/home/summary")),
    refetchInterval
  })
  return (
    <>
      <PageHeader title={texts.title} />
      <ListFrame
        list={home}
        isEmpty={home.data?.projects.length === 0}
        empty={<EmptyState title={texts.noProjects} hint={texts.noProjectsHint} />}
      >
        <Attention items={home.data?.attention ?? []} />
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
