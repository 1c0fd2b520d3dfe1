import { JsonArray, type JsonNode, JsonObject, JsonString, parse, ParseFailure } from "../../kernel/CanonicalJson.ts"
import { REDACTED } from "../../kernel/Redaction/Texts.ts"

/** Nesting that is compared. */
const maxDepth = 6
/** Values of a task that are compared. */
const maxLeaves = 200
/** Characters of a value that are compared and shown. */
const maxCharacters = 200

/**
 * The texts, numbers, booleans and nulls of a task's arguments by their place (`kwargs.order`). Masked values are left
 * out: equal masks hide different secrets.
 */
export const readLeaves = (
  values: Readonly<Partial<Record<"args" | "kwargs", string | null>>>
): ReadonlyMap<string, string> => {
  const leaves = new Map<string, string>()
  for (const column of ["args", "kwargs"] as const) {
    const text = values[column] ?? null
    const node = text === null ? null : parse(text)
    if (node !== null && !(node instanceof ParseFailure)) addLeaves(leaves, column, node, 0)
  }
  return leaves
}

const addLeaves = (leaves: Map<string, string>, path: string, node: JsonNode, depth: number): void => {
  if (leaves.size >= maxLeaves) return
  if (node instanceof JsonObject || node instanceof JsonArray) {
    if (depth >= maxDepth) return
    const keys = node instanceof JsonObject ? node.keys : node.items.keys()
    const members = node instanceof JsonObject ? node.values : node.items
    let index = 0
    for (const key of keys) {
      const member = members[index++]
      if (member !== undefined) addLeaves(leaves, `${path}.${key}`, member, depth + 1)
    }
    return
  }
  const text = node instanceof JsonString
    ? node.value
    : typeof node === "string" && node.charCodeAt(0) === 34
    ? node.slice(1, -1)
    : String(node)
  if (depth === 0 || text.includes(REDACTED)) return
  leaves.set(path, text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text)
}
