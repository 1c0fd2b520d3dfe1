import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { lazyComponent } from "../code/lazyComponent.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { branchesOf } from "./branches.ts"
import { Waterfall } from "./Waterfall.tsx"

const refetchMillis = 5_000

const TaskGraph = lazyComponent(async () => (await import("./TaskGraph.tsx")).TaskGraph)

/** What happened: the task and those of its tree as a waterfall and as a graph; of a task without others its own row. */
export const TaskTree = ({ slug, task }: {
  readonly slug: string
  readonly task: Schemas["TaskDetail"]
}) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const [view, setView] = useState<"waterfall" | "graph">("waterfall")
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { engine, task_id: taskId } = task
  const { data: tree, error, refetch } = useQuery({
    queryKey: ["tree", slug, engine, taskId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/tasks/{engine}/{task_id}/tree", {
          params: { path: { slug, engine, task_id: taskId } }
        })
      ),
    refetchInterval
  })
  // the page's own task is known at once, and all its attempts
  const nodes = tree?.nodes.map((node) => node.engine === engine && node.task_id === taskId ? task : node) ?? [task]
  const hasOthers = nodes.length > 1
  const title = hasOthers || error !== null ? texts.tree : texts.attempts
  return (
    <Panel title={title}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {hasOthers && (
        <Tabs
          label={texts.treeViews}
          tabs={{ waterfall: texts.treeWaterfall, graph: texts.treeGraph }}
          value={view}
          onChoose={setView}
        />
      )}
      {hasOthers && view === "graph"
        ? <TaskGraph slug={slug} branches={branchesOf(nodes)} />
        : <Waterfall key={String(hasOthers)} label={title} slug={slug} nodes={nodes} own={task} />}
      {tree?.truncated === true && (
        <p className="px-4 pb-3 text-soft">{texts.truncated(format.count(tree.node_count))}</p>
      )}
    </Panel>
  )
}
