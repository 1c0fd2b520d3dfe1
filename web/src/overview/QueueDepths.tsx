import { useQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { PauseState } from "../queues/PauseState.tsx"
import { QueueDepth } from "../queues/QueueDepth.tsx"
import { QueueLink } from "../queues/QueueLink.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { Part } from "./Part.tsx"
import { queuesQuery } from "./queries.ts"

const refetchMillis = 10_000

/** The deepest queues, how long their oldest task has waited, and when they were reported. */
export const QueueDepths = ({ most = 8, slug }: { readonly slug: string; readonly most?: number }) => {
  const { overview: texts, queues: queueTexts, tasks } = useTexts()
  const queues = useQuery({ ...queuesQuery(slug), refetchInterval: useRefetchInterval(refetchMillis) })
  const rows = queues.data?.toSorted((left, right) => (right.depth ?? -1) - (left.depth ?? -1)).slice(0, most)
  return (
    <Part title={texts.queues} query={queues} isEmpty={rows?.length === 0} empty={texts.noQueues}>
      <Table
        label={texts.queues}
        rows={rows ?? []}
        rowKey={({ id }) => id}
        columns={[
          {
            title: tasks.columns.queue,
            cell: ({ engine, name, pause }) => (
              <>
                <QueueLink slug={slug} engine={engine} name={name} className={linkClass.name} />
                {pause !== null && (
                  <span className="ml-2 text-small">
                    <PauseState pause={pause} />
                  </span>
                )}
              </>
            )
          },
          {
            title: texts.depth,
            isNumber: true,
            cell: (queue) => <QueueDepth slug={slug} queue={queue} />
          },
          {
            title: queueTexts.oldest,
            isNumber: true,
            cell: ({ oldest_waiting_at }) => oldest_waiting_at === null ? "–" : <Time at={oldest_waiting_at} />
          },
          {
            title: queueTexts.lastSeen,
            isNumber: true,
            isMinor: true,
            cell: ({ last_seen_at }) => last_seen_at === null ? "–" : <Time at={last_seen_at} />
          }
        ]}
      />
    </Part>
  )
}
