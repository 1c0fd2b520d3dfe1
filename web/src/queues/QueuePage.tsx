import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { useAgents } from "../agents/agents.ts"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { MarkLegend } from "../marks/MarkLegend.tsx"
import { useMarks } from "../marks/marks.ts"
import { Chart } from "../overview/Chart.tsx"
import { Figure, FigureGrid } from "../overview/Figures.tsx"
import { WindowSelect } from "../overview/WindowSelect.tsx"
import { useCan } from "../session/permissions.ts"
import { TaskListLink } from "../tasks/TaskLinks.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { Consumers } from "./Consumers.tsx"
import { PauseState } from "./PauseState.tsx"
import { type QueueDetail, tasksOf, useHasTasks, useQueue, useQueueTrends } from "./queries.ts"
import { QueueActions } from "./QueueActions.tsx"
import { isUnreported, QueueDepth } from "./QueueDepth.tsx"
import { useForecastText } from "./useForecastText.ts"

/** What waits, for how long, and when it will be gone. */
const QueueFigures = ({ queue, slug }: { readonly slug: string; readonly queue: QueueDetail }) => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  const forecastText = useForecastText()
  const { depth, depth_note, ended_1h, forecast, is_over_target, oldest_waiting_at, received_1h } = queue
  const { start_target_seconds: target } = queue
  const notes = [
    ...(depth !== null && isUnreported(queue) ? [texts.unreported(format.count(depth))] : []),
    forecastText(forecast)
  ]
  return (
    <FigureGrid>
      <Figure name={texts.depth} note={depth === null ? depth_note : notes.filter((note) => note !== "").join(" · ")}>
        <QueueDepth slug={slug} queue={queue} />
      </Figure>
      <Figure
        name={texts.oldestAge}
        isBad={is_over_target}
        note={target === null ? texts.noTarget : texts.targetOf(format.duration(target * 1000))}
      >
        {oldest_waiting_at === null ? "–" : <Time at={oldest_waiting_at} />}
      </Figure>
      <Figure name={texts.received} note="">{format.compact(received_1h)}</Figure>
      <Figure name={texts.ended} note="">{format.compact(ended_1h)}</Figure>
    </FigureGrid>
  )
}

/** The workers that would hold the target, and what the number assumes. */
const Sizing = ({ sizing }: { readonly sizing: NonNullable<Schemas["QueueSizing"]> }) => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  const { busy_slots, mean_runtime_ms, received_per_minute, slots, slots_now, workers, workers_now } = sizing
  return (
    <div className="grid gap-2 px-4 py-3">
      <p className="text-large font-semibold">
        {workers === null
          ? texts.neededSlots(format.count(slots))
          : texts.neededWorkers(format.count(workers), format.count(slots))}
      </p>
      <p>
        {slots_now === null
          ? texts.workersNow(format.count(workers_now))
          : texts.slotsNow(format.count(workers_now), format.count(slots_now))}
      </p>
      <p className="text-small text-soft">
        {texts.assumptions(
          format.number(received_per_minute),
          format.duration(mean_runtime_ms),
          format.number(busy_slots)
        )}
      </p>
    </div>
  )
}

const QueueCharts = ({ queue, readAt, slug }: {
  readonly slug: string
  readonly queue: QueueDetail
  readonly readAt: number
}) => {
  const { overview, queues: texts } = useTexts()
  const format = useFormat()
  const { depths, engine, name, window } = queue
  const trends = useQueueTrends({ slug, engine, name }, window)
  const waiting = useMemo(() => {
    const values = depths.map(({ depth }) => depth)
    const series = [{ label: texts.depth, colour: "running", isFilled: true, values }]
    return { times: depths.map(({ t }) => Date.parse(t)), series }
  }, [depths, texts])
  const flow = useMemo(() => {
    const buckets = trends.data?.series ?? []
    const ended = buckets.map(({ retry, total }) => total - retry)
    const series = [
      { label: texts.arrived, colour: "ink", values: buckets.map(({ received }) => received) },
      { label: overview.throughput, colour: "soft", dash: [6, 3], values: ended }
    ]
    return { times: buckets.map(({ t }) => Date.parse(t)), series }
  }, [trends.data, texts, overview])
  const marks = useMarks(slug, waiting.times[0])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4">
      {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <Chart
          title={texts.depth}
          {...waiting}
          format={format}
          formatValue={format.number}
          formatTick={format.compact}
          readAt={readAt}
          marks={marks?.shown}
        />
        <Chart
          title={texts.inAndOut}
          {...flow}
          format={format}
          formatValue={format.number}
          formatTick={format.compact}
          readAt={trends.data === undefined ? null : trends.dataUpdatedAt}
          marks={marks?.shown}
        />
      </div>
      <MarkLegend marks={marks} />
    </div>
  )
}

/** One queue: its depth over time and what to expect of it, its pause, its target and the workers that consume it. */
export const QueuePage = () => {
  const { engine, queue: name, slug } = useParams({ from: "/signed-in/projects/$slug/queues/$engine/$queue" })
  const { window = "24h" } = useSearch({ from: "/signed-in/projects/$slug/queues/$engine/$queue" })
  const { queues: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const isOperator = useCan(slug, "operator")
  const { data: agents } = useAgents(slug)
  const read = useQueue({ slug, engine, name }, window)
  const { data: hasTasks } = useHasTasks({ slug, engine, name })
  const queue = read.data
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pb-6">
      <PageHeader title={name}>
        <WindowSelect
          window={window}
          onChoose={(window) =>
            void navigate({
              to: "/projects/$slug/queues/$engine/$queue",
              params: { slug, engine, queue: name },
              search: { window }
            })}
        />
        {hasTasks !== false && <TaskListLink slug={slug} query={tasksOf({ engine, name })}>{texts.tasks}</TaskListLink>}
        {queue !== undefined && isOperator && agents !== undefined && (
          <QueueActions
            slug={slug}
            queue={queue}
            agents={agents}
            onChange={() => read.refetch()}
          />
        )}
      </PageHeader>
      {read.isError && <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />}
      {queue === undefined ? !read.isError && <Loading /> : (
        <>
          {queue.pause !== null && (
            <p role="status" className="mx-4 rounded-base border border-line bg-paper px-4 py-3">
              <PauseState pause={queue.pause} />
            </p>
          )}
          <QueueFigures slug={slug} queue={queue} />
          <QueueCharts slug={slug} queue={queue} readAt={read.dataUpdatedAt} />
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 px-4 lg:grid-cols-2">
            {queue.start_target_seconds !== null && (
              <Panel title={texts.needed(format.duration(queue.start_target_seconds * 1000))}>
                {queue.sizing === null
                  ? <p className="px-4 py-3 text-soft">{texts.tooFewTasks}</p>
                  : <Sizing sizing={queue.sizing} />}
              </Panel>
            )}
            <Panel title={texts.consumers}>
              <div className="px-4 py-3">
                <Consumers slug={slug} queue={queue} />
              </div>
              <Facts>
                <Fact name={texts.engine}>{engine}</Fact>
                <Fact name={texts.broker}>{queue.broker_type ?? "–"}</Fact>
                <Fact name={texts.lastSeen}>
                  {queue.last_seen_at === null ? "–" : <Time at={queue.last_seen_at} />}
                </Fact>
              </Facts>
            </Panel>
          </div>
        </>
      )}
    </div>
  )
}
