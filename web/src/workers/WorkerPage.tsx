import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { stringify } from "lossless-json"
import { useAgents } from "../agents/agents.ts"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { JsonTree } from "../tasks/JsonTree.tsx"
import { readTasks } from "../tasks/readTasks.ts"
import { TaskListLink } from "../tasks/TaskLinks.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { useLint } from "./useLint.ts"
import { WorkerActions } from "./WorkerActions.tsx"
import { useWorker, type WorkerDetail } from "./workers.ts"
import { WorkerState } from "./WorkerState.tsx"

const refetchMillis = 5_000
/** Running tasks that are shown; the link leads to all. */
const maxRunning = 50

const WorkerFacts = ({ worker }: { readonly worker: WorkerDetail }) => {
  const { workers: texts } = useTexts()
  const format = useFormat()
  const count = (value: number | null) => value === null ? "–" : format.number(value)
  return (
    <Facts>
      <Fact name={texts.engine}>{worker.engine}</Fact>
      <Fact name={texts.host}>{worker.hostname ?? "–"}</Fact>
      <Fact name={texts.pid}>{worker.pid ?? "–"}</Fact>
      <Fact name={texts.concurrency}>{count(worker.concurrency)}</Fact>
      <Fact name={texts.active}>{count(worker.active_tasks)}</Fact>
      <Fact name={texts.queues}>
        <span title={worker.queues.join(", ")}>{worker.queues.length === 0 ? "–" : worker.queues.join(", ")}</span>
      </Fact>
      <Fact name={texts.load}>
        {worker.load_average === null ? "–" : worker.load_average.map((load) => format.number(load)).join("  ")}
      </Fact>
      <Fact name={texts.processed}>{count(worker.processed)}</Fact>
      <Fact name={texts.succeeded}>{count(worker.succeeded)}</Fact>
      <Fact name={texts.failed}>{count(worker.failed)}</Fact>
      <Fact name={texts.retried}>{count(worker.retried)}</Fact>
      <Fact name={texts.heartbeat}>{worker.last_heartbeat === null ? "–" : <Time at={worker.last_heartbeat} />}</Fact>
    </Facts>
  )
}

/** The tasks that the worker has started and not ended, oldest start first. */
const Running = ({ slug, worker }: { readonly slug: string; readonly worker: WorkerDetail }) => {
  const { workers: texts } = useTexts()
  const { engine, name } = worker
  const refetchInterval = useRefetchInterval(refetchMillis)
  const running = useQuery({
    queryKey: ["workers", slug, worker.id, "running"],
    queryFn: ({ signal }) => readTasks(slug, { worker: name, engine, state: "started", limit: maxRunning }, signal),
    refetchInterval
  })
  const tasks = running.data ?? []
  return (
    <Panel
      title={texts.running}
      actions={
        <TaskListLink
          slug={slug}
          query={{ worker: name, engine }}
          className={`${linkClass.row} text-soft hover:text-ink`}
        >
          {texts.allTasks}
        </TaskListLink>
      }
    >
      {running.isError
        ? <ErrorNotice error={running.error} />
        : tasks.length === 0
        ? <p className="px-4 py-3 text-soft">{running.data === undefined ? `${texts.reading}…` : texts.idle}</p>
        : (
          <ul className="max-h-90 overflow-auto py-2">
            {tasks.toSorted((a, b) => (a.started_at ?? "").localeCompare(b.started_at ?? "")).map((task) => (
              <li key={task.id}>
                <Link
                  to="/projects/$slug/tasks/$engine/$taskId"
                  params={{ slug, engine: task.engine, taskId: task.task_id }}
                  className="flex items-center gap-2 px-4 py-1 hover:bg-hover"
                >
                  <StateShape state={task.state} />
                  <span className="truncate">{task.name}</span>
                  <span className="truncate font-mono text-small text-soft">{task.task_id}</span>
                  <span className="figures ml-auto shrink-0 text-soft">
                    {task.started_at !== null && <Time at={task.started_at} />}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
    </Panel>
  )
}

const severityColours = { error: "text-failure", warning: "text-retry", info: "text-soft" } as const

/** What was found in the worker's settings, the worst first. */
const Findings = ({ slug, worker }: { readonly slug: string; readonly worker: WorkerDetail }) => {
  const { workers: texts } = useTexts()
  const lint = useLint(slug)
  const own = lint.data?.workers.find(({ worker_id }) => worker_id === worker.id)
  if (own === undefined) return null
  return (
    <Panel title={texts.findings}>
      {own.findings.length === 0
        ? <p className="px-4 py-3 text-soft">{own.evaluated ? texts.noFinding : texts.notEvaluated}</p>
        : (
          <ul className="grid gap-3 px-4 py-3">
            {own.findings.map(({ detail, remedy, rule_id, severity, setting, title }) => (
              <li key={rule_id} className="grid gap-0.5">
                <p>
                  <span className={`font-medium ${severityColours[severity]}`}>{texts.severities[severity]}</span>
                  {" · "}
                  <span className="font-medium">{title}</span> <code className="font-mono text-small">{setting}</code>
                </p>
                <p className="text-soft">{detail}</p>
                <p>{remedy}</p>
              </li>
            ))}
          </ul>
        )}
    </Panel>
  )
}

/** One worker: its pool, what it runs now, what its settings risk, and what an operator can do with it. */
export const WorkerPage = () => {
  const { slug, workerId } = useParams({ from: "/signed-in/projects/$slug/workers/$workerId" })
  const { workers: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const { data: agents = [] } = useAgents(slug)
  const detail = useWorker(slug, workerId)
  const { data: queues = [] } = useQuery({
    queryKey: ["queues", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path: { slug } } }))
  })
  const worker = detail.data
  if (worker === undefined) {
    return detail.isError
      ? <ErrorNotice isPage error={detail.error} onRetry={() => void detail.refetch()} />
      : <Loading />
  }
  return (
    <>
      <PageHeader title={worker.name}>
        <WorkerState state={worker.state} />
        {canOperate && (
          <WorkerActions
            slug={slug}
            worker={worker}
            agents={agents}
            queues={queues.filter(({ engine }) => engine === worker.engine).map(({ name }) => name)}
          />
        )}
      </PageHeader>
      {detail.isError && <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />}
      <div className="grid gap-4 px-4 pb-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid content-start gap-4">
          <Running slug={slug} worker={worker} />
          <Findings slug={slug} worker={worker} />
        </div>
        <div className="grid content-start gap-4">
          <Panel title={texts.facts}>
            <WorkerFacts worker={worker} />
          </Panel>
          {Object.keys(worker.metadata).length > 0 && (
            <div className="rounded-base border border-line bg-paper">
              <JsonTree
                label={texts.report}
                value={worker.metadata}
                text={stringify(worker.metadata, null, 2) ?? "{}"}
              />
            </div>
          )}
        </div>
      </div>
    </>
  )
}
