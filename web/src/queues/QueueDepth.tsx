import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TaskListLink } from "../tasks/TaskLinks.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { tasksOf } from "./queries.ts"

/**
 * Whether the broker has messages that no agent has reported as waiting tasks, such as those of another program. Of very
 * many waiting tasks the oldest alone are looked at, so a queue that receives tasks may have some.
 */
export const isUnreported = ({ depth, oldest_waiting_at, received_1h }: Schemas["Queue"]): boolean =>
  depth !== null && depth > 0 && oldest_waiting_at === null && received_1h === 0

/** How many messages wait: a link to their tasks, where agents have reported these. */
export const QueueDepth = ({ queue, slug }: { readonly slug: string; readonly queue: Schemas["Queue"] }) => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  const { depth, depth_note, engine, name } = queue
  if (depth === null) return <span title={depth_note ?? undefined}>–</span>
  if (depth === 0) return format.number(depth)
  if (isUnreported(queue)) return <span title={texts.unreported(format.count(depth))}>{format.number(depth)}</span>
  const query = `state:pending,received ${tasksOf({ engine, name })}`
  return <TaskListLink slug={slug} query={query} className={linkClass.row}>{format.number(depth)}</TaskListLink>
}
