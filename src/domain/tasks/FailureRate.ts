import { formatDuration } from "../kernel/Duration.ts"
import * as Timestamp from "../kernel/Timestamp.ts"
import type { EventFilters } from "../triggers/Filters.ts"

/** What a subscription's filters leave open (docs/notifications.md). */
const defaults = { rate_percent: 20, window_seconds: 300, min_tasks: 20 }

/** The longest window, and the present minute. */
export const keptMinutes = 24 * 60 + 1

export const minuteOf = (at: Timestamp.Timestamp): number => Math.floor(Timestamp.toEpochMillis(at) / 60_000)

/** The ends of tasks within a window. */
export interface EndCounts {
  readonly ended: number
  readonly failed: number
}

/** A subscription to `task.failure_rate`. */
export interface RateCondition {
  readonly filters: EventFilters
  readonly updated_at: Timestamp.Timestamp
  /** When the event about the present episode was recorded. */
  readonly began_at: Timestamp.Timestamp | null
}

export const windowSecondsOf = ({ window_seconds }: EventFilters): number => window_seconds ?? defaults.window_seconds

const percentOf = ({ rate_percent }: EventFilters): number => rate_percent ?? defaults.rate_percent

const hasEnough = ({ min_tasks }: EventFilters, { ended }: EndCounts): boolean =>
  ended >= (min_tasks ?? defaults.min_tasks)

const isReached = (filters: EventFilters, counts: EndCounts): boolean =>
  hasEnough(filters, counts) && counts.failed * 100 >= percentOf(filters) * counts.ended

/** Too few tasks do not end an episode, unless none of them failed. */
const isOver = (filters: EventFilters, counts: EndCounts): boolean =>
  counts.failed === 0 || (hasEnough(filters, counts) && counts.failed * 100 < percentOf(filters) * counts.ended)

/**
 * Whether an episode begins or ends with these counts; null: neither. A subscription that was changed since its episode
 * began was perhaps muted or inactive, which ended its alert without a message: it is notified again.
 */
export const findEpisodeChange = (
  { began_at, filters, updated_at }: RateCondition,
  counts: EndCounts
): "begins" | "ends" | null => {
  const isNew = began_at === null || began_at < updated_at
  if (isNew && isReached(filters, counts)) return "begins"
  return began_at !== null && isOver(filters, counts) ? "ends" : null
}

export const describeRate = (filters: EventFilters, { ended, failed }: EndCounts): string => {
  const share = ended === 0 ? 0 : Math.round((failed * 1000) / ended) / 10
  const window = `within ${formatDuration(windowSecondsOf(filters))}`
  return `${failed} of ${ended} tasks failed ${window}: ${share} %, the limit is ${percentOf(filters)} %.`
}
