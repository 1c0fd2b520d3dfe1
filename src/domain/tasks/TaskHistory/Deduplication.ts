/** Finds events that report a transition that another event has reported: steps 4 and 5 of docs/attempts.md. */
import { RANK, TaskEventKind } from "../../kernel/TaskState.ts"
import { toEpochMillis } from "../../kernel/Timestamp.ts"
import {
  BROKER_EVENTS,
  compareEntries,
  type EventSource,
  eventSourceOf,
  type HistoryEntry,
  NAMED_EVENTS
} from "./History.ts"

/** Whether events of the kind belong to an attempt: to its start, or to what follows. */
export const isTransition = (kind: TaskEventKind): boolean => RANK[kind] >= RANK["task.started"]

const TRANSITIONS: ReadonlyArray<TaskEventKind> = TaskEventKind.literals.filter(isTransition)

/** Whether the event ends an attempt. */
export const isEnd = (entry: HistoryEntry): boolean => RANK[entry.kind] === RANK["task.succeeded"]

/** Maps each event that does not count to an event of the same transition. Follow it until an event has no entry. */
export type Duplicates = Map<HistoryEntry, HistoryEntry>

/** `entries` are transitions in order, of one moment and reporter at most once. */
export const findDuplicates = (entries: ReadonlyArray<HistoryEntry>): ReadonlyMap<HistoryEntry, HistoryEntry> => {
  const copies: Duplicates = new Map()
  const unknown = entries.filter(isOnPath(BROKER_EVENTS))
  if (unknown.length === 0) return copies
  mergeReporters(unknown, copies)
  if (unknown.length === entries.length) return copies
  const named = entries.filter(isOnPath(NAMED_EVENTS))
  const merged = unknown.filter((entry) => !copies.has(entry))
  for (const kind of TRANSITIONS) mergePaths(timedEntriesOf(named, kind), timedEntriesOf(merged, kind), copies)
  preferLaterEnds(named, merged, copies)
  return copies
}

const isOnPath = (path: EventSource) => ({ name }: HistoryEntry): boolean => eventSourceOf(name) === path

/**
 * Each agent process on a broker sees the broker's events of every worker (unless its worker's name is configured) and
 * stamps them by its own clock. Events of one kind and worker are paired process by process, first with first. The
 * earlier event of a pair counts, since it is closer to the actual time.
 */
const mergeReporters = (unknown: ReadonlyArray<HistoryEntry>, copies: Duplicates): void => {
  if (unknown.every(({ reporter }) => reporter === unknown[0]!.reporter)) return
  for (const [longest = [], ...others] of streamsOf(unknown)) {
    let transitions: ReadonlyArray<TransitionReports> = longest.map((event) => [event])
    for (const stream of others) transitions = mergeStream(transitions, stream)
    for (const [[first], ...later] of transitions) for (const [entry] of later) copies.set(entry, first)
  }
}

/** The reports of one transition by one or more processes, in order. */
type TransitionReports = readonly [first: TimedEntry, ...later: ReadonlyArray<TimedEntry>]

/** Merges the transitions with the reports of another process, which may add further transitions. */
const mergeStream = (
  transitions: ReadonlyArray<TransitionReports>,
  stream: ReadonlyArray<TimedEntry>
): ReadonlyArray<TransitionReports> => {
  const near = stream.filter((event) => transitions.some((reports) => areDuplicates(event, reports)))
  const matching = transitions.filter((reports) => near.some((event) => areDuplicates(event, reports)))
  const matches = new Map<TransitionReports, TimedEntry>()
  const match = (event: TimedEntry, reports: TransitionReports) => {
    if (areDuplicates(event, reports)) matches.set(reports, event)
  }
  if (near.length <= matching.length) pairNearest(near, matching, distance, match)
  else {pairNearest(matching, near, (reports, event) =>
      distance(event, reports), (reports, event) =>
      match(event, reports))}
  const matchedEvents = new Set(matches.values())
  return [
    ...transitions.map((reports) => {
      const event = matches.get(reports)
      return event === undefined ? reports : insertReport(reports, event)
    }),
    ...stream.filter((event) => !matchedEvents.has(event)).map((event): TransitionReports => [event])
  ].sort(([left], [right]) => compareTimed(left, right))
}

const compareTimed = ([left]: TimedEntry, [right]: TimedEntry): number => compareEntries(left, right)

const insertReport = (reports: TransitionReports, event: TimedEntry): TransitionReports => {
  const [first = event, ...later] = [...reports, event].sort(compareTimed)
  return [first, ...later]
}

const distance = ([, at]: TimedEntry, reports: TransitionReports): number =>
  Math.min(...reports.map(([, other]) => Math.abs(other - at)))

/** By kind and worker, the events of each reporter; the longest list first, of equal ones the earliest. */
const streamsOf = (unknown: ReadonlyArray<HistoryEntry>): ReadonlyArray<ReadonlyArray<ReadonlyArray<TimedEntry>>> => {
  const streams = new Map<string, Map<string, Array<TimedEntry>>>()
  for (const entry of unknown) {
    const key = `${entry.kind} ${entry.worker ?? ""}`
    const stream = streams.get(key) ?? new Map<string, Array<TimedEntry>>()
    streams.set(key, stream)
    const { reporter } = entry
    const reports = stream.get(reporter) ?? []
    stream.set(reporter, reports)
    reports.push([entry, microsOf(entry), reporterStartOf(reporter)])
  }
  return [...streams.values()].map((stream) =>
    [...stream.values()].sort((left, right) => right.length - left.length || compareEntries(left[0]![0], right[0]![0]))
  )
}

/** In microseconds. One broker event reached two busy agents 0.9 s apart. */
const DUPLICATES_WITHIN_MICROS = 60_000_000

/** Whether both can be one transition. A process that starts later cannot have seen it: broadcasts are not stored. */
const areDuplicates = ([, at, since]: TimedEntry, reports: TransitionReports): boolean =>
  reports.some(([, otherAt, otherSince]) =>
    Math.abs(at - otherAt) <= DUPLICATES_WITHIN_MICROS && Math.min(at, otherAt) >= Math.max(since, otherSince)
  )

/** The names of published agents' processes contain their start, in milliseconds (agents' protocol, section 2.2). */
const reporterStartOf = (reporter: string): number => Number(/-(\d{13})$/.exec(reporter)?.[1] ?? 0) * 1000

/** Pairs the events of one kind across the two paths; the named event counts. */
const mergePaths = (named: ReadonlyArray<TimedEntry>, unknown: ReadonlyArray<TimedEntry>, copies: Duplicates): void => {
  if (named.length === 0 || unknown.length === 0) return
  if (unknown.length <= named.length) {
    pairNearest(unknown, named, timeBetween, ([copy], [original]) => copies.set(copy, original))
    return
  }
  pairNearest(named, unknown, timeBetween, ([original], [copy]) => copies.set(copy, original))
  for (const [entry, at] of unknown) {
    const near = copies.has(entry)
      ? undefined
      : named.find(([, other]) => Math.abs(other - at) <= THIRD_REPORT_WITHIN_MICROS)
    if (near !== undefined) copies.set(entry, near[0])
  }
}

/** In microseconds. A third report of a transition is this close to the named one; second paths were 95 ms late. */
const THIRD_REPORT_WITHIN_MICROS = 500_000

/**
 * Where the unknown path reports a transition between the named event of an end and that end's copy, the copy counts.
 * The unknown path is late on a busy stream but in order, so the transition came before the end.
 */
const preferLaterEnds = (
  named: ReadonlyArray<HistoryEntry>,
  unknown: ReadonlyArray<HistoryEntry>,
  copies: Duplicates
): void => {
  const unmatched = unknown.filter((entry) => !copies.has(entry))
  if (unmatched.length === 0) return
  for (const copy of unknown) {
    const original = copies.get(copy)
    if (original === undefined || !isEnd(copy) || copies.has(original) || !named.includes(original)) continue
    if (!unmatched.some((entry) => compareEntries(original, entry) < 0 && compareEntries(entry, copy) < 0)) continue
    copies.delete(copy)
    copies.set(original, copy)
  }
}

/**
 * An event, its time and the start of its process, which is compared between processes only; microseconds since 1970.
 */
type TimedEntry = readonly [entry: HistoryEntry, at: number, since: number]

const timedEntriesOf = (entries: ReadonlyArray<HistoryEntry>, kind: TaskEventKind): ReadonlyArray<TimedEntry> =>
  entries.filter((entry) => entry.kind === kind).map((entry) => [entry, microsOf(entry), 0])

const timeBetween = ([, left]: TimedEntry, [, right]: TimedEntry): number => Math.abs(left - right)

/**
 * Pairs each item of the shorter list with the nearest of the longer one, in order, none twice. Equal lengths: first
 * with first.
 */
const pairNearest = <A, B>(
  fewer: ReadonlyArray<A>,
  more: ReadonlyArray<B>,
  distanceOf: (one: A, other: B) => number,
  onPair: (one: A, other: B) => void
): void => {
  let nearest = 0
  fewer.forEach((one, index) => {
    const last = more.length - (fewer.length - index)
    while (nearest < last && distanceOf(one, more[nearest + 1]!) < distanceOf(one, more[nearest]!)) nearest++
    onPair(one, more[nearest]!)
    nearest++
  })
}

/** Microseconds since 1970. */
export const microsOf = ({ at }: HistoryEntry): number => toEpochMillis(at) * 1000 + Number(at.slice(23, 26))
