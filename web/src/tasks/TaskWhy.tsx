import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { type TaskDetail, taskKey } from "./readTask.ts"

/** The reasons change with the queue and the workers, of which the task's own changes say nothing. */
const whyRefetchMillis = 10_000

/** Why a task has not begun, or has not ended. */
export const TaskWhy = ({ slug, task }: { readonly slug: string; readonly task: TaskDetail }) => {
  const { none, task: texts } = useTexts()
  const refetchInterval = useRefetchInterval(whyRefetchMillis)
  const why = useQuery({
    queryKey: [...taskKey(slug, task.engine, task.task_id), "why"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/tasks/{engine}/{task_id}/why", {
          params: { path: { slug, engine: task.engine, task_id: task.task_id } }
        })
      ),
    refetchInterval
  })
  return (
    <Panel title={task.state === "started" || task.state === "unknown" ? texts.whyStarted : texts.why}>
      <ListFrame
        list={why}
        isEmpty={why.data?.reasons.length === 0}
        empty={<p className="px-4 py-3 text-soft">{none}</p>}
      >
        <ul className="grid gap-1 px-4 py-3">
          {why.data?.reasons.map(({ code, sentence }) => <li key={code}>{sentence}</li>)}
        </ul>
      </ListFrame>
    </Panel>
  )
}
