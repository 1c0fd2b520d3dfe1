/**
 * A task's JSON text, written by hand from the stored row: args, kwargs, result and tags are spliced in as their stored
 * JSON text. So `12345678901234567890` and `1.0` are returned as the agent sent them, and nothing is parsed. A page of
 * 500 rows takes about 2 ms.
 */
import type { Cell } from "../../kernel/Cell.ts"
import { type TaskField, taskFields } from "../Task.ts"

/** A row of `tasks`: the cells of `taskFields`, in that order. */
export type TaskRow = ReadonlyArray<Cell>

/** `plain` needs no escaping: ids, states and times. `json` is already JSON text. */
type Kind = "plain" | "text" | "json" | "number"

export const kinds: Readonly<Record<TaskField, Kind>> = {
  id: "plain",
  project_id: "plain",
  engine: "text",
  task_id: "text",
  name: "text",
  queue: "text",
  state: "plain",
  priority: "plain",
  args: "json",
  kwargs: "json",
  result: "json",
  exception: "text",
  traceback: "text",
  retry_count: "number",
  eta: "plain",
  received_at: "plain",
  started_at: "plain",
  finished_at: "plain",
  runtime_ms: "number",
  worker_name: "text",
  parent_task_id: "text",
  root_task_id: "text",
  tags: "json",
  created_at: "plain",
  updated_at: "plain"
}

const payloadFields: ReadonlySet<TaskField> = new Set<TaskField>(["args", "kwargs", "result"])

/** Whether the field is of those that only `payload_role` sees. */
export const isPayloadField = (field: TaskField): boolean => payloadFields.has(field)

const payloadAt = new Set([...payloadFields].map((field) => taskFields.indexOf(field)))

/** The row without arguments and result, for callers who may not see them. */
export const hidePayload = (row: TaskRow): TaskRow => row.map((cell, index) => (payloadAt.has(index) ? null : cell))

interface Member {
  readonly index: number
  readonly kind: Kind
  /** `"name":`, with a comma before all but the first. */
  readonly label: string
}

/** Writes rows as JSON objects of these fields, in this order. */
export const makeTaskWriter = (fields: ReadonlyArray<TaskField>): (row: TaskRow) => string => {
  const members = fields.map((field, index): Member => ({
    index: taskFields.indexOf(field),
    kind: kinds[field],
    label: `${index === 0 ? "" : ","}"${field}":`
  }))
  return (row) => {
    let json = "{"
    for (const { index, kind, label } of members) json += label + writeCell(kind, row[index] ?? null)
    return `${json}}`
  }
}

const writeCell = (kind: Kind, cell: Cell): string => {
  if (cell === null) return "null"
  if (kind === "plain") return `"${cell}"`
  return kind === "text" ? JSON.stringify(cell) : String(cell)
}

/** One task with all its fields. */
export const writeTask: (row: TaskRow) => string = makeTaskWriter(taskFields)
