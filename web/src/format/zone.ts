import { createContext, useContext, useSyncExternalStore } from "react"

/** Where times are shown: in the zone of this browser, in UTC, or in the zone of the project on screen. */
export type ZoneChoice = "browser" | "utc" | "project"

const storageKey = "svc.zone"
const watchers = new Set<() => void>()

const readChoice = (): ZoneChoice => {
  const stored = localStorage.getItem(storageKey)
  return stored === "utc" || stored === "project" ? stored : "browser"
}

export const chooseZone = (choice: ZoneChoice): void => {
  localStorage.setItem(storageKey, choice)
  for (const watcher of watchers) watcher()
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

export const useZoneChoice = (): ZoneChoice => useSyncExternalStore(watch, readChoice)

/** The zone of the project on screen. */
export const ProjectZone = createContext<string | undefined>(undefined)

/** An IANA zone; undefined is the browser's. */
export const useZone = (): string | undefined => {
  const choice = useZoneChoice()
  const projectZone = useContext(ProjectZone)
  return choice === "utc" ? "UTC" : choice === "project" ? projectZone : undefined
}

/** Whether this browser knows the zone: a schedule may have one that it does not. */
export const isKnownZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone })
    return true
  } catch {
    return false
  }
}
