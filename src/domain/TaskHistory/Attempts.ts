/** From entries to attempts: steps 4 and 5 of docs/attempts.md. */
import { RANK, TaskEventKind } from "../TaskState.ts"
import { toEpochMillis } from "../Timestamp.ts"
import { type Entry, type History, NAMED, type Path, pathOf, sameTransition, UNKNOWN } from "./History.ts"

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
  /** For an event of the unknown path that tells again what the named path told: that event. */
  readonly original: (entry: Entry) => Entry
}

/** What a history comes to before any field is read: steps 4 and 5 together. */
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

/** Whether the event is the last word of an attempt. */
const isEnd = (entry: Entry): boolean => RANK[entry.kind] === RANK["task.succeeded"]

/** Whether events of the kind tell of an attempt: of its start, or what came after. */
export const isTransition = (kind: TaskEventKind): boolean => RANK[kind] >= RANK["task.started"]

const TRANSITIONS: ReadonlyArray<TaskEventKind> = TaskEventKind.literals.filter(isTransition)

export const transitionsOf = (entries: ReadonlyArray<Entry>): Transitions => {
  const distinct: Array<Entry> = []
  const onPath = [0, 0]
  for (const entry of entries) {
    if (!isTransition(entry.kind)) continue
    const previous = distinct.at(-1)
    if (previous !== undefined && sameTransition(previous, entry)) continue
    distinct.push(entry)
    onPath[pathOf(entry.name)]! += 1
  }
  if (onPath[NAMED] === 0 || onPath[UNKNOWN] === 0) return { counted: distinct, original: (entry) => entry }
  const originals = originalsOf(distinct)
  return {
    counted: distinct.filter((entry) => !originals.has(entry)),
    original: (entry) => originals.get(entry) ?? entry
  }
}

/** Which events of the unknown path are copies, and of which of the named path. */
const originalsOf = (entries: ReadonlyArray<Entry>): ReadonlyMap<Entry, Entry> => {
  const originals = new Map<Entry, Entry>()
  for (const kind of TRANSITIONS) {
    const named = timed(entries, kind, NAMED)
    const unknown = timed(entries, kind, UNKNOWN)
    if (named.length === 0 || unknown.length === 0) continue
    if (unknown.length <= named.length) {
      pair(unknown, named, (copy, original) => originals.set(copy, original))
      continue
    }
    pair(named, unknown, (original, copy) => originals.set(copy, original))
    for (const [entry, at] of unknown) {
      const near = originals.has(entry) ? undefined : named.find(([, other]) => Math.abs(other - at) <= SAME_WITHIN)
      if (near !== undefined) originals.set(entry, near[0])
    }
  }
  return originals
}

/** In microseconds. A third report of a transition lies this near to the named one; second paths were 95 ms late. */
const SAME_WITHIN = 500_000

type Timed = readonly [entry: Entry, micros: number]

const timed = (entries: ReadonlyArray<Entry>, kind: TaskEventKind, path: Path): ReadonlyArray<Timed> =>
  entries.filter((entry) => entry.kind === kind && pathOf(entry.name) === path).map((entry) => [entry, microsOf(entry)])

/** Gives each of the fewer the nearest of the more, both in order, none twice. Equal numbers: first with first. */
const pair = (
  fewer: ReadonlyArray<Timed>,
  more: ReadonlyArray<Timed>,
  found: (one: Entry, other: Entry) => void
): void => {
  let at = 0
  fewer.forEach(([entry, micros], index) => {
    const last = more.length - (fewer.length - index)
    while (at < last && Math.abs(micros - more[at + 1]![1]) < Math.abs(micros - more[at]![1])) at++
    found(entry, more[at]![0])
    at++
  })
}

/** Since 1970. */
export const microsOf = ({ at }: Entry): number => toEpochMillis(at) * 1000 + Number(at.slice(23, 26))
