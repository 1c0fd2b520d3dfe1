/** Tracebacks that an agent truncated: they end before the line that names the exception. */

/** What agents append to a text that they truncated: `[truncated]`, `…[truncated]`, `[...808 more bytes truncated]`,
 * `[... traceback truncated ...]`. */
const truncationMark = /\s*(?:…|\.{3})?\[[^\][\n]{0,40}truncated(?: \.{3})?\]\s*$/

/** The text without the mark at its end. */
export const stripTruncationMark = (text: string): string =>
  text.slice(0, -maxMarkLength) + text.slice(-maxMarkLength).replace(truncationMark, "")

const maxMarkLength = 80

/** The exception of a traceback that ends before it. */
export const truncatedException = "[unknown: the traceback was cut before its exception]"

/** Whether a line at the left edge of a truncated Python traceback may be only a part of an exception's type. */
export const isPartOfType = (line: string): boolean => !/[:(]/.test(line)

/** Lines of an exception's message that are searched. */
const maxMessageLines = 100

/**
 * The last line of a traceback that is at the left edge, as its exception; null where the traceback was truncated before it.
 * Frames and source lines are indented, and so can be lines of a message.
 */
export const exceptionLineOf = (traceback: string): string | null => {
  const text = stripTruncationMark(traceback).trimEnd()
  const isTruncated = text.length < traceback.trimEnd().length
  let end = text.length
  for (let lines = 0; lines < maxMessageLines && end > 0; lines++) {
    const begin = text.lastIndexOf("\n", end - 1) + 1
    const line = text.slice(begin, end)
    if (line.startsWith("  File \"") || line.startsWith("Traceback (")) return null
    if (line !== "" && line.charCodeAt(0) > 32) return isTruncated && isPartOfType(line) ? null : line
    end = begin - 1
  }
  return null
}
