/**
 * The bound of what is stored of one value of a task (docs/api.md, Large values). A value over the bound is
 * truncated and marked:
 *
 * - JSON (args, kwargs, result) becomes `{"begins": "<its text, up to the bound>", "bytes": <of all of it>,
 *   "svc_truncated": true}`, canonical JSON again.
 * - Texts (exception, traceback) keep their beginning and their end, with a line between them that counts the bytes
 *   left out: a Python traceback says at its end what failed, a JavaScript stack at its beginning.
 * - Tags become one tag that says how many bytes there were.
 */
import type { EventData } from "../kernel/TaskEvent.ts"

type Truncator = (json: string, most: number) => string

/** An event's data with no large value over `most` bytes as UTF-8; the same object when all of them fit. */
export const truncateValues = (data: EventData, maxBytes: number): EventData => {
  let fits = true
  data.forEach((json, field) => {
    if (fits && findTruncator(json, field, maxBytes) !== null) fits = false
  })
  if (fits) return data
  const bounded = new Map<string, string>()
  data.forEach((json, field) => {
    bounded.set(field, findTruncator(json, field, maxBytes)?.(json, maxBytes) ?? json)
  })
  return bounded
}

/** The truncation of a field that exceeds its bound; null where it fits. */
const findTruncator = (json: string, field: string, most: number): Truncator | null => {
  const truncate = TRUNCATORS.get(field)
  return truncate !== undefined && exceeds(json, truncate === truncateToHalf ? most / 2 : most) ? truncate : null
}

/** Whether canonical JSON text is a value that `truncateValues` truncated. */
export const isTruncated = (json: string): boolean =>
  json.startsWith("{\"begins\":\"") && json.endsWith(",\"svc_truncated\":true}")

/** A UTF-16 unit has at most three bytes, so that most values need no count. */
const exceeds = (json: string, most: number): boolean => json.length * 3 > most && Buffer.byteLength(json) > most

const truncateTags: Truncator = (json) => JSON.stringify([`[svc cut ${Buffer.byteLength(json)} bytes of tags]`])

const truncateJson: Truncator = (json, most) => {
  const ends = `","bytes":${Buffer.byteLength(json)},"svc_truncated":true}`
  const begins = "{\"begins\":\""
  const kept = JSON.stringify(json.slice(0, countFittingUnits(json, most - begins.length - ends.length)))
  return `${begins}${kept.slice(1, -1)}${ends}`
}

/** An oversized value that is not a string is stored as null in these fields. */
const truncateText: Truncator = (json, most) => {
  if (!json.startsWith("\"")) return "null"
  const utf8 = Buffer.from(String(JSON.parse(json)), "utf8")
  const half = Math.max(0, Math.floor(most / 2) - 64) // the line between them takes fewer
  const head = decodeWholeCharacters(utf8.subarray(0, half))
  const tail = decodeWholeCharacters(utf8.subarray(Math.max(half, utf8.length - half)))
  const omittedBytes = utf8.length - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return omittedBytes <= 0 ? json : JSON.stringify(`${head}\n[svc cut ${omittedBytes} bytes here]\n${tail}`)
}

/** An exception's class and message are stored as one text: each may have half. */
const truncateToHalf: Truncator = (json, most) => truncateText(json, most / 2)

/** The fields that are truncated here. Other fields have smaller bounds of their own. */
const TRUNCATORS: ReadonlyMap<string, Truncator> = new Map([
  ["args", truncateJson],
  ["kwargs", truncateJson],
  ["result", truncateJson],
  ["tags", truncateTags],
  ["traceback", truncateText],
  ["exception", truncateToHalf],
  ["exception_message", truncateToHalf],
  ["reason", truncateToHalf]
])

/** Drops the incomplete characters at both ends of a truncated text. */
const decodeWholeCharacters = (utf8: Buffer): string => {
  const text = utf8.toString("utf8")
  // not /\ufffd+$/, which tries every run of a text that has many: 200 ms of 128 KiB
  let [begin, end] = [0, text.length]
  while (begin < end && text.charCodeAt(begin) === replacement) begin++
  while (end > begin && text.charCodeAt(end - 1) === replacement) end--
  return text.slice(begin, end)
}

/** What Node decodes for bytes that are no character (U+FFFD). */
const replacement = 0xfffd

/** How many UTF-16 units of the text fit into so many bytes of a JSON string, no surrogate pair taken apart. */
const countFittingUnits = (text: string, most: number): number => {
  let bytes = 0
  for (let index = 0; index < text.length;) {
    const point = text.codePointAt(index)!
    bytes += bytesInJson(point)
    if (bytes > most) return index
    index += point > 0xffff ? 2 : 1
  }
  return text.length
}

const bytesInJson = (point: number): number => {
  if (point === 0x22 || point === 0x5c) return 2
  if (point < 0x20 || (point >= 0xd800 && point <= 0xdfff)) return 6
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
}
