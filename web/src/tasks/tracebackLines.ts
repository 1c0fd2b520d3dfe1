/** Python prints frames of libraries from site-packages, Node from node_modules and its own modules. */
const foreignFrame = /site-packages|dist-packages|node_modules|node:internal|\/lib\/python\d/

export interface TracebackLine {
  readonly text: string
  /** It belongs to a frame of a library. */
  readonly isForeign: boolean
}

/** Exception groups draw a line of `|` before their frames. */
const indentOf = (line: string) => /^[\s|]*/.exec(line)?.[0].length ?? 0

/** A frame of Python is a line with its file, and deeper lines with its code and marks below parts of it. */
export const readTraceback = (text: string): ReadonlyArray<TracebackLine> => {
  /** How far the foreign frame is indented that is being read. */
  let foreignIndent: number | null = null
  return text.split("\n").map((line) => {
    const indent = indentOf(line)
    if (foreignIndent === null || indent <= foreignIndent) foreignIndent = foreignFrame.test(line) ? indent : null
    return { text: line, isForeign: foreignIndent !== null }
  })
}
