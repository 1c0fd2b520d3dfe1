import type { Cadence } from "./queries.ts"
import type { Schedule } from "./states.ts"
import { readInterval } from "./words.ts"

/**
 * The cadence of a preview that lists the schedule's own next ticks. An interval counts from where a preview begins, so it
 * begins one interval before the schedule's next tick, or at its last one that passed while it was held.
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
