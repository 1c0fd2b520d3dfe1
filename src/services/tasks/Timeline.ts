import { JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { type CursorKey, decodeCursor, encodeCursor } from "../../domain/kernel/Page.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import * as TaskHistory from "../../domain/tasks/TaskHistory.ts"

/** A page of a timeline as JSON text (bodies: EventListResponse). */
export interface TimelinePage {
  readonly items: ReadonlyArray<string>
  readonly next_cursor: string | null
}

/**
 * The events of a stored history, earliest first, after the cursor. The cursor is the last event's position in the
 * order and not its number, so late events do not shift the next page. Null when the cursor is invalid.
 */
export const pageOfTimeline = (
  history: string,
  projectId: ProjectId,
  { engine, task_id }: TaskKey,
  { cursor, hasResult, limit }: { readonly cursor: string | null; readonly limit: number; readonly hasResult: boolean }
): TimelinePage | null => {
  const position = cursor === null ? null : decodeCursor("events", cursor, 2)
  if (cursor !== null && position === null) return null
  const events = TaskHistory.buildTimeline(TaskHistory.decode(history))
  const from = position === null ? 0 : indexAfter(events, position)
  const pageEvents = events.slice(from, from + limit)
  const last = from + pageEvents.length < events.length ? pageEvents[pageEvents.length - 1] : undefined
  return {
    items: pageEvents.map(({ agentId, id, kind, occurredAt, payload }) =>
      `{"id":${JSON.stringify(id)},"project_id":"${projectId}","agent_id":"${agentId}",` +
      `"engine":${JSON.stringify(engine)},"task_id":${JSON.stringify(task_id)},` +
      `"kind":"${kind}","occurred_at":"${occurredAt}","payload":${hasResult ? payload : withoutResult(payload)}}`
    ),
    next_cursor: last === undefined ? null : encodeCursor("events", [last.occurredAt, last.id])
  }
}

/** The payload without its member `result`; the others keep their text. */
const withoutResult = (payload: string): string => {
  const node = parse(payload)
  if (!(node instanceof JsonObject)) return "{}"
  return `{${node.keys.flatMap((key, at) => (key === "result" ? [] : [node.memberText(at)])).join(",")}}`
}

/** The index after the event. If it was replaced by another agent's copy, after all events of its time or earlier. */
const indexAfter = (events: ReadonlyArray<TaskHistory.TimelineEvent>, [moment = "", id = ""]: CursorKey): number => {
  const at = events.findIndex((event) => event.id === id && event.occurredAt === moment)
  if (at >= 0) return at + 1
  const later = events.findIndex(({ occurredAt }) => occurredAt > moment)
  return later === -1 ? events.length : later
}
