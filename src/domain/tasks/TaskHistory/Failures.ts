/** The failures of a task: what a failure group counts (docs/failures.md). */
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { signatureOf } from "../Failure/Fingerprint.ts"
import type { HistoryAnalysis } from "./Analysis.ts"
import type { Attempt } from "./Attempts.ts"
import type { History, HistoryEntry } from "./History.ts"
import { isLost, WORKER_LOST } from "./LostStarts.ts"
import { findReconciledOutcome } from "./Reconciliation.ts"

/** An attempt that ended with a failure, or lost its worker. */
export interface FailedAttempt {
  /** `signatureOf` its exception and traceback. */
  readonly signature: string
  /** Of a lost one: when another start showed it. */
  readonly at: Timestamp
  readonly isLost: boolean
}

/**
 * The failed attempts, in order. Like the row they depend on the set of the task's events alone. An attempt that the
 * engine itself retries, or that was revoked after all, has not failed. One that lost its worker has.
 */
export const listFailedAttempts = (
  { entries }: History,
  { attempts, runs }: HistoryAnalysis
): ReadonlyArray<FailedAttempt> => {
  let failed = none
  for (let index = 0; index < attempts.length; index++) {
    const entry = failureOf(attempts[index]!)
    if (entry !== null) {
      failed = [...failed, { signature: entry.signature, at: entry.at, isLost: false }]
    } else if (isLost(attempts, index)) {
      failed = [...failed, { signature: lostSignature, at: attempts[index + 1]!.startEntry!.at, isLost: true }]
    }
  }
  const last = runs.at(-1)!.attempts.at(-1)
  const outcome = findReconciledOutcome(entries, last)
  if (outcome?.outcome !== "failure") return failed
  const { exception, finished_at } = outcome
  const at = finished_at ?? (last?.transitions[0] ?? entries[0]!).at
  return [...failed, { signature: signatureOf({ exception, traceback: null }), at, isLost: false }]
}

const none: ReadonlyArray<FailedAttempt> = []

const lostSignature = signatureOf({ exception: WORKER_LOST, traceback: null })

/** Whether the attempt is among the failed ones. */
export const hasFailed = (attempt: Attempt): boolean => failureOf(attempt) !== null

/** The failure of an attempt; null: it has not failed. An attempt may fail and then succeed where an engine does not report the start of the next one. */
export const failureOf = ({ endEntry, transitions }: Attempt): HistoryEntry | null => {
  if (endEntry?.kind === "task.failed") return endEntry
  return endEntry?.kind === "task.succeeded" ? transitions.findLast(({ kind }) => kind === "task.failed") ?? null : null
}
