import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { OutcomeMark } from "./Outcome.tsx"
import { automationKey, readExecutions } from "./queries.ts"

type Execution = Schemas["RuleExecution"]

const refetchMillis = 10_000
const pageSize = 25

const Subject = ({ execution, slug }: { readonly slug: string; readonly execution: Execution }) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const { engine, occurrences, task_id, task_name } = execution
  if (task_id !== null && engine !== null) {
    return (
      <TextLink
        to="/projects/$slug/tasks/$engine/$taskId"
        params={{ slug, engine, taskId: task_id }}
        look="row"
      >
        {task_name ?? task_id}
      </TextLink>
    )
  }
  return (
    <>
      {task_name} {occurrences > 1 && <span className="text-soft">{texts.several(format.count(occurrences))}</span>}
    </>
  )
}

/** The log of a rule: each event that matched it, and what became of it. */
export const Executions = ({ ruleId, slug }: { readonly slug: string; readonly ruleId: string }) => {
  const { automation: texts, bulkRetries, commands } = useTexts()
  const list = usePagedList({
    key: [...automationKey(slug), "executions", ruleId],
    read: (cursor) => readExecutions(slug, ruleId, pageSize, cursor),
    refetchMillis
  })
  return (
    <div>
      <h2 className="px-4 py-3 text-large font-semibold">{texts.executions}</h2>
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={<EmptyState title={texts.noExecutions} hint={texts.noExecutionsHint} />}
      >
        <Table
          label={texts.executions}
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={[
            { title: texts.outcome, cell: ({ outcome }) => <OutcomeMark outcome={outcome} /> },
            { title: texts.action, cell: ({ action }) => texts.actionNames[action] },
            { title: texts.task, cell: (execution) => <Subject slug={slug} execution={execution} /> },
            {
              title: texts.command,
              isMinor: true,
              cell: ({ command_status, task_outcome }) =>
                command_status !== null && (
                  <>
                    {commands.statuses[command_status]}
                    {task_outcome !== null && (
                      <span className={`block text-small ${task_outcome === "failed" ? "text-failure" : "text-soft"}`}>
                        {bulkRetries.outcomes[task_outcome]}
                      </span>
                    )}
                  </>
                )
            },
            { title: texts.detail, isMinor: true, cell: ({ detail }) => <span className="text-soft">{detail}</span> },
            { title: texts.time, isNumber: true, cell: ({ occurred_at }) => <Time at={occurred_at} /> }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
    </div>
  )
}
