/** From entries to attempts: step 6 of docs/attempts.md. */
import { findDuplicates, isEnd, isTransition } from "./Deduplication.ts"
import { type HistoryEntry, isSameTransition } from "./History.ts"

/** One try of the task, as far as the events show. At least one of the three entries is not null. */
export interface Attempt {
  /** All its transitions, in order; never empty. */
  readonly transitions: Array<HistoryEntry>
  readonly startEntry: HistoryEntry | null
  retryEntry: HistoryEntry | null
  /** The last event that is succeeded, failed, revoked or rejected. */
  endEntry: HistoryEntry | null
}

/** The transitions that count, in order, and the originals of those that do not. */
export interface Transitions {
  readonly distinctEntries: ReadonlyArray<HistoryEntry>
  /** For an event that does not count: the event of the same transition that counts. */
  readonly original: (entry: HistoryEntry) => HistoryEntry
}

export const attemptsOf = (counted: ReadonlyArray<HistoryEntry>): ReadonlyArray<Attempt> => {
  const attempts: Array<Attempt> = []
  let current: Attempt | undefined
  for (const entry of counted) {
    if (entry.kind === "task.started") {
      current = { transitions: [], startEntry: entry, retryEntry: null, endEntry: null }
      attempts.push(current)
    } else if (current === undefined || (isEnd(entry) && current.retryEntry !== null && current.endEntry === null)) {
      current = { transitions: [], startEntry: null, retryEntry: null, endEntry: null }
      attempts.push(current)
    }
    current.transitions.push(entry)
    if (entry.kind === "task.retried") current.retryEntry = entry
    else if (isEnd(entry)) current.endEntry = entry
  }
  return attempts
}

export const transitionsOf = (entries: ReadonlyArray<HistoryEntry>): Transitions => {
  const distinct: Array<HistoryEntry> = []
  for (const entry of entries) {
    if (!isTransition(entry.kind)) continue
    const previous = distinct.at(-1)
    if (previous === undefined || !isSameTransition(previous, entry)) distinct.push(entry)
  }
  const copies = findDuplicates(distinct)
  if (copies.size === 0) return { distinctEntries: distinct, original: (entry) => entry }
  return {
    distinctEntries: distinct.filter((entry) => !copies.has(entry)),
    original: (entry) => {
      let original = entry
      for (let next = copies.get(entry); next !== undefined; next = copies.get(next)) original = next
      return original
    }
  }
}
