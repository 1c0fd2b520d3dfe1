import { createHash } from "node:crypto"

/** docs/audit.md read literally: nothing here is shared with the program that writes the log. */
const hashed = [
  "action",
  "api_key_id",
  "event_id",
  "id",
  "metadata",
  "occurred_at",
  "outcome",
  "project_id",
  "result",
  "seq",
  "source_ip",
  "target_id",
  "target_type",
  "user_agent",
  "user_id"
]

export const zeros = "0".repeat(64)

/** A row's `row_hash` after that of the row before it. */
export const hashOf = (prev: string, row: Readonly<Record<string, unknown>>): string => {
  const json = `{${hashed.map((column) => `"${column}":${JSON.stringify(row[column])}`).join(",")}}`
  return createHash("sha256").update(["svc audit row 1", prev, json].join("\n")).digest("hex")
}
