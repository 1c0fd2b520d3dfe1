/** How events are put together: into rows of the buffer file, and rows into frames. Plain code. */
import { eventsOf, type Row } from "./BufferFile.ts"

export interface BufferLimits {
  readonly maxEvents: number
  readonly maxBytes: number
}

export const MOST_ROW_EVENTS = 250
const MOST_ROW_BYTES = 65_536
/** Signing a frame of this size takes the host about a millisecond. */
const MOST_PARCEL_EVENTS = 500
export const MOST_PARCEL_BYTES = 131_072

/** The texts as bodies of rows, which are small beside the limits: the oldest row is what is dropped at once. */
export const pack = (
  texts: ReadonlyArray<string>,
  { maxBytes, maxEvents }: BufferLimits,
  add: (events: number, bytes: number, body: string) => void
): void => {
  const mostEvents = Math.max(1, Math.min(MOST_ROW_EVENTS, Math.floor(maxEvents / 10)))
  const mostBytes = Math.max(1, Math.min(MOST_ROW_BYTES, Math.floor(maxBytes / 10)))
  let row: Array<string> = []
  let bytes = 0
  const end = () => {
    if (row.length > 0) add(row.length, bytes, row.join(","))
    row = []
    bytes = 0
  }
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1
    if (row.length >= mostEvents || bytes + size > mostBytes) end()
    row.push(text)
    bytes += size
  }
  end()
}

/** Tells row after row whether it still fits into one frame of `most` bytes; the first one always does. */
export const fitting = (most: number): (row: Row) => boolean => {
  let events = 0
  let bytes = 0
  return (row) => {
    const first = events === 0
    events += row.events
    bytes += row.bytes
    return first || (events <= MOST_PARCEL_EVENTS && bytes <= most)
  }
}

/** What is wrong with a row: its events that can still be sent one by one, and how many cannot, by reason. */
export interface Unsound {
  readonly usable: ReadonlyArray<string>
  readonly damaged: number
  readonly tooLong: number
}

/** Null when the row can be sent as it is. `trusted`: its body needs no look. */
export const examine = (row: Row, most: number, trusted: boolean): Unsound | null => {
  if (trusted && row.bytes <= most) return null
  const events = eventsOf(row.body)
  const damaged = Math.max(0, row.events - events.length)
  if (damaged === 0 && row.bytes <= most) return null
  const usable = events.filter((text) => Buffer.byteLength(text) < most)
  return { usable, damaged, tooLong: events.length - usable.length }
}
