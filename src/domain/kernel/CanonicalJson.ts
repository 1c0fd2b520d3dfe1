/**
 * JSON as the agents' protocol signs it (agents' protocol, section 3.2): parsed without loss and printed in one canonical
 * form, so that both ends hash the same bytes. The audit chain hashes the same form, and agents' values are stored
 * and returned in it.
 *
 * Canonical text: no white space; object keys sorted by Unicode code point, of duplicates the last; strings with the
 * fewest escapes; integers with all their digits; floats as CPython prints them (`1.0`, `1e-07`). It is itself JSON, so
 * it may be spliced into any response unchanged. Two texts with the same meaning (int and float are distinct) have the
 * same canonical text.
 */
import { floatText } from "./CanonicalJson/Float.ts"
import { CanonicalText, JsonArray, type JsonNode, JsonString } from "./CanonicalJson/Node.ts"
import { JsonReader, type ParseFailure } from "./CanonicalJson/Reader.ts"
import { compareCodePoints } from "./CanonicalJson/Shape.ts"

export {
  CanonicalText,
  copyString as ownString,
  JsonArray,
  type JsonNode,
  JsonObject,
  type JsonSize as Extent,
  JsonString,
  sizeOf as extentOf
} from "./CanonicalJson/Node.ts"
export { ParseFailure, type ParseFailureReason } from "./CanonicalJson/Reader.ts"

/** Maximum nesting depth of objects and arrays (agents' protocol, section 3.2). */
const DEFAULT_MAX_DEPTH = 128

/**
 * Parses RFC 8259 JSON text. A failure is a `ParseFailure` (check with `instanceof`): `syntax` (also for NaN and
 * Infinity), `too_deep` (more than `maxDepth` containers within each other), `lone_surrogate` (a string that UTF-8
 * cannot write), `number_overflow` (a float beyond binary64). Never throws.
 *
 * Nodes share memory with `text`: what is kept for longer than the text should be a `copyString`.
 */
export const parse = (text: string, options: { readonly maxDepth?: number } = {}): JsonNode | ParseFailure => {
  const reader = new JsonReader(text, options.maxDepth ?? DEFAULT_MAX_DEPTH)
  // The assertion: a reader that returns nothing has noted its failure.
  return reader.document() ?? reader.failure!
}

/** The canonical text of a node. The parser has already computed it. */
export const canonicalTextOf = (node: JsonNode): string => typeof node === "string" ? node : node.text

/** The value of a string node, undefined for any other. Shares memory with the parsed text. */
export const asString = (node: JsonNode | undefined): string | undefined => {
  if (typeof node === "string") return node.charCodeAt(0) === 34 ? node.slice(1, -1) : undefined
  return node instanceof JsonString ? node.value : undefined
}

/** The value of an integer node that a number holds exactly (up to 2^53 - 1 either way), undefined for any other. */
export const asInt = (node: JsonNode | undefined): number | undefined => {
  if (typeof node !== "string" || !isNumber(node) || isFloat(node)) return undefined
  const value = Number(node)
  return Number.isSafeInteger(value) ? value : undefined
}

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }

/**
 * A node as plain values, for schemas to decode. Integers beyond 2^53 - 1 become bigints; a float becomes a number,
 * so that `1.0` and `1` become the same value.
 */
export const toValue = (node: JsonNode): JsonValue => {
  if (typeof node === "string") return scalarValue(node)
  if (node instanceof JsonString) return node.value
  if (node instanceof JsonArray) return node.items.map(toValue)
  // fromEntries defines members, so that a key `__proto__` is one like any other.
  return Object.fromEntries(node.keys.map((key, index) => [key, toValue(node.values[index]!)]))
}

const scalarValue = (text: string): JsonValue => {
  if (text.charCodeAt(0) === 34) return text.slice(1, -1)
  if (text === "null") return null
  if (text === "true") return true
  if (text === "false") return false
  const value = Number(text)
  return Number.isSafeInteger(value) || isFloat(text) ? value : BigInt(text)
}

const isNumber = (text: string): boolean => text.charCodeAt(0) < 58 && text.charCodeAt(0) !== 34
const isFloat = (text: string): boolean => text.includes(".") || text.includes("e")

/** What `canonicalize` prints. Members that are undefined are left out. */
export type JsonInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | CanonicalText
  | ReadonlyArray<JsonInput>
  | { readonly [key: string]: JsonInput | undefined }

/**
 * The canonical text of plain values. A number without a fraction prints as an integer with all its digits, one with a
 * fraction as a float; `float` makes a float of any number. NaN, the infinities and holes of an array print as `null`,
 * a lone surrogate as U+FFFD, as in UTF-8; of two keys that become one so, the last is printed. Parsed objects and arrays, and a `CanonicalText`, go in as they are.
 */
export const canonicalize = (value: JsonInput): string => {
  if (value === null) return "null"
  switch (typeof value) {
    case "string":
      return stringText(value)
    case "number":
      return numberText(value)
    case "boolean":
    case "bigint":
      return String(value)
  }
  if (value instanceof CanonicalText) return value.text
  if (isArray(value)) return `[${Array.from(value, itemText).join(",")}]`
  const keys = Object.keys(value)
  if (!keys.every((key) => key.isWellFormed())) {
    return canonicalize(Object.fromEntries(keys.map((key) => [key.toWellFormed(), value[key]])))
  }
  const members: Array<string> = []
  for (const key of keys.sort(compareCodePoints)) {
    const member = value[key]
    if (member !== undefined) members.push(`${stringText(key)}:${canonicalize(member)}`)
  }
  return `{${members.join(",")}}`
}

/** A number that prints as a float, whether it has a fraction or not: `float(1)` is `1.0`. */
export const float = (value: number): CanonicalText =>
  new CanonicalText(Number.isFinite(value) ? floatText(value) : "null")

/** A parsed node of any kind as a part of a larger value. */
export const toCanonicalText = (node: JsonNode): CanonicalText =>
  typeof node === "string" ? new CanonicalText(node) : node

const isArray: (value: JsonInput & object) => value is ReadonlyArray<JsonInput> = Array.isArray

/** `Array.from` sees holes, which `map` passes over. */
const itemText = (item: JsonInput | undefined): string => item === undefined ? "null" : canonicalize(item)

const stringText = (value: string): string => JSON.stringify(value.toWellFormed())

const numberText = (value: number): string => {
  // as JSON.stringify does, but from 1e21 on, where that writes an exponent and so a float
  if (Number.isInteger(value)) return Math.abs(value) < 1e21 ? String(value === 0 ? 0 : value) : String(BigInt(value))
  return Number.isFinite(value) ? floatText(value) : "null"
}
