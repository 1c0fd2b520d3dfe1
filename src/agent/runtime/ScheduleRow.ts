import { createHash } from "node:crypto"
import { canonicalize, CanonicalText, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import { maxLengths } from "../../domain/schedules/Schedule/External.ts"
import { leftOutNote } from "../../domain/tasks/LeftOut.ts"
import type { ScheduleRow } from "../../protocol/ScheduleSnapshot.ts"
import type { NativeSchedule, Scheduler } from "./Engine.ts"
import { wireTimeOf } from "./WireTime.ts"

const MAX_ID_LENGTH = 200
/** Longer arguments are left out, as those of tasks are. */
const MAX_ARGUMENTS_LENGTH = 65_536
const OMITTED_NOTE = leftOutNote(`more than ${MAX_ARGUMENTS_LENGTH} characters`)

const isText = (value: string, minLength: number, maxLength: number): boolean =>
  value.length >= minLength && value.length <= maxLength && !value.includes("\0") && value.isWellFormed()

/**
 * Whether a command can name the schedule by its id, and a brain can store its texts. A brain refuses a snapshot as a
 * whole: one job name of a kilobyte would hide all schedules.
 */
export const isPublishable = ({ expression, id, name, queue, task_name, timezone }: NativeSchedule): boolean =>
  isText(id, 1, MAX_ID_LENGTH) && isText(name, 1, maxLengths.name) && isText(task_name, 0, maxLengths.task_name) &&
  isText(expression, 0, maxLengths.expression) && isText(timezone, 0, maxLengths.timezone) &&
  isText(queue ?? "", 0, maxLengths.queue)

/** The published row of a schedule. Secrets in arguments are masked; the published agents do not mask them. */
export const scheduleRowOf = (
  engine: string,
  scheduler: Scheduler["name"],
  schedule: NativeSchedule,
  redaction: Redaction
): ScheduleRow => ({
  source_key: schedule.id,
  external_id: schedule.id,
  name: schedule.name,
  task_name: schedule.task_name,
  kind: schedule.kind,
  expression: schedule.expression,
  timezone: schedule.timezone,
  queue: schedule.queue,
  is_enabled: schedule.is_enabled,
  engine,
  scheduler,
  source: scheduler,
  source_hash: schedule.settings === undefined ? null : hashOf(redaction.json(canonicalize(schedule.settings))),
  priority: "normal",
  catch_up: "skip",
  args: redactJson(schedule.args, [OMITTED_NOTE], redaction),
  kwargs: redactJson(schedule.kwargs, { note: OMITTED_NOTE }, redaction),
  last_run_at: timeOf(schedule.last_run_at),
  next_run_at: timeOf(schedule.next_run_at),
  total_runs: Number.isSafeInteger(schedule.total_runs) ? Math.max(schedule.total_runs, 0) : 0
})

const redactJson = (value: JsonInput, replacement: JsonInput, redaction: Redaction): JsonInput => {
  const text = redaction.json(canonicalize(value))
  return text.length > MAX_ARGUMENTS_LENGTH ? replacement : new CanonicalText(text)
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The published agents write an offset in schedules, not `Z`. */
const timeOf = (millis: number | null): string | null => wireTimeOf(millis)?.replace("Z", "+00:00") ?? null
