import { useSyncExternalStore } from "react"
import { ApiError } from "../api/client.ts"

const watchers = new Set<() => void>()

/** Forms that a person has changed and not sent. One that is no longer on the page has been left. */
const changed = new Set<HTMLFormElement>()

const update = (change: () => void) => {
  change()
  for (const watcher of watchers) watcher()
}

/** A search has nothing to save. */
const formOf = ({ target }: Event) => target instanceof Element ? target.closest("form:not([role=search])") : null

document.addEventListener("input", (event) => {
  const form = formOf(event)
  if (form instanceof HTMLFormElement && !changed.has(form)) update(() => changed.add(form))
})

document.addEventListener("submit", (event) => {
  const form = formOf(event)
  if (form instanceof HTMLFormElement) update(() => changed.delete(form))
})

/** The form was sent, and failed. What waits for a second person is saved. */
export const keepUnsaved = (form: HTMLFormElement, failure: unknown) => {
  if (!(failure instanceof ApiError && failure.code === "approval_required")) update(() => changed.add(form))
}

/** Whether a form has input that is not saved. */
export const hasUnsaved = (): boolean => {
  for (const form of changed) if (!form.isConnected) changed.delete(form)
  return changed.size > 0
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** As `hasUnsaved`, but that the end of a form on the page may not be seen at once. */
export const useHasUnsaved = (): boolean => useSyncExternalStore(watch, hasUnsaved)
