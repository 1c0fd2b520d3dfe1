import { useEffect, useRef } from "react"
import { isTyping } from "../ui/isTyping.ts"
import { type KeyName, type PageName, readStroke } from "./keys.ts"

export interface KeyHandlers extends Partial<Readonly<Record<KeyName, (event: KeyboardEvent) => void>>> {
  /** After `g` and the letter of the page. */
  readonly go?: (page: PageName) => void
}

const listeners = new Set<{ readonly current: KeyHandlers }>()
/** `g` was pressed, and the next key is a page's letter. */
let isAfterGo = false

const isModifier = ({ key }: KeyboardEvent) => key === "Shift" || key === "Control" || key === "Alt" || key === "Meta"

const isPalette = ({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyboardEvent) =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "k"

const press = (event: KeyboardEvent) => {
  if (isModifier(event)) return
  if (isPalette(event)) {
    // also from a field, but not from a dialog, whose question comes first
    if (document.querySelector("dialog[open]") !== null) return
    event.preventDefault()
    for (const { current } of listeners) current.palette?.(event)
    return
  }
  const pressed = isTyping(event) ? null : readStroke(event.key, isAfterGo)
  isAfterGo = pressed?.kind === "begin"
  if (pressed?.kind === "go") {
    event.preventDefault()
    for (const { current } of listeners) current.go?.(pressed.page)
  } else if (pressed?.kind === "key") {
    for (const { current } of listeners) current[pressed.name]?.(event)
  }
}

const resetGo = () => {
  isAfterGo = false
}

/** Handles keys of `keys.ts` while the component is on screen. One listener of the document serves all. */
export const useKeys = (handlers: KeyHandlers): void => {
  const latest = useRef(handlers)
  latest.current = handlers
  useEffect(() => {
    if (listeners.size === 0) {
      document.addEventListener("keydown", press)
      document.addEventListener("pointerdown", resetGo)
    }
    listeners.add(latest)
    return () => {
      listeners.delete(latest)
      if (listeners.size > 0) return
      document.removeEventListener("keydown", press)
      document.removeEventListener("pointerdown", resetGo)
    }
  }, [])
}
