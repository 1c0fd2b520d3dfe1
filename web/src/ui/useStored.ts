import { useCallback, useSyncExternalStore } from "react"

const watchers = new Set<() => void>()

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  window.addEventListener("storage", watcher) // another tab has stored it
  return () => {
    watchers.delete(watcher)
    window.removeEventListener("storage", watcher)
  }
}

/** What this browser keeps under a key, null until it is stored, and the function that stores it. */
export const useStored = (key: string): readonly [string | null, (value: string) => void] => {
  const stored = useSyncExternalStore(watch, () => localStorage.getItem(key))
  const store = useCallback((value: string) => {
    localStorage.setItem(key, value)
    for (const watcher of watchers) watcher()
  }, [key])
  return [stored, store]
}
