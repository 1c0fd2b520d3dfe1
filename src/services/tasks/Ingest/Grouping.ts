import type { Redaction } from "../../../domain/kernel/Redaction.ts"
import { isOutputEventKind, type OutputEventKind, type SideEventKind } from "../../../domain/kernel/TaskEvent.ts"
import { isTaskEventKind, type TaskEventKind } from "../../../domain/kernel/TaskState.ts"
import type { ProjectTaskKey } from "../../../domain/tasks/Fold.ts"
import { truncateValues } from "../../../domain/tasks/ValueTruncation.ts"
import type { PendingEvent } from "./Backlog.ts"
import { taskKeyText } from "./TaskCache.ts"

export type PendingTaskEvent = PendingEvent & { readonly kind: TaskEventKind }
export type PendingSideEvent = PendingEvent & { readonly kind: SideEventKind }
export type PendingOutput = PendingEvent & { readonly kind: OutputEventKind }

/** The events of one task in one transaction. */
export interface TaskGroup extends ProjectTaskKey {
  readonly key: string
  readonly events: Array<PendingTaskEvent>
  /** Whether one of the events can be a task's first, so that the task is probably new. */
  mayCreateTask: boolean
}

/** Events by their subject: tasks, what tasks say, and everything else. */
export interface GroupedEvents {
  readonly groups: ReadonlyArray<TaskGroup>
  readonly outputs: ReadonlyArray<PendingOutput>
  readonly side: ReadonlyArray<PendingSideEvent>
}

/** Groups masked events (`makeMasker`). Marks events that cannot be stored, and leaves them out. */
export const makeGrouper = () => {
  const canBeFirst = makeFirstEventCheck()
  return (slice: ReadonlyArray<PendingEvent>): GroupedEvents => groupEvents(slice, canBeFirst)
}

/**
 * Masks the secrets of a task's event, then truncates values over `mostBytes`: a truncation before the mask would leave half of a
 * secret.
 */
export const makeMasker = (redaction: Redaction, mostBytes: number) => (event: PendingEvent): void => {
  if (isTaskEvent(event)) event.data = truncateValues(redaction.data(event.data), mostBytes)
  else if (isOutput(event)) event.data = redaction.data(event.data)
}

/** Names of engines are free text, so a set of them needs a bound. */
const MAX_ENGINES = 100

/** Whether an event can be a task's first: with engines that report `received`, `started` is not. */
const makeFirstEventCheck = (): (event: PendingEvent) => boolean => {
  const enginesWithReceived = new Set<string>()
  return ({ engine, kind }) => {
    if (kind === "task.received" || kind === "task.sent") {
      if (enginesWithReceived.size < MAX_ENGINES) enginesWithReceived.add(engine)
      return true
    }
    return kind === "task.started" && !enginesWithReceived.has(engine)
  }
}

const groupEvents = (
  slice: ReadonlyArray<PendingEvent>,
  canBeFirst: (event: PendingEvent) => boolean
): GroupedEvents => {
  const groups = new Map<string, TaskGroup>()
  const side: Array<PendingSideEvent> = []
  const outputs: Array<PendingOutput> = []
  for (const event of slice) {
    event.refusal = null
    if (isOutput(event)) {
      if (event.taskId === "") event.refusal = "no task id"
      else outputs.push(event)
      continue
    }
    if (!isTaskEvent(event)) {
      // the cast: every kind that is not a task's is a side event's
      side.push(event as PendingSideEvent)
      continue
    }
    if (event.taskId === "") {
      // an unknown kind without a task carries no information; a transition without a task is invalid
      if (event.kind !== "unknown") event.refusal = "no task id"
      continue
    }
    readNames(event)
    const key = taskKeyText(event.projectId, event.engine, event.taskId)
    let group = groups.get(key)
    if (group === undefined) {
      const { engine, projectId, taskId } = event
      group = { key, project_id: projectId, engine, task_id: taskId, events: [], mayCreateTask: false }
      groups.set(key, group)
    }
    group.events.push(event)
    if (canBeFirst(event)) group.mayCreateTask = true
  }
  return { groups: [...groups.values()], outputs, side }
}

const isOutput = (event: PendingEvent): event is PendingOutput => isOutputEventKind(event.kind)

const isTaskEvent = (event: PendingEvent): event is PendingTaskEvent => isTaskEventKind(event.kind)

/** Copies the names out of the event's data. */
const readNames = (event: PendingEvent): void =>
  event.data.forEach((json, field) => {
    if (field === "task_name") event.name = textOrNull(json)
    else if (field === "queue") event.queue = queueOf(event.engine, textOrNull(json))
    else if (field === "worker") event.worker = textOrNull(json)
  })

/** The queue's name in the task's row: without the suffix of Dramatiq's delay queues (docs/attempts.md). */
const queueOf = (engine: string, json: string | null): string | null =>
  json !== null && engine === "dramatiq" && json.endsWith(".DQ\"") ? `${json.slice(0, -4)}"` : json

const textOrNull = (json: string): string | null => json.charCodeAt(0) === 34 && json.length > 2 ? json : null
