import { formatDuration } from "../format/duration.ts"
import type { Cadence } from "./queries.ts"
import type { Schedule } from "./states.ts"

const unitSeconds = [604_800, 86_400, 3_600, 60, 1]

/** The seconds of `30`, `30.0`, `1h30m` and `PT5M`; null for anything else. */
export const readInterval = (expression: string): number | null => {
  const text = expression.trim().toLowerCase()
  if (/^\d+(\.0+)?$/.test(text)) return Number.parseInt(text, 10) || null
  if (/^p[^t]*m/.test(text)) return null // months have no fixed length
  const match = /^p?(?:(\d+)w)?(?:(\d+)d)?t?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)
  if (match === null) return null
  const seconds = unitSeconds.reduce((sum, size, index) => sum + Number(match[index + 1] ?? 0) * size, 0)
  return seconds > 0 ? seconds : null
}

/** The interval's expression of a number of seconds or "": such as `1h30m`; other schedulers than svc's own take seconds. */
export const writeInterval = (seconds: string, isOwn: boolean): string =>
  seconds === "" || !isOwn ? seconds : formatDuration(Number(seconds) * 1_000).replace("min", "m").replaceAll(" ", "")

/** An expression for people: an interval is a duration as they type it. */
export const showExpression = (expression: string): string => {
  const seconds = readInterval(expression)
  return seconds === null ? expression : formatDuration(seconds * 1_000)
}

/**
 * The cadence of a preview that lists the schedule's own next ticks. An interval counts from where a preview begins, so it
 * begins one interval before the schedule's next tick, or at its last one that passed while it was paused or in quarantine.
 */
export const cadenceOf = (
  { expression, jitter_seconds, kind, next_run_at, timezone }: Schedule,
  now: number
): Cadence => {
  const cadence = { kind, expression, timezone, jitter_seconds }
  const seconds = kind === "interval" ? readInterval(expression) : null
  if (seconds === null || next_run_at === null) return { ...cadence, from: null }
  const millis = seconds * 1_000
  const next = Date.parse(next_run_at)
  const passed = Math.max(0, Math.floor((now - next) / millis) + 1)
  return { ...cadence, from: new Date(next + (passed - 1) * millis).toISOString() }
}

/**
 * The cadence of a preview of an edit of the schedule. Its own cadence continues; another interval counts from the
 * schedule's creation, so the preview begins at the last of its ticks that would have passed.
 */
export const editedCadenceOf = (schedule: Schedule, edit: Omit<Cadence, "from">, now: number): Cadence => {
  const { created_at, expression, jitter_seconds, kind, timezone } = schedule
  const isSame = edit.kind === kind && edit.expression === expression && edit.timezone === timezone &&
    edit.jitter_seconds === jitter_seconds
  if (isSame) return cadenceOf(schedule, now)
  const seconds = edit.kind === "interval" ? readInterval(edit.expression) : null
  if (seconds === null) return { ...edit, from: null }
  const created = Date.parse(created_at)
  const millis = seconds * 1_000
  const passed = Math.max(0, Math.floor((now - created) / millis))
  return { ...edit, from: new Date(created + passed * millis).toISOString() }
}
