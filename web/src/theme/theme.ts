import { useSyncExternalStore } from "react"

export type Theme = "system" | "light" | "dark"

const storageKey = "svc.theme"
const watchers = new Set<() => void>()

const readTheme = (): Theme => {
  const stored = localStorage.getItem(storageKey)
  return stored === "light" || stored === "dark" ? stored : "system"
}

/** Shows the stored theme. Called before the first paint. */
export const applyTheme = (): void => {
  const theme = readTheme()
  if (theme === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(storageKey, theme)
  applyTheme()
  for (const watcher of watchers) watcher()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((watcher) => {
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  }, readTheme)

const darkSystem = matchMedia("(prefers-color-scheme: dark)")

/** The scheme on screen, of the chosen theme or of the system, for what is drawn without CSS. */
export const useColourScheme = (): "light" | "dark" => {
  const theme = useTheme()
  const isSystemDark = useSyncExternalStore((watcher) => {
    darkSystem.addEventListener("change", watcher)
    return () => darkSystem.removeEventListener("change", watcher)
  }, () => darkSystem.matches)
  return theme === "system" ? (isSystemDark ? "dark" : "light") : theme
}
