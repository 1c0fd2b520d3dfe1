import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { formatQuery } from "../tasks/query.ts"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { StateMark } from "../ui/StateMark.tsx"
import { Table } from "../ui/Table.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { groupTasksQuery } from "./queries.ts"
import type { FailureWindow } from "./search.ts"

const refetchMillis = 10_000

type Choice = "failure" | "success" | "all"

/** The newest tasks of a group that ended in the window; the list of tasks has all of them. */
export const GroupTasks = ({ fingerprint, hours, slug }: {
  readonly slug: string
  readonly fingerprint: string
  readonly hours: FailureWindow
}) => {
  const { failures: texts, states, tasks: { columns } } = useTexts()
  const [choice, setChoice] = useState<Choice>("failure")
  const state = choice === "all" ? undefined : choice
  const refetchInterval = useRefetchInterval(refetchMillis)
  const line = formatQuery({ ...(state !== undefined && { state }), fingerprint, finished: `${hours}h` })
  const tasks = useQuery({ ...groupTasksQuery(slug, line), refetchInterval })
  return (
    <Panel
      title={texts.tasks}
      actions={
        <TextLink
          to="/projects/$slug/tasks"
          params={{ slug }}
          search={{ q: line }}
        >
          {texts.showAll}
        </TextLink>
      }
    >
      <Tabs
        label={texts.tasks}
        value={choice}
        tabs={{ failure: states.failure, success: states.success, all: texts.allStates }}
        onChoose={setChoice}
      />
      {tasks.isError && <ErrorNotice error={tasks.error} onRetry={() => void tasks.refetch()} />}
      {tasks.data === undefined
        ? !tasks.isError && <Loading />
        : tasks.data.items.length === 0
        ? <p className="px-4 py-3 text-soft">{texts.noTasks}</p>
        : (
          <div className="max-h-105 overflow-auto">
            <Table
              isInPanel
              label={texts.tasks}
              rows={tasks.data.items}
              rowKey={({ id }) => id}
              columns={[
                { title: columns.state, cell: ({ state }) => <StateMark state={state} /> },
                {
                  title: columns.id,
                  cell: ({ engine, task_id }) => (
                    <TextLink
                      to="/projects/$slug/tasks/$engine/$taskId"
                      params={{ slug, engine, taskId: task_id }}
                      look="row"
                      className="font-mono text-small"
                    >
                      {task_id}
                    </TextLink>
                  )
                },
                // the order of the list
                { title: columns.received, isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  title: columns.finished,
                  isNumber: true,
                  isMinor: true,
                  cell: ({ finished_at }) => (finished_at === null ? "–" : <Time at={finished_at} />)
                }
              ]}
            />
          </div>
        )}
    </Panel>
  )
}
