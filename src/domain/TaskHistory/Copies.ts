/** Which events tell a transition again that another event tells: steps 4 and 5 of docs/attempts.md. */
import { RANK, TaskEventKind } from "../TaskState.ts"
import { toEpochMillis } from "../Timestamp.ts"
import { type Entry, NAMED, order, type Path, pathOf, UNKNOWN } from "./History.ts"

/** Whether events of the kind tell of an attempt: of its start, or what came after. */
export const isTransition = (kind: TaskEventKind): boolean => RANK[kind] >= RANK["task.started"]

const TRANSITIONS: ReadonlyArray<TaskEventKind> = TaskEventKind.literals.filter(isTransition)

/** Whether the event is the last word of an attempt. */
export const isEnd = (entry: Entry): boolean => RANK[entry.kind] === RANK["task.succeeded"]

/** From each event that does not count to one that tells the same transition. Follow it until an event has none. */
export type Copies = Map<Entry, Entry>

/** `entries` are transitions in order, of one moment and reporter at most once. */
export const copiesOf = (entries: ReadonlyArray<Entry>): ReadonlyMap<Entry, Entry> => {
  const copies: Copies = new Map()
  const unknown = entries.filter(isOn(UNKNOWN))
  if (unknown.length === 0) return copies
  mergeReporters(unknown, copies)
  if (unknown.length === entries.length) return copies
  const named = entries.filter(isOn(NAMED))
  const merged = unknown.filter((entry) => !copies.has(entry))
  for (const kind of TRANSITIONS) mergePaths(timed(named, kind), timed(merged, kind), copies)
  preferLaterEnds(named, merged, copies)
  return copies
}

const isOn = (path: Path) => ({ name }: Entry): boolean => pathOf(name) === path

/**
 * Each agent process on a broker sees the broker's events of every worker (unless it is told its worker's name) and
 * stamps them by its own clock. Those of one kind and worker are paired process by process, first with first; of a pair
 * the earlier counts, which is nearer to the truth.
 */
const mergeReporters = (unknown: ReadonlyArray<Entry>, copies: Copies): void => {
  if (unknown.every(({ reporter }) => reporter === unknown[0]!.reporter)) return
  for (const [longest = [], ...others] of streamsOf(unknown)) {
    let tellings: ReadonlyArray<Telling> = longest.map((event) => [event])
    for (const stream of others) tellings = joined(tellings, stream)
    for (const [[first], ...later] of tellings) for (const [entry] of later) copies.set(entry, first)
  }
}

/** One transition as one or more processes tell it, in order. */
type Telling = readonly [first: Timed, ...later: ReadonlyArray<Timed>]

/** The transitions, with what another process tells of them or beside them. */
const joined = (tellings: ReadonlyArray<Telling>, stream: ReadonlyArray<Timed>): ReadonlyArray<Telling> => {
  const near = stream.filter((event) => tellings.some((telling) => areCopies(event, telling)))
  const matching = tellings.filter((telling) => near.some((event) => areCopies(event, telling)))
  const found = new Map<Telling, Timed>()
  const match = (event: Timed, telling: Telling) => {
    if (areCopies(event, telling)) found.set(telling, event)
  }
  if (near.length <= matching.length) pair(near, matching, distance, match)
  else pair(matching, near, (telling, event) => distance(event, telling), (telling, event) => match(event, telling))
  const matched = new Set(found.values())
  return [
    ...tellings.map((telling) => {
      const event = found.get(telling)
      return event === undefined ? telling : withEvent(telling, event)
    }),
    ...stream.filter((event) => !matched.has(event)).map((event): Telling => [event])
  ].sort(([left], [right]) => byOrder(left, right))
}

const byOrder = ([left]: Timed, [right]: Timed): number => order(left, right)

const withEvent = (telling: Telling, event: Timed): Telling => {
  const [first = event, ...later] = [...telling, event].sort(byOrder)
  return [first, ...later]
}

const distance = ([, at]: Timed, telling: Telling): number =>
  Math.min(...telling.map(([, other]) => Math.abs(other - at)))

/** By kind and worker, the events of each reporter; the longest list first, else the one that begins first. */
const streamsOf = (unknown: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<ReadonlyArray<Timed>>> => {
  const streams = new Map<string, Map<string, Array<Timed>>>()
  for (const entry of unknown) {
    const key = `${entry.kind} ${entry.worker ?? ""}`
    const stream = streams.get(key) ?? new Map<string, Array<Timed>>()
    streams.set(key, stream)
    const { reporter } = entry
    const told = stream.get(reporter) ?? []
    stream.set(reporter, told)
    told.push([entry, microsOf(entry), startOf(reporter)])
  }
  return [...streams.values()].map((stream) =>
    [...stream.values()].sort((left, right) => right.length - left.length || order(left[0]![0], right[0]![0]))
  )
}

/** In microseconds. The same broker event reached two busy agents 0.9 s apart. */
const COPIES_WITHIN = 60_000_000

/** Whether a process can have seen that transition too: broadcasts do not wait for a process that is not there yet. */
const areCopies = ([, at, since]: Timed, telling: Telling): boolean =>
  telling.some(([, otherAt, otherSince]) =>
    Math.abs(at - otherAt) <= COPIES_WITHIN && Math.min(at, otherAt) >= Math.max(since, otherSince)
  )

/** Published agents' processes have their start in their names, in milliseconds (agents' protocol, section 2.2). */
const startOf = (reporter: string): number => Number(/-(\d{13})$/.exec(reporter)?.[1] ?? 0) * 1000

/** Pairs the events of one kind across the two paths; the named event counts. */
const mergePaths = (named: ReadonlyArray<Timed>, unknown: ReadonlyArray<Timed>, copies: Copies): void => {
  if (named.length === 0 || unknown.length === 0) return
  if (unknown.length <= named.length) {
    pair(unknown, named, apart, ([copy], [original]) => copies.set(copy, original))
    return
  }
  pair(named, unknown, apart, ([original], [copy]) => copies.set(copy, original))
  for (const [entry, at] of unknown) {
    const near = copies.has(entry) ? undefined : named.find(([, other]) => Math.abs(other - at) <= SAME_WITHIN)
    if (near !== undefined) copies.set(entry, near[0])
  }
}

/** In microseconds. A third report of a transition lies this near to the named one; second paths were 95 ms late. */
const SAME_WITHIN = 500_000

/**
 * Where the unknown path tells of a transition between the named event of an end and that end's copy, the copy counts:
 * the unknown path is late on a busy stream, but in order, so the transition came before the end.
 */
const preferLaterEnds = (named: ReadonlyArray<Entry>, unknown: ReadonlyArray<Entry>, copies: Copies): void => {
  const alone = unknown.filter((entry) => !copies.has(entry))
  if (alone.length === 0) return
  for (const copy of unknown) {
    const original = copies.get(copy)
    if (original === undefined || !isEnd(copy) || copies.has(original) || !named.includes(original)) continue
    if (!alone.some((entry) => order(original, entry) < 0 && order(entry, copy) < 0)) continue
    copies.delete(copy)
    copies.set(original, copy)
  }
}

/** An event, its time and the start of its process, which only matters between processes; microseconds since 1970. */
type Timed = readonly [entry: Entry, at: number, since: number]

const timed = (entries: ReadonlyArray<Entry>, kind: TaskEventKind): ReadonlyArray<Timed> =>
  entries.filter((entry) => entry.kind === kind).map((entry) => [entry, microsOf(entry), 0])

const apart = ([, left]: Timed, [, right]: Timed): number => Math.abs(left - right)

/** Gives each of the fewer the nearest of the more, both in order, none twice. Equal numbers: first with first. */
const pair = <A, B>(
  fewer: ReadonlyArray<A>,
  more: ReadonlyArray<B>,
  distanceOf: (one: A, other: B) => number,
  found: (one: A, other: B) => void
): void => {
  let at = 0
  fewer.forEach((one, index) => {
    const last = more.length - (fewer.length - index)
    while (at < last && distanceOf(one, more[at + 1]!) < distanceOf(one, more[at]!)) at++
    found(one, more[at]!)
    at++
  })
}

/** Microseconds since 1970. */
export const microsOf = ({ at }: Entry): number => toEpochMillis(at) * 1000 + Number(at.slice(23, 26))
