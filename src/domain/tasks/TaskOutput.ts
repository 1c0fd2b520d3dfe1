/** What a task says of itself while it runs: log lines and progress (docs/task-logs.md). */
import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../kernel/Describe.ts"
import { wholeNumber } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

export const LogLevel = Schema.Literal("debug", "info", "warning", "error")
export type LogLevel = typeof LogLevel.Type

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warning: 2, error: 3 }

export const isLogLevel = (text: string): text is LogLevel => Object.hasOwn(RANK, text)

export const isAtLeast = (level: LogLevel, least: LogLevel): boolean => RANK[level] >= RANK[least]

/** What is kept of a task's log. A part is for warnings and errors alone, which come last and say the most. */
export const MAX_TASK_LINES = 1000
export const MAX_TASK_LOG_BYTES = 256 * 1024
const RESERVED = 0.2

/** Of one line: UTF-8 bytes of its message, and of its fields as JSON. */
export const MAX_MESSAGE_BYTES = 4096
export const MAX_FIELDS_BYTES = 2048

/** Lines of one event. */
export const MAX_EVENT_LINES = 100

/** Bytes of a progress value as JSON. */
export const MAX_PROGRESS_BYTES = 2048

export interface LogUsage {
  readonly lines: number
  readonly bytes: number
}

/** Whether a line of this level and size still fits into the log of its task. */
export const fitsIntoLog = ({ bytes, lines }: LogUsage, level: LogLevel, size: number): boolean => {
  const share = isAtLeast(level, "warning") ? 1 : 1 - RESERVED
  return lines < MAX_TASK_LINES * share && bytes + size <= MAX_TASK_LOG_BYTES * share
}

/**
 * The text with at most `most` UTF-8 bytes, and a note of how many were left out. No character is taken apart.
 */
export const truncateText = (text: string, most: number): string => {
  if (text.length * 3 <= most) return text
  const utf8 = Buffer.from(text)
  if (utf8.length <= most) return text
  let end = most
  while (end > 0 && (utf8[end]! & 0xc0) === 0x80) end--
  return `${utf8.toString("utf8", 0, end)}[...${utf8.length - end} more bytes truncated]`
}

const percentNames = ["percent", "percentage", "progress"]
const doneNames = ["current", "done", "completed", "processed"]

const numberIn = (value: object, names: ReadonlyArray<string>): number | null => {
  const members: Readonly<Record<string, unknown>> = { ...value }
  const found = names.map((name) => members[name]).find((member) => typeof member === "number")
  return typeof found === "number" && Number.isFinite(found) ? found : null
}

/**
 * The percentage that a progress value states: a number from 0 to 100, or an object with one (`percent`, `percentage`,
 * `progress`), or with a count (`current`, `done`, `completed`, `processed`) and its `total`. Null where it states none.
 */
export const percentOf = (value: unknown): number | null => {
  const toPercent = (number: number) => Math.min(100, Math.max(0, number))
  if (typeof value === "number") return Number.isFinite(value) ? toPercent(value) : null
  if (typeof value !== "object" || value === null) return null
  const percent = numberIn(value, percentNames)
  if (percent !== null) return toPercent(percent)
  const [done, total] = [numberIn(value, doneNames), numberIn(value, ["total"])]
  return done === null || total === null || total <= 0 ? null : toPercent((done / total) * 100)
}

export const TaskProgress = Schema.Struct({
  percent: describeField(
    Schema.NullOr(Schema.Number),
    "0 to 100; null where the value states no percentage.",
    40
  ),
  value: describeField(
    Schema.Unknown,
    "What the task reported; null where the caller lacks the project's `payload_role`.",
    { done: 40, total: 100 }
  ),
  at: describeField(Timestamp, "When it reported that.", exampleTime)
}).annotations(describeBody("TaskProgress", "How far a task is, as it last reported."))

/** The progress as JSON text; `value` is the stored text of what the task reported. */
export const writeProgress = (value: string, at: string, isValueShown: boolean): string =>
  `{"percent":${JSON.stringify(percentOf(JSON.parse(value)))},"value":${isValueShown ? value : "null"},"at":"${at}"}`

export const TaskLogLine = Schema.Struct({
  seq: describeField(Schema.Int, "Its place in the order of arrival, from 1.", 17),
  at: describeField(Timestamp, "When the task wrote it.", exampleTime),
  level: describeField(LogLevel, "Its level.", "info"),
  attempt: describeField(Schema.NullOr(Schema.Int), "The attempt that wrote it, where the engine says so.", 1),
  message: describeField(Schema.String, "The line; it may have line breaks.", "charged order 42"),
  fields: describeField(
    Schema.NullOr(Schema.Unknown),
    "What the logger added, such as annotations.",
    { order: 42 }
  )
}).annotations(describeBody("TaskLogLine", "A line of a task's log."))

export const TaskLogs = Schema.Struct({
  items: describeField(Schema.Array(TaskLogLine), "The matching lines after `after`, in the order of arrival."),
  next_after: describeField(
    Schema.Int,
    "`after` of the next request: every line up to this one was looked at.",
    17
  ),
  has_more: describeField(Schema.Boolean, "Whether lines after `next_after` are stored already.", false),
  line_count: describeField(Schema.Int, "Lines that are stored.", 17),
  dropped_count: describeField(
    Schema.Int,
    "Lines that the agent or the brain left out, because the task wrote more than is kept.",
    0
  )
}).annotations(describeBody("TaskLogs", "A part of a task's log."))

/** The query of `GET …/logs`. */
export const ListLogs = Schema.Struct({
  after: describeField(Schema.optional(wholeNumber(0, 1_000_000_000)), "Only lines with a greater `seq`.", 0),
  limit: describeField(Schema.optional(wholeNumber(1, MAX_TASK_LINES)), "Lines at most, 1000 by default.", 500),
  level: describeField(Schema.optional(LogLevel), "Only lines of this level and above.", "warning"),
  search: describeField(
    Schema.optional(text(200, 1)),
    "Only lines whose message or fields contain this text, in any case.",
    "timeout"
  )
})
export type ListLogs = typeof ListLogs.Type
