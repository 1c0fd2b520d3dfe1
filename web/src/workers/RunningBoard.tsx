import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { CommandQuestion, type Question } from "../tasks/CommandQuestion.tsx"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { type LongColumn, LongTable } from "../ui/LongTable.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { arrangeBoard, type BoardLine, type RunningTask } from "./board.ts"
import { useWorkers } from "./workers.ts"
import { WorkerState } from "./WorkerState.tsx"

const refetchMillis = 2_000
/** The usual run times change slowly. */
const usualMillis = 60_000
const maxNames = 500

const runningQuery = (slug: string) => ({
  queryKey: ["running", slug],
  queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/running-tasks", { params: { path: { slug } } })),
  placeholderData: keepPreviousData
})

/** What 95 % of the tasks of each name of the last 7 days took at most, in milliseconds. */
const useUsual = (slug: string) => {
  const { data } = useQuery({
    queryKey: ["running", slug, "usual"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/task-names", {
          params: { path: { slug }, query: { window: "7d", limit: maxNames } }
        })
      ),
    select: ({ items }) =>
      new Map(
        items.flatMap(({ engine, name, runtime_ms }) =>
          runtime_ms === null ? [] : [[`${engine}\n${name}`, runtime_ms.p95] as const]
        )
      ),
    staleTime: usualMillis,
    refetchInterval: useRefetchInterval(usualMillis)
  })
  return ({ engine, name }: RunningTask): number | null => data?.get(`${engine}\n${name}`) ?? null
}

const Slots = ({ busy, concurrency, state }: {
  readonly busy: number | null
  readonly concurrency: number | null
  readonly state: string | null
}) => {
  const { workers: { board: texts } } = useTexts()
  const format = useFormat()
  return (
    <span className="inline-flex items-center gap-2">
      {busy === null ? "" : concurrency === null
        ? texts.busy(format.number(busy))
        : texts.slots(format.number(busy), format.number(concurrency))}
      {state !== null && state !== "online" && <WorkerState state={state} />}
    </span>
  )
}

/** Everything that runs now, by worker, the longest first, against what its name usually takes. */
export const RunningBoard = ({ slug }: { readonly slug: string }) => {
  const { task: { cancel }, workers: { board: texts, ...columns } } = useTexts()
  const format = useFormat()
  const now = useNow()
  const canOperate = useCan(slug, "operator")
  const running = useQuery({ ...runningQuery(slug), refetchInterval: useRefetchInterval(refetchMillis) })
  const workers = useWorkers(slug)
  const usualOf = useUsual(slug)
  const [question, setQuestion] = useState<Question | null>(null)
  const hidden = (running.data?.total ?? 0) - (running.data?.items.length ?? 0)
  const lines = arrangeBoard(running.data?.items ?? [], workers.data ?? [], hidden > 0)
  const waiting = [running, workers].find(({ data }) => data === undefined)
  const failing = [running, workers].find(({ isError }) => isError)
  const elapsedOf = ({ started_at }: RunningTask) =>
    started_at === null ? null : Math.max(0, now - Date.parse(started_at))
  const longColumns: ReadonlyArray<LongColumn<BoardLine>> = [
    {
      title: columns.running,
      width: 160,
      grow: 3,
      cell: (line) =>
        line.kind === "task"
          ? (
            <Link
              to="/projects/$slug/tasks/$engine/$taskId"
              params={{ slug, engine: line.task.engine, taskId: line.task.task_id }}
              className={`${linkClass.name} pl-3`}
              title={line.task.task_id}
            >
              {line.task.name}
            </Link>
          )
          : line.worker === null
          ? <span className="font-semibold">{line.name ?? texts.unknownWorker}</span>
          : (
            <Link
              to="/projects/$slug/workers/$workerId"
              params={{ slug, workerId: line.worker.id }}
              className={`${linkClass.name} font-semibold`}
            >
              {line.name}
            </Link>
          )
    },
    {
      title: texts.elapsed,
      width: 150,
      grow: 1,
      cell: (line) => {
        if (line.kind === "worker") {
          return (
            <Slots
              busy={line.busy}
              concurrency={line.worker?.concurrency ?? null}
              state={line.worker?.state ?? null}
            />
          )
        }
        const elapsed = elapsedOf(line.task)
        const usual = usualOf(line.task)
        const isLong = elapsed !== null && usual !== null && elapsed > usual
        return (
          <span className={isLong ? "font-medium text-retry" : ""}>
            {elapsed === null ? "–" : format.duration(elapsed)}
            {isLong && ` · ${texts.longer}`}
            {line.isStale && <span className="text-soft">{" · "}{texts.stale}</span>}
          </span>
        )
      }
    },
    {
      title: texts.usual,
      width: 110,
      isMinor: true,
      cell: (line) => {
        const usual = line.kind === "task" ? usualOf(line.task) : null
        return line.kind === "worker" ? "" : usual === null ? "–" : format.duration(usual)
      }
    },
    {
      title: columns.queue,
      width: 120,
      isMinor: true,
      cell: (line) => line.kind === "task" ? line.task.queue ?? "–" : line.engine
    },
    ...(canOperate
      ? [{
        title: columns.actions,
        width: 140,
        isMinor: true,
        cell: (line: BoardLine) =>
          line.kind === "task" && (
            <Button onClick={() => setQuestion({ action: "cancel", tasks: [line.task] })}>
              {cancel}
              <span className="sr-only">: {line.task.name}</span>
            </Button>
          )
      }]
      : [])
  ]
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ListFrame
        list={waiting ?? failing ?? running}
        isEmpty={lines.length === 0}
        empty={<EmptyState title={texts.none} hint={texts.noneHint} />}
      >
        <LongTable
          label={texts.title}
          rows={lines}
          rowKey={({ key }) => key}
          columns={longColumns}
          isFaded={(line) => line.kind === "task" && line.isStale}
          sort={undefined}
          onSort={() => {}}
          end={hidden > 0 && <p className="px-4 py-3 text-soft">{texts.more(format.count(hidden))}</p>}
        />
      </ListFrame>
      {question !== null && <CommandQuestion slug={slug} question={question} onClose={() => setQuestion(null)} />}
    </div>
  )
}
