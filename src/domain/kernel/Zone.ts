/**
 * A time zone's offsets from the ICU of Node, read through Intl. A lookup asks Intl only once per zone and year: Intl
 * takes a microsecond an instant, and a walk asks for many.
 */

/** A time of constant offset, at most a year long. All in seconds. */
export interface Segment {
  readonly start: number
  /** exclusive */
  readonly end: number
  /** Local time minus UTC. */
  readonly offset: number
  /** The offset of the second before `start`. Equal to `offset` where the segment begins without a change. */
  readonly offsetBefore: number
}

export interface Zone {
  readonly segmentAt: (instant: number) => Segment
}

const SECONDS_PER_CHUNK = 31_536_000

/**
 * Since 2000 the offset of no zone changes twice within 7 days (America/Recife, October 2000, is the shortest), so that
 * a probe every two days finds each change.
 */
const SECONDS_PER_PROBE = 172_800

const zones = new Map<string, Zone>()

/** The zone of an IANA name in any case, or null. Names are kept, since a name costs 40 µs and each year 0.2 ms. */
export const findZone = (name: string): Zone | null => {
  const key = name.toLowerCase()
  const known = zones.get(key)
  if (known !== undefined) return known
  const offsetAt = makeOffsetAt(name)
  if (offsetAt === null) return null
  const zone = makeZone(offsetAt)
  zones.set(key, zone)
  return zone
}

/** Offsets in seconds by instant. Null if Intl does not know the name; offsets such as +01:00 are no names. */
const makeOffsetAt = (name: string): ((instant: number) => number) | null => {
  if (!/^[a-z][a-z0-9_+/-]{0,63}$/i.test(name)) return null
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" })
    return (instant) => readOffset(format.format(instant * 1000))
  } catch {
    return null // a RangeError, the only way in which Intl says that it does not know a name
  }
}

/** From `11/22/2026, GMT+05:45`, `GMT-00:44:30` or `GMT`. */
const readOffset = (text: string): number => {
  const [, sign, hours, minutes, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? []
  const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds)
  return sign === "-" ? -size : size
}

const makeZone = (offsetAt: (instant: number) => number): Zone => {
  const chunks = new Map<number, ReadonlyArray<Segment>>()
  const chunkOf = (index: number): ReadonlyArray<Segment> => {
    const known = chunks.get(index)
    if (known !== undefined) return known
    const segments = readSegments(offsetAt, index * SECONDS_PER_CHUNK)
    chunks.set(index, segments)
    return segments
  }
  return {
    segmentAt: (instant) => {
      const segments = chunkOf(Math.floor(instant / SECONDS_PER_CHUNK))
      for (const segment of segments) if (instant < segment.end) return segment
      throw new RangeError("the segments of a chunk cover all of it")
    }
  }
}

const readSegments = (offsetAt: (instant: number) => number, start: number): ReadonlyArray<Segment> => {
  const end = start + SECONDS_PER_CHUNK
  const segments: Array<Segment> = []
  let current = { start, offset: offsetAt(start), offsetBefore: offsetAt(start - 1) }
  for (let from = start; from < end; from += SECONDS_PER_PROBE) {
    const to = Math.min(from + SECONDS_PER_PROBE, end - 1)
    const offset = offsetAt(to)
    if (offset === current.offset) continue
    const change = findChange(offsetAt, from, to)
    segments.push({ ...current, end: change })
    current = { start: change, offset, offsetBefore: current.offset }
  }
  segments.push({ ...current, end })
  return segments
}

/** The first instant of another offset than that of `from`, between `from` (exclusive) and `to`. */
const findChange = (offsetAt: (instant: number) => number, from: number, to: number): number => {
  const offset = offsetAt(from)
  let before = from
  let after = to
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle) === offset) before = middle
    else after = middle
  }
  return after
}
