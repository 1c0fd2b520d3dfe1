import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { LongList } from "../ui/LongList.tsx"
import type { LongListSearch } from "../ui/longListSearch.ts"
import type { LongColumn } from "../ui/LongTable.tsx"
import { Meter } from "../ui/Meter.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { millisOf } from "../ui/sorting.ts"
import { linkClass } from "../ui/TextLink.tsx"
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

export interface WorkersListProps {
  readonly slug: string
  readonly search: LongListSearch
  readonly onSearch: (search: LongListSearch, replace: boolean) => void
}

type Line = { readonly worker: Worker; readonly folded: ReadonlyArray<Worker> }

/**
 * The workers in their order. Those of one group that are not online are one line, at the place of the first one: pods
 * that come and go would fill the list. The lines of an opened group follow it.
 */
const foldGroups = (lines: ReadonlyArray<Line>, opened: ReadonlySet<string>): ReadonlyArray<Line> => {
  const workers = lines.map(({ worker }) => worker)
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

const useColumns = ({ findings, onToggle, opened, slug }: {
  readonly slug: string
  readonly opened: ReadonlySet<string>
  readonly onToggle: (key: string) => void
  /** How many risky settings each worker has; null: no engine reports its settings. */
  readonly findings: ReadonlyMap<string, number> | null
}): ReadonlyArray<LongColumn<Line>> => {
  const { workers: texts } = useTexts()
  const format = useFormat()
  const countColumn = (title: string, key: "processed" | "failed"): LongColumn<Line> => ({
    title,
    width: 96,
    isNumber: true,
    isMinor: true,
    sorting: { key, valueOf: ({ worker }) => worker[key], isLargestFirst: true },
    cell: (line) => format.number(totalOf(line, (worker) => worker[key]))
  })
  return [
    {
      title: texts.name,
      width: 120,
      grow: 2,
      sorting: { key: "name", valueOf: ({ worker }) => worker.name },
      cell: ({ folded, worker }) =>
        folded.length > 0
          ? (
            <button
              type="button"
              aria-expanded={opened.has(keyOf(worker))}
              className={`${linkClass.row} max-w-full truncate text-left`}
              onClick={() => onToggle(keyOf(worker))}
            >
              {texts.others(format.number(folded.length), worker.group)}
            </button>
          )
          : (
            <Link
              to="/projects/$slug/workers/$workerId"
              params={{ slug, workerId: worker.id }}
              className={linkClass.name}
              title={worker.name}
            >
              {worker.name}
            </Link>
          )
    },
    {
      title: texts.state,
      width: 104,
      sorting: { key: "state", valueOf: ({ worker }) => worker.state },
      cell: ({ worker }) => <WorkerState state={worker.state} />
    },
    {
      title: texts.engine,
      width: 120,
      isMinor: true,
      sorting: { key: "engine", valueOf: ({ worker }) => worker.engine },
      cell: ({ worker }) => worker.engine
    },
    {
      title: texts.host,
      width: 96,
      grow: 1,
      isMinor: true,
      sorting: { key: "host", valueOf: ({ worker }) => worker.hostname },
      cell: ({ folded, worker }) => folded.length > 0 ? "" : worker.hostname
    },
    {
      title: texts.queues,
      width: 112,
      grow: 1,
      isMinor: true,
      cell: ({ worker: { queues } }) => <span title={queues.join(", ")}>{queues.join(", ")}</span>
    },
    {
      title: texts.active,
      width: 120,
      isNumber: true,
      sorting: { key: "running", valueOf: ({ worker }) => worker.active_tasks, isLargestFirst: true },
      cell: ({ folded, worker: { active_tasks, concurrency } }) =>
        folded.length > 0 ? "" : (
          <>
            {active_tasks !== null && concurrency !== null && concurrency > 0 && (
              <Meter share={active_tasks / concurrency} />
            )}
            {active_tasks === null ? "–" : format.number(active_tasks)}
            {concurrency !== null && ` / ${format.number(concurrency)}`}
          </>
        )
    },
    countColumn(texts.processed, "processed"),
    countColumn(texts.failed, "failed"),
    ...(findings === null ? [] : [{
      title: texts.findings,
      width: 112,
      isNumber: true,
      isMinor: true,
      cell: ({ worker }: Line) => format.number(findings.get(worker.id) ?? 0)
    }]),
    {
      title: texts.heartbeat,
      width: 120,
      isNumber: true,
      sorting: {
        key: "seen",
        valueOf: ({ worker }) => millisOf(worker.last_heartbeat),
        isLargestFirst: true
      },
      cell: ({ worker: { last_heartbeat } }) => last_heartbeat !== null && <Time at={last_heartbeat} />
    }
  ]
}

/** Each worker of an engine with its pool, its queues and its counters. */
export const WorkerList = ({ onSearch, search, slug }: WorkersListProps) => {
  const { workers: texts } = useTexts()
  const list = useWorkers(slug)
  const { data: lint } = useLint(slug)
  const findings = lint === undefined || lint.workers_evaluated === 0
    ? null
    : new Map(lint.workers.map((worker) => [worker.worker_id, worker.findings.length]))
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setOpened((keys) => new Set(keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]))
  return (
    <LongList
      list={list}
      rows={(list.data ?? []).map((worker): Line => ({ worker, folded: [] }))}
      rowKey={({ folded, worker }) => folded.length > 0 ? keyOf(worker) : worker.id}
      columns={useColumns({ slug, opened, onToggle: toggle, findings })}
      label={texts.title}
      filterLabel={texts.filter}
      empty={
        <EmptyState title={texts.none} hint={texts.noneHint}>
          <ConnectLink slug={slug} />
        </EmptyState>
      }
      textsOf={({ worker: { engine, hostname, name, queues } }) => [name, engine, hostname, ...queues]}
      lastSeenAt={({ worker }) => worker.last_heartbeat}
      arrange={(lines) => foldGroups(lines, opened)}
      search={search}
      onSearch={onSearch}
    />
  )
}
