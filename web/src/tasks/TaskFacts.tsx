import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { GroupLink } from "../failures/GroupLink.tsx"
import { useNow } from "../format/now.ts"
import { shortId } from "../format/shortId.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { QueueLink } from "../queues/QueueLink.tsx"
import { Fact, Facts } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { WorkerLink } from "../workers/WorkerLink.tsx"
import { TaskLink, TaskListLink, TaskNameLink } from "./TaskLinks.tsx"
import { timesOf } from "./times.ts"

/** What is known of a task; each fact that has a page or a list links to it. */
export const TaskFacts = ({ slug, task }: { readonly slug: string; readonly task: Schemas["TaskDetail"] }) => {
  const { task: texts, tasks } = useTexts()
  const format = useFormat()
  const { attempts, queueMillis, runMillis } = timesOf(task, useNow())
  const { engine, failure_group: group, fired_by: fire, parent_task_id: parent, root_task_id: root } = task
  const ancestors = ([[texts.parent, parent], [texts.root, root === parent ? null : root]] as const).flatMap(
    ([name, taskId]) => taskId === null || taskId === task.task_id ? [] : [[name, taskId] as const]
  )
  const startedAt = task.first_started_at ?? task.started_at
  return (
    <Facts>
      {group !== null && (
        <Fact name={texts.group}>
          <GroupLink slug={slug} group={group} />
        </Fact>
      )}
      <Fact name={texts.name}>
        <TaskNameLink slug={slug} name={task.name} />
      </Fact>
      <Fact name={texts.engine}>
        <TaskListLink slug={slug} query={{ engine }}>{engine}</TaskListLink>
      </Fact>
      <Fact name={texts.queue}>
        {task.queue === null
          ? "–"
          : <QueueLink slug={slug} engine={engine} name={task.queue} />}
      </Fact>
      <Fact name={texts.worker}>
        {task.worker_name === null ? "–" : <WorkerLink slug={slug} engine={engine} name={task.worker_name} />}
      </Fact>
      {fire !== null && (
        <Fact name={texts.schedule}>
          <Link
            to="/projects/$slug/schedules/$scheduleId"
            params={{ slug, scheduleId: fire.schedule_id }}
            search={fire.fire_id === null ? {} : { fire: fire.fire_id }}
            className={linkClass.text}
          >
            {fire.schedule_name ?? shortId(fire.schedule_id)}
          </Link>
        </Fact>
      )}
      {ancestors.map(([name, taskId]) => (
        <Fact key={name} name={name}>
          <TaskLink slug={slug} engine={engine} taskId={taskId} />
        </Fact>
      ))}
      <Fact name={tasks.columns.priority}>{tasks.priorities[task.priority]}</Fact>
      {task.eta !== null && (
        <Fact name={texts.eta}>
          <Time at={task.eta} isPlanned />
        </Fact>
      )}
      <Fact name={texts.received}>{task.received_at === null ? "–" : <Time at={task.received_at} />}</Fact>
      <Fact name={texts.started}>{startedAt === null ? "–" : <Time at={startedAt} />}</Fact>
      <Fact name={texts.finished}>{task.finished_at === null ? "–" : <Time at={task.finished_at} />}</Fact>
      <Fact name={texts.waited}>{queueMillis === null ? "–" : format.duration(queueMillis)}</Fact>
      <Fact name={texts.ran}>
        {runMillis === null
          ? "–"
          : attempts === 1
          ? format.duration(runMillis)
          : texts.ranIn(format.duration(runMillis), format.count(attempts))}
      </Fact>
      <Fact name={texts.retries}>{format.number(task.retry_count)}</Fact>
      {task.attempts > attempts && <Fact name={texts.starts}>{format.number(task.attempts)}</Fact>}
      {task.run_count > 1 && <Fact name={texts.runs}>{format.number(task.run_count)}</Fact>}
      {task.retried_from !== null && (
        <Fact name={texts.retriedFrom}>
          <TaskLink slug={slug} engine={engine} taskId={task.retried_from} />
        </Fact>
      )}
      {task.retried_as.length > 0 && (
        <Fact name={texts.retriedAs}>
          <ul className="max-h-30 overflow-y-auto">
            {task.retried_as.map((taskId) => (
              <li key={taskId} className="truncate">
                <TaskLink slug={slug} engine={engine} taskId={taskId} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {task.orphaned_at !== null && (
        <Fact name={texts.orphaned}>
          <Time at={task.orphaned_at} />
        </Fact>
      )}
      {task.altered_fields.length > 0 && <Fact name={texts.altered}>{task.altered_fields.join(", ")}</Fact>}
      {task.tags.length > 0 && <Fact name={texts.tags}>{task.tags.join(", ")}</Fact>}
    </Facts>
  )
}
