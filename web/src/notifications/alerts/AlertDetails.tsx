import type { Schemas } from "../../api/client.ts"
import { GroupLink } from "../../failures/GroupLink.tsx"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { QueueLink } from "../../queues/QueueLink.tsx"
import { TaskLink, TaskListLink, TaskNameLink } from "../../tasks/TaskLinks.tsx"
import { Fact, Facts, Panel } from "../../ui/Panel.tsx"
import { WorkerLink } from "../../workers/WorkerLink.tsx"
import type { Alert } from "./state.ts"

/** What an alert is about, with links to it. */
export const AlertDetails = ({ alert, group, slug }: {
  readonly alert: Alert
  /** What fails like the task of the alert. */
  readonly group: Schemas["FailureGroup"] | undefined
  readonly slug: string
}) => {
  const { alerts: texts, notifications } = useTexts()
  const format = useFormat()
  const { engine, messages, occurrences, queue, severity, shared, task_id, task_name, trigger, worker } = alert
  return (
    <Panel title={texts.facts}>
      <Facts>
        <Fact name={texts.severity}>{notifications.severities[severity]}</Fact>
        <Fact name={texts.trigger}>{notifications.triggers[trigger]}</Fact>
        <Fact name={texts.count}>{format.number(occurrences)}</Fact>
        <Fact name={texts.messages}>{format.number(messages)}</Fact>
        {group !== undefined && (
          <Fact name={texts.group}>
            <GroupLink slug={slug} group={group} />
          </Fact>
        )}
        {task_name !== null && (
          <Fact name={texts.task}>
            <TaskNameLink slug={slug} name={task_name} />
          </Fact>
        )}
        {engine !== null && task_id !== null && (
          <Fact name={texts.lastTask}>
            <TaskLink slug={slug} engine={engine} taskId={task_id} />
          </Fact>
        )}
        {queue !== null && (
          <Fact name={texts.queue}>
            {engine === null
              ? <TaskListLink slug={slug} query={{ queue }}>{queue}</TaskListLink>
              : <QueueLink slug={slug} engine={engine} name={queue} />}
          </Fact>
        )}
        {worker !== null && (
          <Fact name={texts.worker}>
            <WorkerLink slug={slug} engine={engine} name={worker} />
          </Fact>
        )}
        {engine !== null && (
          <Fact name={texts.engine}>
            <TaskListLink slug={slug} query={{ engine }}>{engine}</TaskListLink>
          </Fact>
        )}
      </Facts>
      {shared.length > 0 && (
        <p className="border-t border-line px-4 py-3">
          <span className="text-soft">{texts.shared}:</span> {shared.join(", ")}
        </p>
      )}
    </Panel>
  )
}
