import { Link, useParams } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { formatQuery } from "../tasks/query.ts"
import { ListPage } from "../ui/ListPage.tsx"
import { Time } from "../ui/Time.tsx"

export const QueuesPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/queues" })
  const { queues: texts } = useTexts()
  const format = useFormat()
  return (
    <ListPage
      slug={slug}
      name="queues"
      title={texts.title}
      emptyTitle={texts.none}
      emptyHint={texts.noneHint}
      read={() => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path: { slug } } }))}
      columns={[
        {
          title: texts.name,
          cell: ({ engine, name }) => (
            <Link
              to="/projects/$slug/tasks"
              params={{ slug }}
              search={{ q: formatQuery({ queue: name, engine }) }}
              className="font-medium hover:underline hover:underline-offset-2"
            >
              {name}
            </Link>
          )
        },
        { title: texts.engine, cell: ({ engine }) => engine },
        {
          title: texts.depth,
          isNumber: true,
          cell: ({ depth, depth_note }) => (
            <span title={depth_note ?? undefined}>{depth === null ? "–" : format.number(depth)}</span>
          )
        },
        { title: texts.broker, isMinor: true, cell: ({ broker_type }) => broker_type },
        {
          title: texts.lastSeen,
          isNumber: true,
          cell: ({ last_seen_at }) => last_seen_at !== null && <Time at={last_seen_at} />
        }
      ]}
    />
  )
}
