/** Tracebacks that an agent cut: they end before the line that names the exception. */

/** What agents put behind a text that they cut: `[truncated]`, `…[truncated]`, `[...808 more bytes truncated]`,
 * `[... traceback truncated ...]`. */
const cutMark = /\s*(?:…|\.{3})?\[[^\][\n]{0,40}truncated(?: \.{3})?\]\s*$/

/** The text without the mark at its end. */
export const stripCutMark = (text: string): string =>
  text.slice(0, -maxMarkLength) + text.slice(-maxMarkLength).replace(cutMark, "")

const maxMarkLength = 80

/** Stands for the exception of a traceback that ends before it. */
export const cutException = "[unknown: the traceback was cut before its exception]"

/** Whether a line at the left edge of a Python traceback that was cut is not sure to be all of an exception's type. */
export const isPartOfType = (line: string): boolean => !/[:(]/.test(line)

/** Lines of an exception's message that are looked through. */
const maxMessageLines = 100

/**
 * The last line of a traceback that is at the left edge, as its exception; null where the traceback was cut before it.
 * Frames and source lines are indented, and so can be lines of a message.
 */
export const exceptionLineOf = (traceback: string): string | null => {
  const text = stripCutMark(traceback).trimEnd()
  const wasCut = text.length < traceback.trimEnd().length
  let end = text.length
  for (let lines = 0; lines < maxMessageLines && end > 0; lines++) {
    const begin = text.lastIndexOf("\n", end - 1) + 1
    const line = text.slice(begin, end)
    if (line.startsWith("  File \"") || line.startsWith("Traceback (")) return null
    if (line !== "" && line.charCodeAt(0) > 32) return wasCut && isPartOfType(line) ? null : line
    end = begin - 1
  }
  return null
}
