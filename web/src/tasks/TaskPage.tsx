import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { api, base, unwrap } from "../api/client.ts"
import { useLiveChanges } from "../api/live.ts"
import { lazyComponent, lazyDialog } from "../code/lazyComponent.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Panel } from "../ui/Panel.tsx"
import { StateMark } from "../ui/StateMark.tsx"
import { CommandQuestion, type Question } from "./CommandQuestion.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import { Comparison } from "./Differences.tsx"
import { readTask, taskKey } from "./readTask.ts"
import { shellQuote } from "./shellQuote.ts"
import { OpenTaskActions } from "./TaskActions.tsx"
import { TaskCommands } from "./TaskCommands.tsx"
import { TaskFacts } from "./TaskFacts.tsx"
import { TaskProgress } from "./TaskProgress.tsx"
import { TaskRuns } from "./TaskRuns.tsx"
import { TaskTree } from "./TaskTree.tsx"
import { TaskValues } from "./TaskValues.tsx"
import { TaskWhy } from "./TaskWhy.tsx"
import { Timeline } from "./Timeline.tsx"
import { Traceback } from "./Traceback.tsx"

const TaskLogs = lazyComponent(async () => (await import("./TaskLogs.tsx")).TaskLogs)
const RetryDialog = lazyDialog(async () => (await import("./RetryDialog.tsx")).RetryDialog)

/** A timeline of more events is truncated, and says so. */
const maxEvents = 500

const endStates: ReadonlySet<string> = new Set(["success", "failure", "revoked", "rejected"])

/** One task: what happened, with what, why, and what to do about it. */
export const TaskPage = () => {
  const { engine, slug, taskId } = useParams({ from: "/signed-in/projects/$slug/tasks/$engine/$taskId" })
  const texts = useTexts()
  const queries = useQueryClient()
  const canOperate = useCan(slug, "operator")
  const [question, setQuestion] = useState<Question | null>(null)
  const [isEditing, setEditing] = useState(false)
  const key = useMemo(() => taskKey(slug, engine, taskId), [slug, engine, taskId])
  const detail = useQuery({ queryKey: key, queryFn: () => readTask(slug, engine, taskId) })
  const events = useQuery({
    queryKey: [...key, "events"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/events", {
          params: { path: { slug }, query: { engine, task_id: taskId, limit: maxEvents } }
        })
      )
  })
  useLiveChanges(
    useMemo(() => ({
      onTask: (task) => {
        if (task.task_id === taskId && task.engine === engine) void queries.invalidateQueries({ queryKey: key })
      },
      onGap: () => void queries.invalidateQueries({ queryKey: key })
    }), [engine, key, queries, taskId])
  )
  if (detail.data === undefined) {
    return detail.isError
      ? <ErrorNotice isPage error={detail.error} onRetry={() => void detail.refetch()} />
      : <Loading />
  }
  const { exact, task } = detail.data
  const hasEnded = endStates.has(task.state)
  const ask = (action: TaskAction) =>
    setQuestion({
      action,
      tasks: [task],
      ...(action === "retry" && task.retry_note !== null && { note: task.retry_note })
    })
  const path = `${base}/api/v1/projects/${encodeURIComponent(slug)}/tasks/${encodeURIComponent(engine)}/${
    encodeURIComponent(taskId)
  }`
  return (
    <>
      <PageHeader title={task.name}>
        <StateMark state={task.state} />
        <span className="flex items-center gap-2 font-mono text-small text-soft">
          <span className="max-w-[28ch] truncate">{task.task_id}</span>
          <CopyButton text={task.task_id} label={texts.task.id} />
        </span>
        <div className="ml-auto flex flex-wrap items-center gap-2">
          <CopyButton
            label={texts.task.copyCurl}
            text={`curl -H "Authorization: Bearer $SVC_API_KEY" ${shellQuote(path)}`}
          >
            <span className="text-small">curl</span>
          </CopyButton>
          <CopyButton
            label={texts.task.copyCli}
            text={`svc tasks show --project ${slug} --engine ${engine} ${shellQuote(taskId)}`}
          >
            <span className="text-small">svc</span>
          </CopyButton>
          {task.log_url !== null && (
            <a href={task.log_url} target="_blank" rel="noreferrer" className={buttonClass()}>
              {texts.task.openLogs}
            </a>
          )}
          {canOperate && !hasEnded && (
            <Button
              variant="danger"
              onClick={() => ask("cancel")}
            >
              <Icon name="cancel" />
              {texts.task.cancel}
            </Button>
          )}
          {canOperate && !task.payload_hidden && (
            <Button onClick={() => setEditing(true)}>
              <Icon name="edit" />
              {texts.task.retryWith}
            </Button>
          )}
          {canOperate && (
            <Button
              variant={task.state === "failure" ? "primary" : "plain"}
              onClick={() => ask("retry")}
            >
              <Icon name="retry" />
              {texts.task.retry}
            </Button>
          )}
        </div>
      </PageHeader>
      {detail.isError && <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />}
      {task.state === "started" && task.progress !== null && <TaskProgress progress={task.progress} />}
      <div className="px-4 pb-4">
        <TaskTree slug={slug} task={task} />
      </div>
      <div className="grid gap-4 px-4 pb-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          {task.exception !== null && (
            <Panel title={texts.task.exception}>
              <p className="px-4 py-3 font-mono text-[12px] break-words whitespace-pre-wrap text-failure">
                {task.exception}
              </p>
              {task.traceback !== null && task.traceback.trim() !== task.exception.trim() && (
                <Traceback text={task.traceback} />
              )}
            </Panel>
          )}
          <TaskValues slug={slug} task={task} exact={exact} />
          {task.log_line_count > 0 && !task.payload_hidden && <TaskLogs slug={slug} engine={engine} taskId={taskId} />}
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <Panel title={texts.task.facts}>
            <TaskFacts slug={slug} task={task} />
          </Panel>
          <Panel title={texts.task.timeline}>
            <ListFrame
              list={events}
              isEmpty={events.data?.items.length === 0}
              empty={<p className="px-4 py-3 text-soft">{texts.task.noEvents}</p>}
            >
              <Timeline
                task={task}
                events={events.data?.items ?? []}
                isTruncated={events.data?.next_cursor !== null}
              />
            </ListFrame>
          </Panel>
          {!hasEnded && <TaskWhy slug={slug} task={task} />}
          {task.run_count > 1 && <TaskRuns slug={slug} task={task} />}
          {task.state === "failure" && <Comparison slug={slug} task={task} />}
          <TaskCommands slug={slug} task={task} />
        </div>
      </div>
      <OpenTaskActions
        task={task}
        canRetry={canOperate}
        canCancel={canOperate && !hasEnded}
        onAsk={ask}
      />
      {question !== null && <CommandQuestion slug={slug} question={question} onClose={() => setQuestion(null)} />}
      {isEditing && <RetryDialog slug={slug} task={task} values={exact} onClose={() => setEditing(false)} />}
    </>
  )
}
