import { fromEpochMicros, secondsPerDay, type Timestamp, toEpochSeconds } from "../../kernel/Timestamp.ts"
import { findZone, type Zone } from "../../kernel/Zone.ts"
import { minutesOf, type SendHours, type Weekday, weekdays } from "./Hygiene.ts"

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
 * The hours that begin on a day of the zone, as instants. A time that the clocks show twice begins them the first time
 * and ends them the second time.
 */
const hoursOn = ({ end, start }: SendHours, zone: Zone, day: number) => {
  const [from, to] = [minutesOf(start) * 60, minutesOf(end) * 60]
  return {
    begins: instantsOf(zone, day * secondsPerDay + from)[0] ?? Infinity,
    ends: instantsOf(zone, (to <= from ? day + 1 : day) * secondsPerDay + to).at(-1) ?? -Infinity
  }
}

/** When a message that is due at the moment may be sent; null: at once. */
export const findSendTime = (hours: SendHours, at: Timestamp): Timestamp | null => {
  const zone = findZone(hours.timezone)
  if (zone === null) return null // a zone that this Node does not know
  const instant = toEpochSeconds(at)
  const today = Math.floor((instant + zone.segmentAt(instant).offset) / secondsPerDay)
  // from yesterday, whose hours may last until today, to the same weekday of the next week
  const spans = Array.from({ length: 9 }, (_, index) => today - 1 + index)
    .filter((day) => hours.days === undefined || hours.days.includes(weekdayOf(day)))
    .map((day) => hoursOn(hours, zone, day))
  const current = spans.findLast(({ begins, ends }) => begins <= instant && instant < ends)
  const next = hours.mode === "except"
    ? current?.ends
    : current === undefined
    ? spans.find(({ begins }) => begins > instant)?.begins
    : undefined
  return next === undefined ? null : fromEpochMicros(next * 1_000_000)
}
