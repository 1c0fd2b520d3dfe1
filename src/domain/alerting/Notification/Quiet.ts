import { fromEpochMicros, secondsPerDay, type Timestamp, toEpochSeconds } from "../../kernel/Timestamp.ts"
import { findZone, type Zone } from "../../kernel/Zone.ts"
import { minutesOf, type QuietHours, type Weekday, weekdays } from "./Hygiene.ts"

/** The instants at which the zone's clocks show this local time, earliest first; in a gap the instant after it. */
const instantsOf = (zone: Zone, localSeconds: number): ReadonlyArray<number> => {
  const offsets = [-secondsPerDay, 0, secondsPerDay].map((shift) => zone.segmentAt(localSeconds + shift).offset)
  const candidates = [...new Set(offsets)].map((offset) => localSeconds - offset).sort((a, b) => a - b)
  const valid = candidates.filter((instant) => instant + zone.segmentAt(instant).offset === localSeconds)
  if (valid.length > 0) return valid
  return [zone.segmentAt(candidates.at(-1) ?? localSeconds).start]
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): Weekday => weekdays[(((day + 3) % 7) + 7) % 7] ?? "mon"

/**
 * When the quiet hours that contain the moment end, or null outside of them. A time that the clocks show twice begins
 * them the first time and ends them the second time.
 */
export const findQuietEnd = (quiet: QuietHours, at: Timestamp): Timestamp | null => {
  const zone = findZone(quiet.timezone)
  if (zone === null) return null // a zone that this Node does not know
  const instant = toEpochSeconds(at)
  const today = Math.floor((instant + zone.segmentAt(instant).offset) / secondsPerDay)
  const [start, end] = [minutesOf(quiet.start) * 60, minutesOf(quiet.end) * 60]
  for (const day of [today, today - 1]) {
    if (quiet.days !== undefined && !quiet.days.includes(weekdayOf(day))) continue
    const begins = instantsOf(zone, day * secondsPerDay + start)[0] ?? Infinity
    const ends = instantsOf(zone, (end <= start ? day + 1 : day) * secondsPerDay + end).at(-1) ?? -Infinity
    if (begins <= instant && instant < ends) return fromEpochMicros(ends * 1_000_000)
  }
  return null
}
