import type { InfiniteData } from "@tanstack/react-query"
import type { Schemas } from "../api/client.ts"
import { liveStream, type LiveTask } from "../api/live.ts"

export interface TaskPage {
  readonly items: ReadonlyArray<Schemas["Task"]>
  readonly next_cursor: string | null
  readonly searched_to?: string
}

export type Pages = InfiniteData<TaskPage, string | null>

/** Where a person is in a list. */
export interface Place {
  scrollTop: number
  /** The row that had the focus last. */
  focusedId: string | null
}

export interface KeptList {
  readonly slug: string
  readonly query: string
  readonly pages: Pages
  readonly place: Place
  readonly selected: ReadonlySet<string>
  /** Changes were missed. */
  readonly isOutdated: boolean
}

/** A list of thousands of rows takes some megabytes. */
const maxLists = 5
/** Tasks beyond the lists, which may match now. */
const maxArrivals = 1_000

/** Lists that were left, by the key of their entry in the browser's history, the oldest first. */
const lists = new Map<string, KeptList & { readonly ids: ReadonlySet<string> }>()
/** What the stream has reported of their tasks, and of others, since one of them was left. */
const changes = new Map<string, LiveTask>()
const arrivals = new Map<string, LiveTask>()

const markOutdated = () => {
  for (const [entry, list] of lists) lists.set(entry, { ...list, isOutdated: true })
}

liveStream.listen({
  onTask: (task) => {
    if (lists.size === 0) return
    if ([...lists.values()].some(({ ids }) => ids.has(task.id))) changes.set(task.id, task)
    else if (arrivals.size < maxArrivals) arrivals.set(task.id, task)
    else markOutdated()
  },
  onGap: markOutdated
})

/** The key of the entry of the browser's history that is on screen. */
export const readEntryKey = (): string => {
  const state: unknown = history.state
  return typeof state === "object" && state !== null && "__TSR_key" in state ? String(state.__TSR_key) : ""
}

/** Keeps a list for the way back to it. */
export const keepList = (entry: string, list: KeptList): void => {
  lists.delete(entry)
  if (lists.size === 0) {
    changes.clear()
    arrivals.clear()
  }
  lists.set(entry, { ...list, ids: new Set(list.pages.pages.flatMap(({ items }) => items.map(({ id }) => id))) })
  for (const oldest of lists.keys()) {
    if (lists.size <= maxLists) break
    lists.delete(oldest)
  }
}

/** The list of the entry on screen as it was left, and what the stream has reported since. */
export const findKeptList = (slug: string, query: string) => {
  const list = lists.get(readEntryKey())
  return list?.slug === slug && list.query === query
    ? { ...list, changes: [...changes.values(), ...arrivals.values()] }
    : null
}
