import { api, unwrap } from "../api/client.ts"
import { CommandStatusText } from "../commands/CommandStatusText.tsx"
import { useActionName } from "../commands/useActionName.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCanAudit } from "../session/permissions.ts"
import { MoreButton } from "../ui/MoreButton.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import type { TaskRef } from "./commandsOfTask.ts"

const refetchMillis = 5_000
const pageSize = 20

/** The commands to a task, newest first, that retried it or made it, with the person behind each and its rows of the audit log. */
export const TaskCommands = ({ slug, task: { engine, task_id } }: {
  readonly slug: string
  readonly task: TaskRef
}) => {
  const { commands: commandTexts, task: texts } = useTexts()
  const { nameOf } = usePeople(slug)
  const actionName = useActionName()
  const canAudit = useCanAudit(slug)
  const list = usePagedList({
    key: ["commands", slug, "task", engine, task_id],
    read: (cursor) =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/commands", {
          params: {
            path: { slug },
            query: { engine, task_id, limit: pageSize, ...(cursor !== null && { cursor }) }
          }
        })
      ),
    refetchMillis
  })
  if (list.rows.length === 0 && !list.isError) return null
  return (
    <Panel title={commandTexts.title}>
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      <ul className="divide-y divide-line">
        {list.rows.map(({ action, agent_name, error, id, issued_at, issued_by, note, status }) => (
          <li key={id} className="grid gap-0.5 px-4 py-2">
            <p className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium">{actionName(action)}</span>
              <CommandStatusText status={status} />
              <span className="text-soft">{nameOf(issued_by)}</span>
              {agent_name !== null && <span className="text-soft" title={commandTexts.agent}>{agent_name}</span>}
              <Time at={issued_at} className="figures ml-auto text-soft" />
            </p>
            <p className="text-soft">{error ?? note ?? commandTexts.statusHints[status]}</p>
            {canAudit && (
              <TextLink
                to="/projects/$slug/audit"
                params={{ slug }}
                search={{ target: id }}
                className="text-small text-soft"
              >
                {texts.auditRows}
              </TextLink>
            )}
          </li>
        ))}
      </ul>
      <MoreButton list={list} />
    </Panel>
  )
}
