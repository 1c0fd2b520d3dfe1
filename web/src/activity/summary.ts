import type { Schemas } from "../api/client.ts"

/** A row of the feed, or of the audit log, which names no targets. */
export type Row = Schemas["ActivityItem"] & Partial<Pick<Schemas["FeedItem"], "target_name">>

/** Members of the metadata that say best what a row is about, in this order. */
const telling = ["summary", "name", "title", "email", "role", "kind", "status", "reason", "exception", "code"]
const maxParts = 3

const isScalar = (value: unknown): value is string | number | boolean =>
  (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "boolean"

/** The most telling values of a row's metadata, as `name: value`. */
export const summarize = (metadata: Row["metadata"]): ReadonlyArray<readonly [string, string]> => {
  const entries = Object.entries(metadata).filter(([, value]) => isScalar(value))
  const rank = ([name]: readonly [string, unknown]) => {
    const index = telling.indexOf(name)
    return index === -1 ? telling.length : index
  }
  return entries.toSorted((one, other) => rank(one) - rank(other)).slice(0, maxParts)
    .map(([name, value]) => [name, String(value)] as const)
}
