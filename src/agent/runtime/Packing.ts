/** How events are put together: into rows of the buffer file, and rows into frames. Plain code. */
import { type BufferRow, parseEvents } from "./BufferFile.ts"

export interface BufferLimits {
  readonly maxEvents: number
  readonly maxBytes: number
}

export const MAX_ROW_EVENTS = 250
const MAX_ROW_BYTES = 65_536
/** Signing a frame of this size takes the host about a millisecond. */
const MAX_BATCH_EVENTS = 500
export const MAX_BATCH_BYTES = 131_072

/** The texts as bodies of rows. Rows are small, because a full buffer drops whole rows. */
export const packRows = (
  texts: ReadonlyArray<string>,
  { maxBytes, maxEvents }: BufferLimits,
  add: (events: number, bytes: number, body: string) => void
): void => {
  const maxEventsPerRow = Math.max(1, Math.min(MAX_ROW_EVENTS, Math.floor(maxEvents / 10)))
  const maxBytesPerRow = Math.max(1, Math.min(MAX_ROW_BYTES, Math.floor(maxBytes / 10)))
  let row: Array<string> = []
  let bytes = 0
  const flushRow = () => {
    if (row.length > 0) add(row.length, bytes, row.join(","))
    row = []
    bytes = 0
  }
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1
    if (row.length >= maxEventsPerRow || bytes + size > maxBytesPerRow) flushRow()
    row.push(text)
    bytes += size
  }
  flushRow()
}

/**
 * A function that says, row after row, whether it still fits into one frame of `most` bytes. The first one always does.
 */
export const makeFitCheck = (maxBytes: number): (row: BufferRow) => boolean => {
  let events = 0
  let bytes = 0
  return (row) => {
    const first = events === 0
    events += row.events
    bytes += row.bytes
    return first || (events <= MAX_BATCH_EVENTS && bytes <= maxBytes)
  }
}

/** A row that cannot be sent as it is: the events that can be sent one by one, and the number of others by reason. */
export interface RowDefects {
  readonly usable: ReadonlyArray<string>
  readonly damaged: number
  readonly tooLong: number
}

/** Null when the row can be sent as it is. `trusted`: its body is valid without a check. */
export const checkRow = (row: BufferRow, maxBytes: number, trusted: boolean): RowDefects | null => {
  if (trusted && row.bytes <= maxBytes) return null
  const events = parseEvents(row.body)
  const damaged = Math.max(0, row.events - events.length)
  if (damaged === 0 && row.bytes <= maxBytes) return null
  const usable = events.filter((text) => Buffer.byteLength(text) < maxBytes)
  return { usable, damaged, tooLong: events.length - usable.length }
}
