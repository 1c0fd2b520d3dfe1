import { loadSqlite } from "../../sqlite/Driver.ts"
import { messageOf } from "./ErrorInfo.ts"

/** Loads the driver for the buffer. Throws a sentence for the operator where there is none. */
export const requireSqlite = (): void => {
  try {
    loadSqlite()
  } catch (error) {
    throw new Error(
      `The agent found no SQLite for its buffer (${
        messageOf(error)
      }). Use Node.js 22.16 or later, or install better-sqlite3 beside the agent: npm install better-sqlite3.`,
      { cause: error }
    )
  }
}
