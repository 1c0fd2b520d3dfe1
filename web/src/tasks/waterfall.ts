/**
 * The layout of a task's tree as a waterfall. The critical path is that of a trace (CRISP, USENIX ATC 2022): from the last
 * end back, a task waited for the child that ended last before that moment, and for those before that child likewise.
 * Engines do not say whether a task really waited, so a child that ended within its parent's time counts as awaited.
 */
import type { Schemas } from "../api/client.ts"
import { type Branch, branchesOf, groupBy } from "./branches.ts"
import type { TaskState } from "./states.ts"
import { type Span, timesOf } from "./times.ts"

type Node = Schemas["TaskTreeNode"]
type TaskKey = Pick<Node, "engine" | "task_id">

/** In milliseconds since 1970. */
export interface Section {
  readonly from: number
  readonly to: number
}

interface RowPlace {
  readonly key: string
  /** Of the row above which it hangs; null: none. */
  readonly parentKey: string | null
  readonly depth: number
  /** Null: nothing hangs below it. */
  readonly isExpanded: boolean | null
  readonly spans: ReadonlyArray<Span>
  readonly runMillis: number | null
  readonly isCritical: boolean
  /** Its parts of the critical path; of a closed row also those of the rows below it. */
  readonly sections: ReadonlyArray<Section>
}

export type WaterfallRow =
  & RowPlace
  & (
    | { readonly kind: "task"; readonly node: Node; readonly attempts: number; readonly exception: string | null }
    /** Tasks of one name and one parent. */
    | {
      readonly kind: "group"
      readonly name: string
      readonly count: number
      readonly states: ReadonlyMap<TaskState, number>
    }
  )

export interface Waterfall extends Section {
  /** Those that are on screen, from top to bottom. */
  readonly rows: ReadonlyArray<WaterfallRow>
  /** Offsets from `from`, in milliseconds. */
  readonly ticks: ReadonlyArray<number>
}

/** Fewer tasks of one name are rows of their own. */
const minGroup = 4
const maxTicks = 5
/** A tick further right has no place for its text. */
const lastTick = 0.92
/** Of the scale: spans of a group that are closer to one another are drawn as one. */
const mergeShare = 1 / 500

const day = 86_400_000
const steps = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000].flatMap((size) => [size, 2 * size, 5 * size])
  .concat(30_000, 1_800_000, day / 4, day / 2, day).sort((a, b) => a - b)

export const keyOf = ({ engine, task_id }: TaskKey): string => `${engine} ${task_id}`

interface Place {
  readonly node: Node
  readonly key: string
  readonly children: ReadonlyArray<Place>
  readonly spans: ReadonlyArray<Span>
  readonly runMillis: number | null
  readonly attempts: number
  readonly exception: string | null
  /** Of the task, and where it has no times, of those below it. */
  readonly begins: number
  /** Of the task and all below it. */
  readonly ends: number
  readonly hasOwn: boolean
}

const placeBranch = ({ children: branches, node }: Branch, own: string, now: number): Place => {
  const children = branches.map((branch) => placeBranch(branch, own, now))
  const { attempts, runMillis, spans } = timesOf(node, now)
  const key = keyOf(node)
  return {
    node,
    key,
    children,
    spans,
    runMillis,
    attempts,
    exception: spans.reduce<string | null>(
      (last, span) => (span.kind === "attempt" ? span.exception : null) ?? last,
      null
    ),
    begins: spans[0]?.from ?? Math.min(...children.map(({ begins }) => begins)),
    ends: Math.max(spans.at(-1)?.to ?? -Infinity, ...children.map(({ ends }) => ends)),
    hasOwn: key === own || children.some(({ hasOwn }) => hasOwn)
  }
}

const markPath = (place: Place, until: number, path: Map<Place, ReadonlyArray<Section>>): void => {
  const sections: Array<Section> = []
  path.set(place, sections)
  const add = (from: number, to: number) => {
    const section = {
      from: Math.max(from, place.spans[0]?.from ?? to),
      to: Math.min(to, place.spans.at(-1)?.to ?? from)
    }
    if (section.to > section.from) sections.push(section)
  }
  let later = until
  for (const child of place.children.toSorted((a, b) => b.ends - a.ends)) {
    if (child.ends > later || child.ends === -Infinity) continue
    add(child.ends, later)
    markPath(child, child.ends, path)
    later = Math.min(later, child.begins)
  }
  add(-Infinity, later)
}

/** Which fills lie above others: a failure among a thousand has to be seen. */
const layerOf = (kind: string): number => kind === "failure" ? 2 : kind === "queue" || kind === "gap" ? 0 : 1

/** The spans of several tasks as those of one bar. */
const mergeSpans = (spans: ReadonlyArray<Span>, tolerance: number): ReadonlyArray<Span> => {
  const kinds = groupBy(spans, (span) => span.kind === "attempt" ? span.state : span.kind)
  return [...kinds].sort(([a], [b]) => layerOf(a) - layerOf(b)).flatMap(([, equals]) => {
    const merged: Array<Span> = []
    for (const span of equals.toSorted((a, b) => a.from - b.from)) {
      const last = merged.at(-1)
      if (last !== undefined && span.from <= last.to + tolerance) {
        merged[merged.length - 1] = { ...last, to: Math.max(last.to, span.to) }
      } else merged.push(span)
    }
    return merged
  })
}

const ticksOf = (width: number): ReadonlyArray<number> => {
  const step = steps.find((one) => width / one <= maxTicks) ?? Math.ceil(width / maxTicks / day) * day
  return Array.from({ length: maxTicks + 1 }, (_, index) => index * step).filter((tick) => tick <= width * lastTick)
}

/**
 * The rows of a tree with their times to one scale. A row is open unless `isOpen` says otherwise; a group is closed, except
 * the one that holds the page's own task.
 */
export const layOutWaterfall = ({ isOpen, nodes, now, own }: {
  readonly nodes: ReadonlyArray<Node>
  readonly own: TaskKey
  /** By the rows' keys, what the person opened and closed. */
  readonly isOpen: ReadonlyMap<string, boolean>
  readonly now: number
}): Waterfall => {
  const roots = branchesOf(nodes).map((branch) => placeBranch(branch, keyOf(own), now))
  const begins = Math.min(...roots.map(({ begins }) => begins))
  const from = Number.isFinite(begins) ? begins : now
  const to = Math.max(from, ...roots.map(({ ends }) => ends))
  const path = new Map<Place, ReadonlyArray<Section>>()
  const last = roots.find(({ ends }) => ends === to)
  if (last !== undefined && nodes.length > 1) markPath(last, to, path)

  /** A closed row stands for all below it. */
  const sectionsOf = (place: Place, isOpened: boolean): ReadonlyArray<Section> => [
    ...(path.get(place) ?? []),
    ...(isOpened ? [] : place.children.flatMap((child) => sectionsOf(child, false)))
  ]
  const rows: Array<WaterfallRow> = []
  const addTask = (place: Place, depth: number, parentKey: string | null) => {
    const { attempts, children, exception, key, node, runMillis, spans } = place
    const isExpanded = children.length === 0 ? null : isOpen.get(key) ?? true
    rows.push({
      kind: "task",
      key,
      parentKey,
      depth,
      isExpanded,
      spans,
      runMillis,
      isCritical: path.has(place),
      sections: sectionsOf(place, isExpanded !== false),
      node,
      attempts,
      exception
    })
    if (isExpanded === true) addAll(children, depth + 1, key)
  }
  const addGroup = (name: string, places: ReadonlyArray<Place>, depth: number, parentKey: string | null) => {
    const key = `${parentKey} × ${name}`
    const isExpanded = isOpen.get(key) ?? places.some(({ hasOwn }) => hasOwn)
    const byState = groupBy(places, ({ node }) => node.state)
    const runTimes = places.flatMap(({ runMillis }) => runMillis ?? [])
    rows.push({
      kind: "group",
      key,
      parentKey,
      depth,
      isExpanded,
      spans: mergeSpans(places.flatMap(({ spans }) => spans), (to - from) * mergeShare),
      runMillis: runTimes.length === 0 ? null : runTimes.reduce((sum, millis) => sum + millis, 0),
      isCritical: places.some((place) => path.has(place)),
      sections: places.flatMap((place) => sectionsOf(place, isExpanded)),
      name,
      count: places.length,
      states: new Map([...byState].map(([state, equals]) => [state, equals.length]))
    })
    if (isExpanded) { for (const place of places) addTask(place, depth + 1, key) }
  }
  const addAll = (places: ReadonlyArray<Place>, depth: number, parentKey: string | null) => {
    const byName = groupBy(places, ({ node }) => node.name)
    for (const place of places) {
      const equals = byName.get(place.node.name) ?? []
      if (equals.length < minGroup) addTask(place, depth, parentKey)
      else if (equals[0] === place) addGroup(place.node.name, equals, depth, parentKey)
    }
  }
  addAll(roots, 0, null)
  return { rows, from, to, ticks: ticksOf(to - from) }
}
