import type { AgentId } from "../../kernel/Id.ts"
/** The input of the fold: one event about a task, and its parts for the row and the timeline. */
import { ALTERED, type EventData } from "../../kernel/TaskEvent.ts"
import { isTaskPriority, RANK, type TaskEventKind } from "../../kernel/TaskState.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import { signatureOf } from "../Failure/Fingerprint.ts"
import { type ErrorFields, exceptionText, isTraceback } from "./Exception.ts"

/**
 * One event about a task. `agentId` and `reporter` (the name of the agent process) are the session's. Secrets in `data`
 * are already masked.
 */
export interface TaskEvent {
  readonly id: string
  readonly kind: TaskEventKind
  readonly engine: string
  readonly taskId: string
  readonly occurredAt: Timestamp.Timestamp
  readonly agentId: AgentId
  readonly reporter: string
  readonly data: EventData
}

/**
 * Fields whose latest value is stored apart from the timeline, each under its number (never reuse a number). `args`,
 * `kwargs`, `result`, `runtime_ms` and `tags` are stored as JSON text, the others as plain text.
 */
export const STORED_FIELDS = {
  queue: 0,
  args: 1,
  kwargs: 2,
  result: 3,
  exception: 4,
  traceback: 5,
  runtime_ms: 6,
  priority: 7,
  tags: 8,
  eta: 9,
  parent_task_id: 10,
  root_task_id: 11
} as const
export type StoredFieldName = keyof typeof STORED_FIELDS

/** The parts of an event. */
export interface TaskEventReading {
  /** The agents' placeholder for unknown names where the event has none. */
  name: string
  worker: string | null
  /** `received` with the task as its own parent: Celery publishing a retry. */
  republished: boolean
  /** The small fields except name and worker, as members of a JSON object: `"queue":"mail","signum":15`. */
  rest: string
  /** Of a failure (`Failure/Fingerprint.ts`); empty for other kinds. */
  signature: string
  /** Candidates for the row's values; never empty text. */
  readonly facts: Array<readonly [name: StoredFieldName, value: string]>
}

export const readTaskEvent = (event: TaskEvent): TaskEventReading => {
  const reading: TaskEventReading = {
    name: `<unknown:${event.taskId.slice(0, 8).toWellFormed()}>`,
    worker: null,
    republished: false,
    rest: "",
    signature: "",
    facts: []
  }
  const errorFields: ErrorFields = { exception: null, message: null, reason: null, traceback: null }
  event.data.forEach((json, field) => {
    // a null means the same as an absent field, except in the result of a task that returned nothing
    if (json === "null" && field !== "result") return
    readField(event, field, json, reading, errorFields)
    if (field !== "exception" || !isTraceback(event.engine, errorFields.exception)) appendRest(field, json, reading)
  })
  if (RANK[event.kind] >= RANK["task.retried"] && event.kind !== "task.succeeded") {
    const text = exceptionText(event.engine, errorFields)
    const traceback = isTraceback(event.engine, errorFields.exception)
    const stack = traceback ? errorFields.exception : errorFields.traceback
    addText(reading, "exception", text)
    addText(reading, "traceback", stack)
    if (event.kind === "task.failed") reading.signature = signatureOf({ exception: text, traceback: stack })
    if (traceback) appendRest("exception", JSON.stringify(text), reading)
  }
  return reading
}

const readField = (
  event: TaskEvent,
  field: string,
  json: string,
  reading: TaskEventReading,
  raised: ErrorFields
): void => {
  switch (field) {
    case "task_name":
      reading.name = textOf(json) ?? reading.name
      return
    case "worker":
      reading.worker = textOf(json)
      return
    case "args":
    case "kwargs":
      reading.facts.push([field, json])
      return
    case "result":
      if (event.kind === "task.succeeded") reading.facts.push([field, json])
      return
    case "runtime_ms":
      if (RANK[event.kind] === RANK["task.succeeded"] && Number(json) >= 0) reading.facts.push([field, json])
      return
    case "queue":
      return addText(reading, field, queueOf(event.engine, textOf(json)))
    case "parent_task_id":
    case "root_task_id": {
      const id = textOf(json)
      if (id !== event.taskId) return addText(reading, field, id)
      if (field === "parent_task_id") reading.republished = event.kind === "task.received"
      return
    }
    case "priority": {
      const label = textOf(json)
      return addText(reading, field, label !== null && isTaskPriority(label) ? label : null)
    }
    case "eta":
      return addText(reading, field, Timestamp.parse(textOf(json) ?? "") ?? null)
    case "tags":
      if (json.startsWith("[")) reading.facts.push([field, json])
      return
    case "exception":
      raised.exception = textOf(json)
      return
    case "exception_message":
      raised.message = textOf(json)
      return
    case "reason":
      raised.reason = textOf(json)
      return
    case "traceback":
      raised.traceback = textOf(json)
      return
  }
}

const addText = (reading: TaskEventReading, field: StoredFieldName, text: string | null): void => {
  if (text !== null && text !== "") reading.facts.push([field, text])
}

const MAX_VALUE_LENGTH = 1024
const MAX_RESULT_LENGTH = 512
const MAX_REST_LENGTH = 2048
const MAX_ALTERED_LENGTH = 4096

/** Fields that the timeline takes from elsewhere, or that are too large for it. */
const NOT_IN_REST: ReadonlySet<string> = new Set(["task_name", "worker", "args", "kwargs", "traceback"])

const appendRest = (field: string, json: string, reading: TaskEventReading): void => {
  const longest = field === "result" ? MAX_RESULT_LENGTH : MAX_VALUE_LENGTH
  if (field === ALTERED && json.length <= MAX_ALTERED_LENGTH) {
    // first and beyond the limit, so that other fields cannot take its place
    reading.rest = `"${ALTERED}":${json}${reading.rest === "" ? "" : ","}${reading.rest}`
    return
  }
  if (json.length > longest || NOT_IN_REST.has(field)) return
  const member = `${JSON.stringify(field)}:${json}`
  if (reading.rest.length + member.length >= MAX_REST_LENGTH) return
  reading.rest = reading.rest === "" ? member : `${reading.rest},${member}`
}

/** The text of a JSON string, null for any other value. */
const textOf = (json: string): string | null => {
  if (!json.startsWith("\"")) return null
  if (!json.includes("\\")) return json.slice(1, -1)
  const text: unknown = JSON.parse(json)
  return typeof text === "string" ? text : null
}

/** Dramatiq keeps delayed messages in a separate queue beside the real one (agents' protocol, section 4.2). */
const queueOf = (engine: string, queue: string | null): string | null =>
  queue !== null && engine === "dramatiq" && queue.endsWith(".DQ") ? queue.slice(0, -3) : queue
