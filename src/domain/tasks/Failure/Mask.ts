/** Texts without the parts that differ from failure to failure: numbers, ids, quoted values. One pass, no backtracking. */

const maxReadLength = 1000
const maxKeptLength = 300

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127
const isHexOrHyphen = (code: number): boolean =>
  isDigit(code) || code === 45 || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)

const isWordCode = (code: number): boolean => isLetter(code) || isDigit(code)

/** Joins the parts of a word: of UUIDs, decimals, times, addresses with ports, and of `can't`. */
const isJoint = (code: number): boolean => code === 45 || code === 46 || code === 58 || code === 43 || code === 39

/**
 * A message without its values: each word with a digit becomes `#` (numbers, UUIDs, hexadecimal addresses, times, IP
 * addresses), each quoted value `'*'`.
 */
export const maskMessage = (message: string): string => {
  const text = message.slice(0, maxReadLength)
  let masked = ""
  let position = 0
  while (position < text.length && masked.length < maxKeptLength) {
    const code = text.charCodeAt(position)
    if (isWordCode(code)) {
      const end = endOfWord(text, position)
      masked += hasDigit(text, position, end) ? "#" : text.slice(position, end)
      position = end
    } else if (isQuote(code)) {
      const end = text.indexOf(text[position]!, position + 1)
      masked += end < 0 ? "'" : "'*'"
      position = end < 0 ? position + 1 : end + 1
    } else if (code <= 32) {
      masked += masked.endsWith(" ") || masked === "" ? "" : " "
      position++
    } else {
      masked += text[position]
      position++
    }
  }
  return masked.trimEnd()
}

const isQuote = (code: number): boolean => code === 39 || code === 34 || code === 96

const endOfWord = (text: string, from: number): number => {
  let position = from + 1
  while (position < text.length) {
    const code = text.charCodeAt(position)
    const continues = isWordCode(code) || (isJoint(code) && isWordCode(text.charCodeAt(position + 1)))
    if (!continues) return position
    position++
  }
  return position
}

const hasDigit = (text: string, from: number, to: number): boolean => {
  for (let position = from; position < to; position++) if (isDigit(text.charCodeAt(position))) return true
  return false
}

/** Digits of an id: a version (`oauth2`, `step12`) has fewer. */
const minIdDigits = 3
/** Characters of a hexadecimal id, or of a UUID. */
const minHexLength = 8

/** A name without ids: long hexadecimal runs with a digit, and runs of three or more digits, become `#`. */
export const maskIds = (name: string): string => {
  const text = name.slice(0, maxKeptLength)
  let masked = ""
  let copied = 0
  for (let position = 0; position < text.length;) {
    const hexEnd = endOfRun(text, position, isHexOrHyphen)
    const digitsEnd = endOfRun(text, position, isDigit)
    const isHexId = hexEnd - position >= minHexLength && hasDigit(text, position, hexEnd)
    if (isHexId || digitsEnd - position >= minIdDigits) {
      masked += `${text.slice(copied, position)}#`
      copied = isHexId ? hexEnd : digitsEnd
      position = copied
    } else {
      // a run without a digit is passed at once, a run with one is short: the work stays linear
      position = Math.max(position + 1, hasDigit(text, position, hexEnd) ? digitsEnd : hexEnd)
    }
  }
  return masked + text.slice(copied)
}

const endOfRun = (text: string, from: number, belongs: (code: number) => boolean): number => {
  let position = from
  while (position < text.length && belongs(text.charCodeAt(position))) position++
  return position
}
