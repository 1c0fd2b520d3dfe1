import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { formatQuery } from "../tasks/query.ts"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { StateMark } from "../ui/StateMark.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { groupTasksQuery } from "./queries.ts"
import type { FailureWindow } from "./search.ts"

const refetchMillis = 10_000

type Choice = "failure" | "success" | "all"

/** The newest tasks of a group that ended in the window, by age as they are listed; the list of tasks has all of them. */
export const GroupTasks = ({ fingerprint, hours, slug }: {
  readonly slug: string
  readonly fingerprint: string
  readonly hours: FailureWindow
}) => {
  const { failures: texts, states } = useTexts()
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
          <ul className="max-h-105 overflow-auto py-2">
            {tasks.data.items.map((task) => (
              <li key={task.id}>
                <Link
                  to="/projects/$slug/tasks/$engine/$taskId"
                  params={{ slug, engine: task.engine, taskId: task.task_id }}
                  className="grid grid-cols-[104px_minmax(0,1fr)_auto] items-center gap-3 px-4 py-1 hover:bg-hover"
                >
                  <StateMark state={task.state} />
                  <span className="truncate font-mono text-small">{task.task_id}</span>
                  <span className="figures text-soft">
                    <Time at={task.created_at} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
    </Panel>
  )
}
