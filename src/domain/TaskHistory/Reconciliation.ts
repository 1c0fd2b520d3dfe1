/** The outcome of an attempt whose end was never reported, from the engine and the brain. */
import { Option, Schema } from "effect"
import { Outcome } from "../Task/Outcome.ts"
import type { Attempt } from "./Attempts.ts"
import { compareEntries, type HistoryEntry } from "./History.ts"

const decodeOutcome = Schema.decodeUnknownOption(Schema.parseJson(Outcome))

/**
 * The latest outcome of the last attempt. Null where an event ended the attempt, or began another one after that
 * outcome.
 */
export const findReconciledOutcome = (
  entries: ReadonlyArray<HistoryEntry>,
  last: Attempt | undefined
): Outcome | null => {
  if (last === undefined || last.endEntry !== null || last.retryEntry !== null) return null
  const entry = entries.findLast(({ kind }) => kind === "task.reconciled")
  if (entry === undefined || compareEntries(entry, last.transitions[0]!) < 0) return null
  return Option.getOrNull(decodeOutcome(`{${entry.rest}}`))
}
