/** The outcome of an attempt whose end was never reported, from the engine and the brain. */
import { Option, Schema } from "effect"
import { STATE_AFTER, type TaskEventKind } from "../../kernel/TaskState.ts"
import { isOfEarlierAttempt, Outcome } from "../Task/Outcome.ts"
import type { Attempt } from "./Attempts.ts"
import { compareEntries, type HistoryEntry } from "./History.ts"

const decodeOutcome = Schema.decodeUnknownOption(Schema.parseJson(Outcome))

const waitingKinds: ReadonlySet<TaskEventKind> = new Set(["task.sent", "task.received", "task.retried"])

/** The last event that says that the task waits: for its first attempt, or for its next one. */
const findWaitingEntry = (entries: ReadonlyArray<HistoryEntry>): HistoryEntry | undefined =>
  entries.findLast(({ kind }) => waitingKinds.has(kind))

/** The last event that says that the task waits or runs: an end before it is of an earlier attempt. */
export const findOpenEntry = (entries: ReadonlyArray<HistoryEntry>): HistoryEntry | undefined =>
  entries.findLast(({ kind }) => waitingKinds.has(kind) || kind === "task.started")

/**
 * The latest outcome of the last attempt, or of the one that the task waits for. The engine's result is final: it also
 * ends an attempt that waits for its retry, and of two ends that contradict each other it counts, unless the attempt's
 * end came after the question. Null where another attempt began after the question, and where the engine's end is of an
 * earlier one. An unknown outcome gives way to any end, and to a wait that it was not asked about.
 */
export const findReconciledOutcome = (
  entries: ReadonlyArray<HistoryEntry>,
  last: Attempt | undefined
): Outcome | null => {
  const entry = entries.findLast(({ kind }) => kind === "task.reconciled")
  if (entry === undefined) return null
  const waiting = last === undefined || (last.endEntry === null && last.retryEntry !== null)
    ? findWaitingEntry(entries)
    : undefined
  const begin = last === undefined ? waiting : last.startEntry ?? last.transitions[0]
  if (begin !== undefined && compareEntries(entry, begin) < 0) return null
  const outcome = Option.getOrNull(decodeOutcome(`{${entry.rest}}`))
  if (outcome === null) return null
  if (waiting !== undefined) return isOfWait(outcome, waiting) ? outcome : null
  const endEntry = last?.endEntry ?? null
  if (endEntry === null) return outcome
  const hasContradiction = (endEntry.kind === "task.succeeded" || endEntry.kind === "task.failed") &&
    outcome.outcome !== "unknown" && STATE_AFTER[endEntry.kind] !== outcome.outcome
  return hasContradiction && endEntry.at <= entry.at ? outcome : null
}

const isOfWait = ({ finished_at, outcome, waiting_since }: Outcome, { at }: HistoryEntry): boolean =>
  outcome === "unknown"
    ? waiting_since !== null && waiting_since >= at
    : !isOfEarlierAttempt(finished_at, at)
