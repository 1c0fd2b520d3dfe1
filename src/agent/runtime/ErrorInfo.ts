/** The message of a thrown value, which may be no Error, and an object that has no text. Never throws. */
export const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return "a thrown value without a text"
  }
}

/** The `code` of an error of Node or SQLite; empty where it has none. */
export const errorCodeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
