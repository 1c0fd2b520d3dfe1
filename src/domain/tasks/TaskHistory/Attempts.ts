/** From entries to attempts: step 6 of docs/attempts.md. */
import { findDuplicates, isEnd, isTransition, microsOf } from "./Deduplication.ts"
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
  joinEarlyEnds(attempts)
  return attempts
}

/** In microseconds: how far the clocks of agents may differ (agents' protocol, section 3.3). */
const EARLY_WITHIN_MICROS = 60_000_000

/** An end before its start is its end: a clock was set back between the two, or they are of two clocks. */
const joinEarlyEnds = (attempts: Array<Attempt>): void => {
  for (let index = 1; index < attempts.length; index++) {
    const before = attempts[index - 1]!
    const started = attempts[index]!
    const early = earlyEndOf(before, started)
    if (early === null) continue
    started.endEntry = early
    if (before.startEntry === null) {
      started.transitions.unshift(...before.transitions)
      attempts.splice(--index, 1)
    } else {
      started.transitions.unshift(early)
      before.transitions.pop()
      before.endEntry = before.transitions.findLast(isEnd) ?? null
    }
  }
}

/** The last end of the attempt before, where it is not that attempt's own and the started one has none. */
const earlyEndOf = (before: Attempt, { endEntry, retryEntry, startEntry }: Attempt): HistoryEntry | null => {
  if (startEntry === null || endEntry !== null || retryEntry !== null || before.retryEntry !== null) return null
  const early = before.transitions.at(-1)!
  if (early.kind !== "task.succeeded" && early.kind !== "task.failed") return null
  if (before.startEntry !== null && before.transitions.filter(isEnd).length < 2) return null
  return microsOf(startEntry) - microsOf(early) <= EARLY_WITHIN_MICROS ? early : null
}

/** Whether one of the entries of this moment is the same event; the other path's report may lie between the two. */
const isKnown = (distinct: ReadonlyArray<HistoryEntry>, entry: HistoryEntry): boolean => {
  for (let index = distinct.length - 1; index >= 0 && distinct[index]!.at === entry.at; index--) {
    if (isSameTransition(distinct[index]!, entry)) return true
  }
  return false
}

export const transitionsOf = (entries: ReadonlyArray<HistoryEntry>): Transitions => {
  const distinct: Array<HistoryEntry> = []
  for (const entry of entries) {
    if (isTransition(entry.kind) && !isKnown(distinct, entry)) distinct.push(entry)
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
