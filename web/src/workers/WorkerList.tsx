import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { OldRowsNote, useRecentRows } from "../ui/RecentRows.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWorkers } from "./workers.ts"
import { WorkerState } from "./WorkerState.tsx"

const lintMillis = 60_000

/** What was found in the settings of the online workers (docs/api.md, workers/lint). */
export const useLint = (slug: string) => {
  const refetchInterval = useRefetchInterval(lintMillis)
  return useQuery({
    queryKey: ["lint", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/workers/lint", { params: { path: { slug } } })),
    refetchInterval
  })
}

export interface OldRows {
  readonly slug: string
  readonly isOldHidden: boolean
  readonly onToggleOld: () => void
}

/** Each worker of an engine with its pool, its queues and its counters. */
export const WorkerList = ({ isOldHidden, onToggleOld, slug }: OldRows) => {
  const { workers: texts } = useTexts()
  const format = useFormat()
  const list = useWorkers(slug)
  const lint = useLint(slug)
  const workers = list.data ?? []
  const findings = new Map(lint.data?.workers.map((worker) => [worker.worker_id, worker.findings.length]))
  const { isOld, oldCount, rows } = useRecentRows(workers, ({ last_heartbeat }) => last_heartbeat, isOldHidden)
  return (
    <ListFrame
      list={list}
      isEmpty={workers.length === 0}
      empty={<EmptyState title={texts.none} hint={texts.noneHint} />}
    >
      <Table
        label={texts.title}
        rows={rows}
        rowKey={({ id }) => id}
        isFaded={isOld}
        columns={[
          {
            title: texts.name,
            cell: ({ id, name }) => (
              <Link
                to="/projects/$slug/workers/$workerId"
                params={{ slug, workerId: id }}
                className="font-medium hover:underline hover:underline-offset-2"
              >
                {name}
              </Link>
            )
          },
          { title: texts.state, cell: ({ state }) => <WorkerState state={state} /> },
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
          ...(lint.data !== undefined && lint.data.workers_evaluated > 0
            ? [{
              title: texts.findings,
              isNumber: true,
              isMinor: true,
              cell: ({ id }: { readonly id: string }) => format.number(findings.get(id) ?? 0)
            }]
            : []),
          {
            title: texts.heartbeat,
            isNumber: true,
            cell: ({ last_heartbeat }) => last_heartbeat !== null && <Time at={last_heartbeat} />
          }
        ]}
      />
      <OldRowsNote count={oldCount} isHidden={isOldHidden} onToggle={onToggleOld} />
    </ListFrame>
  )
}
