import { useState } from "react"

export type Density = "compact" | "comfortable"

export const optionalColumns = [
  "queue",
  "worker",
  "engine",
  "priority",
  "received",
  "started",
  "finished",
  "runtime",
  "retries",
  "id"
] as const
export type OptionalColumn = (typeof optionalColumns)[number]

export interface Preferences {
  readonly density: Density
  readonly columns: ReadonlyArray<OptionalColumn>
  readonly hasFacets: boolean
}

const densityKey = "svc.density"
const columnsKey = "svc.columns"
const facetsKey = "svc.facets"

const defaultColumns: ReadonlyArray<OptionalColumn> = ["queue", "worker", "received", "runtime", "retries"]
/** A narrower window has no place for the counts beside all columns. */
const wideWindow = "(width >= 90rem)"

const read = (): Preferences => {
  const columns = localStorage.getItem(columnsKey)?.split(",")
  const facets = localStorage.getItem(facetsKey)
  return {
    density: localStorage.getItem(densityKey) === "comfortable" ? "comfortable" : "compact",
    columns: columns === undefined ? defaultColumns : optionalColumns.filter((column) => columns.includes(column)),
    hasFacets: facets === null ? matchMedia(wideWindow).matches : facets === "shown"
  }
}

/** How this browser shows the list of tasks. */
export const usePreferences = () => {
  const [preferences, setPreferences] = useState(read)
  const change = (changed: Partial<Preferences>) => {
    const next = { ...preferences, ...changed }
    localStorage.setItem(densityKey, next.density)
    localStorage.setItem(columnsKey, next.columns.join(","))
    if (changed.hasFacets !== undefined) localStorage.setItem(facetsKey, next.hasFacets ? "shown" : "hidden")
    setPreferences(next)
  }
  return [preferences, change] as const
}
