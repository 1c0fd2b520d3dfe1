import { notifyManager, type Query, useQueryClient } from "@tanstack/react-query"
import { useCallback, useSyncExternalStore } from "react"

/** The meta of what the frame of every page reads, which says nothing of the page itself. */
export const ofFrame = { isOfFrame: true } as const

const isOfPage = (query: Query) => query.meta?.isOfFrame !== true && query.isActive()

/** When the newest successful read of what is on the page ended, in epoch milliseconds; 0: there was none. */
export const useReadAt = (): number => {
  const cache = useQueryClient().getQueryCache()
  return useSyncExternalStore(
    // a query is added while a component renders, when no other component may be notified
    useCallback((watcher) => cache.subscribe(notifyManager.batchCalls(watcher)), [cache]),
    () => Math.max(0, ...cache.getAll().filter(isOfPage).map(({ state }) => state.dataUpdatedAt))
  )
}
