import type { InfiniteData } from "@tanstack/react-query"
import type { Schemas } from "../api/client.ts"
import { liveStream, type LiveTask } from "../api/live.ts"

export interface TaskPage {
  readonly items: ReadonlyArray<Schemas["Task"]>
  readonly next_cursor: string | null
  readonly searched_to?: string
  readonly index?: string
}

export type Pages = InfiniteData<TaskPage, string | null>

/** Where a person is in a list. */
export interface Place {
  scrollTop: number
  /** The row that had the focus last. */
  focusedId: string | null
}

/** A list as a person left it. */
interface LeftList {
  readonly personId: string
  readonly slug: string
  readonly query: string
  readonly pages: Pages
  readonly place: Place
  readonly selected: ReadonlySet<string>
  /** What the stream had reported, and the list did not show yet. */
  readonly changes: Iterable<LiveTask>
  /** Changes were missed. */
  readonly isOutdated: boolean
}

interface KeptList extends Omit<LeftList, "changes" | "isOutdated"> {
  readonly ids: ReadonlySet<string>
  /** What the stream has reported of its tasks, and of other tasks of its project, which may match now. */
  readonly changes: Map<string, LiveTask>
  readonly arrivals: Map<string, LiveTask>
  isOutdated: boolean
}

/** A list of thousands of rows takes some megabytes. */
const maxLists = 5
/** More tasks than these are not counted when the person comes back. */
const maxArrivals = 1_000

/** Lists that were left, by the key of their entry in the browser's history, the oldest first. */
const lists = new Map<string, KeptList>()

const addChange = (list: KeptList, task: LiveTask): void => {
  if (list.ids.has(task.id)) list.changes.set(task.id, task)
  else if (list.arrivals.size < maxArrivals) list.arrivals.set(task.id, task)
  else list.isOutdated = true
}

/** Lets the lists of a project say that there is something new when the person comes back to them. */
export const outdateKeptLists = (slug: string | null): void => {
  for (const list of lists.values()) if (list.slug === slug) list.isOutdated = true
}

liveStream.listen({
  isOfPage: false,
  onTask: (task) => {
    for (const list of lists.values()) if (list.slug === liveStream.slug) addChange(list, task)
  },
  onGap: () => outdateKeptLists(liveStream.slug)
})

/** The key of the entry of the browser's history that is on screen. */
export const readEntryKey = (): string => {
  const state: unknown = history.state
  return typeof state === "object" && state !== null && "__TSR_key" in state ? String(state.__TSR_key) : ""
}

/** Keeps a list for the way back to it. */
export const keepList = (entry: string, { changes, ...left }: LeftList): void => {
  const ids = new Set(left.pages.pages.flatMap(({ items }) => items.map(({ id }) => id)))
  const list = { ...left, ids, changes: new Map<string, LiveTask>(), arrivals: new Map<string, LiveTask>() }
  for (const task of changes) addChange(list, task)
  lists.delete(entry)
  lists.set(entry, list)
  for (const oldest of lists.keys()) {
    if (lists.size <= maxLists) break
    lists.delete(oldest)
  }
}

/** The list of the entry on screen as this person left it, and what the stream has reported since. */
export const findKeptList = (personId: string, slug: string, query: string) => {
  const list = lists.get(readEntryKey())
  return list?.personId === personId && list.slug === slug && list.query === query
    ? { ...list, changes: [...list.changes.values(), ...list.arrivals.values()] }
    : null
}
