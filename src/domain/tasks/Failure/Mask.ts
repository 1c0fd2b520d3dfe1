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
  let at = 0
  while (at < text.length && masked.length < maxKeptLength) {
    const code = text.charCodeAt(at)
    if (isWordCode(code)) {
      const end = endOfWord(text, at)
      masked += hasDigit(text, at, end) ? "#" : text.slice(at, end)
      at = end
    } else if (isQuote(code)) {
      const end = text.indexOf(text[at]!, at + 1)
      masked += end < 0 ? "'" : "'*'"
      at = end < 0 ? at + 1 : end + 1
    } else if (code <= 32) {
      masked += masked.endsWith(" ") || masked === "" ? "" : " "
      at++
    } else {
      masked += text[at]
      at++
    }
  }
  return masked.trimEnd()
}

const isQuote = (code: number): boolean => code === 39 || code === 34 || code === 96

const endOfWord = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const continues = isWordCode(code) || (isJoint(code) && isWordCode(text.charCodeAt(at + 1)))
    if (!continues) return at
    at++
  }
  return at
}

const hasDigit = (text: string, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (isDigit(text.charCodeAt(at))) return true
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
  for (let at = 0; at < text.length;) {
    const hexEnd = endOfRun(text, at, isHexOrHyphen)
    const digitsEnd = endOfRun(text, at, isDigit)
    const isHexId = hexEnd - at >= minHexLength && hasDigit(text, at, hexEnd)
    if (isHexId || digitsEnd - at >= minIdDigits) {
      masked += `${text.slice(copied, at)}#`
      copied = isHexId ? hexEnd : digitsEnd
      at = copied
    } else {
      // a run without a digit is passed at once, a run with one is short: the work stays linear
      at = Math.max(at + 1, hasDigit(text, at, hexEnd) ? digitsEnd : hexEnd)
    }
  }
  return masked + text.slice(copied)
}

const endOfRun = (text: string, from: number, belongs: (code: number) => boolean): number => {
  let at = from
  while (at < text.length && belongs(text.charCodeAt(at))) at++
  return at
}
