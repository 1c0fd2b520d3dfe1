import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { lazyComponent } from "../code/lazyComponent.tsx"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { type Branch, branchesOf } from "./branches.ts"
import { SpanBar } from "./SpanBar.tsx"
import { timesOf } from "./times.ts"

const refetchMillis = 5_000

const TaskGraph = lazyComponent(async () => (await import("./TaskGraph.tsx")).TaskGraph)

const TreeList = ({ branches, nodes, slug }: {
  readonly slug: string
  readonly branches: ReadonlyArray<Branch>
  readonly nodes: ReadonlyArray<Schemas["TaskTreeNode"]>
}) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const now = useNow()
  const times = new Map(nodes.map((node) => [node, timesOf(node, now)]))
  const drawn = [...times.values()].flatMap(({ spans }) => spans)
  const from = Math.min(...drawn.map((span) => span.from))
  const to = Math.max(...drawn.map((span) => span.to))
  const rows: Array<{ readonly node: Schemas["TaskTreeNode"]; readonly depth: number }> = []
  const visit = ({ children, node }: Branch, depth: number) => {
    rows.push({ node, depth })
    for (const child of children) visit(child, depth + 1)
  }
  for (const branch of branches) visit(branch, 0)
  return (
    <ul className="max-h-90 overflow-auto py-2">
      {rows.map(({ depth, node }) => {
        const { attempts, runMillis, spans } = times.get(node) ?? timesOf(node, now)
        const ran = runMillis === null ? null : format.duration(runMillis)
        return (
          <li key={`${node.engine} ${node.task_id}`}>
            <Link
              to="/projects/$slug/tasks/$engine/$taskId"
              params={{ slug, engine: node.engine, taskId: node.task_id }}
              className="flex items-center gap-2 px-4 py-1 hover:bg-hover chosen:font-semibold"
            >
              <span className="flex min-w-0 flex-1 items-center gap-2" style={{ paddingLeft: depth * 16 }}>
                <StateShape state={node.state} />
                <span className="truncate">{node.name}</span>
              </span>
              {spans.length > 0 && <SpanBar spans={spans} from={from} to={to} className="h-2 w-[38%] shrink-0" />}
              <span
                className="figures w-16 shrink-0 text-right text-soft"
                title={ran === null || attempts < 2 ? undefined : texts.ranIn(ran, format.count(attempts))}
              >
                {ran}
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

/** The tasks that started one another, as a list with what each waited and ran, and as a graph. */
export const TaskTree = ({ engine, slug, taskId }: {
  readonly slug: string
  readonly engine: string
  readonly taskId: string
}) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const [view, setView] = useState<"list" | "graph">("list")
  const refetchInterval = useRefetchInterval(refetchMillis)
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
  const notice = error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (tree === undefined || tree.node_count < 2) return notice && <Panel title={texts.tree}>{notice}</Panel>
  const branches = branchesOf(tree.nodes)
  return (
    <Panel title={texts.tree}>
      {notice}
      <Tabs
        label={texts.treeViews}
        tabs={{ list: texts.treeList, graph: texts.treeGraph }}
        value={view}
        onChoose={setView}
      />
      {view === "list"
        ? <TreeList slug={slug} branches={branches} nodes={tree.nodes} />
        : <TaskGraph slug={slug} branches={branches} />}
      {tree.truncated && <p className="px-4 pb-3 text-soft">{texts.truncated(format.count(tree.node_count))}</p>}
    </Panel>
  )
}
