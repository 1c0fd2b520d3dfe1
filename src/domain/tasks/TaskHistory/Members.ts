import { canonicalTextOf, JsonObject, parse } from "../../kernel/CanonicalJson.ts"

/** The members of an entry's `rest`, each with its JSON text. */
export const membersOf = (rest: string): ReadonlyArray<readonly [key: string, json: string]> => {
  const node = parse(`{${rest}}`)
  return node instanceof JsonObject ? node.keys.map((key) => [key, canonicalTextOf(node.get(key) ?? "null")]) : []
}
