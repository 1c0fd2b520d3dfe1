import type { Redaction } from "../../domain/Redaction.ts"
import { boundValues } from "../../domain/StoredValue.ts"
import type { SideEventKind } from "../../domain/TaskEvent.ts"
import { isTaskEventKind, type TaskEventKind } from "../../domain/TaskState.ts"
import type { Pending } from "./Backlog.ts"
import { keyOf, type TaskKey } from "./Recent.ts"

export type TaskPending = Pending & { readonly kind: TaskEventKind }
export type SidePending = Pending & { readonly kind: SideEventKind }

/** The events of one task in one transaction. */
export interface Group extends TaskKey {
  readonly key: string
  readonly events: Array<TaskPending>
  /** Whether one of them can be a task's first, so that the task is probably new. */
  opening: boolean
}

/** What came in, sorted by whom it is about. */
export interface Arrivals {
  readonly groups: ReadonlyArray<Group>
  readonly side: ReadonlyArray<SidePending>
}

/** Longest texts of columns that are indexed, and of names in general (bodies: `≤200ch`, task names `≤500ch`). */
const LONGEST_NAME = 500
const LONGEST_LABEL = 200

/** Sorts events that may be stored (`makeStorable`); marks those that cannot be stored and leaves them out. */
export const makeSorter = () => {
  const opens = openings()
  return (slice: ReadonlyArray<Pending>): Arrivals => sorted(slice, opens)
}

/** Masks the secrets of an event of a task, and cuts values over `mostBytes`. Masks first, so that a cut leaves no half of a secret. */
export const makeStorable = (redaction: Redaction, mostBytes: number) => (event: Pending): void => {
  if (isOfTask(event)) event.data = boundValues(redaction.data(event.data), mostBytes)
}

/** Names of engines are free text: what is remembered by them needs a bound. */
const MOST_ENGINES = 100

/** Whether an event can be a task's first: with engines that tell of `received`, `started` is not. */
const openings = (): (event: Pending) => boolean => {
  const receiving = new Set<string>()
  return ({ engine, kind }) => {
    if (kind === "task.received" || kind === "task.sent") {
      if (receiving.size < MOST_ENGINES) receiving.add(engine)
      return true
    }
    return kind === "task.started" && !receiving.has(engine)
  }
}

const sorted = (slice: ReadonlyArray<Pending>, opens: (event: Pending) => boolean): Arrivals => {
  const groups = new Map<string, Group>()
  const side: Array<SidePending> = []
  for (const event of slice) {
    event.refusal = null
    if (!isOfTask(event)) {
      // the cast: the kinds that are no task's are the side events'
      side.push(event as SidePending)
      continue
    }
    if (event.taskId === "") {
      // an unknown kind about no task tells nothing; a transition of no task cannot be
      if (event.kind !== "unknown") event.refusal = "no task id"
      continue
    }
    event.refusal = takeNames(event)
    if (event.refusal !== null) continue
    const key = keyOf(event.projectId, event.engine, event.taskId)
    let group = groups.get(key)
    if (group === undefined) {
      const { engine, projectId, taskId } = event
      group = { key, project_id: projectId, engine, task_id: taskId, events: [], opening: false }
      groups.set(key, group)
    }
    group.events.push(event)
    if (opens(event)) group.opening = true
  }
  return { groups: [...groups.values()], side }
}

const isOfTask = (event: Pending): event is TaskPending => isTaskEventKind(event.kind)

/** Notes what the event tells of names; answers why it cannot be stored, if so. */
const takeNames = (event: Pending): string | null => {
  let longestId = 0
  event.data.forEach((json, field) => {
    switch (field) {
      case "task_name":
        event.name = textOrNull(json)
        return
      case "queue":
        event.queue = queueOf(event.engine, textOrNull(json))
        return
      case "worker":
        event.worker = textOrNull(json)
        return
      case "parent_task_id":
      case "root_task_id":
        longestId = Math.max(longestId, json.length)
    }
  })
  const { engine, name, queue, taskId, worker } = event
  if (tooLong(name, LONGEST_NAME)) return "task name too long"
  if (tooLong(queue, LONGEST_LABEL)) return "queue name too long"
  if (tooLong(worker, LONGEST_LABEL)) return "worker name too long"
  if (longestId > LONGEST_LABEL + 2) return "parent or root id too long"
  // the line has refused these already; a second look costs nothing and keeps PostgreSQL's transaction whole
  const nul = hasNul(name) || hasNul(queue) || hasNul(worker) || taskId.includes("\0") || engine.includes("\0")
  return nul ? "NUL character" : null
}

/** As the task's row has it: without the mark of Dramatiq's delay queues (docs/attempts.md). */
const queueOf = (engine: string, json: string | null): string | null =>
  json !== null && engine === "dramatiq" && json.endsWith(".DQ\"") ? `${json.slice(0, -4)}"` : json

const textOrNull = (json: string): string | null => json.charCodeAt(0) === 34 && json.length > 2 ? json : null

/** Escapes count by the character; texts are near the limit only by mistake or malice. */
const tooLong = (json: string | null, most: number): boolean => json !== null && json.length > most + 2

const hasNul = (json: string | null): boolean => json !== null && json.includes("\\u0000")
