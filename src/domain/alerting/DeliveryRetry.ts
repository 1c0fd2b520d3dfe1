import * as Timestamp from "../kernel/Timestamp.ts"

/** Seconds between the attempts of a delivery (Standard Webhooks): ten attempts within about 76 hours. */
const retryDelays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const

export const maxAttempts = retryDelays.length + 1

/** Up to this part of the delay is added at random, so that what failed together is not sent together again. */
const jitter = 0.2

const maxRetryAfterSeconds = 86_400

/**
 * Seconds from the failed attempt to the next one; null: it was the last. The receiver's Retry-After can only lengthen
 * the delay, by at most a day. `random` is from 0 to 1.
 */
export const retryDelayAfter = (attempt: number, retryAfter: number | null, random: number): number | null => {
  const delay = retryDelays[attempt - 1]
  return delay === undefined
    ? null
    : Math.max(delay * (1 + jitter * random), Math.min(retryAfter ?? 0, maxRetryAfterSeconds))
}

/** A channel is not disabled before this many attempts in a row have failed, however long it takes. */
const minFailures = maxAttempts

/**
 * How much of its failure budget a channel has used, in percent: the time since its first failure after the last success,
 * and the number of failures, whichever says less.
 */
const usedBudget = (failures: number, failingSeconds: number, budgetSeconds: number): number =>
  Math.floor(100 * Math.min(1, failures / minFailures, failingSeconds / budgetSeconds))

/** The percentage that a warning is sent for, the highest that was reached; 0 for none. */
const warningAt = (percent: number): 0 | 50 | 70 | 90 =>
  percent >= 90 ? 90 : percent >= 70 ? 70 : percent >= 50 ? 50 : 0

/** What a channel's row says of the messages that it refused since the last accepted one. */
export interface ChannelFailures {
  readonly consecutive_failures: number
  readonly failing_since: Timestamp.Timestamp | null
  /** The percentage of the last warning. */
  readonly failure_warning: number
}

/** The row's counts after further failures, the budget that they have used, and whether a warning is due. */
export const countFailures = (
  before: ChannelFailures,
  failed: number,
  now: Timestamp.Timestamp,
  budgetSeconds: number
) => {
  const consecutive_failures = before.consecutive_failures + failed
  const failing_since = before.failing_since ?? now
  const failingSeconds = Timestamp.toEpochSeconds(now) - Timestamp.toEpochSeconds(failing_since)
  const percent = usedBudget(consecutive_failures, failingSeconds, budgetSeconds)
  const failure_warning = Math.max(before.failure_warning, warningAt(percent))
  return {
    consecutive_failures,
    failing_since,
    failure_warning,
    percent,
    warns: failure_warning > before.failure_warning
  }
}
