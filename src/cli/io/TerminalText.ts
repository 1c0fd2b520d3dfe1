import { canonicalTextOf, JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"

/**
 * Escapes texts of the API for a terminal. Task names and errors are written by others, and a control character in one could
 * move the cursor, recolour or retitle the terminal, or reverse text.
 */

/** C0, DEL and C1 controls, line and paragraph separators, and characters that change the direction of text. */
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, "0")

const escapeCharacter = (character: string): string => {
  if (character === "\n") return "\\n"
  if (character === "\t") return "\\t"
  return character.charCodeAt(0) < 0x100 ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`
}

/** One line, every control character written out. */
export const escapeText = (text: string): string => text.replace(controlCharacters, escapeCharacter)

/**
 * A text of several lines, such as a traceback, without control characters. Each line is indented, because a line at the
 * left edge could imitate the lines that the command itself prints.
 */
export const indentLines = (text: string): string =>
  text.split(/\r?\n/).map((line) => `    ${line.split("\t").map(escapeText).join("    ")}`.trimEnd()).join("\n")

/** Equivalent JSON text without control characters. In JSON they occur only inside strings, except white space. */
export const escapeJson = (json: string): string =>
  json.trim().replace(
    controlCharacters,
    (character) => (/\s/.test(character) && character < " " ? " " : `\\u${hex(character, 4)}`)
  )

/** The JSON text of a member of an object's JSON text, with all its digits; null where it is missing or null. */
export const jsonMemberOf = (json: string, name: string): string | null => {
  const node = parse(json)
  const value = node instanceof JsonObject ? node.values[node.keys.indexOf(name)] : undefined
  return value === undefined || value === "null" ? null : canonicalTextOf(value)
}
