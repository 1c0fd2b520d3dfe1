/** The failures of a task: what a failure group counts (docs/failures.md). */
import { signatureOf } from "../Failure/Fingerprint.ts"
import type { Timestamp } from "../Timestamp.ts"
import type { Attempt, HistoryAnalysis } from "./Attempts.ts"
import type { History, HistoryEntry } from "./History.ts"
import { findReconciledOutcome } from "./Reconciliation.ts"

/** An attempt that ended with a failure. */
export interface FailedAttempt {
  /** `signatureOf` its exception and traceback. */
  readonly signature: string
  readonly at: Timestamp
}

/**
 * The failed attempts, in order. Like the row they depend on the set of the task's events alone. An attempt that the
 * engine itself retries, or that was revoked after all, has not failed. Failures without a signature are left out: an
 * older program stored them.
 */
export const listFailedAttempts = (
  { entries }: History,
  { attempts }: HistoryAnalysis
): ReadonlyArray<FailedAttempt> => {
  let failed = none
  for (const attempt of attempts) {
    const entry = failureOf(attempt)
    if (entry !== null && entry.signature !== "") failed = [...failed, { signature: entry.signature, at: entry.at }]
  }
  const last = attempts.at(-1)
  const outcome = findReconciledOutcome(entries, last)
  if (outcome?.outcome !== "failure") return failed
  const { exception, finished_at } = outcome
  const at = finished_at ?? (last?.transitions[0] ?? entries[0]!).at
  return [...failed, { signature: signatureOf({ exception, traceback: null }), at }]
}

const none: ReadonlyArray<FailedAttempt> = []

/** An attempt may fail and then succeed where an engine does not report the start of the next one. */
const failureOf = ({ endEntry, transitions }: Attempt): HistoryEntry | null => {
  if (endEntry?.kind === "task.failed") return endEntry
  return endEntry?.kind === "task.succeeded" ? transitions.findLast(({ kind }) => kind === "task.failed") ?? null : null
}
