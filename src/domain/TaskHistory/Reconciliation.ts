/** The outcome of an attempt whose end was never reported, from the engine and the brain. */
import { Option, Schema } from "effect"
import { Outcome } from "../Task/Outcome.ts"
import { STATE_AFTER } from "../TaskState.ts"
import type { Attempt } from "./Attempts.ts"
import { compareEntries, type HistoryEntry } from "./History.ts"

const decodeOutcome = Schema.decodeUnknownOption(Schema.parseJson(Outcome))

/**
 * The latest outcome of the last attempt. The engine's answer is final: it also ends an attempt that waits for its retry,
 * and of two ends that contradict each other it counts, unless the attempt's end came after the question. Null where
 * another attempt began after the question; an unknown outcome gives way to any end.
 */
export const findReconciledOutcome = (
  entries: ReadonlyArray<HistoryEntry>,
  last: Attempt | undefined
): Outcome | null => {
  if (last === undefined) return null
  const entry = entries.findLast(({ kind }) => kind === "task.reconciled")
  if (entry === undefined || compareEntries(entry, last.startEntry ?? last.transitions[0]!) < 0) return null
  const outcome = Option.getOrNull(decodeOutcome(`{${entry.rest}}`))
  const { endEntry, retryEntry } = last
  if (outcome === null || (endEntry === null && retryEntry === null)) return outcome
  if (outcome.outcome === "unknown") return null
  if (endEntry === null) return outcome
  const hasContradiction = (endEntry.kind === "task.succeeded" || endEntry.kind === "task.failed") &&
    STATE_AFTER[endEntry.kind] !== outcome.outcome
  return hasContradiction && endEntry.at <= entry.at ? outcome : null
}
