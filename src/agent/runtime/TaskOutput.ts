/** Log lines and progress of running tasks, as few events: an adapter hands over each line. Plain code, on the host's path. */
import type { JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import { leftOutNote } from "../../domain/tasks/LeftOut.ts"
import {
  fitsIntoLog,
  type LogLevel,
  MAX_EVENT_LINES,
  MAX_FIELDS_BYTES,
  MAX_MESSAGE_BYTES,
  truncateText
} from "../../domain/tasks/TaskOutput.ts"
import type { ReportEvent } from "./Engine.ts"

export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly level: LogLevel
  readonly message: string
  readonly fields?: { readonly [name: string]: JsonInput | undefined }
}

/** From a line, or a progress, to the event that has it. */
const FLUSH_MILLIS = 1000
/** Lines of all tasks of one engine between two flushes; more are dropped. */
const MAX_LINES_A_FLUSH = 1000
/**
 * Bytes of the lines of one event as JSON, from which on it is sent; the last line adds 27 KiB at most. The runtime leaves
 * out a field of more than 64 KiB.
 */
const MAX_EVENT_BYTES = 24_000
/** Of a line as JSON, beside its message and its fields. */
const LINE_OVERHEAD_BYTES = 64
/** Tasks whose end no event reported would stay for ever. */
const MAX_TASKS = 10_000

/** A line is encoded later, by the rules of all events. */
type EncodableLine = { readonly [member: string]: JsonInput | undefined }

interface RunningTask {
  attempt: number | null
  lines: number
  bytes: number
  /** Not reported yet. */
  dropped: number
  hasReportedDrop: boolean
  firstAt: number
  pending: Array<EncodableLine>
  pendingBytes: number
  progress: { readonly value: JsonInput; readonly at: number } | null
}

const emptyTask = (): RunningTask => ({
  attempt: null,
  lines: 0,
  bytes: 0,
  dropped: 0,
  hasReportedDrop: false,
  firstAt: 0,
  pending: [],
  pendingBytes: 0,
  progress: null
})

/** The fields as JSON text; undefined for those that JSON does not have, such as cycles. */
const textOf = (fields: LogLine["fields"]): string | undefined => {
  try {
    return JSON.stringify(fields)
  } catch {
    return undefined
  }
}

const boundedFields = (fields: LogLine["fields"]): { readonly value: JsonInput | undefined; readonly size: number } => {
  if (fields === undefined || Object.keys(fields).length === 0) return { value: undefined, size: 0 }
  const text = textOf(fields)
  const size = text === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(text)
  if (size <= MAX_FIELDS_BYTES) return { value: fields, size }
  const note = leftOutNote(`more than ${MAX_FIELDS_BYTES} bytes`)
  return { value: note, size: note.length }
}

export class TaskOutput {
  private readonly tasks = new Map<string, RunningTask>()
  private linesSinceFlush = 0
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly report: ReportEvent) {}

  log(taskId: string, { at, fields, level, message }: LogLine, attempt: number | null = null): void {
    const task = this.taskOf(taskId)
    const text = truncateText(message, MAX_MESSAGE_BYTES)
    const bounded = boundedFields(fields)
    const size = Buffer.byteLength(text) + bounded.size
    this.scheduleFlush()
    if (this.linesSinceFlush >= MAX_LINES_A_FLUSH || !fitsIntoLog(task, level, size)) {
      task.dropped++
      return
    }
    this.linesSinceFlush++
    task.lines++
    task.bytes += size
    if (task.pending.length > 0 && task.attempt !== attempt) this.sendLines(taskId, task)
    task.attempt = attempt
    if (task.pending.length === 0) task.firstAt = at
    task.pending.push({
      after_ms: Math.max(0, Math.round(at - task.firstAt)),
      level,
      message: text,
      fields: bounded.value
    })
    // control characters are six times as long as JSON
    task.pendingBytes += Buffer.byteLength(JSON.stringify(text)) + bounded.size + LINE_OVERHEAD_BYTES
    if (task.pending.length >= MAX_EVENT_LINES || task.pendingBytes >= MAX_EVENT_BYTES) {
      this.sendLines(taskId, task)
    }
  }

  /** The latest value counts; it is sent once a second. */
  progress(taskId: string, value: JsonInput, at: number): void {
    this.taskOf(taskId).progress = { value, at }
    this.scheduleFlush()
  }

  /** Sends what is left of the task. Called at the end of each attempt. */
  end(taskId: string): void {
    const task = this.tasks.get(taskId)
    if (task === undefined) return
    this.tasks.delete(taskId)
    this.send(taskId, task, true)
  }

  /** Sends what is left of all tasks. */
  close(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    for (const taskId of this.tasks.keys()) this.end(taskId)
  }

  private taskOf(taskId: string): RunningTask {
    let task = this.tasks.get(taskId)
    if (task === undefined) {
      task = emptyTask()
      this.tasks.set(taskId, task)
      if (this.tasks.size > MAX_TASKS) this.end(this.tasks.keys().next().value ?? "")
    }
    return task
  }

  private scheduleFlush(): void {
    this.timer ??= setTimeout(() => this.flush(), FLUSH_MILLIS).unref()
  }

  private flush(): void {
    this.timer = null
    this.linesSinceFlush = 0
    for (const [taskId, task] of this.tasks) this.send(taskId, task, !task.hasReportedDrop)
  }

  private send(taskId: string, task: RunningTask, reportsDrop: boolean): void {
    if (task.pending.length > 0 || (task.dropped > 0 && reportsDrop)) this.sendLines(taskId, task)
    if (task.progress === null) return
    const { at, value } = task.progress
    task.progress = null
    this.report({ kind: "task.progress", taskId, occurredAt: at, data: { progress: value } })
  }

  private sendLines(taskId: string, task: RunningTask): void {
    const { attempt, dropped, firstAt, pending } = task
    task.pending = []
    task.pendingBytes = 0
    task.dropped = 0
    task.hasReportedDrop ||= dropped > 0
    this.report({
      kind: "task.log",
      taskId,
      occurredAt: firstAt,
      data: { lines: pending, ...(attempt !== null && { attempt }), ...(dropped > 0 && { dropped }) }
    })
  }
}
