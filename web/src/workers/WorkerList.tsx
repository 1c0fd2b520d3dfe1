import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { OldRowsNote, useRecentRows } from "../ui/RecentRows.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWorkers, type Worker } from "./workers.ts"
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

type Line = { readonly worker: Worker; readonly folded: ReadonlyArray<Worker> }

/**
 * The workers in their order. Those of one group that are not online are one line, at the place of the first one: pods
 * that come and go would fill the list. The lines of an opened group follow it.
 */
const foldGroups = (workers: ReadonlyArray<Worker>, opened: ReadonlySet<string>): ReadonlyArray<Line> => {
  const away = new Map<string, Array<Worker>>()
  for (const worker of workers) {
    if (worker.state === "online") continue
    const members = away.get(keyOf(worker)) ?? []
    members.push(worker)
    away.set(keyOf(worker), members)
  }
  return workers.flatMap((worker): ReadonlyArray<Line> => {
    const folded = worker.state === "online" ? [] : away.get(keyOf(worker)) ?? []
    if (folded.length < 2) return [{ worker, folded: [] }]
    if (folded[0] !== worker) return []
    return [
      { worker, folded },
      ...opened.has(keyOf(worker)) ? folded.map((each) => ({ worker: each, folded: [] })) : []
    ]
  })
}

const totalOf = ({ folded, worker }: Line, count: (worker: Worker) => number): number =>
  (folded.length > 0 ? folded : [worker]).reduce((sum, each) => sum + count(each), 0)

const keyOf = ({ engine, group, state }: Worker): string => `${engine} ${state} ${group}`

/** Each worker of an engine with its pool, its queues and its counters. */
export const WorkerList = ({ isOldHidden, onToggleOld, slug }: OldRows) => {
  const { workers: texts } = useTexts()
  const format = useFormat()
  const list = useWorkers(slug)
  const lint = useLint(slug)
  const workers = list.data ?? []
  const findings = new Map(lint.data?.workers.map((worker) => [worker.worker_id, worker.findings.length]))
  const { isOld, oldCount, rows } = useRecentRows(workers, ({ last_heartbeat }) => last_heartbeat, isOldHidden)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setOpened((keys) => new Set(keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]))
  return (
    <ListFrame
      list={list}
      isEmpty={workers.length === 0}
      empty={
        <EmptyState title={texts.none} hint={texts.noneHint}>
          <ConnectLink slug={slug} />
        </EmptyState>
      }
    >
      <Table
        label={texts.title}
        rows={foldGroups(rows, opened)}
        rowKey={({ folded, worker }) => folded.length > 0 ? keyOf(worker) : worker.id}
        isFaded={({ worker }) => isOld(worker)}
        columns={[
          {
            title: texts.name,
            cell: ({ folded, worker }) =>
              folded.length > 0
                ? (
                  <button
                    type="button"
                    aria-expanded={opened.has(keyOf(worker))}
                    className="text-left hover:underline hover:underline-offset-2"
                    onClick={() => toggle(keyOf(worker))}
                  >
                    {texts.others(format.number(folded.length), worker.group)}
                  </button>
                )
                : (
                  <Link
                    to="/projects/$slug/workers/$workerId"
                    params={{ slug, workerId: worker.id }}
                    className="font-medium hover:underline hover:underline-offset-2"
                  >
                    {worker.name}
                  </Link>
                )
          },
          { title: texts.state, cell: ({ worker }) => <WorkerState state={worker.state} /> },
          { title: texts.engine, isMinor: true, cell: ({ worker }) => worker.engine },
          { title: texts.host, isMinor: true, cell: ({ folded, worker }) => folded.length > 0 ? "" : worker.hostname },
          { title: texts.queues, isMinor: true, cell: ({ worker }) => worker.queues.join(", ") },
          {
            title: texts.active,
            isNumber: true,
            cell: ({ folded, worker: { active_tasks, concurrency } }) =>
              folded.length > 0 ?
                "" :
                `${active_tasks === null ? "–" : format.number(active_tasks)}${
                  concurrency === null ? "" : ` / ${format.number(concurrency)}`
                }`
          },
          {
            title: texts.processed,
            isNumber: true,
            isMinor: true,
            cell: (line) => format.number(totalOf(line, ({ processed }) => processed))
          },
          {
            title: texts.failed,
            isNumber: true,
            isMinor: true,
            cell: (line) => format.number(totalOf(line, ({ failed }) => failed))
          },
          ...(lint.data !== undefined && lint.data.workers_evaluated > 0
            ? [{
              title: texts.findings,
              isNumber: true,
              isMinor: true,
              cell: ({ worker }: Line) => format.number(findings.get(worker.id) ?? 0)
            }]
            : []),
          {
            title: texts.heartbeat,
            isNumber: true,
            cell: ({ worker: { last_heartbeat } }) => last_heartbeat !== null && <Time at={last_heartbeat} />
          }
        ]}
      />
      <OldRowsNote count={oldCount} isHidden={isOldHidden} onToggle={onToggleOld} />
    </ListFrame>
  )
}
