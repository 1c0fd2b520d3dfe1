import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import type { TaskRef } from "./commandsOfTask.ts"
import { HistoryRow } from "./HistoryRow.tsx"

const RunTime = ({ at }: { readonly at: string | null }) => at === null ? null : <Time at={at} />

/** The runs of a task whose engine uses its id again, latest first. A change of the task reads them again, by their key. */
export const TaskRuns = ({ slug, task: { engine, task_id } }: { readonly slug: string; readonly task: TaskRef }) => {
  const { task: texts } = useTexts()
  const runs = useQuery({
    queryKey: ["task", slug, engine, task_id, "runs"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/tasks/{engine}/{task_id}/runs", {
          params: { path: { slug, engine, task_id } }
        })
      )
  })
  return (
    <Panel title={texts.runs}>
      <ListFrame list={runs} isEmpty={false} empty={null}>
        <ol className="max-h-80 divide-y divide-line overflow-y-auto" tabIndex={0}>
          {runs.data?.items.map(({ exception, number, received_at, runtime_ms, started_at, state }) => (
            <HistoryRow
              key={number}
              number={number}
              state={state}
              runMillis={runtime_ms}
              time={<RunTime at={started_at ?? received_at} />}
              exception={exception}
            />
          ))}
        </ol>
      </ListFrame>
    </Panel>
  )
}
