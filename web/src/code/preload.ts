import { connection } from "../api/connection.ts"
import { lazyFiles } from "./lazyComponent.tsx"

const busyMillis = 250

const isSavingData = () =>
  "connection" in navigator && typeof navigator.connection === "object" && navigator.connection !== null &&
  "saveData" in navigator.connection && navigator.connection.saveData === true

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Safari has no requestIdleCallback. */
const idle = () =>
  "requestIdleCallback" in window
    ? new Promise<void>((resolve) => void requestIdleCallback(() => resolve()))
    : pause(busyMillis)

/** A hidden tab, one of many, loads nothing that it may never show. */
const visible = async () => {
  if (document.hidden) {
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }))
  }
}

let hasBegun = false

/**
 * Loads the code of the pages that were not opened yet, one file after another while nothing else is read, so that a page
 * opens at once, and without the server too.
 */
export const preloadWhenIdle = async (isReading: () => boolean): Promise<void> => {
  if (hasBegun || isSavingData()) return
  hasBegun = true
  // a loaded page adds its own lazy components to the list
  for (const preload of lazyFiles) {
    while (isReading()) await pause(busyMillis)
    await visible()
    await idle()
    if (connection.isLost()) await connection.restored()
    await preload()
  }
}
