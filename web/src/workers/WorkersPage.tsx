import { Link, useParams } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { formatQuery } from "../tasks/query.ts"
import { ListPage } from "../ui/ListPage.tsx"
import { Time } from "../ui/Time.tsx"

const isKnownState = <A extends object>(states: A, state: string): state is Extract<keyof A, string> => state in states

export const WorkersPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/workers" })
  const { workers: texts } = useTexts()
  const format = useFormat()
  return (
    <ListPage
      slug={slug}
      name="workers"
      title={texts.title}
      emptyTitle={texts.none}
      emptyHint={texts.noneHint}
      read={() => unwrap(api.GET("/api/v1/projects/{slug}/workers", { params: { path: { slug } } }))}
      columns={[
        {
          title: texts.name,
          cell: ({ engine, name }) => (
            <Link
              to="/projects/$slug/tasks"
              params={{ slug }}
              search={{ q: formatQuery({ worker: name, engine }) }}
              className="font-medium hover:underline hover:underline-offset-2"
            >
              {name}
            </Link>
          )
        },
        {
          title: texts.state,
          cell: ({ state }) => (
            <span className={state === "offline" ? "text-soft" : undefined}>
              {isKnownState(texts.states, state) ? texts.states[state] : state}
            </span>
          )
        },
        { title: texts.engine, isMinor: true, cell: ({ engine }) => engine },
        { title: texts.host, isMinor: true, cell: ({ hostname }) => hostname },
        { title: texts.queues, isMinor: true, cell: ({ queues }) => queues.join(", ") },
        {
          title: texts.active,
          isNumber: true,
          cell: ({ active_tasks, concurrency }) =>
            `${active_tasks === null ? "–" : format.number(active_tasks)}${
              concurrency === null ? "" : ` / ${format.number(concurrency)}`
            }`
        },
        { title: texts.processed, isNumber: true, isMinor: true, cell: ({ processed }) => format.number(processed) },
        { title: texts.failed, isNumber: true, isMinor: true, cell: ({ failed }) => format.number(failed) },
        {
          title: texts.heartbeat,
          isNumber: true,
          cell: ({ last_heartbeat }) => last_heartbeat !== null && <Time at={last_heartbeat} />
        }
      ]}
    />
  )
}
