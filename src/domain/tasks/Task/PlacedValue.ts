import { Either } from "effect"
import { JsonArray, type JsonNode, JsonObject, JsonString } from "../../kernel/CanonicalJson.ts"
import { REDACTED } from "../../kernel/Redaction/Texts.ts"
import { parse as parseTimestamp } from "../../kernel/Timestamp.ts"
import type { PayloadColumn } from "./Expression.ts"
import { parseQuery } from "./Query.ts"

/** A place in a value of a task: a name is a member of an object, a number an item of a list. */
export interface Place {
  readonly column: PayloadColumn
  readonly path: ReadonlyArray<string | number>
}

/** The place as a term of a query names it, with the number of the argument: `args.0.customer`. */
export const formatPlace = ({ column, path }: Place): string => [column, ...path].join(".")

/** Whether a query is valid does not depend on the time. */
const anyMoment = parseTimestamp("2026-01-01T00:00:00Z")

/** The place that a term of a query names before its colon, such as `args.customer`; null where no term can. */
export const parsePlace = (name: string): Place | null => {
  if (name.includes(":") || anyMoment === undefined) return null
  const term = Either.getOrElse(parseQuery(`${name}:x`, anyMoment), () => null)
  return term?.kind === "payload" ? { column: term.column, path: term.path } : null
}

/** Characters of a value in the index; of longer ones it has their beginning. */
const maxIndexedCharacters = 200

/** The text of a value as the index has it; null where it has none: a masked value, and texts that no query finds. */
export const toIndexedText = (text: string): string | null => {
  if (text === "" || text.includes("\0") || text.includes(REDACTED)) return null
  return text.length > maxIndexedCharacters ? text.slice(0, maxIndexedCharacters).toWellFormed() : text
}

/** The text, number, boolean or null at the place, as the index has it. Plain code: tasks of the ingest pass here. */
export const indexedTextAt = (value: JsonNode, path: Place["path"]): string | null => {
  let node: JsonNode | undefined = value
  for (const name of path) {
    if (typeof name === "number") node = node instanceof JsonArray ? node.items[name] : undefined
    else node = node instanceof JsonObject ? node.get(name) : undefined
    if (node === undefined) return null
  }
  if (node instanceof JsonString) return toIndexedText(node.value)
  if (typeof node !== "string") return null
  return toIndexedText(node.charCodeAt(0) === 34 ? node.slice(1, -1) : node)
}
