import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAgents } from "../agents/agents.ts"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { mayDo } from "../agents/findAgent.ts"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/session.ts"
import { formatQuery } from "../tasks/query.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { OldRowsNote, useRecentRows } from "../ui/RecentRows.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWorkers } from "../workers/workers.ts"
import { PurgeDialog } from "./PurgeDialog.tsx"

type Queue = Schemas["Queue"]

const refetchMillis = 5_000

/** The workers that take tasks of the queue, by name, each with its page. */
const Consumers = ({ queue, slug }: { readonly slug: string; readonly queue: Queue }) => {
  const { queues: texts } = useTexts()
  const { data: workers } = useWorkers(slug)
  if (workers === undefined) return null
  const consumers = workers.filter(({ engine, queues, state }) =>
    engine === queue.engine && state !== "offline" && queues.includes(queue.name)
  )
  if (consumers.length === 0) return <span className="text-soft">{texts.noConsumer}</span>
  return (
    <span className="flex flex-wrap gap-x-4">
      {consumers.map(({ id, name }) => (
        <Link
          key={id}
          to="/projects/$slug/workers/$workerId"
          params={{ slug, workerId: id }}
          className="hover:underline hover:underline-offset-2"
        >
          {name}
        </Link>
      ))}
    </span>
  )
}

/** Every queue with what waits in it, since when, how fast it moves and who consumes it; an admin may purge it. */
export const QueuesPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/queues" })
  const { old } = useSearch({ from: "/signed-in/projects/$slug/queues" })
  const { queues: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const isAdmin = useCan(slug, "admin")
  const { data: agents = [] } = useAgents(slug)
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({
    queryKey: ["queues", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path: { slug } } })),
    refetchInterval
  })
  const queues = list.data ?? []
  const { isOld, oldCount, rows } = useRecentRows(queues, ({ last_seen_at }) => last_seen_at, old === "hidden")
  const [purgedId, setPurgedId] = useState<string | null>(null)
  const purged = queues.find(({ id }) => id === purgedId)
  const listPurging = (engine: string) => agents.filter((agent) => mayDo(agent, engine, "purge_queue"))
  return (
    <>
      <PageHeader title={texts.title} />
      <ListFrame
        list={list}
        isEmpty={queues.length === 0}
        empty={
          <EmptyState title={texts.none} hint={texts.noneHint}>
            <ConnectLink slug={slug} />
          </EmptyState>
        }
      >
        <Table
          label={texts.title}
          rows={rows}
          rowKey={({ id }) => id}
          isFaded={isOld}
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
            { title: texts.engine, isMinor: true, cell: ({ engine }) => engine },
            {
              title: texts.depth,
              isNumber: true,
              cell: ({ depth, depth_note }) => (
                <span title={depth_note ?? undefined}>{depth === null ? "–" : format.number(depth)}</span>
              )
            },
            {
              title: texts.oldest,
              isNumber: true,
              cell: ({ oldest_waiting_at }) => oldest_waiting_at === null ? "–" : <Time at={oldest_waiting_at} />
            },
            {
              title: texts.received,
              isNumber: true,
              isMinor: true,
              cell: ({ received_1h }) => format.number(received_1h)
            },
            { title: texts.ended, isNumber: true, isMinor: true, cell: ({ ended_1h }) => format.number(ended_1h) },
            { title: texts.consumers, isMinor: true, cell: (queue) => <Consumers slug={slug} queue={queue} /> },
            { title: texts.broker, isMinor: true, cell: ({ broker_type }) => broker_type },
            {
              title: texts.lastSeen,
              isNumber: true,
              isMinor: true,
              cell: ({ last_seen_at }) => last_seen_at !== null && <Time at={last_seen_at} />
            },
            ...(isAdmin
              ? [{
                title: texts.actions,
                isNumber: true,
                cell: ({ engine, id, name }: Queue) =>
                  listPurging(engine).length > 0 && (
                    <Button
                      variant="quiet"
                      className="h-[26px]"
                      aria-label={texts.purgeLabel(name)}
                      onClick={() => setPurgedId(id)}
                    >
                      {texts.purge}
                    </Button>
                  )
              }]
              : [])
          ]}
        />
        <OldRowsNote
          count={oldCount}
          isHidden={old === "hidden"}
          onToggle={() =>
            void navigate({
              to: "/projects/$slug/queues",
              params: { slug },
              search: old === "hidden" ? {} : { old: "hidden" }
            })}
        />
      </ListFrame>
      {purged !== undefined && (
        <PurgeDialog
          slug={slug}
          queue={purged}
          agents={listPurging(purged.engine)}
          onClose={() => setPurgedId(null)}
        />
      )}
    </>
  )
}
