/** From entries to attempts: step 6 of docs/attempts.md. */
import { copiesOf, isEnd, isTransition } from "./Copies.ts"
import { type Entry, type History, sameTransition } from "./History.ts"

/** One run of the task, as far as the events tell. At least one of the three is there. */
export interface Attempt {
  /** All of it, in order; never empty. */
  readonly transitions: Array<Entry>
  readonly started: Entry | null
  retried: Entry | null
  /** Succeeded, failed, revoked or rejected: the last such. */
  ended: Entry | null
}

/** The transitions that count, in order, and what became of those that do not. */
export interface Transitions {
  readonly counted: ReadonlyArray<Entry>
  /** For an event that does not count: the one that tells the same transition and counts. */
  readonly original: (entry: Entry) => Entry
}

/** What a history comes to before any field is read: steps 4 to 6 together. */
export interface Analysis extends Transitions {
  readonly attempts: ReadonlyArray<Attempt>
}

export const analyse = ({ entries }: History): Analysis => {
  const { counted, original } = transitionsOf(entries)
  return { counted, original, attempts: attemptsOf(counted) }
}

export const attemptsOf = (counted: ReadonlyArray<Entry>): ReadonlyArray<Attempt> => {
  const attempts: Array<Attempt> = []
  let current: Attempt | undefined
  for (const entry of counted) {
    if (entry.kind === "task.started") {
      current = { transitions: [], started: entry, retried: null, ended: null }
      attempts.push(current)
    } else if (current === undefined || (isEnd(entry) && current.retried !== null && current.ended === null)) {
      current = { transitions: [], started: null, retried: null, ended: null }
      attempts.push(current)
    }
    current.transitions.push(entry)
    if (entry.kind === "task.retried") current.retried = entry
    else if (isEnd(entry)) current.ended = entry
  }
  return attempts
}

export const transitionsOf = (entries: ReadonlyArray<Entry>): Transitions => {
  const distinct: Array<Entry> = []
  for (const entry of entries) {
    if (!isTransition(entry.kind)) continue
    const previous = distinct.at(-1)
    if (previous === undefined || !sameTransition(previous, entry)) distinct.push(entry)
  }
  const copies = copiesOf(distinct)
  if (copies.size === 0) return { counted: distinct, original: (entry) => entry }
  return {
    counted: distinct.filter((entry) => !copies.has(entry)),
    original: (entry) => {
      let original = entry
      for (let next = copies.get(entry); next !== undefined; next = copies.get(next)) original = next
      return original
    }
  }
}
