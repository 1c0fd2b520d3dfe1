import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { CommandStatusText } from "../commands/CommandStatusText.tsx"
import { useActionName } from "../commands/useActionName.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCanAudit } from "../session/session.ts"
import { Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import type { TaskRef } from "./commandsOfTask.ts"

const refetchMillis = 5_000
const maxCommands = 20

/** The newest commands to a task, that retried it or made it, with the person behind each and its rows of the audit log. */
export const TaskCommands = ({ slug, task: { engine, task_id } }: {
  readonly slug: string
  readonly task: TaskRef
}) => {
  const { commands: commandTexts, task: texts } = useTexts()
  const { nameOf } = usePeople(slug)
  const actionName = useActionName()
  const canAudit = useCanAudit(slug)
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { data } = useQuery({
    queryKey: ["commands", slug, "task", engine, task_id],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/commands", {
          params: { path: { slug }, query: { engine, task_id, limit: maxCommands } }
        })
      ),
    refetchInterval
  })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Panel title={commandTexts.title}>
      <ul className="divide-y divide-line">
        {data.items.map(({ action, error, id, issued_at, issued_by, note, status }) => (
          <li key={id} className="grid gap-1 px-5 py-3">
            <p className="flex flex-wrap items-baseline gap-x-4">
              <span className="font-medium">{actionName(action)}</span>
              <CommandStatusText status={status} />
              <span className="text-soft">{nameOf(issued_by)}</span>
              <Time at={issued_at} className="figures ml-auto text-soft" />
            </p>
            {(error ?? note) !== null && <p className="text-soft">{error ?? note}</p>}
            {canAudit && (
              <Link
                to="/projects/$slug/audit"
                params={{ slug }}
                search={{ target: id }}
                className="text-small text-soft underline underline-offset-2"
              >
                {texts.auditRows}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
