import { parse } from "lossless-json"

export interface Snapshot {
  /** The schedules of the file, with all digits of their numbers. */
  readonly schedules: ReadonlyArray<unknown>
  readonly mode: string | null
  readonly source_filter: string | null
}

const textOf = (value: unknown) => (typeof value === "string" ? value : null)

/** The snapshot of a text: a list of schedules, or an object with `schedules`; null: it is neither. */
export const readSnapshot = (text: string): Snapshot | null => {
  let value: unknown
  try {
    value = parse(text)
  } catch {
    return null
  }
  if (Array.isArray(value)) return { schedules: value, mode: null, source_filter: null }
  if (typeof value !== "object" || value === null || !("schedules" in value) || !Array.isArray(value.schedules)) {
    return null
  }
  return {
    schedules: value.schedules,
    mode: "mode" in value ? textOf(value.mode) : null,
    source_filter: "source_filter" in value ? textOf(value.source_filter) : null
  }
}
