import type { TaskEventKind } from "../../../domain/kernel/TaskState.ts"
import type { TaskEnds } from "../../../domain/tasks/Fold.ts"
import * as TaskHistory from "../../../domain/tasks/TaskHistory.ts"

export const noTaskEnds: TaskEnds = { succeeded: 0, retried: 0, failed: 0, exhausted: 0, lost: 0 }

/**
 * Counts the ends. `failed` has the failed and the lost attempts, `state` is that of the row. While copies wait for their
 * originals, attempts can be more than there were, so a count is at most what one source reports (docs/attempts.md,
 * Outbox). Plain code on the hot path: most tasks have no second end.
 */
export const countTaskEnds = (
  history: TaskHistory.History,
  { attempts, runs }: TaskHistory.Analysis,
  failed: ReadonlyArray<{ readonly isLost: boolean }>,
  state: string
): TaskEnds => {
  let succeeded = 0
  let hasRetried = (runs[0].openRun?.retries ?? 0) > 0
  for (const { endEntry, retryEntry } of attempts) {
    if (endEntry?.kind === "task.succeeded") succeeded++
    if (retryEntry !== null) hasRetried = true
  }
  if (succeeded === 0 && state === "success") succeeded = 1 // an agent was asked for the outcome
  const lost = failed.filter(({ isLost }) => isLost).length
  const failures = limitToReports(history, "task.failed", failed.length - lost)
  return {
    succeeded: limitToReports(history, "task.succeeded", succeeded),
    retried: hasRetried ? TaskHistory.countReports(history, "task.retried") : 0,
    failed: failures,
    exhausted: hasRetried ? Math.min(failures, countExhausted(history, runs, failures)) : 0,
    lost: lost === 0 ? 0 : Math.min(lost, TaskHistory.countReports(history, "task.started") - 1)
  }
}

/**
 * The runs that failed after a retry. Where a second path reports too, copies can look like further runs while their
 * originals are awaited, so there every failure counts: Celery, the only engine with two paths, uses an id once.
 */
const countExhausted = (
  history: TaskHistory.History,
  runs: TaskHistory.Analysis["runs"],
  failures: number
): number => {
  if (runs.length === 1 || TaskHistory.hasTwoPaths(history)) return failures
  let exhausted = 0
  for (const { attempts, openRun } of runs) {
    const hasRetried = (openRun?.retries ?? 0) > 0 || attempts.some(({ retryEntry }) => retryEntry !== null)
    if (hasRetried && attempts.some(TaskHistory.hasFailed)) exhausted++
  }
  return exhausted
}

const limitToReports = (history: TaskHistory.History, kind: TaskEventKind, ends: number): number => {
  if (ends <= 1) return ends
  const reconciled = history.entries.some((entry) => entry.kind === "task.reconciled") ? 1 : 0
  return Math.min(ends, TaskHistory.countReports(history, kind) + reconciled)
}

/** The ends that are new; null without one. An end that a later event corrects away is not taken back. */
export const findNewEnds = (before: TaskEnds, after: TaskEnds): TaskEnds | null => {
  const succeeded = Math.max(0, after.succeeded - before.succeeded)
  const retried = Math.max(0, after.retried - before.retried)
  const failed = Math.max(0, after.failed - before.failed)
  const exhausted = Math.max(0, after.exhausted - before.exhausted)
  const lost = Math.max(0, after.lost - before.lost)
  return succeeded + retried + failed + exhausted + lost === 0 ? null : { succeeded, retried, failed, exhausted, lost }
}
