import { useQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { chartRefetchMillis } from "../overview/queries.ts"
import { formatQuery } from "../tasks/query.ts"
import { Shares } from "../tasks/Shares.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { runsQuery } from "./queries.ts"
import { RunStrip } from "./RunStrip.tsx"

/** The newest tasks of the name, and their workers. */
export const NameRuns = ({ name, slug }: { readonly slug: string; readonly name: string }) => {
  const { failures, names: texts } = useTexts()
  const runs = useQuery({ ...runsQuery(slug, name), refetchInterval: useRefetchInterval(chartRefetchMillis) })
  const tasks = runs.data ?? []
  const counts = Map.groupBy(tasks, ({ worker_name }) => worker_name)
  const shares = [...counts].map(([name, { length }]) => ({ name, tasks: length }))
  return (
    <>
      <Panel
        title={texts.runs}
        actions={
          <TextLink
            to="/projects/$slug/tasks"
            params={{ slug }}
            search={{ q: formatQuery({ exactName: name }) }}
          >
            {failures.showAll}
          </TextLink>
        }
      >
        <ListFrame
          list={runs}
          isEmpty={tasks.length === 0}
          empty={<p className="px-4 py-3 text-soft">{texts.noRun}</p>}
        >
          <RunStrip slug={slug} tasks={tasks} />
        </ListFrame>
      </Panel>
      <Shares
        slug={slug}
        terms={{ exactName: name }}
        term="worker"
        title={texts.workers}
        shares={shares.toSorted((left, right) => right.tasks - left.tasks)}
      />
    </>
  )
}
