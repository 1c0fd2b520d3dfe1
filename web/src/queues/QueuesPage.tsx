import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAgents } from "../agents/agents.ts"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { mayDo } from "../agents/findAgent.ts"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { WallLink } from "../shell/WallLink.tsx"
import { Button } from "../ui/Button.tsx"
import { LongList } from "../ui/LongList.tsx"
import type { LongColumn } from "../ui/LongTable.tsx"
import { Meter } from "../ui/Meter.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { millisOf } from "../ui/sorting.ts"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { Consumers } from "./Consumers.tsx"
import { PauseState } from "./PauseState.tsx"
import { PurgeDialog } from "./PurgeDialog.tsx"
import { QueueDepth } from "./QueueDepth.tsx"
import { QueueLink } from "./QueueLink.tsx"

type Queue = Schemas["Queue"]

const refetchMillis = 5_000

const useColumns = (
  { canPurge, deepest, onPurge, slug }: {
    readonly slug: string
    /** The depth of the deepest queue. */
    readonly deepest: number
    readonly canPurge: (engine: string) => boolean
    readonly onPurge: ((id: string) => void) | null
  }
): ReadonlyArray<LongColumn<Queue>> => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  const numberColumn = (key: "received_1h" | "ended_1h", title: string): LongColumn<Queue> => ({
    title,
    width: 116,
    isNumber: true,
    isMinor: true,
    sorting: { key, valueOf: (queue) => queue[key], isLargestFirst: true },
    cell: (queue) => format.number(queue[key])
  })
  return [
    {
      title: texts.name,
      width: 120,
      grow: 2,
      sorting: { key: "name", valueOf: ({ name }) => name },
      cell: ({ engine, name, pause }) => (
        <>
          <QueueLink slug={slug} engine={engine} name={name} className={linkClass.name} title={name} />
          {pause !== null && (
            <span className="ml-2 text-small">
              <PauseState pause={pause} />
            </span>
          )}
        </>
      )
    },
    {
      title: texts.engine,
      width: 120,
      isMinor: true,
      sorting: { key: "engine", valueOf: ({ engine }) => engine },
      cell: ({ engine }) => engine
    },
    {
      title: texts.depth,
      width: 120,
      isNumber: true,
      sorting: { key: "depth", valueOf: ({ depth }) => depth, isLargestFirst: true },
      cell: (queue) => (
        <>
          {queue.depth !== null && deepest > 0 && <Meter share={queue.depth / deepest} isBad={queue.is_over_target} />}
          <QueueDepth slug={slug} queue={queue} />
        </>
      )
    },
    {
      title: texts.oldest,
      width: 104,
      grow: 1,
      isNumber: true,
      sorting: { key: "oldest", valueOf: ({ oldest_waiting_at }) => millisOf(oldest_waiting_at) },
      cell: ({ is_over_target, oldest_waiting_at, start_target_seconds }) =>
        oldest_waiting_at === null ? "–" : (
          <span
            className={is_over_target ? "font-medium text-failure" : undefined}
            title={is_over_target ? texts.overTarget(format.duration((start_target_seconds ?? 0) * 1000)) : undefined}
          >
            <Time at={oldest_waiting_at} />
          </span>
        )
    },
    numberColumn("received_1h", texts.received),
    numberColumn("ended_1h", texts.ended),
    {
      title: texts.consumers,
      width: 128,
      grow: 1,
      isMinor: true,
      cell: (queue) => <Consumers slug={slug} queue={queue} />
    },
    { title: texts.broker, width: 88, isMinor: true, cell: ({ broker_type }) => broker_type },
    {
      title: texts.lastSeen,
      width: 116,
      isNumber: true,
      isMinor: true,
      sorting: { key: "seen", valueOf: ({ last_seen_at }) => millisOf(last_seen_at), isLargestFirst: true },
      cell: ({ last_seen_at }) => last_seen_at !== null && <Time at={last_seen_at} />
    },
    ...(onPurge === null ? [] : [{
      title: texts.actions,
      width: 92,
      isNumber: true,
      cell: ({ engine, id, name }: Queue) =>
        canPurge(engine) && (
          <Button
            variant="quiet"
            className="h-6.5"
            aria-label={texts.purgeLabel(name)}
            onClick={() => onPurge(id)}
          >
            {texts.purge}
          </Button>
        )
    }])
  ]
}

/** Every queue with what waits in it, since when, how fast it moves and who consumes it; an admin may purge it. */
export const QueuesPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/queues" })
  const search = useSearch({ from: "/signed-in/projects/$slug/queues" })
  const { queues: texts } = useTexts()
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
  const [purgedId, setPurgedId] = useState<string | null>(null)
  const purged = queues.find(({ id }) => id === purgedId)
  const listPurging = (engine: string) => agents.filter((agent) => mayDo(agent, engine, "purge_queue"))
  const columns = useColumns({
    slug,
    deepest: Math.max(0, ...queues.map(({ depth }) => depth ?? 0)),
    canPurge: (engine) => listPurging(engine).length > 0,
    onPurge: isAdmin ? setPurgedId : null
  })
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={texts.title}>
        <WallLink />
      </PageHeader>
      <LongList
        list={list}
        rows={queues}
        rowKey={({ id }) => id}
        columns={columns}
        label={texts.title}
        filterLabel={texts.filter}
        empty={
          <EmptyState title={texts.none} hint={texts.noneHint}>
            <ConnectLink slug={slug} />
          </EmptyState>
        }
        textsOf={({ broker_type, engine, name }) => [name, engine, broker_type]}
        lastSeenAt={({ last_seen_at }) => last_seen_at}
        usualSort="-depth"
        search={search}
        onSearch={(wanted, replace) =>
          void navigate({
            to: "/projects/$slug/queues",
            params: { slug },
            search: ({ wall }) => ({ ...wanted, wall }),
            replace
          })}
      />
      {purged !== undefined && (
        <PurgeDialog
          slug={slug}
          queue={purged}
          agents={listPurging(purged.engine)}
          onClose={() => setPurgedId(null)}
        />
      )}
    </div>
  )
}
