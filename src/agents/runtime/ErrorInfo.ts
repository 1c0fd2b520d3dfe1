/** The message of a thrown value, which may be no Error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The `code` of an error of Node or SQLite; empty where it has none. */
export const errorCodeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
