/** The outcome of an attempt whose end was never reported, from the engine and the brain. */
import { Option, Schema } from "effect"
import { Outcome } from "../Task/Outcome.ts"
import type { TaskEventKind } from "../TaskState.ts"
import type { Attempt } from "./Attempts.ts"
import { compareEntries, type HistoryEntry } from "./History.ts"

const decodeOutcome = Schema.decodeUnknownOption(Schema.parseJson(Outcome))

const waitingKinds: ReadonlySet<TaskEventKind> = new Set(["task.sent", "task.received", "task.retried"])

/** The last event that says that the task waits: for its first attempt, or for its next one. */
export const findWaitingEntry = (entries: ReadonlyArray<HistoryEntry>): HistoryEntry | undefined =>
  entries.findLast(({ kind }) => waitingKinds.has(kind))

/**
 * The latest outcome of the last attempt, or of the one that the task waits for. Null where an event ended the attempt,
 * or began another one after that outcome. An end before the event that the task waits since is of an earlier attempt.
 */
export const findReconciledOutcome = (
  entries: ReadonlyArray<HistoryEntry>,
  last: Attempt | undefined
): Outcome | null => {
  if (last !== undefined && last.endEntry !== null) return null
  const entry = entries.findLast(({ kind }) => kind === "task.reconciled")
  if (entry === undefined) return null
  const waiting = last === undefined || last.retryEntry !== null ? findWaitingEntry(entries) : undefined
  const begin = waiting ?? last?.transitions[0]
  if (begin !== undefined && compareEntries(entry, begin) < 0) return null
  const outcome = Option.getOrNull(decodeOutcome(`{${entry.rest}}`))
  const isOld = waiting !== undefined && (outcome?.finished_at ?? waiting.at) < waiting.at
  return isOld ? null : outcome
}
