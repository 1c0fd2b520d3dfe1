/** The innermost frames of the user's own code, from a Python traceback or a JavaScript stack. */
import { maskFolder } from "./Folder.ts"
import { maskIds } from "./Mask.ts"
import { isPartOfType, stripTruncationMark } from "./TruncatedStack.ts"

/** The parts of a stack that identify a failure. */
export interface StackParts {
  /** `file:function` without line numbers, innermost first. */
  readonly frames: ReadonlyArray<string>
  /** The line of a Python traceback that names the exception; null where there is none. */
  readonly exceptionLine: string | null
}

/** Frames that identify a failure. */
const maxFrames = 3

/** Bounds of the work on one stack, whatever an agent sends. */
const maxLength = 32 * 1024
const maxLines = 400
const maxOwnFrames = 50
const maxLineLength = 300

const pythonHeader = "Traceback (most recent call last)"
const groupHeader = "Exception Group Traceback (most recent call last)"

export const readStack = (stack: string): StackParts => {
  if (stack.includes(pythonHeader)) return readPythonStack(stack)
  if (stack.startsWith("    at ") || stack.includes("\n    at ")) return readJavaScriptStack(stack)
  return { frames: [], exceptionLine: null }
}

/** Collects frames from the innermost one on: those of the user's own code, or the others where there are none. */
class FrameCollector {
  private readonly own: Array<string> = []
  private readonly others: Array<string> = []
  private ownRead = 0
  private hasRecursion = false

  get isFull(): boolean {
    return this.own.length === maxFrames || this.ownRead === maxOwnFrames
  }

  /** The depth at which a recursion ends varies, and with it which of its frames is the innermost. */
  get frames(): ReadonlyArray<string> {
    const frames = this.own.length > 0 ? this.own : this.others
    return this.hasRecursion ? frames.toSorted() : frames
  }

  add({ name, path }: Frame): void {
    const isOwn = !isForeign(path)
    const frames = isOwn ? this.own : this.others
    if (frames.length === maxFrames) return
    if (isOwn) this.ownRead++
    const frame = `${maskIds(lastSegments(path))}:${maskIds(name)}`
    if (!frames.includes(frame)) frames.push(frame)
    else if (isOwn) this.hasRecursion = true
  }
}

interface Frame {
  readonly path: string
  readonly name: string
}

/**
 * Reads the last block, which is the exception that ended the task, from its end: the innermost frame is the last one.
 * Of an exception group its own block, since its members come in any order.
 */
const readPythonStack = (stack: string): StackParts => {
  const isGroup = stack.includes(groupHeader)
  const members = isGroup ? stack.indexOf("\n  +-+") : -1
  const whole = members < 0 ? stack : stack.slice(0, members)
  const kept = stripTruncationMark(whole)
  const text = kept.slice(-maxLength)
  const collector = new FrameCollector()
  let exceptionLine: string | null = null
  let hasFrame = false
  let end = text.length
  for (let lines = 0; end > 0 && lines < maxLines && !collector.isFull; lines++) {
    const begin = text.lastIndexOf("\n", end - 1) + 1
    const line = text.slice(begin, Math.min(end, begin + maxLineLength))
    end = begin - 1
    const content = isGroup && line.startsWith("  | ") ? line.slice(4) : line
    if (content.includes(pythonHeader)) break
    const frame = readPythonFrame(content)
    if (frame !== null) {
      hasFrame = true
      collector.add(frame)
    } else if (!hasFrame && isExceptionLine(content)) {
      exceptionLine = content.trimEnd() // of several lines the first: the others are its message's
    }
  }
  const isTruncated = kept.length < whole.length
  const isWhole = hasFrame && exceptionLine !== null && !(isTruncated && isPartOfType(exceptionLine))
  return { frames: collector.frames, exceptionLine: isWhole ? exceptionLine : null }
}

/** Source lines are indented; a note about what an agent or the brain truncated begins with a bracket. */
const isExceptionLine = (line: string): boolean => line !== "" && line.charCodeAt(0) > 32 && line[0] !== "["

/** `  File "/srv/app/shop.py", line 22, in pay`. */
const readPythonFrame = (line: string): Frame | null => {
  if (!line.startsWith("  File \"")) return null
  const pathEnd = line.indexOf("\"", 8)
  const nameBegin = line.indexOf(", in ", pathEnd)
  return pathEnd < 0 || nameBegin < 0
    ? null
    : { path: line.slice(8, pathEnd).replaceAll("\\", "/"), name: line.slice(nameBegin + 5).trimEnd() }
}

/** Reads the first block; the innermost frame is the first one. What follows are causes. */
const readJavaScriptStack = (stack: string): StackParts => {
  const collector = new FrameCollector()
  let begin = stack.startsWith("    at ") ? 0 : stack.indexOf("\n    at ") + 1
  for (let lines = 0; lines < maxLines && !collector.isFull; lines++) {
    if (!stack.startsWith("    at ", begin)) break
    const next = stack.indexOf("\n", begin)
    const end = next < 0 ? stack.length : next
    collector.add(readJavaScriptFrame(stack.slice(begin + 7, Math.min(end, begin + maxLineLength)).trimEnd()))
    if (next < 0) break
    begin = next + 1
  }
  return { frames: collector.frames, exceptionLine: null }
}

/** `async Mailer.send [as handler] (file:///srv/app/dist/mail.js:10:5)`, or the place alone. */
const readJavaScriptFrame = (frame: string): Frame => {
  const text = frame.startsWith("async ") ? frame.slice(6) : frame
  const placeBegin = text.endsWith(")") ? text.lastIndexOf(" (") : -1
  const place = placeBegin < 0 ? text : text.slice(placeBegin + 2, -1)
  const name = placeBegin < 0 ? "" : text.slice(0, placeBegin)
  const alias = name.indexOf(" [as ")
  return { path: withoutContentHash(pathOf(place)), name: alias < 0 ? name : name.slice(0, alias) }
}

/** The path of `file:///srv/app/mail.js?v=3:10:5`. */
const pathOf = (place: string): string => {
  let end = place.length
  while (end > 0 && isPosition(place.charCodeAt(end - 1))) end--
  const query = place.indexOf("?")
  const path = place.slice(0, query < 0 ? end : Math.min(query, end)).replaceAll("\\", "/")
  return path.startsWith("file://") ? path.slice(7) : path
}

/**
 * `dist/Shop.js` for `dist/Shop-AWSGDVDQ.js`: bundlers add eight characters of a hash, which changes with each build. A
 * word has no digit, and at most one capital.
 */
const withoutContentHash = (path: string): string => {
  const [end = "", hash = "", extension = ""] = contentHash.exec(path) ?? []
  return hash !== "" && isHash.test(hash) ? path.slice(0, -end.length) + extension : path
}
const contentHash = /[-.](\w{8})(\.[cm]?js)$/
const isHash = /\d|[A-Z].*[A-Z]/

const isPosition = (code: number): boolean => (code >= 48 && code <= 58) // digits and the colon

const foreignFolders = ["/site-packages/", "/dist-packages/", "/node_modules/", "/lib/python", "/lib/pypy"]

/** Whether the file is of a library or of the language itself. */
const isForeign = (path: string): boolean =>
  path.startsWith("node:") || path.startsWith("<") || path.startsWith("internal/") || path.startsWith("index ") ||
  path === "native" || foreignFolders.some((folder) => path.includes(folder)) ||
  (path.includes("/Lib/") && path.includes("/Python3")) // Windows

/** The file and its folder. Releases and machines differ in the folders above, and sometimes in that folder. */
const lastSegments = (path: string): string => {
  const last = path.lastIndexOf("/")
  if (last <= 0) return path
  const above = path.lastIndexOf("/", last - 1)
  const parent = above <= 0 ? "" : path.slice(path.lastIndexOf("/", above - 1) + 1, above)
  return maskFolder(path.slice(above + 1, last), parent) + path.slice(last)
}
