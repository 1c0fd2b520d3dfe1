import { parse, stringify } from "lossless-json"
import { type Schedule, serviceScheduler } from "./states.ts"

/** A definition as a form has it: each field is text, so that what a person types stays as it is. */
export interface Draft {
  readonly name: string
  readonly engine: string
  readonly scheduler: string
  readonly kind: string
  readonly expression: string
  readonly timezone: string
  readonly task_name: string
  /** Empty: the task's own. */
  readonly queue: string
  readonly args: string
  readonly kwargs: string
  readonly catch_up: string
  readonly on_unknown_outcome: string
  readonly jitter_seconds: string
  /** Empty: the setting's. */
  readonly grace_seconds: string
  readonly is_enabled: string
}

export type DraftField = keyof Draft

export const emptyDraft = (timezone: string): Draft => ({
  name: "",
  engine: "",
  scheduler: serviceScheduler,
  kind: "cron",
  expression: "",
  timezone,
  task_name: "",
  queue: "",
  args: "[]",
  kwargs: "{}",
  catch_up: "fire_one_missed",
  on_unknown_outcome: "continue",
  jitter_seconds: "0",
  grace_seconds: "",
  is_enabled: "true"
})

/** `exact` has the arguments with all their digits. */
export const draftOf = (schedule: Schedule, exact: Pick<Schedule, "args" | "kwargs">): Draft => ({
  name: schedule.name,
  engine: schedule.engine,
  scheduler: schedule.scheduler,
  kind: schedule.kind,
  expression: schedule.expression,
  timezone: schedule.timezone,
  task_name: schedule.task_name,
  queue: schedule.queue ?? "",
  args: stringify(exact.args, null, 2) ?? "[]",
  kwargs: stringify(exact.kwargs, null, 2) ?? "{}",
  catch_up: schedule.catch_up,
  on_unknown_outcome: schedule.on_unknown_outcome,
  jitter_seconds: String(schedule.jitter_seconds),
  grace_seconds: schedule.grace_seconds === null ? "" : String(schedule.grace_seconds),
  is_enabled: String(schedule.is_enabled)
})

/** The fields that only the service has; an engine's own scheduler has none of them. */
const serviceFields: ReadonlySet<DraftField> = new Set([
  "engine",
  "catch_up",
  "on_unknown_outcome",
  "jitter_seconds",
  "grace_seconds"
])

/** What a request of a creation or a change has of a field. */
const valueOf = (field: DraftField, text: string): unknown => {
  switch (field) {
    case "args":
    case "kwargs":
      return parse(text)
    case "jitter_seconds":
      return Number(text)
    case "grace_seconds":
      return text.trim() === "" ? null : Number(text)
    case "queue":
      return text.trim() === "" ? null : text.trim()
    case "is_enabled":
      return text === "true"
    default:
      return text.trim()
  }
}

export interface Change {
  readonly field: DraftField
  readonly before: string
  readonly after: string
}

/** The fields that differ, as they were and as they would be. Spaces and line ends of JSON are no difference. */
export const changesOf = (before: Draft, after: Draft): ReadonlyArray<Change> =>
  (Object.keys(after) as ReadonlyArray<DraftField>).flatMap((field) => { // the keys of a draft
    const isSame = field === "args" || field === "kwargs"
      ? problemOf(field, after[field]) === null &&
        stringify(parse(before[field])) === stringify(parse(after[field]))
      : before[field].trim() === after[field].trim()
    return isSame ? [] : [{ field, before: before[field], after: after[field] }]
  })

/** Whether a field is no JSON of its kind; the API says what is wrong with all others. */
export const problemOf = (field: "args" | "kwargs", text: string): "args" | "kwargs" | null => {
  try {
    const value = parse(text)
    const isFit = field === "args" ? Array.isArray(value) : typeof value === "object" && value !== null &&
      !Array.isArray(value) && text.trim().startsWith("{")
    return isFit ? null : field
  } catch {
    return field
  }
}

/** The members of a request, of these fields. */
export const bodyOf = (draft: Draft, fields: ReadonlyArray<DraftField>): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, valueOf(field, draft[field])]))

/** The fields of a schedule of this scheduler that can be written, at its creation or later. */
export const writableFields = (scheduler: string, isNew: boolean): ReadonlyArray<DraftField> =>
  (Object.keys(emptyDraft("UTC")) as ReadonlyArray<DraftField>).filter((field) => { // the keys of a draft
    if (field === "scheduler") return false
    if (scheduler !== serviceScheduler) return !serviceFields.has(field)
    return isNew || field !== "name"
  })

/** A random UUID. `crypto.randomUUID` exists over https and on localhost only. */
export const makeRequestId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
