/** The size of a piece of text in the unit of a limit: at least 1 for each code point. The sizes of pieces add up. */
export type SizeOf = (piece: string) => number

/** Code points, which providers call characters. */
export const countCharacters: SizeOf = (text) => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Bytes in UTF-8. */
export const countBytes: SizeOf = (text) => Buffer.byteLength(text, "utf8")

/** Bytes within a JSON string. */
export const countJsonBytes: SizeOf = (text) => Buffer.byteLength(JSON.stringify(text), "utf8") - 2

const ellipsis = "…"

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** How many UTF-16 units of the text's first pieces fit. */
const fittingLength = (pieces: Iterable<string>, room: number, sizeOf: SizeOf): number => {
  let [size, length] = [0, 0]
  for (const piece of pieces) {
    size += sizeOf(piece)
    if (size > room) break
    length += piece.length
  }
  return length
}

const segmentsOf = function*(text: string): Generator<string> {
  for (const { segment } of graphemes.segment(text)) yield segment
}

/**
 * The text, or its beginning with `…` at the end, in at most `limit` of a unit. What a reader sees as one character, such
 * as a letter with its combining marks, stays whole unless it alone exceeds the limit.
 */
export const truncateText = (text: string, limit: number, sizeOf: SizeOf = countCharacters): string => {
  if (sizeOf(text) <= limit) return text
  const room = limit - sizeOf(ellipsis)
  if (room < 0) return ""
  const beginning = text.slice(0, 2 * limit) // more than fits, and finding the characters of a long text is slow
  const length = fittingLength(segmentsOf(beginning), room, sizeOf) || fittingLength(beginning, room, sizeOf)
  return text.slice(0, length) + ellipsis
}
