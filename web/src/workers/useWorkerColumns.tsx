import { Link } from "@tanstack/react-router"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { LongColumn } from "../ui/LongTable.tsx"
import { Meter } from "../ui/Meter.tsx"
import { millisOf } from "../ui/sorting.ts"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { keyOf, type Line } from "./foldGroups.ts"
import type { Worker } from "./workers.ts"
import { WorkerState } from "./WorkerState.tsx"

const totalOf = ({ folded, worker }: Line, count: (worker: Worker) => number): number =>
  (folded.length > 0 ? folded : [worker]).reduce((sum, each) => sum + count(each), 0)

export const useWorkerColumns = ({ findings, onToggle, opened, slug }: {
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
