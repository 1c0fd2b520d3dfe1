/** Starts without an end: step 8 of docs/attempts.md. */
import type { Attempt } from "./Attempts.ts"
import { microsOf } from "./Deduplication.ts"

/** The exception of such an attempt: what its failure group is made of. */
export const WORKER_LOST = "Worker lost"

/** In microseconds. The end of an attempt may arrive from another agent after the next attempt's start. */
const LATE_WITHIN_MICROS = 10_000_000

/**
 * Whether the attempt at `index` lost its worker: another start followed without an end between them, and the end is not
 * only late. It is not where the same worker started again, where the next start is 10 s later, or a third one followed.
 */
export const isLost = (attempts: ReadonlyArray<Attempt>, index: number): boolean => {
  const start = attempts[index]!.startEntry
  if (start === null || !isFollowedByStart(attempts, index)) return false
  const next = attempts[index + 1]!.startEntry!
  const isSameWorker = start.worker !== null && start.worker !== "" && start.worker === next.worker
  return isSameWorker || microsOf(next) - microsOf(start) >= LATE_WITHIN_MICROS ||
    isFollowedByStart(attempts, index + 1)
}

/** Whether the attempt has no end, and another start follows. */
const isFollowedByStart = (attempts: ReadonlyArray<Attempt>, index: number): boolean => {
  const { endEntry, retryEntry } = attempts[index]!
  return endEntry === null && retryEntry === null && (attempts[index + 1]?.startEntry ?? null) !== null
}

/** Whether an attempt of the run lost its worker. */
export const hasLostStarts = (attempts: ReadonlyArray<Attempt>): boolean =>
  attempts.length > 1 && attempts.some((_, index) => isLost(attempts, index))
